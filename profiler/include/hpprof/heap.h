/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap adapter: all that the profiler knows about the objects of a program.
 *
 * An adapter is a struct of functions that visit every object, describe one, list its children and
 * hand in the roots. What many objects have in common - the description, the type, the kind - is a
 * shape (GHC's info table); who made an object is a stack, a handle that only `hpp_stacks` can
 * look into. Both are known by address, so that a breakdown costs a look-up of a pointer per object
 * and names are read once.
 *
 * The profiler keeps two words per object: one for its biography, one for its retainer set. They
 * are where the adapter says: in the object's own header, or, when it gives no pointer, in a table
 * of the profiler keyed by the object's reference. The two choices are independent; a header with
 * room for the producer and one more word gives that word to whichever is wanted most.
 *
 * Threads: the functions of an adapter are called during a census, or from the hooks of census.h,
 * on the caller's thread. The heap must not change during a census.
 */
#ifndef HPPROF_HEAP_H
#define HPPROF_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include "hpfile/event.h"
#include "hpprof/compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An object: its address, or any other number that tells it from all other living objects. 0 is no
 * object. An object that moves changes its reference (hpp_census_moved). */
typedef uintptr_t hpp_ref;

typedef enum hpp_object_flag {
    HPP_INHERENTLY_USED = 1u << 0, /* has no lag, drag or void: arrays of bytes, mutable cells */
    HPP_RETAINER = 1u << 1,        /* keeps others alive on its own account: a thunk, a mutable */
    HPP_STATIC = 1u << 2,          /* outside the heap: costs nothing, but leads to other objects */
    HPP_STACK = 1u << 3,           /* a thread or its stack: a retainer, inherently used, counted
                                      only when stacks are asked for (-xt) */
    HPP_WEAK = 1u << 4,            /* a weak pointer: a retainer, inherently used. The adapter
                                      hands it in as a root; its children are the key, the value
                                      and the finalizer */
    HPP_DEAD_WEAK = 1u << 5,       /* what is left of one: inherently used, leads nowhere */
} hpp_object_flag;

/* What a class of objects has in common. Borrowed: a shape must stay where it is, with the same
 * texts, as long as the census engine lives. Empty texts are shown as "UNKNOWN". */
typedef struct hpp_shape {
    hpf_str description; /* -hd: the constructor, or what the compiler calls the closure */
    hpf_str type;        /* -hy */
    hpf_str module;      /* -hm, for objects without a producer */
    hpf_str kind;        /* -hT: "THUNK", "FUN", "CONSTR", ... */
    uint32_t flags;      /* of all such objects: a set of hpp_object_flag */
} hpp_shape;

/* One object, described. Zero it first; what is unknown stays zero. */
typedef struct hpp_object {
    uint64_t size_bytes;     /* what it would take without the profiler's words */
    const hpp_shape *shape;  /* never NULL */
    const void *stack;       /* its producer's stack (hpp_stacks), or NULL */
    uint32_t flags;          /* of this object, added to those of its shape */
    uint64_t *life_word;     /* the biography word in its header, or NULL: a table's */
    uint64_t *retainer_word; /* the retainer word in its header, or NULL: a table's */
    uint32_t *band_word;     /* of a sum that stays: where one engine remembers its band, 0 at
                                first; or NULL */
} hpp_object;

/* How to look into a producer's stack. A handle is interned: equal stacks, equal handles, for as
 * long as the engine lives. `context` is that of the heap. */
typedef struct hpp_stacks {
    hpf_str (*label)(const void *stack, void *context);  /* the innermost cost centre or function */
    hpf_str (*module)(const void *stack, void *context); /* and its module */
    const void *(*parent)(const void *stack, void *context); /* NULL for the outermost (MAIN) */
    uint64_t (*id)(const void *stack, void *context);        /* the number shown as "(id)" */
    /* Where the innermost is in the source, "file.c:12"; NULL: nobody knows. For event logs. */
    hpf_str (*source)(const void *stack, void *context);
} hpp_stacks;

/* Receivers. They return 0 to go on; anything else ends the visit and is handed back by it. */
typedef int hpp_visit_object(hpp_ref ref, const hpp_object *object, void *context);
typedef int hpp_visit_root(hpp_ref ref, void *context);
typedef int hpp_visit_sum(const hpp_object *sum, uint64_t n_objects, void *context);

/* The adapter. `context` is given back to every function, last. Functions that a profile does not
 * need may be NULL: `describe`, `children` and `roots` serve retainers only; `stacks` the
 * breakdowns by stack and module. */
typedef struct hpp_heap {
    /* Visits every object that is alive, in any order, each once. Call the census after a complete
     * collection: what is visited is what the profile calls alive. Static objects may be handed in
     * or left out. The words may be written during the visit. */
    int (*objects)(hpp_visit_object *visit, void *visit_context, void *context);

    /* Fills `*out`, which is zeroed, for an object. */
    void (*describe)(hpp_object *out, hpp_ref ref, void *context);

    /* Writes up to `capacity` children of an object into `out`, beginning with the one at index
     * `from_index`, and returns how many. Less than `capacity` means that there are no more. 0
     * may stand for an absent child. Children are visited first to last: where one of them is the
     * rest of a list, hand it in last. */
    size_t (*children)(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                       void *context);

    /* Visits the roots: stacks, weak pointers, and whatever else keeps objects alive. */
    int (*roots)(hpp_visit_root *visit, void *visit_context, void *context);

    /* NULL, or: the adapter keeps sums of what is alive. Visits each sum, an object that stands for
     * `n_objects` others and has their size together. It is preferred to `objects` wherever the
     * profile asks nothing of single objects (no -hr, no -hb). */
    int (*sums)(hpp_visit_sum *visit, void *visit_context, void *context);

    const hpp_stacks *stacks;
    void *context;

    /* How many low bits all references have 0: 3 or 4 where they are addresses. It keeps the words
     * of objects that lie together in the engine's tables together as well. */
    unsigned ref_shift;
} hpp_heap;

/* ---- The biography word ------------------------------------------------------------------------
 *
 * Bit 63: used at least once. Bits 32-62: the era of creation. Bits 0-31: the era of the last use.
 * (Park and Marlow, "Implementation of Lag/Drag/Void/Use Profiling": LDV words.) An object without
 * a biography has 0, and is taken to be made in the era of the first census that sees it.
 *
 * Threads: any thread may use an object at any time; two that do so in one era write the same. */
#define HPP_LIFE_USED (UINT64_C(1) << 63)
#define HPP_MAX_ERA   UINT32_C(0x7fffffff)

/* The word of an object made in `era`. */
static inline uint64_t hpp_life_created_in(uint32_t era)
{
    return (uint64_t)era << 32;
}

/* The word after a use in `era`. Era 0 means that no biography is being taken. */
static inline uint64_t hpp_life_after_use(uint64_t life, uint32_t era)
{
    return era == 0 ? life : ((life >> 32 << 32) | HPP_LIFE_USED | era);
}

static inline int hpp_life_is_used(uint64_t life)
{
    return (life & HPP_LIFE_USED) != 0;
}

static inline uint32_t hpp_life_creation_era(uint64_t life)
{
    return (uint32_t)(life >> 32) & HPP_MAX_ERA;
}

static inline uint32_t hpp_life_last_use_era(uint64_t life)
{
    return (uint32_t)life;
}

/* The hooks for a word in a header: a store, and a load and a store. */
static inline void hpp_life_create(uint64_t *life_word, uint32_t era)
{
    HPP_RELAXED_STORE(life_word, hpp_life_created_in(era));
}

static inline void hpp_life_use(uint64_t *life_word, uint32_t era)
{
    HPP_RELAXED_STORE(life_word, hpp_life_after_use(HPP_RELAXED_LOAD(life_word), era));
}

#ifdef __cplusplus
}
#endif
#endif
