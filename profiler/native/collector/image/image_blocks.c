/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Only pages of the table that exist are read, which the kernel knows from the page tables.
 */
#include "image_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/descriptor.h"
#include "native/window/block_table.h"

enum {
    LEAF_PAGES = HPP_LEAF_BYTES / HPP_WINDOW_PAGE_BYTES,
    WORDS_OF_BLOCK = 3, /* at most */
};

typedef struct leaf_reader {
    hpp__window_reader *window;
    const hpp__proc_memory *memory;
    int pagemap;
    uint32_t *granules; /* of a leaf, in the pages that exist */
    bool exist[LEAF_PAGES];
    hpp__image_block *blocks;
    size_t n_blocks, capacity;
} leaf_reader;

static int compare_entries(const void *a, const void *b)
{
    uint64_t x = hpp__begin_of_entry(*(const uint64_t *)a);
    uint64_t y = hpp__begin_of_entry(*(const uint64_t *)b);
    return (x > y) - (x < y);
}

/* The address of its leaf is the upper part of an entry. */
static int compare_places(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Reads the pages of a leaf that exist. What a block has on a page that does not is 0. */
static bool read_leaf(leaf_reader *l, uint64_t leaf)
{
    char *bytes = (char *)l->granules;
    hpp__proc_touched_pages(l->pagemap, leaf, LEAF_PAGES, l->exist);
    for (size_t page = 0; page < LEAF_PAGES; page++) {
        size_t begin = page;
        while (page < LEAF_PAGES && l->exist[page]) {
            page++;
        }
        if (page == begin) {
            continue;
        }
        size_t place = begin * HPP_WINDOW_PAGE_BYTES, end = page * HPP_WINDOW_PAGE_BYTES;
        memset(bytes + end, 0, WORDS_OF_BLOCK * sizeof *l->granules);
        if (!hpp__proc_memory_read(l->memory, bytes + place, leaf + place, end - place)) {
            return false;
        }
    }
    return true;
}

/* Returns whether a site is one of mappings. Few blocks are pages, so few need to be looked up. A
 * program that goes on makes sites while its blocks are read. */
static bool is_of_mappings(const leaf_reader *l, uint64_t address, uint64_t size_bytes,
                           uint32_t index)
{
    hpp_window_site site;
    if ((address | size_bytes) % HPP_WINDOW_PAGE_BYTES != 0) {
        return false;
    }
    if (index >= l->window->n_sites) {
        hpp__window_reader_refresh(l->window);
    }
    return hpp__window_reader_site(l->window, index, &site) && site.call == HPP_CALL_MMAP;
}

static bool add_block(leaf_reader *l, uint64_t address, const uint32_t *first)
{
    bool is_small = *first & HPP_BLOCK_SMALL;
    uint64_t size_bytes =
        is_small ? *first >> HPP_BLOCK_SIZE_SHIFT & 0x1f : first[1] & HPP_BLOCK_SIZE_PART;
    if (!is_small && *first & HPP_BLOCK_HUGE) {
        size_bytes |= (uint64_t)(first[2] & HPP_BLOCK_SIZE_PART) << HPP_BLOCK_SIZE_PART_BITS;
    }
    uint32_t site = *first & HPP_BLOCK_SITE;
    hpp__image_block block = {address, size_bytes, site,
                              is_of_mappings(l, address, size_bytes, site)};
    if (l->n_blocks > 0) {
        hpp__image_block *before = &l->blocks[l->n_blocks - 1];
        uint64_t room = address - before->address;
        before->size_bytes = before->size_bytes < room ? before->size_bytes : room;
    }
    return block.site == 0 || HPF__ARRAY_PUSH(l->blocks, l->n_blocks, l->capacity, block);
}

static bool add_blocks(leaf_reader *l, uint64_t begin)
{
    const size_t n_per_page = HPP_WINDOW_PAGE_BYTES / sizeof *l->granules;
    for (size_t i = 0; i < HPP_GRANULES_PER_LEAF; i++) {
        if (i % n_per_page == 0 && !l->exist[i / n_per_page]) {
            i += n_per_page - 1;
        } else if (l->granules[i] >= HPP_BLOCK_FIRST &&
                   !add_block(l, begin + i * HPP_GRANULE_BYTES, &l->granules[i])) {
            return false;
        }
    }
    return true;
}

/* Returns whether the memory has a leaf: it may be a copy that is older than the list. */
static bool has_leaf(const hpp__proc_memory *memory, uint64_t branches, uint64_t entry)
{
    uint64_t index = entry & HPP_MAX_LEAVES, branch, leaf;
    uint64_t place = branches + index / HPP_LEAVES_PER_BRANCH * sizeof branch;
    if (!hpp__proc_memory_read(memory, &branch, place, sizeof branch) || branch == 0) {
        return false;
    }
    place = branch + index % HPP_LEAVES_PER_BRANCH * sizeof leaf;
    return hpp__proc_memory_read(memory, &leaf, place, sizeof leaf) &&
           leaf == hpp__leaf_of_entry(entry);
}

/* Leaves out entries whose leaf is a part of another one, so that no more is read than exists.
 * Returns the number of the others. */
static size_t keep_apart(uint64_t *leaves, size_t n)
{
    size_t n_apart = 0;
    uint64_t end = HPP_WINDOW_PAGE_BYTES;
    qsort(leaves, n, sizeof *leaves, compare_places);
    for (size_t i = 0; i < n; i++) {
        uint64_t begin = hpp__leaf_of_entry(leaves[i]);
        if (begin >= end) {
            leaves[n_apart++] = leaves[i];
            end = begin + HPP_LEAF_BYTES;
        }
    }
    return n_apart;
}

static hpf_status read_leaves(leaf_reader *l, const uint64_t *leaves, size_t n, hpf_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && compare_entries(&leaves[i], &leaves[i - 1]) == 0) {
            continue;
        }
        if (!read_leaf(l, hpp__leaf_of_entry(leaves[i]))) {
            return hpf_error_set(err, HPF_ERR_IO, "its table of blocks cannot be read");
        }
        if (!add_blocks(l, hpp__begin_of_entry(leaves[i]))) {
            return hpf_error_set_memory(err);
        }
    }
    return HPF_OK;
}

hpf_status hpp__image_blocks(hpp__image_block **out, size_t *n, const hpp__proc_memory *memory,
                             hpp__window_reader *reader, hpf_error *err)
{
    uint32_t n_leaves;
    const _Atomic uint64_t *listed = hpp__window_reader_leaves(reader, &n_leaves);
    uint64_t *leaves = malloc((n_leaves + (size_t)1) * sizeof *leaves);
    leaf_reader *l = calloc(1, sizeof *l);
    uint32_t *granules = malloc(HPP_LEAF_BYTES + HPP_WINDOW_PAGE_BYTES);
    hpf_status status = hpf_error_set_memory(err);
    *out = NULL;
    *n = 0;
    if (l && leaves && granules) {
        uint64_t branches = reader->window->head.branches;
        size_t n_there = 0;
        for (uint32_t i = 0; i < n_leaves; i++) {
            leaves[n_there] = listed[i];
            n_there += has_leaf(memory, branches, leaves[n_there]);
        }
        size_t n_apart = keep_apart(leaves, n_there);
        qsort(leaves, n_apart, sizeof *leaves, compare_entries);
        l->window = reader;
        l->memory = memory;
        l->pagemap = hpp__proc_open_pagemap(memory->process_id);
        l->granules = granules;
        status = read_leaves(l, leaves, n_apart, err);
        hpf__close(l->pagemap);
        *out = l->blocks;
        *n = l->n_blocks;
    }
    if (status == HPF_OK && *n > 0) {
        hpp__image_block *last = *out + *n - 1;
        uint64_t room = UINT64_MAX - last->address;
        last->size_bytes = last->size_bytes < room ? last->size_bytes : room;
    }
    free(granules);
    free(leaves);
    free(l);
    return status;
}
