/* SPDX-License-Identifier: BSD-2-Clause */
#include "piece_reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/descriptor.h"
#include "native/collector/image/proc.h"

enum {
    PAGE_BYTES = HPP__PIECE_PAGE_BYTES,
    PIECE_PAGES = HPP__PIECE_BYTES / PAGE_BYTES,
    GAP_BYTES = 4096,       /* smaller gaps between blocks are read, too */
    LARGE_BYTES = 1 << 15,  /* a block that is read for itself */
    HEAD_BYTES = 4096,      /* of it */
    SPARSE_BYTES = 1 << 18, /* shorter pieces are read without asking which pages are touched */
};

bool hpp__piece_reader_init(hpp__piece_reader *r, const hpp__image *image)
{
    *r = (hpp__piece_reader){.image = image, .pagemap = -1};
    /* A word is aligned in the piece as it is in memory. */
    r->bytes = aligned_alloc(PAGE_BYTES, HPP__PIECE_BYTES + PAGE_BYTES);
    return r->bytes != NULL;
}

void hpp__piece_reader_finish(hpp__piece_reader *r)
{
    free(r->bytes);
    hpf__close(r->pagemap);
    *r = (hpp__piece_reader){.pagemap = -1};
}

bool hpp__piece_reader_copy(const hpp__piece_reader *r, void *out, uint64_t address, size_t n_bytes)
{
    if (address < r->begin || address + n_bytes > r->end) {
        return hpp__image_read(r->image, out, address, n_bytes);
    }
    memcpy(out, r->bytes + r->begin % PAGE_BYTES + (address - r->begin), n_bytes);
    return true;
}

bool hpp__image_text(const hpp__image *image, hpp__text *out, uint64_t address, size_t most_bytes,
                     bool (*is_text)(unsigned char byte))
{
    for (size_t n = 0; n <= most_bytes;) {
        char piece[32];
        size_t n_bytes = sizeof piece - address % sizeof piece; /* stays inside a page */
        if (!hpp__image_read(image, piece, address, n_bytes)) {
            return false;
        }
        size_t length = strnlen(piece, n_bytes);
        for (size_t i = 0; i < length; i++) {
            if (!is_text((unsigned char)piece[i])) {
                return false;
            }
        }
        hpp__text_add(out, (hpf_str){piece, length});
        n += length;
        address += length;
        if (length < n_bytes) {
            return n > 0;
        }
    }
    return false;
}

/* Cuts [address, *end), of at most a piece, to the touched pages at its beginning. Returns how much
 * untouched memory comes first; then nothing is cut. */
static uint64_t cut_to_touched(hpp__piece_reader *r, uint64_t address, uint64_t *end)
{
    const uint64_t present_or_swapped = UINT64_C(3) << 62;
    uint64_t entries[PIECE_PAGES + 1];
    uint64_t first = address / PAGE_BYTES;
    size_t n = (size_t)((*end - 1) / PAGE_BYTES - first + 1);
    size_t n_bytes = n * sizeof *entries;
    if (r->pagemap < 0) {
        r->pagemap = hpp__proc_open_pagemap(r->image->frozen_id);
    }
    if (pread(r->pagemap, entries, n_bytes, (off_t)(first * sizeof *entries)) != (ssize_t)n_bytes) {
        return 0;
    }
    bool is_touched = (entries[0] & present_or_swapped) != 0;
    size_t i = 1;
    while (i < n && ((entries[i] & present_or_swapped) != 0) == is_touched) {
        i++;
    }
    uint64_t same_end = (first + i) * PAGE_BYTES;
    same_end = same_end < *end ? same_end : *end;
    if (!is_touched) {
        return same_end - address;
    }
    *end = same_end;
    return 0;
}

/* Reads [address, end) into the buffer. */
static bool load(hpp__piece_reader *r, uint64_t address, uint64_t end)
{
    r->begin = address;
    r->end = address;
    if (!hpp__image_read(r->image, r->bytes + address % PAGE_BYTES, address,
                         (size_t)(end - address))) {
        return false;
    }
    r->end = end;
    return true;
}

const void *hpp__piece_reader_at(hpp__piece_reader *r, uint64_t address, uint64_t end,
                                 uint64_t ahead, size_t *n_bytes)
{
    if (address < r->begin || address >= r->end) {
        uint64_t piece_end = address + HPP__PIECE_BYTES;
        uint64_t own_end = end < piece_end ? end : piece_end;
        ahead = ahead < piece_end ? ahead : piece_end;
        if (own_end - address >= SPARSE_BYTES &&
            hpp__image_map_is_anonymous(hpp__image_map_of(r->image, address))) {
            uint64_t n_untouched = cut_to_touched(r, address, &own_end);
            if (n_untouched > 0) {
                *n_bytes = (size_t)n_untouched;
                return NULL;
            }
            ahead = ahead < own_end ? ahead : own_end;
        }
        uint64_t page_end = (address / PAGE_BYTES + 1) * PAGE_BYTES;
        page_end = page_end < end ? page_end : end;
        bool is_loaded = load(r, address, ahead);
        if (!is_loaded) {
            r->gap_begin = address;
            r->gap_end = ahead;
        }
        if (!is_loaded && !load(r, address, own_end) && !load(r, address, page_end)) {
            *n_bytes = (size_t)(page_end - address);
            r->n_unread_bytes += *n_bytes;
            return NULL;
        }
    }
    *n_bytes = (size_t)((r->end < end ? r->end : end) - address);
    return r->bytes + r->begin % PAGE_BYTES + (address - r->begin);
}

/* Returns the end of what to read with block `i`: neighbouring blocks of up to one piece, without
 * large ones. */
static uint64_t end_of_neighbours(const hpp__image *image, size_t i)
{
    const hpp__image_block *blocks = image->blocks;
    uint64_t limit = blocks[i].address + HPP__PIECE_BYTES;
    uint64_t end = blocks[i].address + blocks[i].size_bytes;
    while (++i < image->n_blocks && blocks[i].address - end <= GAP_BYTES && end < limit &&
           blocks[i].size_bytes <= LARGE_BYTES) {
        end = blocks[i].address + blocks[i].size_bytes;
    }
    return end;
}

const void *hpp__piece_reader_block(hpp__piece_reader *r, size_t block, uint64_t at,
                                    size_t *n_bytes)
{
    const hpp__image_block *from = &r->image->blocks[block];
    uint64_t end = from->address + from->size_bytes;
    bool is_alone = (at >= r->begin && at < r->end) || (at >= r->gap_begin && at < r->gap_end);
    uint64_t ahead = is_alone ? end : end_of_neighbours(r->image, block);
    return hpp__piece_reader_at(r, at, end, ahead, n_bytes);
}

const void *hpp__piece_reader_head(hpp__piece_reader *r, size_t block, size_t *n_bytes)
{
    const hpp__image_block *from = &r->image->blocks[block];
    uint64_t end = from->address + HEAD_BYTES;
    return from->size_bytes > LARGE_BYTES
               ? hpp__piece_reader_at(r, from->address, end, end, n_bytes)
               : hpp__piece_reader_block(r, block, from->address, n_bytes);
}
