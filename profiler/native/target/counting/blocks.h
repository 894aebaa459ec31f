/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of live blocks: the site and the requested size of each. Its format is in
 * window/block_table.h. The heap itself is not changed, so it works with every allocator that
 * aligns blocks of 16 bytes and more to 16.
 *
 * Threads: the entry of a block is written before malloc returns it and cleared before free passes
 * it on, so only one thread at a time accesses it. Nothing waits. The table is private memory: a
 * forked child has a copy.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_BLOCKS_H
#define HPP_NATIVE_TARGET_COUNTING_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/window/block_table.h"
#include "native/window/platform.h"

typedef struct hpp_block {
    uint32_t site; /* 0: none */
    uint64_t size_bytes;
} hpp_block;

/* Leaves by the upper bits of the address; NULL: no blocks there yet. */
typedef struct hpp_branch {
    _Atomic(_Atomic uint32_t *) leaves[HPP_LEAVES_PER_BRANCH];
} hpp_branch;
extern HPP_HIDDEN _Atomic(hpp_branch *) hpp__branches[HPP_MAX_BRANCHES];

/* Returns a leaf, or NULL. `index` is less than HPP_MAX_LEAVES. */
static inline _Atomic uint32_t *hpp__leaf_at(uintptr_t index)
{
    hpp_branch *branch =
        atomic_load_explicit(&hpp__branches[index / HPP_LEAVES_PER_BRANCH], memory_order_acquire);
    return HPP_UNLIKELY(branch == NULL)
               ? NULL
               : atomic_load_explicit(&branch->leaves[index % HPP_LEAVES_PER_BRANCH],
                                      memory_order_acquire);
}

/* Enters a block. Stores the previous block at its address in `before`, whose free was not seen, or
 * none. Returns false if the address is not a multiple of 16, or without memory for the table. */
bool hpp__blocks_put(const void *address, uint32_t site, uint64_t size_bytes, hpp_block *before);

/* Removes and returns a block; site 0: there is none. */
hpp_block hpp__blocks_take(const void *address);
hpp_block hpp__blocks_get(const void *address);

/* Makes a block one that hpp__blocks_put_usual and its like do not take for usual. It has at least
 * three granules of its own. Returns its site; 0: there is none. */
uint32_t hpp__blocks_mark(const void *address);

/* In a forked child, forgets the leaves of its parent's that it has not got. */
void hpp__blocks_forked(void);

/* Gives an existing block another site. */
void hpp__blocks_set_site(const void *address, uint32_t site);

/* Lets hpp__blocks_lacks never hold for a block, while only samples are in the table. */
void hpp__blocks_note(const void *address);

/* Visit every block, or the ones that begin in a range of addresses. The visitor may remove its
 * block.
 */
typedef void hpp_visit_block(uintptr_t address, hpp_block block, void *context);
void hpp__blocks_each(hpp_visit_block *visit, void *context);
void hpp__blocks_in(uintptr_t begin, uintptr_t end, hpp_visit_block *visit, void *context);

/* ---- the filter ------------------------------------------------------------------------------ */

/* While only samples are in the table (rate.h): a byte for each 2 KiB of addresses, modulo 2 GiB,
 * counts how many of the blocks that begin there are in the table, up to 255. So the bytes of a
 * heap of some MiB stay in the nearest cache, where each free needs one. */
enum { HPP_FILTER_SHIFT = 11, HPP_FILTER_BYTES = 1 << 20 };
extern HPP_HIDDEN _Atomic uint8_t hpp__blocks_filter[HPP_FILTER_BYTES];
extern HPP_HIDDEN bool hpp__blocks_are_samples; /* from the start of the process */

static inline _Atomic uint8_t *hpp__blocks_filter_byte(const void *address)
{
    return &hpp__blocks_filter[(uintptr_t)address >> HPP_FILTER_SHIFT & (HPP_FILTER_BYTES - 1)];
}

/* Returns whether a block is certainly not in a table of samples. */
HPP_ALWAYS_INLINE bool hpp__blocks_lacks(const void *address)
{
    return hpp__blocks_are_samples &&
           HPP_LIKELY(
               atomic_load_explicit(hpp__blocks_filter_byte(address), memory_order_relaxed) == 0);
}

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
    _Atomic uint32_t *leaf = hpp__leaf_at(index);
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

/* Returns whether a first granule is of a block that exists and is not huge. */
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
