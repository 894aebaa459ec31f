/* SPDX-License-Identifier: BSD-2-Clause */
#include "image.h"

#include "base/array.h"

size_t hpp__image_block_of(const hpp__image *image, uint64_t address)
{
    size_t n_before; /* that begin at the address or before */
    HPF__ARRAY_BISECT(n_before, image->n_blocks, i, image->blocks[i].address <= address);
    if (n_before == 0) {
        return SIZE_MAX;
    }
    const hpp__image_block *block = &image->blocks[n_before - 1];
    uint64_t place = address - block->address;
    return place == 0 || place < block->size_bytes ? n_before - 1 : SIZE_MAX;
}
