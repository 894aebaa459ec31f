/* SPDX-License-Identifier: BSD-2-Clause */
#include "found_blocks.h"

#include <stdlib.h>

#include "base/array.h"
#include "native/window/window.h"

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const hpp__image_block *)a)->address;
    uint64_t y = ((const hpp__image_block *)b)->address;
    return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool hpp__found_blocks_add(hpp__found_blocks *heap, uint64_t address, uint64_t size_bytes)
{
    hpp__image_block block = {address, size_bytes, HPP_SITE_UNKNOWN, false};
    if (heap->n_blocks == heap->most_blocks) {
        return false;
    }
    bool is_added = HPF__ARRAY_PUSH(heap->blocks, heap->n_blocks, heap->capacity, block);
    heap->lacks_memory |= !is_added;
    return is_added;
}

void hpp__found_blocks_sort(hpp__found_blocks *heap)
{
    size_t i = 1;
    while (i < heap->n_blocks && heap->blocks[i - 1].address <= heap->blocks[i].address) {
        i++;
    }
    if (i < heap->n_blocks) { /* a heap is mostly walked in order */
        HPF__ARRAY_SORT(heap->blocks, heap->n_blocks, by_address);
    }
}

const hpp__image_block *hpp__found_blocks_at(const hpp__found_blocks *heap, uint64_t address)
{
    size_t i;
    HPF__ARRAY_BISECT(i, heap->n_blocks, k, heap->blocks[k].address < address);
    return i < heap->n_blocks && heap->blocks[i].address == address ? &heap->blocks[i] : NULL;
}

void hpp__found_blocks_drop(hpp__found_blocks *heap, uint64_t address)
{
    heap->lacks_memory |=
        !HPF__ARRAY_PUSH(heap->unused, heap->n_unused, heap->unused_capacity, address);
}

void hpp__found_blocks_keep_used(hpp__found_blocks *heap, uint64_t header_bytes)
{
    size_t n = 0;
    uint64_t end = 0;
    HPF__ARRAY_SORT(heap->unused, heap->n_unused, by_number);
    for (size_t i = 0, k = 0; i < heap->n_blocks; i++) {
        const hpp__image_block block = heap->blocks[i];
        while (k < heap->n_unused && heap->unused[k] < block.address) {
            k++;
        }
        if (k < heap->n_unused && heap->unused[k] == block.address) {
            heap->cached_bytes += block.size_bytes + header_bytes;
        } else if (block.address >= end) {
            end = block.address + block.size_bytes;
            heap->bytes += block.size_bytes;
            heap->blocks[n++] = block;
        }
    }
    heap->n_blocks = n;
    heap->free_bytes += heap->cached_bytes;
}

void hpp__found_blocks_finish(hpp__found_blocks *heap)
{
    free(heap->blocks);
    free(heap->unused);
    *heap = (hpp__found_blocks){0};
}
