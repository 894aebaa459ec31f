/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the largest total of live bytes, however short it lasts, and keeps what was live then.
 *
 * Each thread adds its changes to a shared total in batches. When the total exceeds the last peak,
 * the next free first begins a new peak: it counts it. Each cell (window.h) keeps what it has when
 * it changes for the first time after that, so that a peak costs the same however many sites there
 * are.
 *
 * With one thread, this is the exact maximum. With more, each may have a batch that is not in the
 * total yet, and a change of a cell that is not over when the peak begins: what is kept is what was
 * live at one moment, but a moment up to 0.4 % (and 256 bytes for each thread) higher may be
 * missed.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_PEAK_H
#define HPP_NATIVE_TARGET_COUNTING_PEAK_H

#include "thread.h"

/* The rare cases: a bound was reached. */
void hpp__peak_rise(hpp_thread *self);
void hpp__peak_fall(hpp_thread *self, uint64_t n_bytes);

/* Keeps what a cell had at the last peak. */
void hpp__peak_keep_slowly(hpp_window_cell *cell, uint32_t number);

/* Lets a cell change: call it before each change, and after hpp__peak_subtract. */
HPP_ALWAYS_INLINE void hpp__peak_keep(hpp_window_cell *cell)
{
    uint32_t number = atomic_load_explicit(&hpp__window->head.n_peaks, memory_order_relaxed);
    if (HPP_UNLIKELY(atomic_load_explicit(&cell->peak, memory_order_relaxed) != number)) {
        hpp__peak_keep_slowly(cell, number);
    }
}

/* Adds bytes that the calling thread has allocated and counted. */
HPP_ALWAYS_INLINE void hpp__peak_add(hpp_thread *self, uint64_t n_bytes)
{
    hpp__add_own(&self->change, n_bytes);
    if (HPP_UNLIKELY((int64_t)self->change > self->most)) {
        hpp__peak_rise(self);
    }
}

/* Subtracts bytes that the calling thread frees, unless a bound is reached: returns false then. */
HPP_ALWAYS_INLINE bool hpp__peak_subtract_usual(hpp_thread *self, uint64_t n_bytes)
{
    bool is_usual = HPP_LIKELY((int64_t)(self->change - n_bytes) >= self->least);
    if (is_usual) {
        hpp__add_own(&self->change, -n_bytes);
    }
    return is_usual;
}

/* Subtracts bytes that the calling thread frees. Call it before they are counted as freed. */
static inline void hpp__peak_subtract(hpp_thread *self, uint64_t n_bytes)
{
    if (!hpp__peak_subtract_usual(self, n_bytes)) {
        hpp__peak_fall(self, n_bytes);
    }
}

/* Adds bytes of a thread without a slot, which may be negative. */
void hpp__peak_change_shared(int64_t n_bytes);

/* Before a block is freed: if the heap is about to shrink from a peak of which the collector wants
 * an image, waits until it has taken one, for some seconds at most. It needs nothing of this
 * process for that, so the caller may hold any lock, and be a handler of signals. The block must
 * still be in the table. */
void hpp__peak_show(void);

/* Returns the largest total so far, as the only thread of the process knows it. */
uint64_t hpp__peak_so_far(hpp_thread *self);

/* Starts in a process with a window, and with so much memory. */
void hpp__peak_start(uint64_t live_bytes);

/* Starts again in a forked child, which has inherited `live_bytes`. */
void hpp__peak_forked(hpp_thread *self, uint64_t live_bytes);

#endif
