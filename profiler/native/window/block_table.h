/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of live blocks, in private memory of the program. The preload library writes it
 * (preload/blocks.h), the collector reads it in an image (image/block_table.h).
 *
 * It has 4 bytes for each 16 bytes of address space (a granule), in leaves of 4 MiB of addresses;
 * a page of it exists once its 16 KiB contain a block. A leaf ends with an extra page, for blocks
 * that begin near its end.
 *
 *   first granule    bit 31: set. Bits 0-24: the site. Bit 30: small; then bits 25-29 are the size,
 *                    0-16. Bit 29 of a block that is not small: huge, it has a third granule
 *   second           (not small) bits 0-30 of the size; bit 31: clear
 *   third            (huge) the size's bits 31 and up; bit 31: clear
 *
 * Bit 31 marks a first granule, so a walk may begin anywhere.
 *
 * Leaves are found by branches, which have the address of each leaf. The window lists the leaves,
 * too. An entry of the list has the page of the leaf, and in its lower bits the 4 MiB that it is
 * for. 0: none. While a program goes on, the list may have leaves that a copy of its private memory
 * does not have: there, other memory may be in their place.
 */
#ifndef HPP_NATIVE_WINDOW_BLOCK_TABLE_H
#define HPP_NATIVE_WINDOW_BLOCK_TABLE_H

#include "window.h"

enum {
    HPP_GRANULE_SHIFT = 4,
    HPP_GRANULE_BYTES = 1 << HPP_GRANULE_SHIFT,
    HPP_LEAF_SHIFT = 22, /* 4 MiB */
    HPP_ADDRESS_BITS = 47,
    /* The last one, where the kernel puts stacks, is left out: a bound that is no power of two is
     * compared with in one instruction less. */
    HPP_MAX_LEAVES = (1 << (HPP_ADDRESS_BITS - HPP_LEAF_SHIFT)) - 1,
    HPP_LEAVES_PER_BRANCH = 4096, /* 16 GiB */
    HPP_MAX_BRANCHES = (HPP_MAX_LEAVES + 1) / HPP_LEAVES_PER_BRANCH,
    HPP_GRANULES_PER_LEAF = 1 << (HPP_LEAF_SHIFT - HPP_GRANULE_SHIFT),
    HPP_LEAF_BYTES = HPP_GRANULES_PER_LEAF * 4 + HPP_WINDOW_PAGE_BYTES,
    HPP_SMALL_BYTES = 16,
};
#define HPP_BLOCK_FIRST          0x80000000u
#define HPP_BLOCK_SMALL          0x40000000u
#define HPP_BLOCK_HUGE           0x20000000u
#define HPP_BLOCK_SITE           0x01ffffffu
#define HPP_BLOCK_SIZE_SHIFT     25
#define HPP_BLOCK_SIZE_PART      0x7fffffffu /* in a second or third granule */
#define HPP_BLOCK_SIZE_PART_BITS 31

static inline uint64_t hpp__leaf_entry(uint64_t leaf, uint64_t index)
{
    return leaf / HPP_WINDOW_PAGE_BYTES << (HPP_ADDRESS_BITS - HPP_LEAF_SHIFT) | index;
}

static inline uint64_t hpp__leaf_of_entry(uint64_t entry)
{
    return (entry >> (HPP_ADDRESS_BITS - HPP_LEAF_SHIFT)) * HPP_WINDOW_PAGE_BYTES;
}

/* Returns the first address of which the leaf has the blocks. */
static inline uint64_t hpp__begin_of_entry(uint64_t entry)
{
    return (entry << HPP_LEAF_SHIFT) & (((uint64_t)1 << HPP_ADDRESS_BITS) - 1);
}

#endif
