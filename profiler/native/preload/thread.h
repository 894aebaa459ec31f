/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a thread of the profiled program keeps for itself: its slot in the window, and its memory of
 * stacks that it has unwound. Nothing here is touched by another thread, so the path of an
 * allocation takes no lock and no atomic read-modify-write.
 *
 * hpp__ready guards it: it is NULL while the thread looks for the site of a call. A signal handler
 * that allocates in that moment finds it so and goes by a slower way that touches none of this. The
 * counters need no guard: each is moved by one instruction (hpp__add_own).
 *
 * Slots serve one thread after the other, and keep their counters and memory. Slot 0 is nobody's:
 * it counts what a thread cannot count in its own, with atomic additions.
 */
#ifndef HPP_NATIVE_THREAD_H
#define HPP_NATIVE_THREAD_H

#include <stdbool.h>

#include "native/window/platform.h"
#include "native/window/window_writer.h"

/* The slot that counts what a thread cannot count in its own, with atomic additions. */
#define HPP_SHARED_SLOT 0u

typedef struct hpp_unwind_cache hpp_unwind_cache; /* stacks.c */

typedef struct hpp_thread {
    uint32_t slot_index;
    uint32_t generation; /* of the loaded objects, that `cache` was made under */
    uint32_t thread_id;
    hpp_window_slot *slot;
    hpp_unwind_cache *cache;        /* made by stacks.c when first needed; emptied with the slot */
    uintptr_t stack_low, stack_end; /* the thread's own stack; 0,0: not known yet */
    uint32_t timer_id;              /* plus 1, of its ticks; 0: none */
} hpp_thread;

/* The calling thread's, NULL until it first allocates or frees. */
extern HPP_HIDDEN _Thread_local hpp_thread *hpp__self HPP_INITIAL_EXEC;

/* hpp__self, or NULL: there is none, or its memory of stacks is in use. */
extern HPP_HIDDEN _Thread_local hpp_thread *hpp__ready HPP_INITIAL_EXEC;

/* Makes the shared slot in a new window. Returns false if the window has no room. */
bool hpp__slots_start(void);

/* Takes a slot for a thread: one whose thread has ended, or a new one. Returns HPP_SHARED_SLOT if
 * there is none. */
uint32_t hpp__slot_take(uint32_t thread_id);

/* Marks a slot as that of a thread that is ending. */
void hpp__slot_leave(uint32_t index, uint32_t thread_id);

/* In a forked child, frees all slots but the shared one and the calling thread's. */
void hpp__slots_forked(uint32_t own_index, uint32_t thread_id);

hpp_window_slot *hpp__slot_at(uint32_t index);

/* The thread's memory of stacks is in use from here to there; the compiler moves nothing across. */
static inline void hpp__thread_enter(void)
{
    hpp__ready = NULL;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void hpp__thread_exit(hpp_thread *self)
{
    atomic_signal_fence(memory_order_seq_cst);
    hpp__ready = self;
}

/* The cell of a site in slot 0, for atomic additions. */
hpp_window_cell *hpp__shared_cell(uint32_t site);

/* The cell of a site in the thread's slot, or NULL when the window is full. */
hpp_window_cell *hpp__thread_cell(hpp_thread *thread, uint32_t site);

/* The same, and NULL also when the page that it is in has not been needed yet. `site` is less than
 * HPP_MAX_SITES. */
static inline hpp_window_cell *hpp__thread_old_cell(const hpp_thread *thread, uint32_t site)
{
    uint32_t page = atomic_load_explicit(&thread->slot->cell_pages[site / HPP_CELLS_PER_CHUNK],
                                         memory_order_relaxed);
    if (HPP_UNLIKELY(page == 0)) {
        return NULL;
    }
    return (hpp_window_cell *)hpp__window_at(page) + site % HPP_CELLS_PER_CHUNK;
}

#endif
