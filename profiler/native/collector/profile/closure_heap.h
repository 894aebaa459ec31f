/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap adapter of a Haskell program of which a profile by closure type is taken: the sums of
 * native blocks, and those of the closures that its own heap has (haskell/census.h). The mappings
 * that its heap is made of are left out of the native sums.
 *
 * A closure has no producer. In files with stacks, the stack of closures is the name of their code,
 * with its module and source (haskell/names.h).
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_CLOSURE_HEAP_H
#define HPP_NATIVE_COLLECTOR_PROFILE_CLOSURE_HEAP_H

#include "base/intern.h"
#include "native/haskell/census.h"
#include "site_heap.h"

/* The closures with the same names. */
typedef struct hpp__closure_sum {
    hpp_shape shape;
    const hpp__stack *calls;
    uint64_t n_bytes, n_closures;
    uint32_t band_word, stack_word; /* the engine's */
} hpp__closure_sum;

typedef struct hpp__closure_heap {
    hpp__site_heap *native; /* borrowed */
    const hpp_haskell_layout *layout;
    hpp_resolver *resolver; /* borrowed */
    const hpp__stack *calls;
    hpf_arena *arena;
    bool with_names; /* closures have names */
    hpp__haskell_names namer;
    hpf__intern names;       /* kind and what else is known, with a NUL after each */
    hpp__text key;           /* one that is looked up */
    hpp__closure_sum **sums; /* by number of the names */
    size_t sums_capacity;
    uint64_t *inside; /* by native group: bytes of mappings that the heap is made of */
    size_t inside_capacity;
    uint64_t table_at, size_at; /* variables that have the place of the stable pointers */
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

/* Replaces the sums by those of an image. Returns false if it shows no moment at which they are
 * known, or without memory. Before there is a Haskell heap, they are empty. */
bool hpp__closure_heap_take(hpp__closure_heap *heap, const hpp__image *image);

#endif
