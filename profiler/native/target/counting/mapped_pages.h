/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of pages that the program has mapped itself: which pages are in a block of kind mmap,
 * where such blocks begin, and which address space is reserved only. The sizes and sites of these
 * blocks are in the table of live blocks (blocks.h); this one finds the block of a page, so that a
 * mapping can be cut anywhere.
 *
 * It has a byte for each page, in leaves of 128 MiB of addresses. A span that lies in the middle of
 * a block or of a reservation needs no leaf, so reserving a TiB takes some thousand stores.
 *
 * Threads: a page has one owner, the thread that maps or unmaps it, so only one thread at a time
 * changes its byte. Nothing waits. The table is private memory: a forked child has a copy.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_MAPPED_PAGES_H
#define HPP_NATIVE_TARGET_COUNTING_MAPPED_PAGES_H

#include <stdbool.h>
#include <stdint.h>

enum { HPP_PAGE_BYTES = 4096 }; /* the kernel's may be larger */

typedef enum hpp_page {
    HPP_PAGE_OTHER,    /* not mapped by the program, or not counted */
    HPP_PAGE_FIRST,    /* the first one of a block */
    HPP_PAGE_REST,     /* another one of a block */
    HPP_PAGE_RESERVED, /* becomes a block when the program may write to it */
} hpp_page;

hpp_page hpp__page_at(uintptr_t address);

/* Returns the end of the pages from `begin` on, up to `end`, that are the same as the first. */
uintptr_t hpp__pages_same(uintptr_t begin, uintptr_t end);

/* Returns the beginning of the block that has the page before `address`. */
uintptr_t hpp__pages_block_before(uintptr_t address);

/* Sets whole pages. Returns false without memory; pages are HPP_PAGE_OTHER then or as they were. */
bool hpp__pages_set(uintptr_t begin, uintptr_t end, hpp_page page);

#endif
