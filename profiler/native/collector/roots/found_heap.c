/* SPDX-License-Identifier: BSD-2-Clause */
#include "found_heap.h"

#include <stdlib.h>

#include "glibc_heap.h"
#include "jemalloc_heap.h"
#include "native/window/window.h"

/* Merges two lists of blocks. Of those that overlap, it keeps the ones of the first list. Those of
 * the second one get the site. */
static size_t merge(hpp__image_block *out, const hpp__image_block *known, size_t n_known,
                    const hpp__image_block *found, size_t n_found, uint32_t site)
{
    size_t n = 0, k = 0;
    for (size_t i = 0; i < n_found; i++) {
        uint64_t end = found[i].address + found[i].size_bytes;
        while (k < n_known && known[k].address < found[i].address) {
            out[n++] = known[k++];
        }
        bool is_behind = n == 0 || out[n - 1].address + out[n - 1].size_bytes <= found[i].address;
        if (is_behind && (k == n_known || known[k].address >= end)) {
            out[n] = found[i];
            out[n++].site = site;
        }
    }
    while (k < n_known) {
        out[n++] = known[k++];
    }
    return n;
}

/* Moves the blocks of another heap, and what is known of it, to `heap`, which has others. */
static void join(hpp__found_blocks *heap, hpp__found_blocks *other)
{
    size_t n = heap->n_blocks + other->n_blocks;
    hpp__image_block *all = malloc((n + 1) * sizeof *all);
    heap->lacks_memory |= other->lacks_memory || !all;
    if (all) {
        heap->n_blocks = merge(all, heap->blocks, heap->n_blocks, other->blocks, other->n_blocks,
                               HPP_SITE_UNKNOWN);
        free(heap->blocks);
        heap->blocks = all;
    }
    heap->bytes = 0;
    for (size_t i = 0; i < heap->n_blocks; i++) {
        heap->bytes += heap->blocks[i].size_bytes;
    }
    heap->free_bytes += other->free_bytes;
    heap->cached_bytes += other->cached_bytes;
    heap->unread_bytes += other->unread_bytes;
    heap->n_arenas += other->n_arenas;
}

hpf_status hpp__found_heap_read(hpp__found_blocks *out, const hpp__image *image, uint64_t n_bytes,
                                hpf_error *err)
{
    enum { LEAST_BYTES = 8, LEAST_BYTES_OF_GLIBC = 32 };
    hpp__found_blocks of_glibc = {.most_blocks = (size_t)(n_bytes / LEAST_BYTES_OF_GLIBC)};
    *out = (hpp__found_blocks){.most_blocks = (size_t)(n_bytes / LEAST_BYTES)};
    bool is_of_jemalloc = hpp__jemalloc_heap_read(out, image);
    bool is_of_glibc = hpp__glibc_heap_read(&of_glibc, image);
    if (is_of_jemalloc && is_of_glibc) {
        join(out, &of_glibc);
    } else if (is_of_glibc) {
        of_glibc.lacks_memory |= out->lacks_memory;
        hpp__found_blocks_finish(out);
        *out = of_glibc;
        of_glibc = (hpp__found_blocks){0};
    }
    hpp__found_blocks_finish(&of_glibc);
    return out->lacks_memory ? hpf_error_set_memory(err)
           : is_of_jemalloc || is_of_glibc
               ? HPF_OK
               : hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "no heap of glibc's malloc (2.31 to 2.43) or jemalloc (5.3) found");
}

/* Returns how many bytes an image can have. */
static uint64_t memory_of(const hpp__image *image)
{
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < image->n_maps; i++) {
        const hpp__image_map *map = &image->maps[i];
        n_bytes += map->is_readable && map->is_writable ? map->end - map->begin : 0;
    }
    return n_bytes;
}

/* Returns whether the heap has most of the blocks that an image knows, without those that are
 * watched, whose memory is the profiler's. A program with another allocator has a heap of glibc,
 * too, if a library allocated before that allocator was loaded. */
static bool has_most(const hpp__found_blocks *heap, const hpp__image *image)
{
    size_t n = 0, n_inside = 0, at = 0, life = 0;
    for (size_t i = 0; i < image->n_blocks; i++) {
        const hpp__image_block *block = &image->blocks[i];
        while (life < image->n_lives && image->lives[life].address < block->address) {
            life++;
        }
        if (life < image->n_lives && image->lives[life].address == block->address) {
            continue;
        }
        while (at < heap->n_blocks &&
               heap->blocks[at].address + heap->blocks[at].size_bytes <= block->address) {
            at++;
        }
        n += !block->is_mapping;
        n_inside +=
            !block->is_mapping && at < heap->n_blocks && heap->blocks[at].address <= block->address;
    }
    return n_inside >= n - n / 2;
}

hpf_status hpp__found_heap_add_others(hpp__image *image, uint32_t site, hpf_error *err)
{
    hpp__found_blocks heap;
    hpf_status status = hpp__found_heap_read(&heap, image, memory_of(image), err);
    hpp__image_block *all = NULL;
    if (status == HPF_OK && !has_most(&heap, image)) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED, "most blocks are of an unknown allocator");
    }
    if (status == HPF_OK) {
        all = malloc((image->n_blocks + heap.n_blocks + 1) * sizeof *all);
        status = all ? HPF_OK : hpf_error_set_memory(err);
    }
    if (all) {
        image->n_blocks =
            merge(all, image->blocks, image->n_blocks, heap.blocks, heap.n_blocks, site);
        image->blocks = all;
        free(image->own_blocks);
        image->own_blocks = all;
    }
    hpp__found_blocks_finish(&heap);
    return status;
}
