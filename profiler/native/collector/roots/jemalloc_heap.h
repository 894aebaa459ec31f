/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The live blocks of a program by the structures of jemalloc in an image of it: 5.3, x86-64, pages
 * of 4 KiB and addresses of 48 or 57 bits, as it is built by default, in a library or in the
 * program. No symbols are needed: its map of pages is a table in static data, with addresses of
 * other tables, whose elements lead to extents that say which pages they have.
 *
 * Source: jemalloc 5.3.0 and 5.3.1, include/jemalloc/internal/rtree.h, edata.h, sc.h, slab_data.h
 * and cache_bin.h. What is read is untrusted: an extent must have the page that led to it, and its
 * blocks must be in it.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_ROOTS_JEMALLOC_HEAP_H
#define HPP_NATIVE_COLLECTOR_ROOTS_JEMALLOC_HEAP_H

#include "found_blocks.h"

/* Adds the live blocks of an image to a heap without any. Returns whether the image has a map of
 * pages; without memory, the heap says so. */
bool hpp__jemalloc_heap_read(hpp__found_blocks *out, const hpp__image *image);

#endif
