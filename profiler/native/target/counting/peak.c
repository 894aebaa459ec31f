/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The largest total of live bytes. See peak.h.
 */
#include "peak.h"

#include "process_state.h"

enum {
    MIN_BATCH_BYTES = 1 << 7,
    MAX_BATCH_BYTES = 1 << 16,
    BATCH_SHARE = 512, /* of the last peak, for all threads together */
};

static _Atomic int64_t total_bytes; /* without the changes that threads still have */
static _Atomic int64_t known_bytes; /* at the last peak */
static atomic_flag is_noting = ATOMIC_FLAG_INIT;

HPP_COLD HPP_ANY_STACK void hpp__peak_keep_slowly(hpp_window_cell *cell, uint32_t number)
{
    uint64_t freed_bytes = atomic_load_explicit(&cell->freed_bytes, memory_order_relaxed);
    uint64_t frees = atomic_load_explicit(&cell->frees, memory_order_relaxed);
    uint64_t allocated_bytes = atomic_load_explicit(&cell->allocated_bytes, memory_order_relaxed);
    uint64_t allocations = atomic_load_explicit(&cell->allocations, memory_order_relaxed);
    atomic_store_explicit(&cell->peak_bytes, (int64_t)(allocated_bytes - freed_bytes),
                          memory_order_relaxed);
    atomic_store_explicit(&cell->peak_blocks, (int64_t)(allocations - frees), memory_order_relaxed);
    atomic_store_explicit(&cell->peak, number, memory_order_release);
    atomic_thread_fence(memory_order_release); /* before the counters change */
}

/* Begins a peak of `now_bytes`, unless another thread does so. */
static void note(int64_t now_bytes)
{
    hpp_window_head *head = &hpp__window->head;
    if (atomic_flag_test_and_set(&is_noting)) {
        return;
    }
    if (now_bytes > atomic_load(&known_bytes)) {
        atomic_store(&known_bytes, now_bytes);
        atomic_store_explicit(&head->peak_bytes, (uint64_t)now_bytes, memory_order_relaxed);
        atomic_store_explicit(&head->peak_stamp, hpp__time_stamp(), memory_order_relaxed);
        atomic_fetch_add(&head->n_peaks, 1);
    }
    atomic_flag_clear(&is_noting);
}

/* Adds what the thread has, and `n_more`, to the total. Returns the new total. */
static int64_t add_change(hpp_thread *self, int64_t n_more)
{
    uint64_t change = self->change;
    hpp__add_own(&self->change, -change);
    return atomic_fetch_add(&total_bytes, (int64_t)change + n_more) + (int64_t)change + n_more;
}

/* Chooses how far the thread may go without a look at the total: up to a new maximum, from which it
 * may not free. */
static void set_bounds(hpp_thread *self, int64_t now_bytes)
{
    uint32_t n_slots = atomic_load_explicit(&hpp__window->head.n_slots, memory_order_relaxed);
    int64_t known = atomic_load(&known_bytes);
    int64_t batch = known / BATCH_SHARE / (n_slots + 1);
    batch = batch < MIN_BATCH_BYTES ? MIN_BATCH_BYTES : batch;
    batch = batch < MAX_BATCH_BYTES ? batch : MAX_BATCH_BYTES;
    bool is_new = now_bytes > known;
    self->least = is_new ? INT64_MAX : -batch;
    self->most = is_new || known - now_bytes > batch ? batch : known - now_bytes;
}

HPP_COLD HPP_ANY_STACK void hpp__peak_rise(hpp_thread *self)
{
    set_bounds(self, add_change(self, 0));
}

HPP_COLD HPP_ANY_STACK void hpp__peak_fall(hpp_thread *self, uint64_t n_bytes)
{
    int64_t now_bytes = add_change(self, 0);
    if (now_bytes > atomic_load(&known_bytes)) {
        note(now_bytes);
    }
    set_bounds(self, add_change(self, -(int64_t)n_bytes));
}

void hpp__peak_change_shared(int64_t n_bytes)
{
    int64_t before = atomic_fetch_add(&total_bytes, n_bytes);
    if (n_bytes < 0 && before > atomic_load(&known_bytes)) {
        note(before);
    }
}

uint64_t hpp__peak_so_far(hpp_thread *self)
{
    int64_t now_bytes = add_change(self, 0), known = atomic_load(&known_bytes);
    return (uint64_t)(now_bytes > known ? now_bytes : known);
}

static atomic_flag is_shown = ATOMIC_FLAG_INIT;

void hpp__peak_start(uint64_t live_bytes)
{
    atomic_store(&hpp__window->head.peak_image_bytes,
                 hpp__settings.has_peak_images ? hpp_window_peak_worth(live_bytes) : 0);
    atomic_store(&hpp__window->head.peak_image_ns, 0);
    atomic_flag_clear(&is_shown);
}

HPP_COLD HPP_ANY_STACK void hpp__peak_show(void)
{
    enum { PATIENCE_S = 5 };
    hpp_thread *self = hpp__self;
    hpp_window_head *head = &hpp__window->head;
    if (self == NULL || !hpp__alive()) {
        return;
    }
    int64_t live_bytes = atomic_load(&total_bytes) + (int64_t)self->change;
    int64_t least_bytes = (int64_t)atomic_load(&head->peak_image_bytes);
    bool is_small = (uint64_t)live_bytes < atomic_load(&head->small_bytes);
    bool is_peak = least_bytes != 0 && live_bytes >= least_bytes && !is_small;
    if (!is_peak || hpp__isolation != HPP_NOT_ISOLATED || hpp__system_ns() < head->peak_image_ns ||
        hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) != head->process_id ||
        atomic_flag_test_and_set(&is_shown)) {
        return;
    }
    int link = hpp__window_connect(hpp__settings.socket_name);
    if (link < 0 || !hpp__thread_ask(self, link, HPP_HELLO_PEAK, PATIENCE_S)) {
        atomic_store(&head->peak_image_bytes, 0); /* not again */
    }
    atomic_flag_clear(&is_shown);
}

void hpp__peak_forked(hpp_thread *self, uint64_t live_bytes)
{
    atomic_store(&total_bytes, (int64_t)live_bytes);
    atomic_store(&known_bytes, 0);
    atomic_flag_clear(&is_noting);
    hpp__peak_start(live_bytes);
    if (self != NULL) {
        self->change = 0;
        self->least = self->most = 0;
    }
}
