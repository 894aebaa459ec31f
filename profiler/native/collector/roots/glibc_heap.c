/* SPDX-License-Identifier: BSD-2-Clause */
#include "glibc_heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "piece_reader.h"

enum {
    WORD_BYTES = 8,
    PAGE_BYTES = HPP__PIECE_PAGE_BYTES,
    HEADER_BYTES = 16, /* of a chunk, before the block */
    SIZE_PLACE = 8,    /* of the size, in a chunk */
    NEXT_PLACE = 16,   /* of the links of a free chunk */
    PREVIOUS_PLACE = 24,
    LEAST_CHUNK_BYTES = 32,
    GRANULE_BYTES = 16,
    PREVIOUS_IN_USE = 1, /* flags of a size */
    ALL_FLAGS = 7,
    /* Words of an arena, from its bins on. */
    N_BINS = 127,
    TOP_WORD = -2,
    FIRST_FAST_WORD = -12,
    N_FAST_BINS = 10,
    NEXT_ARENA_WORD = 2 * N_BINS + 2,
    SYSTEM_BYTES_WORD = NEXT_ARENA_WORD + 3,
    ARENA_END_WORD = SYSTEM_BYTES_WORD + 2,
    MOST_TRIES = 1000000,
    MOST_LINKS = 1 << 27, /* chunks that are followed to find where parts begin */
    MOST_ARENAS = 65536,
    MOST_HEAPS = 65536,
    TLS_BYTES = 16384, /* below the thread pointer: where libc's variable for the cache is */
};

typedef struct walk {
    const hpp__image *image;
    hpp__piece_reader reader;
    hpp__found_blocks *heap;
    size_t n_tries; /* to find bins */
    size_t n_links; /* of MOST_LINKS */
} walk;

static bool read_words(const walk *w, uint64_t address, uint64_t *out, size_t n)
{
    return address % WORD_BYTES == 0 && hpp__image_read(w->image, out, address, n * WORD_BYTES);
}

/* Returns the word at an address; 0 if it cannot be read. */
static uint64_t word_at(const walk *w, uint64_t address)
{
    uint64_t word;
    return read_words(w, address, &word, 1) ? word : 0;
}

/* ---- Arenas ---- */

/* Returns whether all bins of an arena are lists: from each, there and back is the same place. */
static bool are_bins(const walk *w, const uint64_t *words, uint64_t address)
{
    for (size_t i = 0; i < N_BINS; i++) {
        uint64_t bin = address + i * HEADER_BYTES - HEADER_BYTES;
        uint64_t next = words[2 * i], previous = words[2 * i + 1];
        bool is_empty = next == bin && previous == bin;
        if (!is_empty &&
            (next == bin || previous == bin || word_at(w, next + PREVIOUS_PLACE) != bin ||
             word_at(w, previous + NEXT_PLACE) != bin)) {
            return false;
        }
    }
    return true;
}

/* Returns the address of the bins of an arena in data of a module; 0 if there are none. */
static uint64_t find_bins(walk *w, const hpp__image_map *map)
{
    size_t n = (size_t)((map->end - map->begin) / WORD_BYTES);
    uint64_t *words = malloc(n * WORD_BYTES);
    uint64_t found = 0;
    bool is_read = words && read_words(w, map->begin, words, n);
    for (size_t i = 0; is_read && found == 0 && i + 1 < n; i++) {
        uint64_t bin = map->begin + i * WORD_BYTES - HEADER_BYTES;
        if (words[i] != bin || words[i + 1] != bin) {
            continue;
        }
        for (size_t before = 0; before < N_BINS && found == 0 && i >= 2 * before; before++) {
            if (++w->n_tries > MOST_TRIES) {
                break;
            }
            size_t first = i - 2 * before;
            uint64_t address = map->begin + first * WORD_BYTES;
            if (first + ARENA_END_WORD <= n && first + FIRST_FAST_WORD < n &&
                are_bins(w, words + first, address)) {
                found = address;
            }
        }
    }
    free(words);
    return found;
}

/* Finds the main arena, which is in data of libc or of the program. Returns the address of its
 * bins, or 0. */
static uint64_t find_main_arena(walk *w)
{
    enum { MOST_BYTES = 1 << 26 };
    uint64_t found = 0;
    for (size_t i = 0; i < w->image->n_maps && found == 0; i++) {
        const hpp__image_map *map = &w->image->maps[i];
        if (map->is_writable && map->is_readable && !map->is_shared && map->path[0] == '/' &&
            map->end - map->begin <= MOST_BYTES) {
            found = find_bins(w, map);
        }
    }
    return found;
}

/* Returns the address of the bins of the arena after another one; 0 if it is the last, or cannot be
 * read. `place` is where bins are in an arena. */
static uint64_t next_arena(const walk *w, uint64_t bins, uint64_t place, uint64_t main_bins)
{
    uint64_t next = word_at(w, bins + NEXT_ARENA_WORD * WORD_BYTES);
    return next == 0 || next + place == main_bins ? 0 : next + place;
}

/* Returns where bins are in an arena, with fast bins before them or without: from the main one, the
 * list of arenas leads back to it. Returns 0 if it does not. */
static uint64_t find_place_of_bins(const walk *w, uint64_t main_bins, size_t *n_arenas)
{
    static const uint64_t places[] = {112, 24, 32};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t bins = main_bins;
        for (*n_arenas = 1; *n_arenas < MOST_ARENAS; ++*n_arenas) {
            uint64_t at = bins + NEXT_ARENA_WORD * WORD_BYTES;
            if (word_at(w, at) + places[i] == main_bins) {
                return places[i];
            }
            bins = word_at(w, at) + places[i];
            if (bins == places[i] || (bins - places[i]) % HPP__GLIBC_HEAP_BYTES >= PAGE_BYTES) {
                break; /* other arenas are at the beginning of their heaps */
            }
        }
    }
    return 0;
}

/* ---- Chunks ---- */

static bool add_chunk(walk *w, uint64_t chunk, uint64_t size)
{
    return hpp__found_blocks_add(w->heap, chunk + HEADER_BYTES, size - WORD_BYTES);
}

/* Walks from the chunk at `at` to the one at `last`, which says whether the one before is in use;
 * or to the fence at the end of a heap. Chunks behind one that is not valid are not known. */
static void walk_chunks(walk *w, uint64_t at, uint64_t last)
{
    uint64_t size = 0;
    size_t n_bytes;
    while (at <= last) {
        const uint64_t *header =
            hpp__piece_reader_at(&w->reader, at, at + HEADER_BYTES, last + HEADER_BYTES, &n_bytes);
        if (!header || n_bytes < HEADER_BYTES) {
            break;
        }
        bool is_last = at == last;
        uint64_t next_size = header[1] & ~(uint64_t)ALL_FLAGS;
        bool is_valid = is_last || next_size <= HEADER_BYTES ||
                        (next_size % GRANULE_BYTES == 0 && next_size <= last - at);
        if (size > 0 && is_valid && header[1] & PREVIOUS_IN_USE) {
            if (!add_chunk(w, at - size, size)) {
                return;
            }
        } else if (size > 0 && is_valid) {
            w->heap->free_bytes += size;
        }
        bool is_fence = is_valid && next_size <= HEADER_BYTES;
        if (is_last || (is_fence && last - at <= LEAST_CHUNK_BYTES)) {
            return;
        }
        if (!is_valid || is_fence) {
            at -= is_valid ? 0 : size;
            break;
        }
        size = next_size;
        at += size;
    }
    w->heap->unread_bytes += at < last ? last - at : 0;
}

/* Returns whether chunks follow each other from `at` to `last`. */
static bool is_chain(walk *w, uint64_t at, uint64_t last)
{
    uint64_t size = LEAST_CHUNK_BYTES;
    size_t n_bytes;
    while (at < last && size >= LEAST_CHUNK_BYTES && size % GRANULE_BYTES == 0 &&
           ++w->n_links < MOST_LINKS) {
        const uint64_t *header =
            hpp__piece_reader_at(&w->reader, at, at + HEADER_BYTES, last + HEADER_BYTES, &n_bytes);
        size = header && n_bytes >= HEADER_BYTES ? header[1] & ~(uint64_t)ALL_FLAGS : 0;
        size = size <= last - at ? size : 0;
        at += size;
    }
    return at == last;
}

/* Walks through a part of the main heap that begins at a page, not before `from`. */
static void walk_part(walk *w, uint64_t from, uint64_t last)
{
    for (; from < last && w->n_links < MOST_LINKS; from += PAGE_BYTES) {
        if (is_chain(w, from, last)) {
            walk_chunks(w, from, last);
            return;
        }
    }
}

/* Returns whether a page ends with a fence. */
static bool is_fenced(const uint64_t page[PAGE_BYTES / WORD_BYTES])
{
    const uint64_t *end = page + PAGE_BYTES / WORD_BYTES;
    return (end[-3] & ~(uint64_t)PREVIOUS_IN_USE) == HEADER_BYTES &&
           end[-1] == (HEADER_BYTES | PREVIOUS_IN_USE);
}

/* Returns whether allocators can have mapped this. */
static bool can_have_chunks(const hpp__image_map *map)
{
    return map->is_writable && map->is_readable && hpp__image_map_is_anonymous(map);
}

/* Walks through the parts of a main heap in a mapping: when the program break cannot be moved,
 * glibc maps more memory elsewhere, and ends the part before with two chunks that have a header
 * only. */
static void walk_parts(walk *w, const hpp__image_map *map, uint64_t top)
{
    uint64_t from = map->begin, step = 0;
    for (uint64_t at = from; map->end - at >= PAGE_BYTES; at += step) {
        size_t n_bytes;
        const uint64_t *page =
            hpp__piece_reader_at(&w->reader, at, map->end, at + HPP__PIECE_BYTES, &n_bytes);
        bool has_top = top >= at && top < at + PAGE_BYTES;
        step = page || n_bytes < PAGE_BYTES ? PAGE_BYTES : n_bytes / PAGE_BYTES * PAGE_BYTES;
        if (page && n_bytes >= PAGE_BYTES && (has_top || is_fenced(page))) {
            walk_part(w, from, has_top ? top : at + PAGE_BYTES - 2 * HEADER_BYTES);
            from = at + PAGE_BYTES;
        }
    }
}

/* Walks through the main heap, which ends with the free rest of its arena. */
static void walk_main_heap(walk *w, uint64_t bins, uint64_t place)
{
    enum { FLAGS_SHIFT = 32, IS_IN_PARTS = 2 }; /* of the first word of an arena */
    uint64_t top = word_at(w, bins + (uint64_t)(TOP_WORD * WORD_BYTES));
    uint64_t system_bytes = word_at(w, bins + SYSTEM_BYTES_WORD * WORD_BYTES);
    uint64_t top_bytes = word_at(w, top + SIZE_PLACE) & ~(uint64_t)ALL_FLAGS;
    const hpp__image_map *map = hpp__image_map_of(w->image, top);
    if (!map || top == bins - HEADER_BYTES) {
        return; /* nothing has been allocated */
    }
    w->heap->free_bytes += top_bytes;
    if (word_at(w, bins - place) >> FLAGS_SHIFT & IS_IN_PARTS) {
        for (size_t i = 0; i < w->image->n_maps; i++) {
            map = &w->image->maps[i];
            if (can_have_chunks(map)) {
                walk_parts(w, map, top);
            }
        }
        return;
    }
    uint64_t end = top + top_bytes;
    bool is_whole = system_bytes <= end - map->begin && system_bytes >= top_bytes;
    uint64_t begin = is_whole ? end - system_bytes : map->begin;
    walk_chunks(w, (begin + GRANULE_BYTES - 1) / GRANULE_BYTES * GRANULE_BYTES, top);
}

bool hpp__glibc_heap_info_read(hpp__glibc_heap_info *out, const hpp__image *image, uint64_t address)
{
    return hpp__image_read(image, out, address, sizeof *out) && out->arena != 0 &&
           out->previous % HPP__GLIBC_HEAP_BYTES == 0 && out->n_bytes > 0 &&
           out->n_bytes % PAGE_BYTES == 0 && out->n_bytes <= out->n_writable_bytes &&
           out->n_writable_bytes <= HPP__GLIBC_HEAP_BYTES;
}

/* Walks through the heaps of another arena, from the newest one back. The first one begins with the
 * arena. */
static void walk_heaps(walk *w, uint64_t bins, uint64_t place)
{
    uint64_t arena = bins - place,
             first_heap = arena / HPP__GLIBC_HEAP_BYTES * HPP__GLIBC_HEAP_BYTES;
    uint64_t top = word_at(w, bins + (uint64_t)(TOP_WORD * WORD_BYTES));
    uint64_t heap = top / HPP__GLIBC_HEAP_BYTES * HPP__GLIBC_HEAP_BYTES;
    w->heap->free_bytes += word_at(w, top + SIZE_PLACE) & ~(uint64_t)ALL_FLAGS;
    for (size_t i = 0; i < MOST_HEAPS && heap != 0; i++) {
        hpp__glibc_heap_info info;
        if (!hpp__glibc_heap_info_read(&info, w->image, heap) || info.arena != arena) {
            w->heap->unread_bytes += HPP__GLIBC_HEAP_BYTES;
            return;
        }
        uint64_t begin =
            heap == first_heap ? bins + ARENA_END_WORD * WORD_BYTES : heap + (arena - first_heap);
        bool has_top = top >= heap && top < heap + info.n_bytes;
        walk_chunks(w, (begin + GRANULE_BYTES - 1) / GRANULE_BYTES * GRANULE_BYTES,
                    has_top ? top : heap + info.n_bytes);
        heap = heap == first_heap ? 0 : info.previous;
    }
}

uint64_t hpp__glibc_block_bytes(const uint64_t header[2])
{
    uint64_t size = header[1] & ~(uint64_t)ALL_FLAGS;
    bool is_mapping = header[1] & HPP__GLIBC_IS_MAPPED && (header[0] + size) % PAGE_BYTES == 0;
    return size - (is_mapping ? HEADER_BYTES : WORD_BYTES);
}

/* Adds the chunk that is a mapping of its own, of which the kernel merges neighbours. Returns the
 * size of the mapping; 0 if there is none at `at`. */
static uint64_t add_mapped_chunk(walk *w, uint64_t at, uint64_t end, const uint64_t header[2])
{
    uint64_t block = at + HEADER_BYTES, block_end = block + hpp__glibc_block_bytes(header);
    uint64_t mapped_end = (block_end + WORD_BYTES) / PAGE_BYTES * PAGE_BYTES;
    bool is_mapped = header[0] == 0 && (header[1] & ALL_FLAGS) == HPP__GLIBC_IS_MAPPED &&
                     block_end > block && block_end <= end && mapped_end >= block_end;
    return is_mapped && hpp__found_blocks_add(w->heap, block, block_end - block) ? mapped_end - at
                                                                                 : 0;
}

/* ---- Python's allocator ---- */

/* A pool of Python 3.9 to 3.15 (Objects/obmalloc.c): blocks of one size, of which the first ones
 * have been given out so far, and of these, the free ones are in a list. */
typedef struct pool_header {
    uint32_t n_used, padding;
    uint64_t first_free, next_pool, previous_pool;
    uint32_t arena, size_index, next_offset, last_offset;
} pool_header;

enum { POOL_BLOCK_BYTES = 16, N_POOL_SIZES = 32 };

/* Adds the blocks of the pool at `at`, which ends at `at + n_bytes`. Returns whether there is one:
 * the list has as many blocks as the header says. */
static bool add_pool(walk *w, uint64_t at, uint64_t n_bytes, const pool_header *pool)
{
    enum { MOST_BLOCKS = 1 << 10 };
    bool is_free[MOST_BLOCKS] = {false};
    uint64_t size = (pool->size_index + (uint64_t)1) * POOL_BLOCK_BYTES;
    uint64_t n = (pool->next_offset - sizeof *pool) / size;
    if (pool->size_index >= N_POOL_SIZES || pool->last_offset != n_bytes - size ||
        pool->next_offset < sizeof *pool || pool->next_offset > n_bytes ||
        (pool->next_offset - sizeof *pool) % size != 0 || pool->n_used == 0 || pool->n_used > n) {
        return false;
    }
    uint64_t block = pool->first_free, n_free = 0;
    for (; block != 0 && n_free <= n; n_free++) {
        uint64_t place = block - at - sizeof *pool;
        if (place % size != 0 || place / size >= n || is_free[place / size]) {
            return false;
        }
        is_free[place / size] = true;
        block = word_at(w, block);
    }
    if (n_free != n - pool->n_used) {
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t address = at + sizeof *pool + i * size;
        if (!is_free[i] && !add_chunk(w, address - HEADER_BYTES, size + WORD_BYTES)) {
            return true;
        }
        w->heap->free_bytes += is_free[i] ? size : 0;
    }
    return true;
}

/* Finds what allocators have mapped: large chunks, and pools of Python, which are pages of 4 KiB,
 * since Python 3.10 of 16. Pages that were never touched are skipped. */
static void find_mapped(walk *w, const hpp__image_map *map)
{
    static const uint64_t sizes[] = {16384, 4096};
    static const uint64_t ahead_bytes = 65536; /* a large chunk is looked at, and passed over */
    uint64_t step = 0;
    for (uint64_t at = map->begin; map->end - at >= PAGE_BYTES; at += step) {
        pool_header pool;
        uint64_t n_unread = w->reader.n_unread_bytes;
        size_t n_bytes;
        const uint64_t *page =
            hpp__piece_reader_at(&w->reader, at, map->end, at + ahead_bytes, &n_bytes);
        if (w->reader.n_unread_bytes != n_unread) {
            return;
        }
        step = page ? 0 : n_bytes / PAGE_BYTES * PAGE_BYTES;
        if (page) {
            memcpy(&pool, page, sizeof pool);
            step = add_mapped_chunk(w, at, map->end, page);
        }
        for (size_t i = 0; page && i < 2 && step == 0; i++) {
            bool fits = at % sizes[i] == 0 && map->end - at >= sizes[i];
            step = fits && add_pool(w, at, sizes[i], &pool) ? sizes[i] : 0;
        }
        step = step > 0 ? step : PAGE_BYTES;
    }
}

/* ---- Caches ---- */

/* Returns the chunk of a block, or NULL. */
static const hpp__image_block *chunk_of(const walk *w, uint64_t block)
{
    return hpp__found_blocks_at(w->heap, block);
}

/* Returns the block after another one in a list of free blocks, whose link is at `link`: since
 * glibc 2.32, links are mixed with their addresses. 0: it is the last one. */
static uint64_t next_free(const walk *w, uint64_t link, uint64_t to_block)
{
    uint64_t word = word_at(w, link);
    uint64_t next = word ^ link >> 12;
    if (word == 0 || next == 0) {
        return 0;
    }
    return chunk_of(w, next + to_block) ? next + to_block : word + to_block;
}

/* Drops the blocks of a list of free ones. `to_block`: from what links lead to, to the block. */
static void drop_list(walk *w, uint64_t block, uint64_t to_block)
{
    while (w->heap->n_unused < w->heap->n_blocks && chunk_of(w, block)) {
        hpp__found_blocks_drop(w->heap, block);
        block = next_free(w, block, to_block);
    }
}

static void drop_fast_bins(walk *w, uint64_t bins)
{
    uint64_t heads[N_FAST_BINS];
    bool has_them =
        read_words(w, bins + (uint64_t)(FIRST_FAST_WORD * WORD_BYTES), heads, N_FAST_BINS);
    for (size_t i = 0; has_them && i < N_FAST_BINS; i++) {
        const hpp__image_block *first = chunk_of(w, heads[i] + HEADER_BYTES);
        if (first && first->size_bytes + WORD_BYTES == LEAST_CHUNK_BYTES + i * GRANULE_BYTES) {
            drop_list(w, first->address, HEADER_BYTES);
        }
    }
}

/* Returns how many lists the cache of a thread has that is as large as a block; 0: none has this
 * size. It begins with a count of 16 bits for each. A block can have 16 bytes too many, which are
 * no chunk. */
static size_t n_lists_of(const hpp__image_block *chunk)
{
    uint64_t size = chunk->size_bytes;
    return size == 648 || size == 664 ? 64 : size == 760 || size == 776 ? 76 : 0; /* since 2.42 */
}

/* Returns whether a chunk is the cache of a thread: each list begins with a chunk of its size.
 * Since 2.42, the last ones have chunks of several sizes. */
static bool is_cache(const walk *w, const hpp__image_block *chunk, uint64_t *heads, size_t n)
{
    enum { N_OF_ONE_SIZE = 64 };
    uint64_t begin = chunk->address + n * sizeof(uint16_t);
    bool is_valid = read_words(w, begin, heads, n);
    for (size_t i = 0; is_valid && i < n; i++) {
        const hpp__image_block *first = heads[i] ? chunk_of(w, heads[i]) : NULL;
        uint64_t size = first ? first->size_bytes + WORD_BYTES : 0;
        is_valid = heads[i] == 0 ||
                   (first && (i >= N_OF_ONE_SIZE || size == LEAST_CHUNK_BYTES + i * GRANULE_BYTES));
    }
    return is_valid;
}

/* Drops a chunk and the blocks in its lists if it is the cache of a thread. */
static void drop_cache(walk *w, const hpp__image_block *chunk)
{
    enum { MOST_LISTS = 76 };
    uint64_t heads[MOST_LISTS];
    size_t n_lists = chunk ? n_lists_of(chunk) : 0;
    if (n_lists > 0 && is_cache(w, chunk, heads, n_lists)) {
        hpp__found_blocks_drop(w->heap, chunk->address);
        for (size_t i = 0; i < n_lists; i++) {
            drop_list(w, heads[i], 0);
        }
    }
}

/* Drops the cache of a thread, which a variable of libc in its thread-local memory points to: below
 * the thread pointer, or if that is unknown, at the end of its stack. */
static void drop_cache_of(walk *w, const hpp__image_thread *thread)
{
    uint64_t words[TLS_BYTES / WORD_BYTES];
    uint64_t end = thread->thread_pointer != 0 ? thread->thread_pointer : thread->stack_end;
    const hpp__image_map *map = hpp__image_map_of(w->image, end - WORD_BYTES);
    uint64_t room = map ? end - map->begin : 0;
    size_t n = (size_t)(room < TLS_BYTES ? room : TLS_BYTES) / WORD_BYTES;
    if (!read_words(w, end - n * WORD_BYTES, words, n)) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        drop_cache(w, chunk_of(w, words[i]));
    }
}

static void read_arenas(walk *w, uint64_t main_bins, uint64_t place)
{
    walk_main_heap(w, main_bins, place);
    uint64_t first_block = w->heap->n_blocks > 0 ? w->heap->blocks[0].address : 0;
    for (uint64_t bins = next_arena(w, main_bins, place, main_bins); bins != 0;
         bins = next_arena(w, bins, place, main_bins)) {
        walk_heaps(w, bins, place);
    }
    size_t n_in_heaps = w->heap->n_blocks;
    hpp__found_blocks_sort(w->heap);
    for (size_t i = 0; i < w->image->n_maps; i++) {
        const hpp__image_map *map = &w->image->maps[i];
        size_t first;
        HPF__ARRAY_BISECT(first, n_in_heaps, k, w->heap->blocks[k].address < map->begin);
        bool is_heap = first < n_in_heaps && w->heap->blocks[first].address < map->end;
        if (can_have_chunks(map) && !is_heap) {
            find_mapped(w, map);
        }
    }
    hpp__found_blocks_sort(w->heap);
    for (uint64_t bins = main_bins; bins != 0; bins = next_arena(w, bins, place, main_bins)) {
        drop_fast_bins(w, bins);
    }
    drop_cache(w, chunk_of(w, first_block)); /* the first thread's, whose memory may be unknown */
    for (size_t i = 0; i < w->image->n_threads; i++) {
        drop_cache_of(w, &w->image->threads[i]);
    }
}

bool hpp__glibc_heap_read(hpp__found_blocks *out, const hpp__image *image)
{
    walk w = {.image = image, .heap = out};
    out->lacks_memory |= !hpp__piece_reader_init(&w.reader, image);
    uint64_t main_bins = out->lacks_memory ? 0 : find_main_arena(&w);
    uint64_t place = main_bins != 0 ? find_place_of_bins(&w, main_bins, &out->n_arenas) : 0;
    if (place != 0) {
        read_arenas(&w, main_bins, place);
        hpp__found_blocks_keep_used(out, WORD_BYTES);
    }
    hpp__piece_reader_finish(&w.reader);
    return place != 0;
}
