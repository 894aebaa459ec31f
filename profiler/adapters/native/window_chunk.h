/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of the window's growing tables, from inside the program.
 */
#ifndef HPP_NATIVE_WINDOW_CHUNK_H
#define HPP_NATIVE_WINDOW_CHUNK_H

#include "window_writer.h"

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
