/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The data of a thread of the profiled program: its slot in the window, and its cache of unwound
 * stacks. No other thread accesses them, so an allocation takes no lock and no atomic
 * read-modify-write.
 *
 * hpp__ready guards the cache: it is NULL while the thread looks up a site. A signal handler that
 * allocates meanwhile takes a slower way that does not use the cache. The counters need no guard:
 * each update is one instruction (hpp__add_own).
 *
 * A slot is used by one thread after the other, and keeps its counters and memory.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_THREAD_H
#define HPP_NATIVE_TARGET_COUNTING_THREAD_H

#include <stdbool.h>

#include "native/target/centres/centres.h"
#include "native/window/platform.h"
#include "native/window/window_writer.h"

/* The slot that belongs to no thread. It counts, with atomic additions, what a thread cannot count
 * in its own slot. */
#define HPP_SHARED_SLOT 0u

typedef struct hpp_unwind_cache hpp_unwind_cache; /* stacks.c */

/* The ticks of a thread (cpu_ticks.h). */
typedef struct hpp_ticks {
    _Atomic uint32_t timer_id; /* plus 1; 0: none */
    uint32_t thread_id;
    atomic_bool has_had_last; /* its last signal has come, after all others */
    uint64_t end_ns;          /* processor time at the end of the last tick */
    uint64_t uncounted_ns;    /* processor time since then, less than a tick */
} hpp_ticks;

/* The newest watched blocks of the thread, whose creation has not ended (sampler.h). Most have been
 * freed when it does. */
#define HPP_MAX_NEW_SAMPLES 8
typedef struct hpp_new_samples {
    struct hpp_sample *samples[HPP_MAX_NEW_SAMPLES];
    uint32_t serials[HPP_MAX_NEW_SAMPLES];
    uint32_t n;
} hpp_new_samples;

typedef struct hpp_thread {
    _Alignas(64) uint32_t slot_index; /* no cache line has the changes of two threads */
    uint32_t generation;              /* of the loaded objects that `cache` is valid for */
    uint32_t thread_id;
    hpp_window_slot *slot;
    hpp_unwind_cache *cache; /* created by stacks.c at its first use; cleared with the slot */
    struct hpp_python_stacks *python; /* created by python_place.c at its first use */
    hpp_centres *centres;           /* NULL until a function reports its entry (function_hooks.c) */
    uintptr_t stack_low, stack_end; /* the thread's own stack; 0,0: not known yet */
    _Atomic uintptr_t newest;       /* block, while its creation may go on; 0: none (exact.h) */
    _Atomic uint64_t change; /* of live bytes, not yet in the shared total; signed (peak.h) */
    int64_t least, most;     /* bounds of `change` */
    hpp_ticks ticks;
    hpp_new_samples new_samples;
} hpp_thread;

/* The calling thread's data; NULL until its first allocation or free. */
extern HPP_HIDDEN _Thread_local hpp_thread *hpp__self HPP_INITIAL_EXEC;

/* hpp__self; NULL if there is none, or its cache is in use. */
extern HPP_HIDDEN _Thread_local hpp_thread *hpp__ready HPP_INITIAL_EXEC;

/* Threads by slot. A part is mapped when the first of its slots is made. */
typedef struct hpp_thread_part {
    hpp_thread_state states[HPP_THREADS_PER_PART]; /* what images need to know */
    hpp_thread threads[HPP_THREADS_PER_PART];
} hpp_thread_part;
extern HPP_HIDDEN _Atomic(hpp_thread_part *) hpp__thread_parts[HPP_MAX_THREAD_PARTS];

/* Returns the thread of a slot; it may have none yet. */
hpp_thread *hpp__thread_at(uint32_t slot_index);

/* Returns the state of a thread that has a slot. */
hpp_thread_state *hpp__thread_state(const hpp_thread *thread);

/* Notes the calling thread for images. */
void hpp__thread_note(const hpp_thread *thread);

/* As hpp__window_ask; meanwhile images show where the calling thread waits. `thread`: its own;
 * NULL: it has none. */
bool hpp__thread_ask(const hpp_thread *thread, int link, hpp_hello_kind kind, int patience_s);

/* Makes the shared slot in a new window. Returns false if the window has no room. */
bool hpp__slots_start(void);

/* Takes a slot for a thread: one whose thread has ended, or a new one. Returns HPP_SHARED_SLOT if
 * there is none. */
uint32_t hpp__slot_take(uint32_t thread_id);

/* Marks a slot as of a thread that is ending. */
void hpp__slot_leave(uint32_t index, uint32_t thread_id);

/* In a forked child, frees all slots but the shared one and the calling thread's. */
void hpp__slots_forked(uint32_t own_index, uint32_t thread_id);

hpp_window_slot *hpp__slot_at(uint32_t index);

/* Mark the start and end of a use of the thread's cache; the compiler moves nothing across. */
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

/* Returns the cell of a site in the shared slot, for atomic additions. */
hpp_window_cell *hpp__shared_cell(uint32_t site);

/* Returns the cell of a site in the thread's slot, or NULL if the window is full. */
hpp_window_cell *hpp__thread_cell(hpp_thread *thread, uint32_t site);

/* Returns the cell of a site if its page exists, else NULL. `site` is less than HPP_MAX_SITES. */
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
