/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The largest total of live bytes. See peak.h.
 */
#include "peak.h"

#include <time.h>

#include "process_state.h"

enum {
    MIN_BATCH_BYTES = 1 << 10,
    MAX_BATCH_BYTES = 1 << 16,
    BATCH_SHARE = 256, /* of the last peak */
    MIN_GROWTH_BYTES = 1 << 12,
};

static _Atomic int64_t total_bytes;          /* without the changes that threads still have */
static _Atomic int64_t known_bytes;          /* the highest total that was copied, or need not be */
static _Atomic uint64_t last_end, last_time; /* of a copy, by the time stamp of the processor */
static atomic_flag is_copying = ATOMIC_FLAG_INIT;

/* ---- copies ---------------------------------------------------------------------------------- */

/* Adds the live amounts of a chunk of a slot. What is freed is read first, so that a thread never
 * seems to free more than it has allocated. */
static void add_cells(hpp_window_live *to, const hpp_window_cell *cells, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t freed = atomic_load_explicit(&cells[i].freed_bytes, memory_order_relaxed);
        uint64_t frees = atomic_load_explicit(&cells[i].frees, memory_order_acquire);
        to[i].bytes += (int64_t)(cells[i].allocated_bytes - freed);
        to[i].blocks += (int64_t)(cells[i].allocations - frees);
    }
}

/* Sums the sites [begin, begin + n) of a chunk over all slots. Returns whether any is not 0. */
static bool sum_cells(hpp_window_live sums[HPP_CELLS_PER_CHUNK], uint32_t begin, uint32_t n_slots)
{
    bool are_used = false;
    for (uint32_t i = 0; i < n_slots; i++) {
        if (atomic_load(&hpp__window->slot_pages[i]) == 0) {
            continue;
        }
        const hpp_window_slot *slot = hpp__slot_at(i);
        uint32_t page = atomic_load_explicit(&slot->cell_pages[begin / HPP_CELLS_PER_CHUNK],
                                             memory_order_acquire);
        if (page != 0) {
            add_cells(sums, hpp__window_at(page), HPP_CELLS_PER_CHUNK);
            are_used = true;
        }
    }
    return are_used;
}

/* Copies the live amounts of all sites. Returns their sum; 0 if the window is full. */
static uint64_t copy_sites(uint32_t place, uint32_t n_sites)
{
    uint64_t live_bytes = 0;
    uint32_t n_slots = atomic_load(&hpp__window->head.n_slots);
    for (uint32_t begin = 0; begin < n_sites; begin += HPP_CELLS_PER_CHUNK) {
        hpp_window_live sums[HPP_CELLS_PER_CHUNK] = {{0, 0}};
        _Atomic uint32_t *entry = &hpp__window->peak_pages[place][begin / HPP_LIVE_PER_CHUNK];
        if (!sum_cells(sums, begin, n_slots) && atomic_load(entry) == 0) {
            continue;
        }
        hpp_window_live *to = hpp__window_chunk(entry, 1);
        if (to == NULL) {
            return 0;
        }
        to += begin % HPP_LIVE_PER_CHUNK;
        for (uint32_t i = 0; i < HPP_CELLS_PER_CHUNK; i++) {
            to[i] = sums[i];
            live_bytes += sums[i].bytes > 0 ? (uint64_t)sums[i].bytes : 0;
        }
    }
    return live_bytes;
}

/* Raises `*number` to at least `n`. */
static void raise_to(_Atomic int64_t *number, int64_t n)
{
    int64_t now = atomic_load(number);
    while (now < n && !atomic_compare_exchange_weak(number, &now, n)) {
    }
}

/* Copies what is live now. If another thread is copying, its copy is as good. */
static void copy(int64_t now_bytes)
{
    if (atomic_flag_test_and_set(&is_copying)) {
        return;
    }
    hpp_window_head *head = &hpp__window->head;
    uint64_t begin = hpp__time_stamp();
    struct timespec now = {0};
    hpp__syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    uint32_t n_peaks = atomic_load(&head->n_peaks);
    uint32_t n_sites = atomic_load(&head->n_sites);
    n_sites = n_sites < HPP_MAX_SITES ? n_sites : HPP_MAX_SITES;
    hpp_window_peak *peak = &head->peaks[(n_peaks + 1) % 2];
    peak->time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    peak->n_sites = n_sites;
    peak->live_bytes = copy_sites((n_peaks + 1) % 2, n_sites);
    if (n_peaks == 0 || peak->live_bytes > head->peaks[n_peaks % 2].live_bytes) {
        atomic_store_explicit(&head->n_peaks, n_peaks + 1, memory_order_release);
    }
    raise_to(&known_bytes, now_bytes);
    uint64_t end = hpp__time_stamp();
    atomic_store(&last_time, end - begin);
    atomic_store(&last_end, end);
    atomic_flag_clear(&is_copying);
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* Adds what the thread has, and `n_more`, to the total. Returns the new total. */
static int64_t add_change(hpp_thread *self, int64_t n_more)
{
    uint64_t change = self->change;
    hpp__add_own(&self->change, -change);
    return atomic_fetch_add(&total_bytes, (int64_t)change + n_more) + (int64_t)change + n_more;
}

/* Returns the total from which on a copy is worth it: any new maximum if the last copy took at most
 * a 256th of the time since then, one that is 1 % higher from a 32nd on, else one that is 6 %
 * higher.
 */
static int64_t worth_bytes(void)
{
    int64_t known = atomic_load(&known_bytes);
    uint64_t time = atomic_load(&last_time);
    uint64_t since = hpp__time_stamp() - atomic_load(&last_end);
    if (known == 0 || (time != 0 && since >= 256 * time)) {
        return known;
    }
    int64_t growth = time != 0 && since >= 32 * time ? known / 100 : known / 16;
    return known + (growth > MIN_GROWTH_BYTES ? growth : MIN_GROWTH_BYTES);
}

/* Chooses how far the thread may go without a look at the total: up to a new maximum, from which it
 * may not free. */
static void set_bounds(hpp_thread *self, int64_t now_bytes)
{
    int64_t worth = worth_bytes();
    int64_t batch = atomic_load(&known_bytes) / BATCH_SHARE;
    batch = batch < MIN_BATCH_BYTES ? MIN_BATCH_BYTES : batch;
    batch = batch < MAX_BATCH_BYTES ? batch : MAX_BATCH_BYTES;
    bool is_new = now_bytes > worth;
    self->least = is_new ? INT64_MAX : -batch;
    self->most = is_new || worth - now_bytes > batch ? batch : worth - now_bytes;
}

HPP_COLD HPP_ANY_STACK void hpp__peak_rise(hpp_thread *self)
{
    set_bounds(self, add_change(self, 0));
}

HPP_COLD HPP_ANY_STACK void hpp__peak_fall(hpp_thread *self, uint64_t n_bytes)
{
    int64_t now_bytes = add_change(self, 0);
    if (now_bytes > worth_bytes()) {
        copy(now_bytes);
    }
    set_bounds(self, add_change(self, -(int64_t)n_bytes));
}

void hpp__peak_change_shared(int64_t n_bytes)
{
    int64_t before = atomic_fetch_add(&total_bytes, n_bytes);
    if (n_bytes < 0 && before > worth_bytes()) {
        copy(before);
    }
}

/* ---- images ---------------------------------------------------------------------------------- */

static atomic_flag is_shown = ATOMIC_FLAG_INIT;

void hpp__peak_start(uint64_t live_bytes)
{
    atomic_store(&hpp__window->head.peak_image_bytes,
                 hpp__settings.has_peak_images ? hpp_window_peak_worth(live_bytes) : 0);
    atomic_store(&hpp__window->head.peak_image_ns, 0);
    atomic_flag_clear(&is_shown);
}

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    hpp__syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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
    bool is_peak = least_bytes != 0 && live_bytes >= least_bytes;
    if (!is_peak || hpp__isolation != HPP_NOT_ISOLATED || now_ns() < head->peak_image_ns ||
        hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) != head->process_id ||
        atomic_flag_test_and_set(&is_shown)) {
        return;
    }
    int link = hpp__window_connect(hpp__settings.socket_name);
    if (link < 0 || !hpp__window_ask(link, HPP_HELLO_PEAK, PATIENCE_S)) {
        atomic_store(&head->peak_image_bytes, 0); /* not again */
    }
    atomic_flag_clear(&is_shown);
}

void hpp__peak_forked(hpp_thread *self, uint64_t live_bytes)
{
    atomic_store(&total_bytes, (int64_t)live_bytes);
    atomic_store(&known_bytes, 0);
    atomic_store(&last_end, 0);
    atomic_store(&last_time, 0);
    atomic_flag_clear(&is_copying);
    hpp__peak_start(live_bytes);
    if (self != NULL) {
        self->change = 0;
        self->least = self->most = 0;
    }
}
