/* SPDX-License-Identifier: BSD-2-Clause */
#include "waste.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "native/collector/roots/glibc_heap.h"
#include "native/collector/roots/piece_reader.h"
#include "native/collector/graph/room.h"

enum {
    WORD_BYTES = 8,
    MOST_COMPARED_BYTES = 1 << 16,
    LEAST_UNTOUCHED_BYTES = 1 << 18, /* the reader asks which pages are touched */
    MALLOC_ROUNDING = 31,            /* most that glibc adds to a size without a mapping */
    N_SIZES = 64,                    /* by power of two */
};

/* Sums of one kind for one group. Waste in containers of unknown types has a layout, too. */
typedef struct waste_sum {
    uint64_t n_blocks, n_empty, bytes, all_bytes;
} waste_sum;

/* What the words at one place say of the block that they refer to. */
typedef struct found_room {
    hpp__room room;
    hpp__room_layout layout;
    uint32_t block;
} found_room;

/* What is known of the blocks of a group. */
typedef struct group_facts {
    uint64_t type; /* a hash of its name: only blocks of one type are compared */
    hpp__room_layout layout;
    bool is_found; /* by the structures of malloc: neither its site nor the size that was asked for
                      are known */
    bool starts_zeroed, has_header;
} group_facts;

typedef struct waste_finder {
    const hpp__image *image;
    const hpp__graph_heap *heap;
    const hpp__graph *graph;
    hpp__block_index index;
    hpp__python python;              /* of the graph, whose own index is gone */
    hpp__piece_reader reader, other; /* of blocks in their order; of words that refer to some */
    group_facts *groups;
    size_t n_groups;
    waste_sum *sums; /* by kind, layout and group */
    waste_sum sizes[N_SIZES];
    uint64_t n_with_header, n_without; /* of glibc's malloc */
    uint64_t *contents; /* by block: a hash of type, size and bytes; 0: not compared */
    hpp__map places;    /* block + 1 -> index in `rooms` + 1 */
    found_room *rooms;
    size_t n_rooms, rooms_capacity;
} waste_finder;

static waste_sum *sum_of(const waste_finder *f, hpf_waste_kind kind, hpp__room_layout layout,
                         size_t group)
{
    size_t row = kind == HPF_WASTE_ROOM ? (size_t)HPF_N_WASTE_KINDS + layout : (size_t)kind;
    return &f->sums[row * f->n_groups + group];
}

static void add(waste_sum *to, uint64_t bytes, uint64_t all_bytes)
{
    to->n_blocks++;
    to->bytes += bytes;
    to->all_bytes += all_bytes;
}

/* Adds a block that is waste as a whole. */
static void add_whole(const waste_finder *f, hpf_waste_kind kind, size_t group, uint64_t n_bytes)
{
    add(sum_of(f, kind, HPP__ROOM_NONE, group), n_bytes, n_bytes);
}

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t n_bytes)
{
    for (; n_bytes >= WORD_BYTES; n_bytes -= WORD_BYTES, bytes += WORD_BYTES) {
        uint64_t word;
        memcpy(&word, bytes, WORD_BYTES);
        hash = hpf__hash_mix(hash, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, bytes, n_bytes);
    return n_bytes > 0 ? hpf__hash_mix(hash, rest) : hash;
}

/* Returns whether a block is an object of Python or a part of one. */
static bool is_of_python(const waste_finder *f, size_t block)
{
    return f->python.of_block && f->python.of_block[block] != 0;
}

/* ---- Equal blocks ---- */

/* Keeps what tells a block from others, of the hash of its bytes. */
static void compare(waste_finder *f, size_t number, size_t group, uint64_t hash)
{
    uint64_t n_bytes = f->image->blocks[number].size_bytes;
    f->contents[number] = hpf__hash_mix(hpf__hash_mix(hash, n_bytes), f->groups[group].type) | 1;
}

/* Counts a block; the first of equal ones has not counted before the second comes. In `firsts`, the
 * value of what tells a block is twice the number of the first one's group, from 1, and 1 if it
 * counts already. */
static bool count_equal(const waste_finder *f, hpp__map *firsts, size_t number)
{
    const size_t group = f->graph->nodes[number].group;
    const uint64_t n_bytes = f->image->blocks[number].size_bytes;
    uint64_t *first = hpp__map_add(firsts, f->contents[number]);
    if (!first) {
        return false;
    }
    if (*first == 0) {
        *first = (uint64_t)(group + 1) << 1;
        return true;
    }
    if (!(*first & 1)) {
        sum_of(f, HPF_WASTE_EQUAL, HPP__ROOM_NONE, (size_t)(*first >> 1) - 1)->all_bytes += n_bytes;
        *first |= 1;
    }
    add_whole(f, HPF_WASTE_EQUAL, group, n_bytes);
    return true;
}

/* Counts equal blocks, for one part of the hashes at a time: the table then takes a sixteenth of
 * the memory. */
static bool find_equal(const waste_finder *f)
{
    enum { N_PARTS = 16, PART_SHIFT = 60, BLOCKS_AHEAD = 64 };
    const uint64_t *contents = f->contents;
    const size_t n = f->image->n_blocks;
    bool is_good = true;
    hpp__map firsts = {0};
    for (uint64_t part = 0; part < N_PARTS && is_good; part++) {
        hpp__map_clear(&firsts);
        for (size_t i = 0; i < n && is_good; i++) {
            if (i + BLOCKS_AHEAD < n && contents[i + BLOCKS_AHEAD] >> PART_SHIFT == part) {
                hpp__map_prefetch(&firsts, contents[i + BLOCKS_AHEAD]);
            }
            if (contents[i] >> PART_SHIFT == part && contents[i] != 0) {
                is_good = count_equal(f, &firsts, i);
            }
        }
    }
    hpp__map_finish(&firsts);
    return is_good;
}

/* ---- Containers ---- */

static void add_room(const waste_finder *f, hpp__room_layout layout, size_t group,
                     const hpp__room *room)
{
    if (room->used_bytes < room->bytes - room->used_bytes) {
        waste_sum *sum = sum_of(f, HPF_WASTE_ROOM, layout, group);
        add(sum, room->bytes - room->used_bytes, room->bytes);
        sum->n_empty += room->used_bytes == 0;
    }
}

static bool keep_room(waste_finder *f, uint32_t block, hpp__room_layout layout,
                      const hpp__room *room)
{
    uint64_t *place = hpp__map_add(&f->places, block + UINT64_C(1));
    if (place && *place == 0 &&
        HPF__ARRAY_PUSH(f->rooms, f->n_rooms, f->rooms_capacity,
                        ((found_room){*room, layout, block}))) {
        *place = f->n_rooms;
    }
    if (!place || *place == 0) {
        return false;
    }
    found_room *kept = &f->rooms[*place - 1];
    if (room->used_bytes > kept->room.used_bytes) {
        *kept = (found_room){*room, layout, block};
    }
    return true;
}

/* Copies the words around the one at `address`, as far as [begin, end) has them. */
static bool copy_words(const waste_finder *f, uint64_t words[HPP__ROOM_WORDS], uint64_t address,
                       uint64_t begin, uint64_t end)
{
    uint64_t from = address - (address > begin ? WORD_BYTES : 0);
    uint64_t *to = from == address ? &words[1] : words;
    uint64_t room = (uint64_t)(&words[HPP__ROOM_WORDS] - to) * WORD_BYTES;
    size_t n_bytes = (size_t)(end - from < room ? (end - from) / WORD_BYTES * WORD_BYTES : room);
    memset(words, 0, HPP__ROOM_WORDS * sizeof *words);
    return hpp__piece_reader_copy(&f->other, to, from, n_bytes);
}

/* Looks for the words of containers in a block, or in [begin, end) of roots. */
static bool scan_words(waste_finder *f, size_t block_number, uint64_t begin, uint64_t end)
{
    for (uint64_t at = begin; at + WORD_BYTES <= end;) {
        size_t n_bytes;
        const uint64_t *memory =
            block_number < f->image->n_blocks
                ? hpp__piece_reader_block(&f->other, block_number, at, &n_bytes)
                : hpp__piece_reader_at(&f->other, at, end, end, &n_bytes);
        for (size_t i = 0; memory && i < n_bytes / WORD_BYTES; i++) {
            uint32_t block = hpp__block_index_find(&f->index, memory[i]);
            if (HPP_LIKELY(block == HPP__NO_BLOCK) || is_of_python(f, block)) {
                continue;
            }
            const group_facts *group = &f->groups[f->graph->nodes[block].group];
            bool is_begin = memory[i] == f->image->blocks[block].address;
            uint64_t words[HPP__ROOM_WORDS];
            hpp__room found;
            if (group->layout == HPP__ROOM_NONE ||
                (!is_begin && group->layout != HPP__ROOM_TABLE) ||
                !copy_words(f, words, at + i * WORD_BYTES, begin, end)) {
                continue;
            }
            hpp__room_layout layout =
                hpp__room_find(&found, group->layout, &f->image->blocks[block], words,
                               group->is_found ? MALLOC_ROUNDING : 0);
            if (layout != HPP__ROOM_NONE && !keep_room(f, block, layout, &found)) {
                return false;
            }
        }
        at += n_bytes;
    }
    return true;
}

/* Returns whether a block refers to one of a container. */
static bool refers_to_container(const waste_finder *f, size_t block)
{
    size_t n;
    const uint32_t *edges = hpp__graph_edges(f->graph, block, &n);
    for (size_t i = 0; i < n; i++) {
        if (f->groups[f->graph->nodes[edges[i]].group].layout != HPP__ROOM_NONE) {
            return true;
        }
    }
    return false;
}

static bool find_rooms(waste_finder *f)
{
    bool has_any = false;
    for (size_t i = 0; i < f->n_groups; i++) {
        has_any |= f->groups[i].layout != HPP__ROOM_NONE;
    }
    for (size_t i = 0; has_any && i < f->image->n_blocks; i++) {
        const hpp__image_block *block = &f->image->blocks[i];
        if (refers_to_container(f, i) &&
            !scan_words(f, i, block->address, block->address + block->size_bytes)) {
            return false;
        }
    }
    for (size_t i = 0; has_any && i < f->graph->n_areas; i++) {
        const hpp__root_area *area = &f->graph->areas[i];
        if (!scan_words(f, SIZE_MAX, area->begin, area->end)) {
            return false;
        }
    }
    for (size_t i = 0; i < f->n_rooms; i++) {
        const found_room *found = &f->rooms[i];
        add_room(f, found->layout, f->graph->nodes[found->block].group, &found->room);
    }
    return true;
}

/* ---- A block ---- */

/* What one reading of a block says. */
typedef struct block_facts {
    uint64_t hash;
    uint64_t n_written; /* bytes before the zeros at its end */
    uint64_t n_touched; /* bytes before the pages at its end that were never touched */
    uint64_t words[64]; /* the first ones */
    size_t n_words;
} block_facts;

static void read_piece(block_facts *facts, const hpp__image_block *block, uint64_t at,
                       const unsigned char *memory, size_t n_bytes)
{
    size_t n = n_bytes;
    if (at == block->address) {
        size_t n_kept = n_bytes < sizeof facts->words ? n_bytes : sizeof facts->words;
        memcpy(facts->words, memory, n_kept);
        facts->n_words = n_kept / WORD_BYTES;
    }
    if (block->size_bytes <= MOST_COMPARED_BYTES) {
        facts->hash = hash_bytes(facts->hash, memory, n_bytes);
    }
    for (uint64_t word = 0; n % WORD_BYTES == 0 && n > 0; n -= WORD_BYTES) {
        memcpy(&word, memory + n - WORD_BYTES, WORD_BYTES);
        if (word != 0) {
            break;
        }
    }
    while (n > 0 && memory[n - 1] == 0) {
        n--;
    }
    facts->n_touched = at + n_bytes - block->address;
    facts->n_written = n > 0 ? at + n - block->address : facts->n_written;
}

static block_facts read_block(waste_finder *f, size_t number)
{
    const hpp__image_block *block = &f->image->blocks[number];
    const uint64_t end = block->address + block->size_bytes;
    block_facts facts = {.n_words = 0};
    for (uint64_t at = block->address; at < end;) {
        size_t n_bytes;
        const unsigned char *memory = hpp__piece_reader_block(&f->reader, number, at, &n_bytes);
        if (memory) {
            read_piece(&facts, block, at, memory, n_bytes);
        }
        at += n_bytes;
    }
    return facts;
}

/* Counts what glibc's malloc has added to the size of a block, by the header before it. */
static void add_slack(waste_finder *f, const hpp__image_block *block, size_t group)
{
    uint64_t header[2];
    if (!f->groups[group].has_header) {
        return;
    }
    if (!hpp__piece_reader_copy(&f->reader, header, block->address - sizeof header,
                                sizeof header)) {
        header[0] = header[1] = 0;
    }
    uint64_t usable = hpp__glibc_block_bytes(header);
    uint64_t most =
        header[1] & HPP__GLIBC_IS_MAPPED ? HPP__PIECE_PAGE_BYTES + sizeof header : MALLOC_ROUNDING;
    if (usable - block->size_bytes > most) {
        f->n_without++;
        return;
    }
    f->n_with_header++;
    unsigned class = block->size_bytes > 1 ? 64 - (unsigned)__builtin_clzll(block->size_bytes - 1)
                                           : 0; /* up to 2^class bytes */
    uint64_t slack = usable - block->size_bytes;
    add(&f->sizes[class < N_SIZES ? class : N_SIZES - 1], slack, block->size_bytes);
    if (slack > 0) {
        add(sum_of(f, HPF_WASTE_SLACK, HPP__ROOM_NONE, group), slack, usable);
    }
}

static void add_object(waste_finder *f, size_t number, size_t group, const block_facts *facts)
{
    const hpp__python *python = &f->python;
    uint64_t begin, end;
    hpp__room room;
    if (hpp__python_room(python, number, facts->words, facts->n_words, &room)) {
        add_room(f, HPP__ROOM_NONE, group, &room);
        return;
    }
    const hpp__image_block *block = &f->image->blocks[number];
    if (block->size_bytes > MOST_COMPARED_BYTES ||
        !hpp__python_value(python, number, facts->words, facts->n_words, &begin, &end)) {
        return;
    }
    uint64_t hash = end - begin;
    for (uint64_t at = block->address + begin; at < block->address + end;) {
        size_t n_bytes;
        const unsigned char *memory = hpp__piece_reader_at(
            &f->reader, at, block->address + end, block->address + block->size_bytes, &n_bytes);
        hash = memory ? hash_bytes(hash, memory, n_bytes) : hash;
        at += n_bytes;
    }
    if (hpp__python_is_word(python, number, end - begin)) {
        add_whole(f, HPF_WASTE_BOXED, group, block->size_bytes);
    }
    compare(f, number, group, hash);
}

static void add_block(waste_finder *f, size_t number)
{
    const hpp__image_block *block = &f->image->blocks[number];
    const size_t group = f->graph->nodes[number].group;
    const block_facts facts = read_block(f, number);
    add_slack(f, block, group);
    if (is_of_python(f, number)) {
        add_object(f, number, group, &facts);
        return;
    }
    uint64_t n_used = f->groups[group].starts_zeroed               ? facts.n_written
                      : block->size_bytes >= LEAST_UNTOUCHED_BYTES ? facts.n_touched
                                                                   : block->size_bytes;
    if (n_used < block->size_bytes - n_used) {
        add(sum_of(f, HPF_WASTE_UNWRITTEN, HPP__ROOM_NONE, group), block->size_bytes - n_used,
            block->size_bytes);
    }
    if (block->size_bytes <= WORD_BYTES && !f->groups[group].is_found &&
        f->groups[group].layout == HPP__ROOM_NONE) {
        add_whole(f, HPF_WASTE_BOXED, group, block->size_bytes);
    }
    if (facts.n_written > 0 && block->size_bytes <= MOST_COMPARED_BYTES) {
        compare(f, number, group, facts.hash);
    }
}

/* ---- Rows ---- */

static void learn_groups(waste_finder *f)
{
    for (size_t i = 0; i < f->n_groups; i++) {
        const hpp_shape *shape = f->heap->native->groups[i].shape;
        hpf_str type = shape->type.length > 0 ? shape->type : shape->description;
        hpf_str kind = shape->kind;
        bool is_found = kind.length == 0 || hpf_str_is(kind, "INHERITED");
        bool is_unknown = hpf_str_begins(type, "block of ") || hpf_str_begins(type, "data of ") ||
                          hpf_str_is(type, "INHERITED");
        bool is_mapping = hpf_str_is(kind, "mmap");
        f->groups[i] = (group_facts){
            .type = hash_bytes(type.length, (const unsigned char *)type.data, type.length),
            .layout = is_found && is_unknown ? HPP__ROOM_ANY : hpp__room_layout_of(type),
            .is_found = is_found,
            .starts_zeroed = is_mapping || hpf_str_is(kind, "calloc"),
            .has_header = !is_found && !is_mapping && !hpf_str_is(kind, "pool") &&
                          !hpf_str_begins(kind, "Py")};
    }
}

static bool add_row(hpp__waste *w, hpf_waste_kind kind, hpf_str type, hpf_str site,
                    const waste_sum *sum)
{
    hpf_waste row = {kind, type, site, sum->n_blocks, sum->n_empty, sum->bytes, sum->all_bytes};
    bool is_row = kind == HPF_WASTE_SIZE ? sum->n_blocks > 0 : sum->bytes > 0;
    return !is_row || HPF__ARRAY_PUSH(w->rows, w->n_rows, w->capacity, row);
}

/* Adds the sums of each group. A container says the type of a block that has no other. */
static bool add_rows(hpp__waste *w, const waste_finder *f)
{
    bool is_good = true;
    for (size_t i = 0; i < f->n_groups && is_good; i++) {
        const hpp_shape *shape = f->heap->native->groups[i].shape;
        bool has_site = !f->image->names_sizes && shape->type.length > 0;
        hpf_str type = shape->type.length > 0 ? shape->type : shape->description;
        hpf_str site = has_site ? shape->description : HPF_STR("");
        for (int kind = 0; kind < HPF_WASTE_SIZE && is_good; kind++) {
            is_good = kind == HPF_WASTE_ROOM ||
                      add_row(w, (hpf_waste_kind)kind, type, site,
                              sum_of(f, (hpf_waste_kind)kind, HPP__ROOM_NONE, i));
        }
        for (int layout = 0; layout < HPP__N_ROOM_LAYOUTS && is_good; layout++) {
            bool is_named = f->groups[i].layout == HPP__ROOM_ANY && layout != HPP__ROOM_NONE;
            is_good = add_row(w, HPF_WASTE_ROOM,
                              is_named ? hpp__room_type((hpp__room_layout)layout) : type, site,
                              sum_of(f, HPF_WASTE_ROOM, (hpp__room_layout)layout, i));
        }
    }
    return is_good;
}

static bool add_sizes(hpp__waste *w, const waste_finder *f)
{
    bool is_good = true;
    for (int i = 0; i < N_SIZES && is_good; i++) {
        char text[64];
        int n = snprintf(text, sizeof text, "up to %llu bytes", 1ULL << i);
        hpf_str copy = f->sizes[i].n_blocks > 0
                           ? hpf_arena_str(w->texts, (hpf_str){text, (size_t)n})
                           : HPF_STR("");
        is_good = copy.data && add_row(w, HPF_WASTE_SIZE, copy, HPF_STR(""), &f->sizes[i]);
    }
    return is_good;
}

static int by_names(const void *a, const void *b)
{
    const hpf_waste *x = a, *y = b;
    int order = (int)x->kind - (int)y->kind;
    order = order ? order : hpf_str_compare(x->type, y->type);
    return order ? order : hpf_str_compare(x->site, y->site);
}

/* Adds up rows with the same names: groups differ by stack, too. */
static void merge_rows(hpp__waste *w)
{
    size_t n = 0;
    HPF__ARRAY_SORT(w->rows, w->n_rows, by_names);
    for (size_t i = 0; i < w->n_rows; i++) {
        hpf_waste *last = n > 0 ? &w->rows[n - 1] : NULL;
        if (last && by_names(last, &w->rows[i]) == 0) {
            last->n_blocks += w->rows[i].n_blocks;
            last->n_empty += w->rows[i].n_empty;
            last->bytes += w->rows[i].bytes;
            last->all_bytes += w->rows[i].all_bytes;
        } else {
            w->rows[n++] = w->rows[i];
        }
    }
    w->n_rows = n;
    hpf_waste_sort(w->rows, n);
}

static bool find_all(waste_finder *f)
{
    learn_groups(f);
    for (size_t i = 0; i < f->image->n_blocks; i++) {
        add_block(f, i);
    }
    if (f->n_without > f->n_with_header / 100) { /* blocks of another allocator */
        memset(f->sizes, 0, sizeof f->sizes);
        for (size_t i = 0; i < f->n_groups; i++) {
            *sum_of(f, HPF_WASTE_SLACK, HPP__ROOM_NONE, i) = (waste_sum){0};
        }
    }
    return find_equal(f) && find_rooms(f);
}

bool hpp__waste_find(hpp__waste *w, const hpp__graph_heap *heap, const hpp__image *image)
{
    hpf_error err;
    size_t n_groups = heap->native->n_groups;
    waste_finder f = {
        .image = image,
        .heap = heap,
        .graph = heap->graph,
        .python = heap->graph->python,
        .reader = {.pagemap = -1},
        .other = {.pagemap = -1},
        .places = {.is_near = true},
        .groups = calloc(n_groups + 1, sizeof *f.groups),
        .n_groups = n_groups,
        .contents = calloc(image->n_blocks + 1, sizeof *f.contents),
        .sums = calloc((HPF_N_WASTE_KINDS + HPP__N_ROOM_LAYOUTS) * n_groups + 1, sizeof *f.sums)};
    f.python.index = &f.index;
    hpp__waste_finish(w);
    w->texts = hpf_arena_create();
    bool is_good =
        w->texts && f.groups && f.contents && f.sums &&
        hpp__block_index_init(&f.index, image->blocks, image->n_blocks, &err) == HPF_OK &&
        hpp__piece_reader_init(&f.reader, image) && hpp__piece_reader_init(&f.other, image) &&
        find_all(&f) && add_rows(w, &f) && add_sizes(w, &f);
    if (is_good) {
        merge_rows(w);
    } else {
        hpp__waste_finish(w);
    }
    hpp__piece_reader_finish(&f.reader);
    hpp__piece_reader_finish(&f.other);
    hpp__block_index_finish(&f.index);
    hpp__map_finish(&f.places);
    free(f.contents);
    free(f.groups);
    free(f.sums);
    free(f.rooms);
    return is_good;
}

void hpp__waste_finish(hpp__waste *w)
{
    free(w->rows);
    hpf_arena_destroy(w->texts);
    *w = (hpp__waste){0};
}
