/* SPDX-License-Identifier: BSD-2-Clause */
#include "jemalloc_heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "piece_reader.h"

enum {
    WORD_BYTES = 8,
    PAGE_BYTES = HPP__PIECE_PAGE_BYTES,
    PAGE_BITS = 12,
    TABLE_ALIGNMENT = 64,
    MOST_STATIC_BYTES = 1 << 24,
    MOST_TRIED_BYTES = 1 << 30, /* of tables, to find the root */
    MOST_TABLES = 1 << 13,
    MOST_INVALID = 1 << 20, /* elements */
    N_ARENAS = 1 << 12,
    N_CLASSES = 232,
    MOST_SLAB_BLOCKS = 512,
    BIN_WORDS = 3, /* of a cache's bin: where its stack is */
};
static const uint64_t cache_mark = 0x7a7a7a7a7a7a7a7a; /* at the begin of a cache's memory */

/* The map of pages, a tree of tables. The bits of an address between those of a page and those that
 * the processor does not use are numbers of elements in the tables, of the root first. */
typedef struct map_form {
    unsigned root_bits, middle_bits, leaf_bits; /* middle_bits 0: the root leads to leaves */
    unsigned n_leaf_words;                      /* of an element */
} map_form;

/* For addresses of 48 and of 57 bits: jemalloc takes what the processor has that builds it. */
static const map_form forms[] = {{18, 0, 18, 1}, {15, 15, 15, 2}};

typedef enum extent_state { EXTENT_ACTIVE, EXTENT_DIRTY, EXTENT_MUZZY } extent_state;

/* Pages in one use. */
typedef struct extent {
    uint64_t address, page; /* of the block in it, which need not begin with the first page */
    uint64_t size_bytes;
    unsigned arena, state, size_class;
    bool is_slab;                            /* it has blocks of one size */
    uint64_t is_free[MOST_SLAB_BLOCKS / 64]; /* of a slab, a bit for each block */
} extent;

/* The memory of a thread's cache: addresses of free blocks. */
typedef struct cache {
    uint64_t begin, end;
} cache;

typedef struct walk {
    const hpp__image *image;
    const map_form *form;
    hpp__piece_reader data, middle, tables;
    hpp__found_blocks *heap;
    uint64_t n_tried_bytes;
    size_t n_tables, n_invalid;
    bool has_arena[N_ARENAS];
    cache *caches;
    size_t n_caches, caches_capacity;
} walk;

/* Finds the next word that is not 0, from `*at` on. */
static bool next_word(hpp__piece_reader *reader, uint64_t *at, uint64_t end, uint64_t *word)
{
    while (*at < end) {
        size_t n_bytes;
        const uint64_t *words = hpp__piece_reader_at(reader, *at, end, end, &n_bytes);
        for (size_t i = 0; words && i < n_bytes / WORD_BYTES; i++) {
            if (words[i] != 0) {
                *at += i * WORD_BYTES;
                *word = words[i];
                return true;
            }
        }
        *at += n_bytes;
    }
    return false;
}

/* Returns the size of the blocks of a class: 8, multiples of 16 up to 64, then four for each
 * doubling. */
static uint64_t class_bytes(unsigned size_class)
{
    enum { N_FIRST = 5, FIRST_BYTES = 64, STEP_BYTES = 16 };
    if (size_class < N_FIRST) {
        return size_class == 0 ? WORD_BYTES : (uint64_t)size_class * STEP_BYTES;
    }
    unsigned n_doublings = (size_class - N_FIRST) / 4, step = (size_class - N_FIRST) % 4 + 1;
    return ((uint64_t)FIRST_BYTES + (uint64_t)STEP_BYTES * step) << n_doublings;
}

/* Returns the size of a large block. Its class says it, but since 5.3.1, sizes between two classes
 * are multiples of a page, and what its pages have says it: without the one by which the block may
 * begin later. */
static uint64_t large_bytes(const extent *e)
{
    uint64_t size = class_bytes(e->size_class), in_pages = e->size_bytes - PAGE_BYTES;
    bool fills_pages = size == e->size_bytes && e->address == e->page;
    return size <= in_pages || fills_pages ? size : in_pages;
}

/* Returns whether an extent is as large as its class says: a slab has blocks of it; a large block
 * may begin later than its first page, and end in the page after it; other pages have no class. */
static bool has_its_class(const extent *e)
{
    uint64_t size = class_bytes(e->size_class);
    if (e->state != EXTENT_ACTIVE) {
        return e->size_class == N_CLASSES && !e->is_slab;
    }
    if (e->size_class >= N_CLASSES) {
        return false;
    }
    if (e->is_slab) {
        return e->size_bytes % size == 0 && e->size_bytes / size <= MOST_SLAB_BLOCKS;
    }
    size = large_bytes(e);
    bool is_of_class = e->size_class == 0 || size > class_bytes(e->size_class - 1);
    return is_of_class && e->size_bytes - size <= 2 * PAGE_BYTES &&
           e->address - e->page <= e->size_bytes - size;
}

/* Reads the extent that an element of a leaf leads to. Returns false unless both say the same. With
 * 48 bits, the address of the extent, its class above it and what it is for are in one word. */
static bool read_extent(const walk *w, extent *out, uint64_t element)
{
    enum { BITS, ADDRESS, SIZE, BITMAP = 8, N_WORDS = 16, ALIGNMENT = 128, ADDRESS_BITS = 48 };
    const uint64_t page_mask = ~(uint64_t)(PAGE_BYTES - 1);
    uint64_t words[N_WORDS], parts[2] = {0};
    if (!hpp__piece_reader_copy(&w->tables, parts, element, w->form->n_leaf_words * WORD_BYTES)) {
        return false;
    }
    bool is_packed = w->form->n_leaf_words == 1;
    uint64_t use = is_packed ? parts[0] : parts[1];
    uint64_t size_class = is_packed ? use >> ADDRESS_BITS : (uint32_t)use >> 5;
    uint64_t at = is_packed ? parts[0] << (64 - ADDRESS_BITS) >> (64 - ADDRESS_BITS) : parts[0];
    at &= ~(uint64_t)(ALIGNMENT - 1);
    if (at == 0 || !hpp__image_read(w->image, words, at, sizeof words)) {
        return false;
    }
    *out = (extent){.address = words[ADDRESS],
                    .page = words[ADDRESS] & page_mask,
                    .size_bytes = words[SIZE] & page_mask,
                    .arena = words[BITS] & (N_ARENAS - 1),
                    .is_slab = words[BITS] >> 12 & 1,
                    .state = words[BITS] >> 17 & 7,
                    .size_class = words[BITS] >> 20 & UINT8_MAX};
    memcpy(out->is_free, &words[BITMAP], sizeof out->is_free);
    const hpp__image_map *map = hpp__image_map_of(w->image, out->page);
    return map && hpp__image_map_is_anonymous(map) && out->size_bytes <= map->end - out->page &&
           out->is_slab == (use & 1) && out->state == (use >> 2 & 7) &&
           out->size_class == size_class && has_its_class(out);
}

/* Returns whether a mapping can be static data: of a file, or after such, zeros at first. */
static bool is_static(const hpp__image_map *map)
{
    return map->is_readable && map->is_writable && !map->is_shared &&
           (map->path[0] == '/' || map->path[0] == '\0');
}

static uint64_t table_bytes(unsigned bits)
{
    return UINT64_C(1) << bits << 3;
}

static uint64_t leaf_bytes(const map_form *form)
{
    return table_bytes(form->leaf_bits) * form->n_leaf_words;
}

/* Returns whether memory of the program can have a table at an address. */
static bool can_be_table(const walk *w, uint64_t table, uint64_t n_bytes)
{
    const hpp__image_map *map =
        table % TABLE_ALIGNMENT == 0 ? hpp__image_map_of(w->image, table) : NULL;
    return map && hpp__image_map_is_anonymous(map) && map->end - table >= n_bytes;
}

/* Finds the first word of a table that is not 0. It is in the first page of what is no table. */
static bool find_first(walk *w, uint64_t table, uint64_t n_bytes, uint64_t *at, uint64_t *word)
{
    *at = table;
    bool is_found = next_word(&w->tables, at, table + PAGE_BYTES, word) ||
                    next_word(&w->tables, at, table + n_bytes, word);
    w->n_tried_bytes += *at - table + WORD_BYTES;
    return is_found;
}

/* Returns the page of the first extent that a table below the root leads to, if the places of all
 * elements on the way are those of the page; else 0. */
static uint64_t first_page(walk *w, uint64_t table)
{
    const map_form *f = w->form;
    uint64_t leaf = table, in_middle = 0, element, word;
    if (f->middle_bits != 0) {
        uint64_t at, n_bytes = table_bytes(f->middle_bits);
        if (!can_be_table(w, table, n_bytes) || !find_first(w, table, n_bytes, &at, &leaf)) {
            return 0;
        }
        in_middle = (at - table) / WORD_BYTES;
    }
    extent e;
    if (!can_be_table(w, leaf, leaf_bytes(f)) ||
        !find_first(w, leaf, leaf_bytes(f), &element, &word) || !read_extent(w, &e, element)) {
        return 0;
    }
    uint64_t in_leaf = (element - leaf) / (f->n_leaf_words * WORD_BYTES);
    unsigned below_root = f->middle_bits + f->leaf_bits + PAGE_BITS;
    uint64_t page = e.page >> below_root << below_root | (in_middle << f->leaf_bits | in_leaf)
                                                             << PAGE_BITS;
    return page - e.page < e.size_bytes ? page : 0;
}

/* Finds the root of the map in static data, by an address of a table that leads to an extent: its
 * page tells the place of that address in the root. Returns 0 if there is none. */
static uint64_t find_root(walk *w, uint64_t begin, uint64_t end)
{
    uint64_t table, root_bytes = table_bytes(w->form->root_bits);
    unsigned below_root = w->form->middle_bits + w->form->leaf_bits + PAGE_BITS;
    for (uint64_t at = begin; end - begin >= root_bytes && w->n_tried_bytes <= MOST_TRIED_BYTES &&
                              next_word(&w->data, &at, end, &table);
         at += WORD_BYTES) {
        uint64_t page = first_page(w, table), root = at - (page >> below_root) * WORD_BYTES;
        if (page != 0 && root >= begin && root <= at && end - root >= root_bytes) {
            return root;
        }
    }
    return 0;
}

static void add_slab(walk *w, const extent *e)
{
    enum { WORD_BITS = 64 };
    uint64_t size = class_bytes(e->size_class);
    for (uint64_t i = 0; i < e->size_bytes / size; i++) {
        if (e->is_free[i / WORD_BITS] >> i % WORD_BITS & 1) {
            w->heap->free_bytes += size;
        } else if (!hpp__found_blocks_add(w->heap, e->page + i * size, size)) {
            return;
        }
    }
}

static void add_extent(walk *w, const extent *e)
{
    if (e->state == EXTENT_DIRTY || e->state == EXTENT_MUZZY) {
        w->heap->free_bytes += e->size_bytes;
    } else if (e->state == EXTENT_ACTIVE) {
        w->heap->n_arenas += !w->has_arena[e->arena];
        w->has_arena[e->arena] = true;
        if (e->is_slab) {
            add_slab(w, e);
        } else {
            hpp__found_blocks_add(w->heap, e->address, large_bytes(e));
        }
    }
}

/* Adds the extents of a leaf, whose first element is of `page`. */
static void add_leaf(walk *w, uint64_t leaf, uint64_t page)
{
    const uint64_t element_bytes = w->form->n_leaf_words * WORD_BYTES;
    uint64_t end = leaf + leaf_bytes(w->form), n_pages = 1, word;
    for (uint64_t at = leaf; next_word(&w->tables, &at, end, &word);
         at += n_pages < (end - at) / element_bytes ? n_pages * element_bytes : end - at) {
        extent e;
        at -= (at - leaf) % element_bytes;
        uint64_t own = page + (at - leaf) / element_bytes * PAGE_BYTES;
        bool is_valid = read_extent(w, &e, at) && own - e.page < e.size_bytes;
        n_pages = is_valid ? (e.page + e.size_bytes - own) / PAGE_BYTES : 1;
        w->n_invalid += !is_valid;
        if (w->n_invalid > MOST_INVALID) {
            w->heap->unread_bytes += (end - at) / element_bytes * PAGE_BYTES;
            return;
        }
        if (is_valid && own == e.page) {
            add_extent(w, &e);
        }
    }
}

/* Adds what a table of addresses leads to, whose first element is of `page`. */
static void add_table(walk *w, hpp__piece_reader *reader, uint64_t table, unsigned bits,
                      uint64_t page)
{
    const map_form *f = w->form;
    bool leads_to_leaves = reader != &w->data || f->middle_bits == 0;
    unsigned below = PAGE_BITS + f->leaf_bits + (leads_to_leaves ? 0 : f->middle_bits);
    uint64_t next;
    for (uint64_t at = table; next_word(reader, &at, table + table_bytes(bits), &next);
         at += WORD_BYTES) {
        uint64_t of_next = page + ((at - table) / WORD_BYTES << below);
        if (++w->n_tables > MOST_TABLES) {
            w->heap->unread_bytes += UINT64_C(1) << below;
        } else if (leads_to_leaves) {
            add_leaf(w, next, of_next);
        } else {
            add_table(w, &w->middle, next, f->middle_bits, of_next);
        }
    }
}

/* Adds what the map of a module knows. Returns false if it has none. */
static bool add_module(walk *w, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        w->form = &forms[i];
        uint64_t root = find_root(w, begin, end);
        if (root != 0) {
            add_table(w, &w->data, root, w->form->root_bits, 0);
            return true;
        }
    }
    return false;
}

/* ---- Caches of threads ---- */

static void find_caches(walk *w)
{
    for (size_t i = 0; i < w->heap->n_blocks; i++) {
        const hpp__image_block *block = &w->heap->blocks[i];
        uint64_t word;
        if (block->address % PAGE_BYTES == 0 && block->size_bytes >= PAGE_BYTES &&
            hpp__image_read(w->image, &word, block->address, sizeof word) && word == cache_mark) {
            const cache found = {block->address, block->address + block->size_bytes};
            hpp__found_blocks_drop(w->heap, block->address);
            w->heap->lacks_memory |=
                !HPF__ARRAY_PUSH(w->caches, w->n_caches, w->caches_capacity, found);
        }
    }
}

/* Drops the blocks of a stack in a cache: from `bin[0]` to where an address has the low bits that
 * `bin` says. */
static void drop_stack(const walk *w, const cache *c, const uint64_t bin[BIN_WORDS])
{
    enum { LIMITS = 2, FULL_BIT = 16, EMPTY_BIT = 32, MOST_WORDS = 1 << 13 };
    uint64_t top = bin[0], stack[MOST_WORDS];
    uint16_t n_bytes = (uint16_t)((bin[LIMITS] >> EMPTY_BIT) - top);
    uint16_t n_room_bytes = (uint16_t)(top - (bin[LIMITS] >> FULL_BIT));
    if (n_bytes > c->end - top || n_room_bytes > top - c->begin || n_bytes % WORD_BYTES != 0 ||
        !hpp__image_read(w->image, stack, top, n_bytes)) {
        return;
    }
    for (size_t i = 0; i < n_bytes / WORD_BYTES; i++) {
        if (hpp__found_blocks_at(w->heap, stack[i])) {
            hpp__found_blocks_drop(w->heap, stack[i]);
        }
    }
}

/* Drops the blocks of all stacks of caches that [begin, end) refers to. */
static void drop_stacks(walk *w, uint64_t begin, uint64_t end)
{
    uint64_t word, bin[BIN_WORDS];
    for (uint64_t at = begin; next_word(&w->data, &at, end, &word); at += WORD_BYTES) {
        for (size_t i = 0; i < w->n_caches; i++) {
            const cache *c = &w->caches[i];
            if (word > c->begin && word < c->end &&
                hpp__image_read(w->image, bin, at, sizeof bin)) {
                drop_stack(w, c, bin);
            }
        }
    }
}

/* Drops what is in the caches of threads. They are in thread-local memory, below the thread
 * pointers; if one is unknown, in any small mapping. */
static void drop_caches(walk *w)
{
    enum { TLS_BYTES = 16384, SMALL_BYTES = 1 << 20 };
    bool knows_all = true;
    find_caches(w);
    for (size_t i = 0; i < w->image->n_threads && w->n_caches > 0; i++) {
        uint64_t end = w->image->threads[i].thread_pointer;
        const hpp__image_map *map = end != 0 ? hpp__image_map_of(w->image, end - 1) : NULL;
        knows_all &= map != NULL;
        if (map && end % WORD_BYTES == 0) {
            drop_stacks(w, end - map->begin < TLS_BYTES ? map->begin : end - TLS_BYTES, end);
        }
    }
    for (size_t i = 0; i < w->image->n_maps && !knows_all; i++) {
        const hpp__image_map *map = &w->image->maps[i];
        if (map->is_readable && map->is_writable && hpp__image_map_is_anonymous(map) &&
            map->end - map->begin <= SMALL_BYTES) {
            drop_stacks(w, map->begin, map->end);
        }
    }
}

bool hpp__jemalloc_heap_read(hpp__found_blocks *out, const hpp__image *image)
{
    walk w = {.image = image, .heap = out};
    bool is_found = false;
    out->lacks_memory |= !hpp__piece_reader_init(&w.data, image);
    out->lacks_memory |= !hpp__piece_reader_init(&w.middle, image);
    out->lacks_memory |= !hpp__piece_reader_init(&w.tables, image);
    for (size_t i = 0; i < image->n_maps && !out->lacks_memory;) {
        uint64_t begin = image->maps[i].begin, end = begin;
        bool is_module = image->maps[i].path[0] == '/';
        while (i < image->n_maps && is_module && image->maps[i].begin == end &&
               is_static(&image->maps[i])) {
            end = image->maps[i++].end;
        }
        i += end == begin;
        end = end - begin < MOST_STATIC_BYTES ? end : begin + MOST_STATIC_BYTES;
        is_found |= add_module(&w, begin, end);
    }
    hpp__found_blocks_sort(out);
    drop_caches(&w);
    hpp__found_blocks_keep_used(out, 0);
    hpp__piece_reader_finish(&w.data);
    hpp__piece_reader_finish(&w.middle);
    hpp__piece_reader_finish(&w.tables);
    free(w.caches);
    return is_found;
}
