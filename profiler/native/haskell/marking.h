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

#include "names.h"

typedef struct hpp__haskell_marking {
    hpp__haskell_heap *heap;         /* borrowed */
    hpp__haskell_closures *closures; /* borrowed; have the sums */
    uint64_t *is_reached;            /* a bit for each word of the megablocks */
    hpp__map statics;                /* that were reached */
    uint64_t *left;                  /* closures to be followed */
    size_t n_left, left_capacity;
    hpp__map weaks;    /* weak pointers whose keys were reached */
    uint64_t *threads; /* that have not ended */
    size_t n_threads, threads_capacity;
    uint64_t capabilities[HPP__HASKELL_MAX_CAPABILITIES];
    size_t n_capabilities;
    uint64_t n_bytes, bytes_in[HPP__HASKELL_N_PLACES]; /* reached */
    uint64_t n_closures, n_invalid;                    /* invalid: addresses without a closure */
    size_t n_running;                                  /* threads that run Haskell code */
    bool is_short;                                     /* memory was lacking */
    hpp__haskell_names *names; /* closures are counted by their subjects, too; borrowed */
    /* If it is set, what is reached is not marked: this gets its address in the heap. */
    void (*found)(void *context, uint64_t address);
    void *found_context;
} hpp__haskell_marking;

/* A closure of the heap. */
typedef struct hpp__haskell_closure {
    const uint64_t *words; /* the first ones */
    size_t n_first;        /* how many */
    uint64_t n_words;      /* its size; 0: it is none itself, but */
    uint64_t stands_for;   /* the closure that this pointer refers to */
    uint32_t info;         /* index */
    unsigned place;        /* HPP__HASKELL_LARGE ..., or a generation */
} hpp__haskell_closure;

/* Finds what is reached, unless threads run. With `names`, which are borrowed and may be NULL,
 * closures are counted by their subjects, too. Returns false without memory. Call
 * hpp__haskell_marking_finish in any case. */
bool hpp__haskell_mark(hpp__haskell_marking *marking, hpp__haskell_closures *closures,
                       hpp__haskell_names *names);

/* Looks at the closure at an address of the heap. Returns false if there is none. */
bool hpp__haskell_look_at(hpp__haskell_marking *marking, uint64_t address,
                          hpp__haskell_closure *out);

/* Returns the number of the use that a closure with a subject is one of, from 1; 0 without memory.
 */
uint32_t hpp__haskell_use_of(hpp__haskell_marking *marking, const hpp__haskell_closure *closure);

/* Reaches the closure that a pointer refers to, whose lowest bits are its tag. */
void hpp__haskell_reach(hpp__haskell_marking *marking, uint64_t pointer);

/* Reaches what a closure of the heap refers to; what a static closure does; the objects of stable
 * pointers. */
void hpp__haskell_follow(hpp__haskell_marking *marking, uint64_t address,
                         const hpp__haskell_closure *closure);
void hpp__haskell_follow_static(hpp__haskell_marking *marking, uint64_t address);
void hpp__haskell_reach_stables(hpp__haskell_marking *marking);

void hpp__haskell_marking_finish(hpp__haskell_marking *marking);

#endif
