/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Creates the window in the program, sends it to the collector, and allocates pages from it.
 *
 * The window stays at one address for the life of the process. A forked child maps its own window
 * over it, so that pointers into it stay valid. Only the used part of the file is mapped, since
 * address space may be limited; the mapping grows where it is.
 */
#ifndef HPP_NATIVE_WINDOW_WINDOW_WRITER_H
#define HPP_NATIVE_WINDOW_WINDOW_WRITER_H

#include <stdbool.h>

#include "platform.h"
#include "window.h"

/* The window, or NULL: this process is not profiled. Set once. */
extern HPP_HIDDEN hpp_window *hpp__window;

/* Allocates `n` consecutive pages of zeros. Returns the number of the first, or 0 if the window is
 * full. Threads: any, also signal handlers. */
uint32_t hpp__window_pages(uint32_t n);

/* Allocates a chunk of cells from a reserve that hpp__window_pages does not use. The reserve has
 * one cell for every site, so that every free can be counted. */
uint32_t hpp__window_reserved_cells(void);

/* Returns the place of a page. */
static inline void *hpp__window_at(uint32_t page)
{
    return (char *)hpp__window + (uint64_t)page * HPP_WINDOW_PAGE_BYTES;
}

/* Sets the name of the collector's socket, which is part of the names of windows. */
void hpp__window_name(const char *socket_name);

/* Sets the word that says whether this process has a window of its own. The kernel clears it in
 * forked children: such a child can be in the middle of a call if a handler of a signal has called
 * fork, and must take no pages of the window that it shares with its parent, which has not mapped
 * them. */
void hpp__window_owner(_Atomic uint32_t *is_own);

/* Creates a window with the root node and the fixed sites, and sets hpp__window. The caller sets
 * command and tick_us in the head. The file is smaller than `size_bytes` if a limit of the process
 * requires it. Returns its file descriptor, or -1 and the reason. */
int hpp__window_make(const char **reason, uint64_t size_bytes);

/* Creates a window in a forked child, at the same address, with the parent's nodes, sites, modules,
 * and the directory of the slot `kept_slot`. All counters are zero; the other slots are free and
 * have no cells. Returns its file descriptor, or -1; hpp__window is still the parent's then. */
int hpp__window_renew(uint32_t kept_slot);

/* Connects to the abstract socket `socket_name`. Waits at most two seconds for a busy collector.
 * Returns a socket, or -1 if there is no collector. */
int hpp__window_connect(const char *socket_name);

/* Sends the window, and the collector's end of the socket of the helper if that is not negative; or
 * the reason why there is no window. Closes the socket and the files. Returns false if the
 * collector has left. */
bool hpp__window_hand_in(int link, int file, int helper);
void hpp__window_excuse(int link, const char *reason);

/* Sends the collector's end of the socket of the helper, and closes both sockets. */
void hpp__window_send_helper(int link, int helper);

/* Sends a hello of a kind without a text, and waits for the answer of the collector. Closes the
 * socket. Returns whether it has answered in time. */
bool hpp__window_ask(int link, hpp_hello_kind kind, int patience_s);

/* Returns the chunk that a directory entry names; it gets its pages now if it has none. Two threads
 * that make it at once waste the pages of one, which are never touched. NULL: the window is full.
 */
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

/* Returns the next index of a table, or UINT32_MAX: it has `max` records. */
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
