/* SPDX-License-Identifier: BSD-2-Clause */
#include "image.h"

size_t hpp__image_block_of(const hpp__image *image, uint64_t address)
{
    size_t begin = 0;
    size_t end = image->n_blocks; /* the first block that begins after `address` */
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (image->blocks[middle].address <= address) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    if (end == 0) {
        return SIZE_MAX;
    }
    const hpp__image_block *block = &image->blocks[end - 1];
    uint64_t place = address - block->address;
    return place == 0 || place < block->size_bytes ? end - 1 : SIZE_MAX;
}
