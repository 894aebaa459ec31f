/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of live blocks: the site and the requested size of each.
 *
 * It has 4 bytes for each 16 bytes of address space (a granule), in leaves of 64 MiB of addresses;
 * a page of it exists once its 16 KiB contain a block. A leaf ends with an extra page, for blocks
 * that begin near its end. The heap itself is not changed, so it works with every allocator that
 * aligns blocks of 16 bytes and more to 16.
 *
 *   first granule    bit 31: set. Bits 0-24: the site. Bit 30: small; then bits 25-29 are the size,
 *                    0-16. Bit 29 of a block that is not small: huge, it has a third granule
 *   second           (not small) bits 0-30 of the size; bit 31: clear
 *   third            (huge) the size's bits 31 and up; bit 31: clear
 *
 * Bit 31 marks a first granule, so a walk may begin anywhere.
 *
 * Threads: the entry of a block is written before malloc returns it and cleared before free passes
 * it on, so only one thread at a time accesses it. Nothing waits. The table is private memory: a
 * forked child has a copy.
 */
#ifndef HPP_NATIVE_BLOCKS_H
#define HPP_NATIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/window/platform.h"
#include "native/window/window.h"

enum {
    HPP_GRANULE_SHIFT = 4,
    HPP_GRANULE_BYTES = 1 << HPP_GRANULE_SHIFT,
    HPP_LEAF_SHIFT = 26, /* 64 MiB */
    HPP_ADDRESS_BITS = 47,
    /* The last one, where the kernel puts stacks, is left out: a bound that is no power of two is
     * compared with in one instruction less. */
    HPP_MAX_LEAVES = (1 << (HPP_ADDRESS_BITS - HPP_LEAF_SHIFT)) - 1,
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

typedef struct hpp_block {
    uint32_t site; /* 0: none */
    uint64_t size_bytes;
} hpp_block;

/* By the upper bits of the address; NULL: no blocks there yet. */
extern HPP_HIDDEN _Atomic(_Atomic uint32_t *) hpp__leaves[HPP_MAX_LEAVES];

/* Enters a block. Stores the previous block at its address in `before`, whose free was not seen, or
 * none. Returns false if the address is not a multiple of 16, or without memory for the table. */
bool hpp__blocks_put(const void *address, uint32_t site, uint64_t size_bytes, hpp_block *before);

/* Removes and returns a block; site 0: there is none. */
hpp_block hpp__blocks_take(const void *address);
hpp_block hpp__blocks_get(const void *address);

/* Makes a block one that hpp__blocks_put_usual and its like do not take for usual. It has at least
 * three granules of its own. Returns its site; 0: there is none. */
uint32_t hpp__blocks_mark(const void *address);

/* Visit every block, or those that begin in a range of addresses. The visitor may remove its block.
 */
typedef void hpp_visit_block(uintptr_t address, hpp_block block, void *context);
void hpp__blocks_each(hpp_visit_block *visit, void *context);
void hpp__blocks_in(uintptr_t begin, uintptr_t end, hpp_visit_block *visit, void *context);

/* ---- the usual cases, in line ---------------------------------------------------------------- */

/* Returns the number of an address's granule; beyond all addresses if it is not at the start of a
 * granule. */
static inline uintptr_t hpp__granule_of(const void *address)
{
    uintptr_t place = (uintptr_t)address;
    return place / HPP_GRANULE_BYTES | place << (8 * sizeof(place) - HPP_GRANULE_SHIFT);
}

/* Returns the first granule of an address; NULL if there is none. */
static inline _Atomic uint32_t *hpp__granule_at(const void *address)
{
    uintptr_t granule = hpp__granule_of(address);
    uintptr_t index = granule / HPP_GRANULES_PER_LEAF;
    if (HPP_UNLIKELY(index >= HPP_MAX_LEAVES)) {
        return NULL;
    }
    _Atomic uint32_t *leaf = atomic_load_explicit(&hpp__leaves[index], memory_order_acquire);
    return HPP_UNLIKELY(leaf == NULL) ? NULL : leaf + granule % HPP_GRANULES_PER_LEAF;
}

/* Is hpp__blocks_put for the usual case. Returns false and does nothing in others. */
static inline bool hpp__blocks_put_usual(const void *address, uint32_t site, uint64_t size_bytes)
{
    _Atomic uint32_t *first = hpp__granule_at(address);
    if (HPP_UNLIKELY(first == NULL || size_bytes > HPP_BLOCK_SIZE_PART ||
                     atomic_load_explicit(first, memory_order_relaxed) != 0)) {
        return false;
    }
    uint32_t entry = HPP_BLOCK_FIRST | site;
    if (size_bytes <= HPP_SMALL_BYTES) {
        entry |= HPP_BLOCK_SMALL | (uint32_t)size_bytes << HPP_BLOCK_SIZE_SHIFT;
    } else {
        atomic_store_explicit(first + 1, (uint32_t)size_bytes, memory_order_relaxed);
    }
    atomic_store_explicit(first, entry, memory_order_release);
    return true;
}

/* Returns whether a first granule is that of a block that exists and is not huge. */
static inline bool hpp__block_is_usual(uint32_t entry)
{
    return entry >= (HPP_BLOCK_FIRST | HPP_BLOCK_SMALL) ||
           (entry & (HPP_BLOCK_FIRST | HPP_BLOCK_HUGE)) == HPP_BLOCK_FIRST;
}

/* Returns the size of a usual block, whose first granule is `entry`. */
static inline uint64_t hpp__block_usual_bytes(_Atomic uint32_t *first, uint32_t entry)
{
    return entry & HPP_BLOCK_SMALL ? entry >> HPP_BLOCK_SIZE_SHIFT & 0x1f
                                   : atomic_load_explicit(first + 1, memory_order_relaxed);
}

/* Removes a usual block. */
static inline void hpp__block_erase_usual(_Atomic uint32_t *first, uint32_t entry)
{
    atomic_store_explicit(first, 0, memory_order_relaxed);
    if (!(entry & HPP_BLOCK_SMALL)) {
        atomic_store_explicit(first + 1, 0, memory_order_relaxed);
    }
}

#endif
