/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The program's end of the window: making it, handing it to the collector, and pages from it.
 *
 * The window stays at one address for as long as the process lives. A forked child maps its own
 * over it, so that everything that points into it stays true.
 */
#ifndef HPP_NATIVE_WINDOW_WRITER_H
#define HPP_NATIVE_WINDOW_WRITER_H

#include <stdbool.h>

#include "platform.h"
#include "window.h"

/* The window, or NULL: this process is not profiled. Set once. */
extern HPP_HIDDEN hpp_window *hpp__window;

/* `n` fresh pages in a row, all zero. Returns the number of the first, or 0 when the window is
 * full. Threads: any, also in signal handlers. */
uint32_t hpp__window_pages(uint32_t n);

/* The same, one page, out of those that hpp__window_pages leaves: enough for one cell of every
 * site, so that whatever has been allocated can be counted as freed. */
uint32_t hpp__window_reserved_page(void);

/* The place of a page. */
static inline void *hpp__window_at(uint32_t page)
{
    return (char *)hpp__window + (uint64_t)page * HPP_WINDOW_PAGE_BYTES;
}

/* Makes a window and sets hpp__window. It has the root node and the sites that are always there;
 * the head lacks what only the caller knows: command, tick_us. The window is smaller than asked
 * where limits of the process (address space, file size) will have it so. Returns its file, or -1.
 */
int hpp__window_make(uint64_t size_bytes);

/* In a forked child: makes a window of its own, at the same place, of what the child still needs of
 * its parent's: nodes, sites, modules, and of the slot `kept_slot` the directory. All counters are
 * zero in it; the other slots are free and without cells. Returns its file, or -1, and then
 * hpp__window is still the parent's. */
int hpp__window_renew(uint32_t kept_slot);

/* Hands the window in at the abstract socket of that name, and closes the file in any case. Waits
 * for a collector that is busy, for at most two seconds. False when there is no collector. */
bool hpp__window_hand_in(int file, const char *socket_name);

/* The chunk that a directory entry names; it gets its pages now if it has none. Two threads that
 * make it at once waste the pages of one, which are never touched. NULL: the window is full. */
static inline void *hpp__window_chunk(_Atomic uint32_t *entry, uint32_t n_pages)
{
    uint32_t page = atomic_load_explicit(entry, memory_order_acquire);
    if (page == 0) {
        uint32_t fresh = hpp__window_pages(n_pages);
        if (fresh == 0) {
            return NULL;
        }
        if (atomic_compare_exchange_strong_explicit(entry, &page, fresh, memory_order_acq_rel,
                                                    memory_order_acquire)) {
            page = fresh;
        }
    }
    return hpp__window_at(page);
}

/* The next index of a table, or UINT32_MAX: it has `max` records. */
static inline uint32_t hpp__window_next(_Atomic uint32_t *count, uint32_t max)
{
    uint32_t n = atomic_load_explicit(count, memory_order_relaxed);
    do {
        if (n >= max) {
            return UINT32_MAX;
        }
    } while (!atomic_compare_exchange_weak_explicit(count, &n, n + 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    return n;
}

#endif
