/* SPDX-License-Identifier: BSD-2-Clause */
#include "block_index.h"

#include <sys/mman.h>

static const uint64_t address_end = UINT64_C(1) << 47;
enum { SPANS_BYTES = HPP__SPANS_PER_LEAF * sizeof(hpp__span) };

/* Returns zeroed memory of which only the pages that are written cost anything; NULL without. Most
 * leaves lie between the heap and the mappings, where no block is. */
static void *map_sparse(size_t n_bytes)
{
    void *memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static hpp__index_leaf *leaf_of(const hpp__block_index *index, uint64_t address)
{
    return &index->leaves[(address >> HPP__INDEX_LEAF_SHIFT) - index->first_leaf];
}

static bool is_valid(const hpp__image_block *block, const hpp__image_block *previous)
{
    return block->address % (1u << HPP__GRANULE_SHIFT) == 0 && block->address != 0 &&
           block->address < address_end && block->size_bytes <= address_end - block->address &&
           (!previous || (previous->address < block->address &&
                          previous->size_bytes <= block->address - previous->address));
}

/* Returns the leaf of an address with its spans; NULL without memory. */
static hpp__index_leaf *leaf_with_spans(hpp__block_index *index, uint64_t address)
{
    hpp__index_leaf *leaf = leaf_of(index, address);
    if (!leaf->spans) {
        leaf->spans = map_sparse(SPANS_BYTES);
    }
    return leaf->spans ? leaf : NULL;
}

/* Stores that `n_before` blocks begin before the spans of [begin, end), in which none begins. */
static bool fill(hpp__block_index *index, uint64_t begin, uint64_t end, uint32_t n_before)
{
    const uint64_t leaf_bytes = UINT64_C(1) << HPP__INDEX_LEAF_SHIFT;
    while (begin < end) {
        uint64_t next = (begin | (leaf_bytes - 1)) + 1;
        if (begin % leaf_bytes == 0 && next <= end) {
            leaf_of(index, begin)->n_before = n_before;
            begin = next;
            continue;
        }
        hpp__index_leaf *leaf = leaf_with_spans(index, begin);
        if (!leaf) {
            return false;
        }
        for (; begin < end && begin < next; begin += 1u << HPP__SPAN_SHIFT) {
            leaf->spans[begin >> HPP__SPAN_SHIFT & (HPP__SPANS_PER_LEAF - 1)].n_before = n_before;
        }
    }
    return true;
}

static bool add(hpp__block_index *index, uint32_t number)
{
    const uint64_t span_bytes = UINT64_C(1) << HPP__SPAN_SHIFT;
    const hpp__image_block *block = &index->blocks[number];
    hpp__index_leaf *leaf = leaf_with_spans(index, block->address);
    if (!leaf) {
        return false;
    }
    hpp__span *span = &leaf->spans[block->address >> HPP__SPAN_SHIFT & (HPP__SPANS_PER_LEAF - 1)];
    span->n_before = span->begins == 0 ? number : span->n_before;
    span->begins |= UINT64_C(1) << (block->address >> HPP__GRANULE_SHIFT & 63);
    uint64_t next_span = (block->address | (span_bytes - 1)) + 1;
    return fill(index, next_span, block->address + block->size_bytes, number + 1);
}

hpf_status hpp__block_index_init(hpp__block_index *index, const hpp__image_block *blocks,
                                 size_t n_blocks, hpf_error *err)
{
    *index = (hpp__block_index){.blocks = blocks, .n_blocks = n_blocks};
    if (n_blocks >= HPP__NO_BLOCK) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "too many live blocks for a graph: %zu", n_blocks);
    }
    for (size_t i = 0; i < n_blocks; i++) {
        if (!is_valid(&blocks[i], i > 0 ? &blocks[i - 1] : NULL)) {
            return hpf_error_set(err, HPF_ERR_SYNTAX, "invalid address of a live block");
        }
    }
    if (n_blocks == 0) {
        return HPF_OK;
    }
    const hpp__image_block *last = &blocks[n_blocks - 1];
    index->lowest = blocks[0].address;
    index->n_bytes = last->address - index->lowest + (last->size_bytes ? last->size_bytes : 1);
    index->first_leaf = index->lowest >> HPP__INDEX_LEAF_SHIFT;
    index->n_leaves = (size_t)(((index->lowest + index->n_bytes - 1) >> HPP__INDEX_LEAF_SHIFT) -
                               index->first_leaf + 1);
    index->leaves = map_sparse(index->n_leaves * sizeof *index->leaves);
    for (uint32_t i = 0; i < n_blocks; i++) {
        if (!index->leaves || !add(index, i)) {
            return hpf_error_set_memory(err);
        }
    }
    return HPF_OK;
}

static void free_spans(hpp__index_leaf *leaf)
{
    if (leaf->spans) {
        munmap(leaf->spans, SPANS_BYTES);
        leaf->spans = NULL;
    }
}

/* Only the leaves where a block begins or ends have spans. */
void hpp__block_index_finish(hpp__block_index *index)
{
    for (size_t i = 0; index->leaves && i < index->n_blocks; i++) {
        const hpp__image_block *block = &index->blocks[i];
        free_spans(leaf_of(index, block->address));
        if (block->size_bytes > 1) {
            free_spans(leaf_of(index, block->address + block->size_bytes - 1));
        }
    }
    if (index->leaves) {
        munmap(index->leaves, index->n_leaves * sizeof *index->leaves);
    }
    *index = (hpp__block_index){0};
}
