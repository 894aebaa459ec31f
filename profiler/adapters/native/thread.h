/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a thread of the profiled program keeps for itself: its slot in the window, and its memory of
 * stacks that it has unwound. Nothing here is touched by another thread, so the path of an
 * allocation takes no lock and no atomic read-modify-write.
 *
 * `busy` guards it: it is set while the thread is inside the library. A signal handler that
 * allocates in that moment finds it set and goes by a slower way that touches none of this.
 */
#ifndef HPP_NATIVE_THREAD_H
#define HPP_NATIVE_THREAD_H

#include <stdbool.h>

#include "window.h"

#define HPP__INITIAL_EXEC __attribute__((tls_model("initial-exec")))

typedef struct hpp_memo hpp_memo; /* stacks.c */

typedef struct hpp_thread {
    bool busy;
    uint32_t slot_index;
    uint32_t generation; /* of the loaded objects, that `memo` was made under */
    hpp_window_slot *slot;
    hpp_memo *memo;                 /* made by stacks.c when first needed; emptied with the slot */
    uintptr_t stack_low, stack_end; /* the thread's own stack; 0,0: not known yet */
} hpp_thread;

/* The calling thread's, NULL until it first allocates or frees. */
extern _Thread_local hpp_thread *hpp__self HPP__INITIAL_EXEC;

/* The cell of a site in the thread's slot, or NULL when the window is full. */
hpp_window_cell *hpp__thread_cell(hpp_thread *thread, uint32_t site);

#endif
