/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which closures of a Haskell heap are reached, as a collection by GHC would find them: from all
 * threads with their stacks, from stable pointers, from the static closures that the code on stacks
 * and in closures refers to, and from weak pointers whose keys are reached.
 *
 * Closures that a collection would replace by what they stand for (indirections) are not counted. A
 * young generation may be half collected: closures that have moved are found where they are now.
 *
 * Words that may be pointers, such as the arguments of a partial application, are followed if there
 * is a closure at the address. While a thread runs Haskell code, registers have the end of its
 * stack and references that are nowhere else: then nothing can be said.
 *
 * Nothing that is read is trusted: each address is looked up before it is followed, each closure
 * counts once, and has the size that its group of blocks has room for.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_HASKELL_MARKING_H
#define HPP_NATIVE_HASKELL_MARKING_H

#include "closures.h"

typedef struct hpp__haskell_marking {
    hpp__haskell_heap *heap;         /* borrowed */
    hpp__haskell_closures *closures; /* borrowed; have the sums */
    uint64_t *is_reached;            /* a bit for each word of the megablocks */
    hpp__map statics;                /* that were reached */
    uint64_t *left;                  /* closures to be followed */
    size_t n_left, left_capacity;
    uint64_t capabilities[HPP__HASKELL_MAX_CAPABILITIES];
    size_t n_capabilities;
    uint64_t n_bytes, n_pinned_bytes; /* reached; the latter in blocks of pinned arrays */
    uint64_t n_closures, n_invalid;   /* invalid: addresses without a closure */
    size_t n_running;                 /* threads that run Haskell code */
    bool is_short;                    /* memory was lacking */
    bool with_uses;                   /* closures are counted by what they apply, too */
} hpp__haskell_marking;

/* Finds what is reached, unless threads run. `with_uses`: closures are counted by their subjects,
 * too. Returns false without memory. Call hpp__haskell_marking_finish in any case. */
bool hpp__haskell_mark(hpp__haskell_marking *marking, hpp__haskell_closures *closures,
                       bool with_uses);
void hpp__haskell_marking_finish(hpp__haskell_marking *marking);

#endif
