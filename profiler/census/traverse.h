/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walks a graph of objects with an explicit stack, without recursion.
 *
 * At each arrival, the visitor returns whether to visit the object's children, and with which data.
 * A frame of the stack holds the remaining children of one object; it is popped before its last
 * child is visited, so that lists need few frames. A short queue between the stack and the visitor
 * gives prefetches time, so the walk is not strictly depth first.
 *
 * The stack grows by chunks. Without memory for one, the visitor's `drop` is called; the caller
 * then finds the objects where the walk stopped, and continues from each with
 * hpp__traverse_children, which always has room for one frame.
 */
#ifndef HPP_TRAVERSE_H
#define HPP_TRAVERSE_H

#include "hpprof/heap.h"

typedef struct hpp__visitor {
    /* Arrival at `ref` with `data`. Returns whether to visit its children, with `*child_data`. */
    bool (*arrive)(hpp_ref ref, uint32_t data, uint32_t *child_data, void *context);
    /* A child will be visited soon: prefetch its words. */
    void (*approach)(hpp_ref ref, void *context);
    /* There is no memory to visit the children of `ref` now. */
    void (*drop)(hpp_ref ref, void *context);
    void *context;
} hpp__visitor;

/* A queued child. */
typedef struct hpp__arrival {
    hpp_ref ref;
    uint32_t data;
} hpp__arrival;

#define HPP__QUEUE_LENGTH 16u

typedef struct hpp__frame hpp__frame;
typedef struct hpp__chunk hpp__chunk;

typedef struct hpp__traverse {
    const hpp_heap *heap; /* borrowed */
    hpp__visitor visitor;
    hpp__frame *top;                       /* NULL: the stack is empty */
    hpp__chunk *first;                     /* always there */
    hpp__chunk *chunk;                     /* has the top frame, or room for the next one */
    hpp__arrival queue[HPP__QUEUE_LENGTH]; /* a ring, between the stack and the visitor */
    unsigned queue_head, n_queued;
    uint64_t n_visits; /* arrivals */
    uint64_t n_scans;  /* listings of children */
    uint64_t n_frames; /* on the stack */
    uint64_t max_frames;
} hpp__traverse;

/* Errors: MEMORY. */
hpf_status hpp__traverse_init(hpp__traverse *traverse, const hpp_heap *heap,
                              const hpp__visitor *visitor, hpf_error *err);
void hpp__traverse_finish(hpp__traverse *traverse);

/* Arrives at `ref` with `data`, then at all objects that the visitor lets follow. */
void hpp__traverse_from(hpp__traverse *traverse, hpp_ref ref, uint32_t data);

/* Arrives at the children of `ref` with `data`, then at all objects that the visitor lets follow.
 */
void hpp__traverse_children(hpp__traverse *traverse, hpp_ref ref, uint32_t data);

/* Frees all chunks but the first. */
void hpp__traverse_shrink(hpp__traverse *traverse);

/* Returns the flags of an object and its shape, with the flags that these imply. */
static inline uint32_t hpp__object_flags(const hpp_object *object)
{
    uint32_t flags = object->flags | object->shape->flags;
    if (flags & (HPP_STACK | HPP_WEAK)) {
        flags |= HPP_INHERENTLY_USED | HPP_RETAINER;
    }
    if (flags & HPP_DEAD_WEAK) {
        flags |= HPP_INHERENTLY_USED;
    }
    return flags;
}

#endif
