/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A heap of the simplest kind, for tests: an array of objects with lists of children. Profiling
 * words are in the objects or left to the engine; objects can die, move and change their children.
 */
#ifndef TOY_HEAP_H
#define TOY_HEAP_H

#include "census/census.h"

/* A producer. */
typedef struct toy_stack {
    const char *label, *module;
    const struct toy_stack *parent;
    uint64_t id;
} toy_stack;

typedef struct toy_object {
    hpp_ref ref; /* the address of the object, or a made-up number; 0: dead */
    uint64_t size_bytes;
    const hpp_shape *shape;
    const toy_stack *stack;
    uint32_t flags;
    bool is_root;
    uint64_t words[2];
    size_t *children; /* indices; SIZE_MAX for an absent child */
    size_t n_children;
} toy_object;

typedef struct toy_heap {
    toy_object *objects;
    size_t n;
    size_t room;
    bool has_headers; /* words are in the objects */
    hpp_ref next_ref; /* for objects without headers */
    hpp_heap adapter;
} toy_heap;

/* Room for `room` objects in all; the array does not move. */
void toy_init(toy_heap *heap, size_t room, bool has_headers);
void toy_finish(toy_heap *heap);

/* Makes an object; returns its index. */
size_t toy_new(toy_heap *heap, uint64_t size_bytes, const hpp_shape *shape, const toy_stack *stack,
               uint32_t flags);
void toy_link(toy_heap *heap, size_t from, size_t to);
void toy_unlink_all(toy_heap *heap, size_t from);

/* The object as the adapter describes it. */
hpp_object toy_describe(toy_heap *heap, size_t index);
uint64_t *toy_life_word(toy_heap *heap, size_t index);

/* The bytes of a band of a result, 0 when there is no such band. */
uint64_t toy_band(const hpp_census_result *result, const char *name);

/* A small generator of random numbers: below `limit`. */
uint32_t toy_random(uint64_t *state, uint32_t limit);

#endif
