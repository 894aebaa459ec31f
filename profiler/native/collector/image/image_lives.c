/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is read is not trusted: numbers are limited, and addresses only read from.
 */
#include "image_lives.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "native/window/life_table.h"
#include "proc.h"

enum {
    MAX_CHUNKS = 1 << 20,
    MAX_SLOTS = 1 << 16, /* of a chunk */
    PIECE_WORDS = 8192,  /* of a leaf, that are read together */
};

/* ---- Sampled blocks ---- */

/* What the collector has seen in the page table since the program's last step (watched_pages.h). */
typedef struct seen_uses {
    const hpp__window_reader *reader;
    uint64_t n_steps;
    bool are_known;
} seen_uses;

/* Returns the last era in which a block is known to be used; 0: none. */
static uint32_t last_use_of(const hpp_sample *sample, const seen_uses *uses)
{
    hpp_window_watched place;
    uint32_t known = sample->life.last_use;
    bool is_seen = uses->are_known && sample->n_filling == 0 && sample->watched != 0 &&
                   hpp__window_reader_watched(uses->reader, sample->watched - 1, &place) != 0 &&
                   place.seen >> 32 == uses->n_steps;
    return is_seen && (uint32_t)place.seen > known ? (uint32_t)place.seen : known;
}

static bool add_sample(hpp__image_lives *l, const hpp_sample *sample, bool is_shared,
                       const seen_uses *uses, uint64_t *n_bytes)
{
    uint32_t state = sample->state;
    if (state == HPP_SAMPLE_FREE || sample->n_bytes > UINT64_MAX - sample->block) {
        return true;
    }
    if (is_shared && sample->n_bytes <= HPP__MAX_SHARED_BYTES - *n_bytes) {
        hpp__shared_piece piece = {sample->block, sample->n_bytes, *n_bytes};
        if (!HPF__ARRAY_PUSH(l->pieces, l->n_pieces, l->pieces_capacity, piece)) {
            return false;
        }
        *n_bytes += sample->n_bytes;
    }
    const hpp_life *life = &sample->life;
    bool is_watched = sample->is_tracked && (state == HPP_SAMPLE_LIVE || state == HPP_SAMPLE_BUSY);
    bool may_be_used = !life->is_drag && !uses->are_known;
    hpp__image_life out = {sample->block, life->birth, last_use_of(sample, uses), may_be_used,
                           life->bytes};
    return !is_watched || HPF__ARRAY_PUSH(l->lives, l->n_lives, l->lives_capacity, out);
}

static hpf_status add_chunks(hpp__image_lives *l, uint32_t process_id, const seen_uses *uses,
                             uint64_t *n_bytes, hpf_error *err)
{
    uint64_t place = uses->reader->window->head.life_table;
    hpp_sample *slots = malloc(MAX_SLOTS * sizeof *slots);
    bool is_good = slots != NULL;
    bool is_read = hpp__proc_read_memory(process_id, &place, place, sizeof place);
    for (int i = 0; i < MAX_CHUNKS && place != 0 && is_read && is_good; i++) {
        hpp_sample_chunk chunk;
        is_read = hpp__proc_read_memory(process_id, &chunk, place, sizeof chunk);
        uint32_t n = is_read && chunk.begin != 0 ? chunk.n_used : 0;
        is_read = is_read && n <= MAX_SLOTS &&
                  hpp__proc_read_memory(process_id, slots, place + sizeof chunk, n * sizeof *slots);
        for (uint32_t k = 0; k < n && is_read && is_good; k++) {
            is_good = add_sample(l, &slots[k], chunk.twin != 0, uses, n_bytes);
        }
        place = is_read ? (uintptr_t)chunk.next : 0;
    }
    free(slots);
    if (!is_good) {
        return hpf_error_set_memory(err);
    }
    return is_read ? HPF_OK : hpf_error_set(err, HPF_ERR_IO, "its watched blocks cannot be read");
}

hpf_status hpp__image_lives_stop(hpp__image_lives *l, uint32_t process_id,
                                 const hpp__window_reader *reader, hpf_error *err)
{
    const hpp_window_head *head = &reader->window->head;
    uint64_t n_bytes = 0, n_steps = atomic_load(&head->n_steps);
    const seen_uses uses = {reader, n_steps, atomic_load(&head->looked) >> 32 == n_steps};
    if (head->biography_bytes == 0 || head->life_table == 0) {
        return HPF_OK;
    }
    hpf_status status = add_chunks(l, process_id, &uses, &n_bytes, err);
    if (status != HPF_OK) {
        return status;
    }
    l->bytes = malloc((size_t)n_bytes + 1);
    if (!l->bytes) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < l->n_pieces; i++) {
        hpp__shared_piece *piece = &l->pieces[i];
        if (!hpp__proc_read_memory(process_id, l->bytes + piece->offset, piece->address,
                                   (size_t)piece->n_bytes)) {
            piece->n_bytes = 0;
        }
    }
    return HPF_OK;
}

/* ---- All blocks ---- */

typedef struct word_reader {
    const hpp__image *image;
    uint64_t table;
    uint64_t index, leaf; /* of the last block; 0: none */
    uint64_t begin;       /* of the words that were read; 0: none */
    uint64_t words[PIECE_WORDS];
} word_reader;

/* Returns the word of a block; 0 if there is none. */
static uint64_t word_at(word_reader *r, uint64_t address)
{
    uint64_t granule = address / HPP_GRANULE_BYTES;
    uint64_t index = granule / HPP_GRANULES_PER_LIFE_LEAF;
    if (index >= HPP_MAX_LIFE_LEAVES) {
        return 0;
    }
    if (index != r->index || r->leaf == 0) {
        r->index = index;
        if (!hpp__image_read(r->image, &r->leaf, r->table + index * sizeof r->leaf,
                             sizeof r->leaf)) {
            r->leaf = 0;
        }
    }
    uint64_t place = granule % HPP_GRANULES_PER_LIFE_LEAF;
    uint64_t begin = r->leaf + place / PIECE_WORDS * sizeof r->words;
    if (r->leaf == 0) {
        return 0;
    }
    if (begin != r->begin) {
        r->begin = begin;
        if (!hpp__image_read(r->image, r->words, begin, sizeof r->words)) {
            memset(r->words, 0, sizeof r->words);
        }
    }
    return r->words[place % PIECE_WORDS];
}

static hpf_status add_all(hpp__image_lives *l, const hpp__image *image, uint64_t table,
                          hpf_error *err)
{
    word_reader *r = calloc(1, sizeof *r);
    bool is_good = r && HPF__ARRAY_RESERVE(l->lives, l->lives_capacity, image->n_blocks + 1);
    for (size_t i = 0; i < image->n_blocks && is_good; i++) {
        r->image = image;
        r->table = table;
        uint64_t word = word_at(r, image->blocks[i].address);
        if (word != 0) {
            l->lives[l->n_lives++] = (hpp__image_life){
                .address = image->blocks[i].address,
                .birth = (uint32_t)word,
                .last_use = (uint32_t)(word >> HPP_LIFE_LAST_USE_SHIFT) & HPP_LIFE_LAST_USE_MASK,
                .bytes = image->blocks[i].size_bytes,
            };
        }
    }
    free(r);
    return is_good ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- Both ---- */

static int compare_lives(const void *a, const void *b)
{
    uint64_t x = ((const hpp__image_life *)a)->address, y = ((const hpp__image_life *)b)->address;
    return (x > y) - (x < y);
}

static int compare_pieces(const void *a, const void *b)
{
    uint64_t x = ((const hpp__shared_piece *)a)->address;
    uint64_t y = ((const hpp__shared_piece *)b)->address;
    return (x > y) - (x < y);
}

hpf_status hpp__image_lives_fill(hpp__image_lives *l, const hpp__image *image,
                                 const hpp_window_head *head, hpf_error *err)
{
    if (head->biography_bytes == 0 && head->life_table != 0) {
        return add_all(l, image, head->life_table, err);
    }
    if (l->n_lives > 0) {
        qsort(l->lives, l->n_lives, sizeof *l->lives, compare_lives);
    }
    if (l->n_pieces > 0) {
        qsort(l->pieces, l->n_pieces, sizeof *l->pieces, compare_pieces);
    }
    return HPF_OK;
}

void hpp__image_lives_overlay(const hpp__image_lives *l, void *memory, uint64_t address,
                              size_t n_bytes)
{
    size_t first; /* piece that ends after the address */
    HPF__ARRAY_BISECT(first, l->n_pieces, i,
                      l->pieces[i].address + l->pieces[i].n_bytes <= address);
    uint64_t end = address + n_bytes;
    for (; first < l->n_pieces && l->pieces[first].address < end; first++) {
        const hpp__shared_piece *piece = &l->pieces[first];
        uint64_t begin = piece->address > address ? piece->address : address;
        uint64_t piece_end = piece->address + piece->n_bytes;
        piece_end = piece_end < end ? piece_end : end;
        if (begin < piece_end) {
            memcpy((char *)memory + (begin - address),
                   l->bytes + piece->offset + (begin - piece->address),
                   (size_t)(piece_end - begin));
        }
    }
}

void hpp__image_lives_finish(hpp__image_lives *l)
{
    free(l->lives);
    free(l->pieces);
    free(l->bytes);
    *l = (hpp__image_lives){0};
}
