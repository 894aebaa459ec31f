/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The live blocks: for each, the site that it was made at and the size that was asked for.
 *
 * A table beside the heap, 4 bytes for each 16 of address space, in leaves of 64 MiB of addresses;
 * a page of it exists once a block lies in its 16 KiB. The heap itself is untouched, so any
 * allocator will do whose blocks begin at multiples of 16, or of 8 when it is asked for at most 8
 * bytes (the library asks for at least 16).
 *
 *   first granule    bit 31: small; bits 26-30: its size, 0-16; bits 0-25: the site. 0: no block
 *   second           (sizes above 16) bits 0-30 of the size; bit 31: there is a third
 *   third            the size's bits 31 and up
 *
 * Threads: a block belongs to the thread that holds it, as in the program: entries are written
 * before malloc returns it and cleared before free hands it back. Nothing waits. The table is
 * private memory: a forked child has its own copy, of the moment of the fork.
 */
#ifndef HPP_NATIVE_BLOCKS_H
#define HPP_NATIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hpp_block {
    uint32_t site; /* 0: none */
    uint64_t size_bytes;
} hpp_block;

/* Enters a block. Returns what was there before: a block that went unseen, or none. False from
 * hpp__blocks_put when there is no memory for the table: the block stays unknown. */
bool hpp__blocks_put(const void *address, uint32_t site, uint64_t size_bytes, hpp_block *before);

/* Takes a block out, or looks at it. */
hpp_block hpp__blocks_take(const void *address);
hpp_block hpp__blocks_get(const void *address);

/* Visits every block, for a forked child. */
typedef void hpp_visit_block(uintptr_t address, hpp_block block, void *context);
void hpp__blocks_each(hpp_visit_block *visit, void *context);

#endif
