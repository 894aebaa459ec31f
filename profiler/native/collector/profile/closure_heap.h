/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The closures of a Haskell program in a profile: a census of its own heap (haskell/census.h) for
 * each image.
 *
 * It is the heap adapter of a profile by closure type: the sums of native blocks, and those of
 * closures. The mappings that the Haskell heap is made of are left out of the native sums. In a
 * profile of objects, and in heap snapshots, closures are nodes of the graph of the image, and the
 * mappings are no blocks.
 *
 * A closure has no producer. In files with stacks, the stack of closures is the name of their code,
 * with its module and source (haskell/names.h).
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_CLOSURE_HEAP_H
#define HPP_NATIVE_COLLECTOR_PROFILE_CLOSURE_HEAP_H

#include "base/intern.h"
#include "native/collector/graph/graph.h"
#include "native/haskell/census.h"
#include "site_heap.h"

/* The closures with the same names. */
typedef struct hpp__closure_sum {
    hpp_shape shape;
    const hpp__stack *calls;
    uint64_t n_bytes, n_closures;
    size_t group;                   /* of native->groups, + 1; 0: none yet */
    uint32_t band_word, stack_word; /* the engine's */
} hpp__closure_sum;

typedef struct hpp__closure_heap {
    hpp__site_heap *native; /* borrowed */
    const hpp_haskell_layout *layout;
    hpp_resolver *resolver;          /* borrowed */
    const hpp__stack *stack, *calls; /* of all closures */
    hpf_arena *arena;
    hpp__haskell_census *census; /* of the image that is open; NULL: none */
    size_t *groups;              /* by kind of the census: index of the native group */
    size_t groups_capacity;
    hpp__haskell_names namer;
    hpf__intern names;       /* kind and what else is known, with a NUL after each */
    hpp__text key;           /* one that is looked up */
    hpp__closure_sum **sums; /* by number of the names */
    size_t sums_capacity;
    uint64_t *inside; /* by native group: bytes of mappings that the heap is made of */
    size_t inside_capacity;
    uint64_t table_at, size_at; /* variables that have the place of the stable pointers */
    uint64_t bindings_at;       /* variable that has that of the tables of bindings.h */
    hpp__haskell_variables variables;
    bool has_looked;    /* for these */
    uint64_t n_skipped; /* images in which Haskell code ran, or a collection of all */
    uint64_t n_counted;
    uint64_t n_unfit; /* heaps that the layout does not fit */
    hpp_heap heap;    /* the adapter */
} hpp__closure_heap;

/* Initialises an adapter, which must not be moved. Errors: MEMORY. Call hpp__closure_heap_finish in
 * any case. */
hpf_status hpp__closure_heap_init(hpp__closure_heap *heap, hpp__site_heap *native,
                                  const hpp_haskell_layout *layout, hpp_resolver *resolver,
                                  hpf_error *err);
void hpp__closure_heap_finish(hpp__closure_heap *heap);

/* Takes a census of an image; `for_graph`: its closures can become nodes. Returns false if it shows
 * no moment at which closures are known, or without memory. Before there is a Haskell heap, there
 * are none. Call hpp__closure_heap_close before the image is closed. */
bool hpp__closure_heap_open(hpp__closure_heap *heap, const hpp__image *image, bool for_graph);
void hpp__closure_heap_close(hpp__closure_heap *heap);

/* Replaces the sums by those of the open census. Returns false without memory. */
bool hpp__closure_heap_count(hpp__closure_heap *heap, const hpp__image *image);

/* Takes the mappings that the open heap is made of out of the blocks of an image: they are roots
 * then, of what its closures hold in C. */
void hpp__closure_heap_take_out(const hpp__closure_heap *heap, hpp__image *image);

/* Finds the native groups of the closures in a graph. Returns false without memory. */
bool hpp__closure_heap_group(hpp__closure_heap *heap, hpp__graph *graph);

#endif
