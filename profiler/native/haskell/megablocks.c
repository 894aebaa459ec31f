/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap's memory is copied into one mapping of this process, megablock by megablock, when an
 * object in it is looked at first: objects are followed in no order, and a read of another process
 * takes longer than following a hundred of them.
 */
#include "megablocks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"

enum {
    DESCRIPTORS_BYTES = HPP_HASKELL_MEGABLOCK_BLOCKS * HPP_HASKELL_DESCRIPTOR_BYTES,
    FIRST_BLOCKS = HPP_HASKELL_MEGABLOCK_BLOCKS - HPP_HASKELL_FIRST_BLOCK, /* in a megablock */
    PAGE_BYTES = 4096,
    MOST_PAGES = 1 << 16,
    MOST_CANDIDATES = 64, /* addresses of generations */
};

/* ---- Memory ---- */

/* Reads a megablock if it was not read yet. */
static bool load(hpp__haskell_heap *h, size_t number)
{
    if (h->is_read[number] == 0) {
        bool is_good = hpp__image_read(h->image, h->memory + number * HPP_HASKELL_MEGABLOCK_BYTES,
                                       h->addresses[number], HPP_HASKELL_MEGABLOCK_BYTES);
        h->is_read[number] = is_good ? 1 : 2;
    }
    return h->is_read[number] == 1;
}

const uint64_t *hpp__haskell_words(hpp__haskell_heap *h, uint64_t address, size_t n)
{
    size_t at = hpp__haskell_word_number(h, address) * sizeof(uint64_t);
    size_t last = (at + n * sizeof(uint64_t) - 1) / HPP_HASKELL_MEGABLOCK_BYTES;
    bool is_good = n > 0;
    for (size_t i = at / HPP_HASKELL_MEGABLOCK_BYTES; i <= last && is_good; i++) {
        is_good = load(h, i);
    }
    return is_good ? (const uint64_t *)(const void *)(h->memory + at) : NULL;
}

/* Returns the page at an address; NULL if it cannot be read. */
static const unsigned char *page_at(hpp__haskell_heap *h, uint64_t address)
{
    uint64_t *known = hpp__map_find(&h->pages, address + 1); /* 0 is no key */
    if (known) {
        return (const unsigned char *)(uintptr_t)*known;
    }
    unsigned char *page = h->n_pages < MOST_PAGES ? malloc(PAGE_BYTES) : NULL;
    uint64_t *place = page ? hpp__map_add(&h->pages, address + 1) : NULL;
    if (!place || !hpp__image_read(h->image, page, address, PAGE_BYTES)) {
        free(page);
        return NULL;
    }
    h->n_pages++;
    *place = (uintptr_t)page;
    return page;
}

bool hpp__haskell_read(hpp__haskell_heap *h, void *out, uint64_t address, size_t n_bytes)
{
    char *to = out;
    while (n_bytes > 0) {
        const unsigned char *page = page_at(h, address / PAGE_BYTES * PAGE_BYTES);
        size_t at = address % PAGE_BYTES, n = PAGE_BYTES - at;
        n = n < n_bytes ? n : n_bytes;
        if (!page) {
            return false;
        }
        memcpy(to, page + at, n);
        to += n;
        address += n;
        n_bytes -= n;
    }
    return true;
}

bool hpp__haskell_read_any(hpp__haskell_heap *h, void *out, uint64_t address, size_t n_bytes)
{
    const uint64_t *words = NULL;
    if (!hpp__haskell_has(h, address)) {
        return hpp__haskell_read(h, out, address, n_bytes);
    }
    if (address % sizeof *words == 0 &&
        address % HPP_HASKELL_MEGABLOCK_BYTES + n_bytes <= HPP_HASKELL_MEGABLOCK_BYTES) {
        words = hpp__haskell_words(h, address, n_bytes / sizeof *words);
    }
    if (words) {
        memcpy(out, words, n_bytes);
    }
    return words != NULL;
}

static bool read_word(const hpp__haskell_heap *h, uint64_t address, uint64_t *out)
{
    return hpp__image_read(h->image, out, address, sizeof *out);
}

/* ---- Megablocks ---- */

/* Returns how many megablocks begin with this one as a group of blocks does; 1 if it has several
 * groups, 0 if it is no megablock. */
static size_t n_of_megablock(const hpp_haskell_descriptor *first, uint64_t address)
{
    uint64_t start = address + HPP_HASKELL_FIRST_BLOCK * HPP_HASKELL_BLOCK_BYTES;
    if (first->start != start || first->n_blocks == 0) {
        return 0;
    }
    return first->n_blocks <= FIRST_BLOCKS
               ? 1
               : 1 + (first->n_blocks - FIRST_BLOCKS + HPP_HASKELL_MEGABLOCK_BLOCKS - 1) /
                         (size_t)HPP_HASKELL_MEGABLOCK_BLOCKS;
}

/* Adds the megablocks of a mapping. Those of a large group have descriptors in the first only. */
static bool add_megablocks(hpp__haskell_heap *h, const hpp__image_map *map)
{
    const uint64_t bytes = HPP_HASKELL_MEGABLOCK_BYTES;
    uint64_t at = (map->begin + bytes - 1) / bytes * bytes;
    while (at + bytes <= map->end) {
        hpp_haskell_descriptor first;
        bool is_read = hpp__image_read(h->image, &first,
                                       at + HPP_HASKELL_FIRST_BLOCK * HPP_HASKELL_DESCRIPTOR_BYTES,
                                       sizeof first);
        size_t n = is_read ? n_of_megablock(&first, at) : 0;
        n = n <= (map->end - at) / bytes ? n : 0;
        for (size_t i = 0; i < n; i++) {
            if (h->n_megablocks >= HPP__HASKELL_MAX_MEGABLOCKS ||
                !HPF__ARRAY_PUSH(h->addresses, h->n_megablocks, h->addresses_capacity,
                                 at + i * bytes)) {
                return false;
            }
        }
        at += (n > 0 ? n : 1) * bytes;
    }
    return true;
}

/* Finds all megablocks, and makes room for what is known of them. */
static bool find_megablocks(hpp__haskell_heap *h)
{
    for (size_t i = 0; i < h->image->n_maps; i++) {
        const hpp__image_map *map = &h->image->maps[i];
        if (map->is_readable && map->is_writable && hpp__image_map_is_anonymous(map) &&
            !add_megablocks(h, map)) {
            return false;
        }
    }
    if (h->n_megablocks == 0) {
        return true;
    }
    h->first = h->addresses[0];
    while ((h->addresses[h->n_megablocks - 1] - h->first) / HPP_HASKELL_MEGABLOCK_BYTES >=
           HPP__HASKELL_MAX_PLACES) {
        h->n_megablocks--;
    }
    uint64_t span = h->addresses[h->n_megablocks - 1] - h->first;
    h->n_places = (size_t)(span / HPP_HASKELL_MEGABLOCK_BYTES) + 1;
    h->megablocks = calloc(h->n_places, sizeof *h->megablocks);
    h->group_of = calloc(h->n_megablocks * HPP_HASKELL_MEGABLOCK_BLOCKS, sizeof *h->group_of);
    h->is_read = calloc(h->n_megablocks, 1);
    void *memory = mmap(NULL, h->n_megablocks * HPP_HASKELL_MEGABLOCK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    h->memory = memory != MAP_FAILED ? memory : NULL;
    (void)madvise(memory, h->n_megablocks * HPP_HASKELL_MEGABLOCK_BYTES, MADV_HUGEPAGE);
    for (size_t i = 0; i < h->n_megablocks && h->megablocks; i++) {
        h->megablocks[(h->addresses[i] - h->first) / HPP_HASKELL_MEGABLOCK_BYTES] = (uint32_t)i + 1;
    }
    return h->megablocks && h->group_of && h->is_read && h->memory;
}

/* ---- Generations ---- */

/* Reads the list of generations from the first one on; each has its number, and the address of the
 * next. */
static bool read_generations(hpp__haskell_heap *h, uint64_t first)
{
    uint64_t at = first;
    h->n_generations = 0;
    while (h->n_generations < HPP__HASKELL_MAX_GENERATIONS) {
        uint32_t number;
        uint64_t next;
        if (at % sizeof at != 0 || !hpp__image_read(h->image, &number, at, sizeof number) ||
            number != h->n_generations || !read_word(h, at + h->layout->generation_to, &next)) {
            return false;
        }
        h->generations[h->n_generations++] = at;
        if (next == at) {
            break;
        }
        h->is_threaded = next - at == h->layout->generation_bytes[1];
        if (!h->is_threaded && next - at != h->layout->generation_bytes[0]) {
            return false;
        }
        at = next;
    }
    return h->n_generations > 1; /* of one alone, nothing shows how long it is */
}

/* Finds the generations: one of the addresses in the descriptors is that of the first. */
static bool find_generations(hpp__haskell_heap *h, const uint64_t *candidates, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (read_generations(h, candidates[i])) {
            return true;
        }
    }
    return false;
}

/* Notes whether a collection is under way. */
static bool look_at_collection(hpp__haskell_heap *h)
{
    for (size_t i = 0; i < h->n_generations; i++) {
        uint64_t old_blocks;
        uint64_t place = h->generations[i] + h->layout->generation_old_blocks[h->is_threaded];
        if (!read_word(h, place, &old_blocks)) {
            return false;
        }
        h->is_collecting |= old_blocks != 0;
        h->is_collecting_all |= old_blocks != 0 && i + 1 == h->n_generations;
    }
    return true;
}

/* ---- Groups ---- */

/* Adds a group. Returns the number of its blocks in this megablock, 0 if it is invalid; or SIZE_MAX
 * without memory. `number` is that of the megablock. */
static size_t add_group(hpp__haskell_heap *h, size_t number, size_t block,
                        const hpp_haskell_descriptor *d, uint64_t left_bytes)
{
    uint64_t begin = h->addresses[number] + block * HPP_HASKELL_BLOCK_BYTES;
    uint64_t n_bytes = (uint64_t)d->n_blocks * HPP_HASKELL_BLOCK_BYTES;
    size_t n_blocks = d->n_blocks, n_here = HPP_HASKELL_MEGABLOCK_BLOCKS - block;
    if (n_blocks == 0 || d->start != begin || n_bytes > left_bytes ||
        (n_blocks > n_here && block != HPP_HASKELL_FIRST_BLOCK)) {
        return 0;
    }
    size_t generation = 0;
    while (generation < h->n_generations && h->generations[generation] != d->generation) {
        generation++;
    }
    bool is_used = d->free != UINT64_MAX && generation < h->n_generations;
    if (is_used) {
        bool is_segment = (d->flags & HPP_HASKELL_IS_NONMOVING) != 0;
        hpp__haskell_group group = {
            .begin = begin,
            .end = begin + n_bytes,
            .used_end = d->free >= begin && d->free <= begin + n_bytes && !is_segment
                            ? d->free
                            : begin + n_bytes,
            .generation = (uint32_t)generation,
            .flags = d->flags,
        };
        const int kept = HPP_HASKELL_IS_EVACUATED | HPP_HASKELL_IS_LARGE | HPP_HASKELL_IS_PINNED |
                         HPP_HASKELL_IS_COMPACT | HPP_HASKELL_IS_NONMOVING;
        group.is_nursery = generation == 0 && (d->flags & kept) == 0;
        group.object_end = group.is_nursery || h->is_collecting ? group.end : group.used_end;
        if (!HPF__ARRAY_PUSH(h->groups, h->n_groups, h->groups_capacity, group)) {
            return SIZE_MAX;
        }
        size_t first = number * HPP_HASKELL_MEGABLOCK_BLOCKS + block;
        for (size_t i = 0; i < n_blocks; i++) {
            h->group_of[first + i] = (uint32_t)h->n_groups;
        }
    }
    return n_blocks;
}

/* Adds the groups of all megablocks. `candidates`: instead, stores the addresses of generations. */
static bool scan(hpp__haskell_heap *h, uint64_t *candidates, size_t *n_candidates)
{
    hpp_haskell_descriptor *all = malloc(DESCRIPTORS_BYTES);
    bool is_good = all != NULL;
    for (size_t number = 0; number < h->n_megablocks && is_good;) {
        size_t n_run = 1; /* megablocks that follow without a gap, which a large group may have */
        bool is_read = hpp__image_read(h->image, all, h->addresses[number], DESCRIPTORS_BYTES);
        size_t n_wanted =
            is_read ? n_of_megablock(&all[HPP_HASKELL_FIRST_BLOCK], h->addresses[number]) : 1;
        while (n_run < n_wanted && number + n_run < h->n_megablocks &&
               h->addresses[number + n_run] ==
                   h->addresses[number] + n_run * HPP_HASKELL_MEGABLOCK_BYTES) {
            n_run++;
        }
        for (size_t block = HPP_HASKELL_FIRST_BLOCK;
             is_read && is_good && block < HPP_HASKELL_MEGABLOCK_BLOCKS;) {
            const hpp_haskell_descriptor *d = &all[block];
            uint64_t left_bytes =
                n_run * HPP_HASKELL_MEGABLOCK_BYTES - (uint64_t)block * HPP_HASKELL_BLOCK_BYTES;
            size_t n = d->n_blocks;
            if (candidates) {
                bool is_new = d->free != UINT64_MAX && d->generation != 0 && d->start != 0;
                for (size_t i = 0; i < *n_candidates && is_new; i++) {
                    is_new = candidates[i] != d->generation;
                }
                if (is_new && *n_candidates < MOST_CANDIDATES) {
                    candidates[(*n_candidates)++] = d->generation;
                }
            } else {
                n = add_group(h, number, block, d, left_bytes);
                is_good = n != SIZE_MAX;
            }
            block += n > 0 && n < HPP_HASKELL_MEGABLOCK_BLOCKS ? n : n > 0 ? SIZE_MAX / 2 : 1;
        }
        number += n_run;
    }
    free(all);
    return is_good;
}

uint64_t hpp__haskell_nursery_bytes(hpp__haskell_heap *h, const uint64_t *capabilities, size_t n)
{
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t nursery, current, block;
        if (!read_word(h, capabilities[i] + h->layout->nursery, &nursery) ||
            !read_word(h, capabilities[i] + h->layout->current_nursery, &current) ||
            !read_word(h, nursery, &block)) {
            continue;
        }
        for (size_t n_left = h->n_groups; n_left > 0 && block != 0; n_left--) {
            const hpp_haskell_descriptor *d =
                hpp__haskell_has(h, block) && block % sizeof *d == 0
                    ? (const void *)hpp__haskell_words(h, block, sizeof *d / sizeof block)
                    : NULL;
            const hpp__haskell_group *group = d ? hpp__haskell_group_of(h, d->start) : NULL;
            n_bytes += group && group->is_nursery ? group->used_end - group->begin : 0;
            block = group && block != current ? d->link : 0;
        }
    }
    return n_bytes;
}

/* ---- All ---- */

hpp__haskell_found hpp__haskell_heap_init(hpp__haskell_heap *h, const hpp__image *image,
                                          const hpp_haskell_layout *layout)
{
    uint64_t candidates[MOST_CANDIDATES];
    size_t n_candidates = 0;
    *h = (hpp__haskell_heap){.image = image, .layout = layout};
    if (!find_megablocks(h) || !scan(h, candidates, &n_candidates)) {
        return HPP__HASKELL_NO_MEMORY;
    }
    if (n_candidates == 0) {
        return HPP__HASKELL_NO_HEAP;
    }
    if (!find_generations(h, candidates, n_candidates) || !look_at_collection(h)) {
        return HPP__HASKELL_UNFIT;
    }
    if (h->is_collecting_all) {
        return HPP__HASKELL_COLLECTING;
    }
    return scan(h, NULL, NULL) ? HPP__HASKELL_FOUND : HPP__HASKELL_NO_MEMORY;
}

void hpp__haskell_heap_finish(hpp__haskell_heap *h)
{
    if (h->memory) {
        munmap(h->memory, h->n_megablocks * HPP_HASKELL_MEGABLOCK_BYTES);
    }
    for (size_t i = 0; i < h->pages.n_slots; i++) {
        free((void *)(uintptr_t)h->pages.slots[i].value);
    }
    hpp__map_finish(&h->pages);
    free(h->megablocks);
    free(h->addresses);
    free(h->group_of);
    free(h->groups);
    free(h->is_read);
    *h = (hpp__haskell_heap){0};
}
