/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a call of malloc to its site, nearly always without unwinding.
 *
 * Unwinding is a pure function of the caller's pc, stack pointer, frame pointer, and the words of
 * the stack that it reads. So a thread remembers, under (pc, sp), the words that an unwind read and
 * the site that came out; when the words are the same, so is the stack. Only where they differ is
 * the stack walked, and only up to the frame where it joins the stack before, whose outer words
 * still verify. New frames become nodes of the window's trie.
 *
 * On the thread's own stack the words are compared in batches. On any other (a coroutine's, a
 * signal handler's) they are compared innermost first, one by one: while all inner words agree the
 * next one is a word that an unwind would read now, so nothing is read that is not there.
 */
#ifndef HPP_NATIVE_STACKS_H
#define HPP_NATIVE_STACKS_H

#include "thread.h"

/* Where a call came from, as the entry of an exported function sees it. */
typedef struct hpp_caller {
    uintptr_t pc; /* return address */
    uintptr_t sp; /* stack pointer after the return: the canonical frame address of the callee */
    uintptr_t fp; /* rbp of the caller */
} hpp_caller;

/* What a call is counted for. `cell` is that of the thread's slot, and may be NULL (window full).
 */
typedef struct hpp_place {
    uint32_t site;
    hpp_window_cell *cell;
} hpp_place;

/* The site of an allocation. `thread` is the calling one, and busy. */
hpp_place hpp__stacks_place(hpp_thread *thread, hpp_caller caller, hpp_call call);

/* The same without touching anything of the thread's: for a signal handler that interrupted the
 * library, and for threads that have no slot. Slow. */
uint32_t hpp__stacks_site_unaided(hpp_caller caller, hpp_call call);

/* The site of an interrupted place: `context` is the ucontext_t of a signal handler. */
uint32_t hpp__stacks_site_interrupted(hpp_thread *thread, const void *context, hpp_call call);

/* What was loaded has changed, or is about to: forget all rules and remembered stacks. */
void hpp__stacks_new_generation(void);

/* In a forked child, before anything else of this: the threads that held locks are gone. The window
 * is the child's own by then, with all nodes, sites and modules of the parent's. */
void hpp__stacks_forked(void);

/* The slot has a new thread: forget its stacks. Keeps the memory. */
void hpp__stacks_forget(hpp_thread *thread);

#endif
