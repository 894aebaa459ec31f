/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The live blocks: for each, the site that it was made at and the size that was asked for.
 *
 * A table beside the heap, 4 bytes for each 16 of address space (a granule), in leaves of 64 MiB of
 * addresses; a page of it exists once a block lies in its 16 KiB. A leaf ends with a page for what
 * blocks that begin near its end have beyond it. The heap itself is untouched, so
 * any allocator will do whose blocks begin at multiples of 16 when it is asked for at least 16
 * bytes.
 *
 *   first granule    bit 31: set. Bits 0-24: the site. Bit 30: small; then bits 25-29 are the size,
 *                    0-16. Bit 29 of a block that is not small: huge, it has a third granule
 *   second           (not small) bits 0-30 of the size; bit 31: clear
 *   third            (huge) the size's bits 31 and up; bit 31: clear
 *
 * So a first granule tells itself from the others, and a walk may begin anywhere.
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

/* Enters a block. `before` is what was there: a block that went unseen, or none. False when the
 * block stays unknown: its address is not a multiple of 16, or there is no memory for the table. */
bool hpp__blocks_put(const void *address, uint32_t site, uint64_t size_bytes, hpp_block *before);

/* Takes a block out, or looks at it. */
hpp_block hpp__blocks_take(const void *address);
hpp_block hpp__blocks_get(const void *address);

/* Visits every block, or those that begin in a range of addresses. A visitor may take its block. */
typedef void hpp_visit_block(uintptr_t address, hpp_block block, void *context);
void hpp__blocks_each(hpp_visit_block *visit, void *context);
void hpp__blocks_in(uintptr_t begin, uintptr_t end, hpp_visit_block *visit, void *context);

/* ---- the usual cases, in line ---------------------------------------------------------------- */

/* The number of an address's granule; what is not at the beginning of a granule has a number beyond
 * all addresses. */
static inline uintptr_t hpp__granule_of(const void *address)
{
    uintptr_t place = (uintptr_t)address;
    return place / HPP_GRANULE_BYTES | place << (8 * sizeof(place) - HPP_GRANULE_SHIFT);
}

/* The first granule of an address, or NULL: it has none, yet or ever. */
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

/* hpp__blocks_put where nothing is special. False: nothing was done. */
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

/* What a first granule says of a block that is neither huge nor absent. */
static inline bool hpp__block_is_usual(uint32_t entry)
{
    return entry >= (HPP_BLOCK_FIRST | HPP_BLOCK_SMALL) ||
           (entry & (HPP_BLOCK_FIRST | HPP_BLOCK_HUGE)) == HPP_BLOCK_FIRST;
}

/* Takes a usual block out, of which `entry` is the first granule. Returns its size. */
static inline uint64_t hpp__block_erase_usual(_Atomic uint32_t *first, uint32_t entry)
{
    atomic_store_explicit(first, 0, memory_order_relaxed);
    if (entry & HPP_BLOCK_SMALL) {
        return entry >> HPP_BLOCK_SIZE_SHIFT & 0x1f;
    }
    uint64_t size_bytes = atomic_load_explicit(first + 1, memory_order_relaxed);
    atomic_store_explicit(first + 1, 0, memory_order_relaxed);
    return size_bytes;
}

#endif
