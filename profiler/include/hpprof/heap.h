/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap adapter: how the profiler sees the objects of a program.
 *
 * An adapter is a struct of functions that visit all objects, describe one, list its children, and
 * visit the roots. A shape (GHC: info table) holds what many objects have in common: description,
 * type, kind. A stack is the producer of an object; it is an opaque handle, read by `hpp_stacks`.
 * Shapes and stacks are compared by address, so a census looks up one pointer per object and reads
 * each name once.
 *
 * The profiler keeps two words per object, one for its biography and one for its retainer set. For
 * each of them the adapter gives a pointer into the object's header, or NULL; then the word is in a
 * table of the profiler, keyed by the object's reference. A header with room for only one of them
 * should hold the one that is used more.
 *
 * Threads: the profiler calls the adapter during a census, and the adapter of runtime.h also in
 * hooks, on the caller's thread. The heap must not change during a census.
 *
 * A biography (-hb) needs the moments at which objects are used: see runtime.h.
 */
#ifndef HPPROF_HEAP_H
#define HPPROF_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hpfile/event.h"
#include "hpprof/compiler.h"

HPF_BEGIN_DECLS

/* A reference to an object: its address, or another number that no other live object has. 0 is no
 * object. An object that moves gets a new reference. */
typedef uintptr_t hpp_ref;

typedef enum hpp_object_flag {
    HPP_INHERENTLY_USED = 1u << 0, /* has no lag, drag or void: arrays of bytes, mutable cells */
    HPP_RETAINER = 1u << 1,        /* counts as a holder of other objects: a thunk, a mutable */
    HPP_STATIC = 1u << 2,          /* outside the heap: has no cost, but refers to other objects */
    HPP_STACK = 1u << 3,           /* a thread or its stack: a retainer, inherently used, counted
                                      only with -xt */
    HPP_WEAK = 1u << 4, /* a weak pointer: a retainer, inherently used. The adapter visits it as a
                           root; its children are the key, the value and the finalizer */
    HPP_DEAD_WEAK = 1u << 5, /* a weak pointer whose key is dead: inherently used, no children */
} hpp_object_flag;

/* What a class of objects has in common. Borrowed: a shape and its texts must not move or change
 * while the census engine exists. Empty texts are shown as "UNKNOWN". */
typedef struct hpp_shape {
    hpf_str description; /* -hd: the constructor, or what the compiler calls the closure */
    hpf_str type;        /* -hy */
    hpf_str module;      /* -hm, for objects without a producer */
    hpf_str kind;        /* -hT: "THUNK", "FUN", "CONSTR", ... */
    uint32_t flags;      /* of all such objects: a set of hpp_object_flag */
} hpp_shape;

/* The bytes of a sum by phase of its objects' lives, as if they all died now: an object that was
 * not used is void. */
typedef struct hpp_phase_bytes {
    uint64_t lag_bytes, use_bytes, drag_bytes, void_bytes;
} hpp_phase_bytes;

/* A description of one object. Zero it first; unknown members stay zero. */
typedef struct hpp_object {
    uint64_t size_bytes;     /* without the profiler's words */
    const hpp_shape *shape;  /* never NULL */
    const void *stack;       /* its producer's stack (hpp_stacks), or NULL */
    uint32_t flags;          /* of this object, added to the flags of its shape */
    uint64_t *life_word;     /* the biography word in its header; NULL: in a table */
    uint64_t *retainer_word; /* the retainer word in its header; NULL: in a table */
    uint32_t *band_word;     /* of a sum: where one engine caches its band, 0 at first; or NULL */
    uint32_t *stack_word;    /* the same for the part of the band that has its stack */
    const hpp_phase_bytes *phases; /* of a sum, if the heap has phases */
    const void *calls; /* its producer's stack with the places of calls, for bands that are divided
                          by stack; NULL: as `stack` */
    uint64_t inherited_bytes; /* of its size, what a forked process has from its parent */
} hpp_object;

/* Reads a producer's stack. Handles are interned: equal stacks have equal handles as long as the
 * engine exists. `context` is the heap's. */
typedef struct hpp_stacks {
    hpf_str (*label)(const void *stack, void *context);  /* the innermost cost centre or function */
    hpf_str (*module)(const void *stack, void *context); /* and its module */
    const void *(*parent)(const void *stack, void *context); /* NULL for the outermost (MAIN) */
    uint64_t (*id)(const void *stack, void *context);        /* the number shown as "(id)" */
    /* Source location of the innermost, "file.c:12". For event logs; may be NULL. */
    hpf_str (*source)(const void *stack, void *context);
    /* Where the innermost function begins, if `source` is the place of a call; may be NULL. */
    hpf_str (*function_source)(const void *stack, void *context);
} hpp_stacks;

/* Visitors. They return 0 to continue. Any other value ends the visit, which returns it. */
typedef int hpp_visit_object(hpp_ref ref, const hpp_object *object, void *context);
typedef int hpp_visit_root(hpp_ref ref, void *context);
typedef int hpp_visit_sum(const hpp_object *sum, uint64_t n_objects, void *context);

/* The adapter. Every function gets `context` as its last argument. Functions that a profile does
 * not need may be NULL: `describe`, `children` and `roots` are for retainers only, `stacks` for
 * breakdowns by stack and module. */
typedef struct hpp_heap {
    size_t size; /* of the struct (hpfile/version.h) */

    /* Visits every live object once, in any order. Take a census after a complete collection: the
     * objects that are visited are the live ones. Static objects may be visited or left out. The
     * visitor may write the two words. */
    int (*objects)(hpp_visit_object *visit, void *visit_context, void *context);

    /* Fills `*out`, which is zeroed, for an object. */
    void (*describe)(hpp_object *out, hpp_ref ref, void *context);

    /* Stores up to `capacity` children of an object, from index `from_index` on, and returns their
     * number; fewer than `capacity` means that there are no more. A missing child may be 0.
     * Children are visited first to last: the rest of a list should be the last. */
    size_t (*children)(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                       void *context);

    /* Visits the roots: stacks, weak pointers, and all else that keeps objects alive. */
    int (*roots)(hpp_visit_root *visit, void *visit_context, void *context);

    /* Visits sums of live objects, if the adapter keeps such sums; else NULL. A sum is an object
     * that represents `n_objects` others and has their total size. It is used instead of `objects`
     * where single objects do not matter (without -hr, and without -hb unless the sums have
     * phases).
     */
    int (*sums)(hpp_visit_sum *visit, void *visit_context, void *context);
    bool sums_have_phases; /* the adapter keeps biographies itself */

    const hpp_stacks *stacks;
    void *context;

    /* Number of low bits that are 0 in all references: 3 or 4 if they are addresses. With it, the
     * words of neighbouring objects are neighbours in the engine's tables. */
    unsigned ref_shift;

    /* hpp_census_dead gets the size of an object only: the census keeps its band by reference. */
    bool deaths_have_only_sizes;
} hpp_heap;

HPF_END_DECLS
#endif
