/* SPDX-License-Identifier: BSD-2-Clause */
#include "image.h"

#include <stdlib.h>

#include "base/array.h"
#include "proc.h"

bool hpp__image_is_whole(const hpp__image *image)
{
    char byte;
    bool is_dying = image->frozen_id != 0 &&
                    (hpp__proc_has_signals(image->frozen_id, image->frozen_id) ||
                     hpp__proc_thread_state(image->frozen_id, image->frozen_id) == 'X');
    return !is_dying && (image->n_blocks == 0 || image->blocks[0].size_bytes == 0 ||
                         hpp__image_read(image, &byte, image->blocks[0].address, 1));
}

const hpp__image_map *hpp__image_map_of(const hpp__image *image, uint64_t address)
{
    size_t first;
    HPF__ARRAY_BISECT(first, image->n_maps, i, image->maps[i].end <= address);
    return first < image->n_maps && image->maps[first].begin <= address ? &image->maps[first]
                                                                        : NULL;
}

bool hpp__image_map_is_anonymous(const hpp__image_map *map)
{
    return map && !map->is_shared && (map->path[0] == '\0' || map->path[0] == '[');
}

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

uint64_t *hpp__image_addresses(const hpp__image *image)
{
    uint64_t *addresses = malloc((image->n_blocks + 1) * sizeof *addresses);
    for (size_t i = 0; addresses && i < image->n_blocks; i++) {
        addresses[i] = image->blocks[i].address;
    }
    return addresses;
}

bool hpp__image_find_stack(const hpp__image *image, uint64_t descriptor, hpp__image_stack *out)
{
    enum { PAGE_BYTES = 4096, MAX_WORDS = PAGE_BYTES / 8, MAX_BEHIND = 2 * PAGE_BYTES };
    uint64_t words[MAX_WORDS];
    size_t n = (PAGE_BYTES - descriptor % PAGE_BYTES) / sizeof *words;
    if (descriptor == 0 || descriptor % sizeof *words != 0 ||
        !hpp__image_read(image, words, descriptor, n * sizeof *words)) {
        return false;
    }
    for (size_t i = 0; i + 2 < n; i++) {
        uint64_t begin = words[i], n_bytes = words[i + 1], guard_bytes = words[i + 2];
        uint64_t end = begin + n_bytes;
        if (begin % sizeof *words == 0 && begin != 0 && begin < descriptor && end > descriptor &&
            end <= descriptor + MAX_BEHIND && guard_bytes < descriptor - begin) {
            *out = (hpp__image_stack){begin, end, begin + guard_bytes};
            return true;
        }
    }
    return false;
}
