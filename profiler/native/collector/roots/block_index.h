/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the live block that an address points into.
 *
 * Blocks begin at multiples of 8, so a bit for each 8 bytes of address space says where one begins;
 * 64 bits and the number of blocks before them are a span of 512 bytes of addresses. The last block
 * that begins at or before an address is then found by counting bits, without a search. Spans take
 * 3.1 % of the address space of the heap, in leaves of 64 MiB of addresses; a leaf inside one block
 * has none.
 */
#ifndef HPP_NATIVE_COLLECTOR_ROOTS_BLOCK_INDEX_H
#define HPP_NATIVE_COLLECTOR_ROOTS_BLOCK_INDEX_H

#include "hpfile/error.h"
#include "hpprof/compiler.h"
#include "native/collector/image/image.h"

enum {
    HPP__GRANULE_SHIFT = 3,
    HPP__SPAN_SHIFT = 9,
    HPP__INDEX_LEAF_SHIFT = 26,
    HPP__SPANS_PER_LEAF = 1 << (HPP__INDEX_LEAF_SHIFT - HPP__SPAN_SHIFT),
};
#define HPP__NO_BLOCK UINT32_MAX

typedef struct hpp__span {
    uint64_t begins;   /* bit n: a block begins at granule n */
    uint32_t n_before; /* blocks that begin before the span; 0 also: no block reaches here */
} hpp__span;

typedef struct hpp__index_leaf {
    hpp__span *spans;
    uint32_t n_before; /* for leaves without spans */
} hpp__index_leaf;

typedef struct hpp__block_index {
    const hpp__image_block *blocks; /* borrowed */
    size_t n_blocks;
    uint64_t lowest, n_bytes; /* all blocks are in [lowest, lowest + n_bytes) */
    uint64_t first_leaf;      /* its address, shifted */
    hpp__index_leaf *leaves;
    size_t n_leaves;
} hpp__block_index;

/* Creates the index of blocks, which are borrowed. Errors: MEMORY; SYNTAX if the blocks are not
 * sorted, overlap, or begin at an address that is no multiple of 8; LIMIT for more than 2^32 - 2
 * blocks. Call hpp__block_index_finish in any case. */
hpf_status hpp__block_index_init(hpp__block_index *index, const hpp__image_block *blocks,
                                 size_t n_blocks, hpf_error *err);
void hpp__block_index_finish(hpp__block_index *index);

/* Prefetches what a search for an address needs. */
static inline void hpp__block_index_approach(const hpp__block_index *index, uint64_t address)
{
    if (HPP_LIKELY(address - index->lowest >= index->n_bytes)) {
        return;
    }
    const hpp__index_leaf *leaf =
        &index->leaves[(address >> HPP__INDEX_LEAF_SHIFT) - index->first_leaf];
    if (leaf->spans) {
        HPP_PREFETCH(&leaf->spans[address >> HPP__SPAN_SHIFT & (HPP__SPANS_PER_LEAF - 1)]);
    }
}

/* Returns the number of the block that contains an address; its end is not part of it, but a block
 * of no bytes contains its address. HPP__NO_BLOCK: none. */
static inline uint32_t hpp__block_index_find(const hpp__block_index *index, uint64_t address)
{
    if (HPP_LIKELY(address - index->lowest >= index->n_bytes)) {
        return HPP__NO_BLOCK;
    }
    const hpp__index_leaf *leaf =
        &index->leaves[(address >> HPP__INDEX_LEAF_SHIFT) - index->first_leaf];
    uint32_t n = leaf->n_before;
    if (leaf->spans) {
        const hpp__span *span =
            &leaf->spans[address >> HPP__SPAN_SHIFT & (HPP__SPANS_PER_LEAF - 1)];
        unsigned granule = address >> HPP__GRANULE_SHIFT & 63;
        uint64_t begun = span->begins << (63 - granule); /* bit 63: at this granule */
        n = span->n_before + (uint32_t)__builtin_popcountll(begun);
        if (begun >> 63 && address % (1u << HPP__GRANULE_SHIFT) == 0) {
            return n - 1;
        }
    }
    if (n == 0) {
        return HPP__NO_BLOCK;
    }
    const hpp__image_block *block = &index->blocks[n - 1];
    return address - block->address < block->size_bytes ? n - 1 : HPP__NO_BLOCK;
}

#endif
