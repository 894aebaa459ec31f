/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walking a graph of objects with a stack of our own: no recursion, whatever the shape of the heap.
 *
 * What a walk means is up to its visitor, which is asked at each arrival whether the object's
 * children are to be visited, and with which number. A frame of the stack holds the children of one
 * object that still wait; the frame is gone before its last child is visited, so that lists take
 * few frames. Between the stack and the visitor is a short queue, which gives the memory time: the
 * walk is depth first only on the whole.
 *
 * The stack grows by chunks. When there is no memory for one, the visitor is told that the frame is
 * dropped: its user then finds the places where the walk stopped, and goes on from there with
 * hpp__traverse_children, which always has room for one frame.
 */
#ifndef HPP_TRAVERSE_H
#define HPP_TRAVERSE_H

#include "hpprof/heap.h"

typedef struct hpp__visitor {
    /* Arrival at `ref` with `data`. Returns whether to visit its children, with `*child_data`. */
    bool (*arrive)(hpp_ref ref, uint32_t data, uint32_t *child_data, void *context);
    /* A child will be visited soon: its words can be sent for. */
    void (*approach)(hpp_ref ref, void *context);
    /* There is no memory to visit the children of `ref`, now. */
    void (*drop)(hpp_ref ref, void *context);
    void *context;
} hpp__visitor;

/* A child whose turn will come. */
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
    hpp__frame *top;   /* NULL: the stack is empty */
    hpp__chunk *first; /* always there */
    hpp__chunk *chunk; /* has the top frame; the next one goes there, or into the chunk behind */
    hpp__arrival queue[HPP__QUEUE_LENGTH]; /* a ring, between the stack and the visitor */
    unsigned queue_head, n_queued;
    uint64_t n_visits; /* arrivals */
    uint64_t n_scans;  /* times that children were listed */
    uint64_t n_frames; /* on the stack */
    uint64_t max_frames;
} hpp__traverse;

/* Errors: MEMORY. */
hpf_status hpp__traverse_init(hpp__traverse *traverse, const hpp_heap *heap,
                              const hpp__visitor *visitor, hpf_error *err);
void hpp__traverse_finish(hpp__traverse *traverse);

/* Arrives at `ref` with `data`, and at all that follows from it. */
void hpp__traverse_from(hpp__traverse *traverse, hpp_ref ref, uint32_t data);

/* Arrives at the children of `ref` with `data`, and at all that follows. */
void hpp__traverse_children(hpp__traverse *traverse, hpp_ref ref, uint32_t data);

/* Frees what the stack has grown to. */
void hpp__traverse_shrink(hpp__traverse *traverse);

/* The flags of an object, with those that others imply. */
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
