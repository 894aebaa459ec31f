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

#include "window.h"

/* The window, or NULL: this process is not profiled. Set once. */
extern hpp_window *hpp__window;

/* `n` fresh pages in a row, all zero. Returns the number of the first, or 0 when the window is
 * full. Threads: any, also in signal handlers. */
uint32_t hpp__window_pages(uint32_t n);

/* The place of a page. */
static inline void *hpp__window_at(uint32_t page)
{
    return (char *)hpp__window + (uint64_t)page * HPP_WINDOW_PAGE_BYTES;
}

#endif
