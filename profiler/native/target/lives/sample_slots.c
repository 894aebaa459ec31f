/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample_slots.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/memfd.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

enum {
    PAGE_BYTES = HPP_WINDOW_PAGE_BYTES,
    CHUNK_SHIFT = 26,
    CHUNK_BYTES = 1 << CHUNK_SHIFT,
    FIRST_SLOTS = 16,    /* of the first chunk of a stride; each further one has twice as many */
    N_PLACES = 1 << 16,  /* where a chunk can begin */
    MAX_TRIES = 1 << 10, /* to find such a place */
    MAX_GAPS = 1 << 13,  /* each is a mapping more, of which the kernel allows 65,530 */
    SLOT_BEGIN = 2 * PAGE_BYTES, /* a page that stays mapped, and the gap */
    HEADER_BYTES = 16,           /* of a block of glibc */
    TAIL_BYTES = 8,              /* of a mapping, which glibc does not count since 2.43 */
    IS_MAPPED_CHUNK = 2,         /* IS_MMAPPED */
    MAX_PAGES = HPP_SLOT_STRIDE_BYTES / PAGE_BYTES, /* of a block that is not large */
    DENSE = 64,          /* pages used in an era: then the next era looks at probes only */
    PROBE_BUDGET = 2048, /* for all large blocks together */
    ALL_SIGNALS_BYTES = 8,
};
static const uint64_t is_present = UINT64_C(1) << 63;

/* Where chunks are: the kernel puts no mapping there unless it is asked to, so a gap between slots
 * stays one. */
static const uintptr_t first_place = UINT64_C(0x430000000000);

/* Addresses that cannot be unmapped or moved. */
static const uintptr_t no_place = UINT64_C(0xfff0000000000000);

_Atomic(hpp_sample_chunk *) hpp__sample_chunks;

/* By place. A block of more than CHUNK_BYTES is found by its begin. */
static HPP_LARGE _Atomic(hpp_sample_chunk *) chunk_at[N_PLACES];
static _Atomic uint32_t n_large, n_gaps;
static _Atomic uint32_t n_changing, n_forking; /* threads */
static atomic_flag is_freezing = ATOMIC_FLAG_INIT;

/* ---- chunks ---------------------------------------------------------------------------------- */

static bool is_error(long result)
{
    return result < 0 && result >= -4095;
}

/* Returns whether the kernel would refuse so much private memory: then the program's allocator has
 * to say so. */
static bool is_too_much(uint64_t n_bytes)
{
    long place = hpp__syscall(SYS_mmap, 0, (long)n_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!is_error(place)) {
        hpp__syscall(SYS_munmap, place, (long)n_bytes, 0, 0, 0, 0);
    }
    return is_error(place);
}

/* Returns a new memory file, or a negated errno. Growing it beyond a limit would raise SIGXFSZ. */
static long make_file(uint64_t n_bytes)
{
    static const char name[] = "census-samples";
    struct rlimit limit = {0};
    hpp__syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0);
    if (n_bytes > limit.rlim_cur || is_too_much(n_bytes)) {
        return -EFBIG;
    }
    long file = hpp__syscall(SYS_memfd_create, (long)name, MFD_CLOEXEC, 0, 0, 0, 0);
    if (!is_error(file) && hpp__syscall(SYS_ftruncate, file, (long)n_bytes, 0, 0, 0, 0) != 0) {
        hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
        return -EFBIG;
    }
    return file;
}

static bool map_over(uintptr_t place, uint64_t n_bytes, long file, long sharing)
{
    return !is_error(hpp__syscall(SYS_mmap, (long)place, (long)n_bytes, PROT_READ | PROT_WRITE,
                                  sharing | MAP_NORESERVE | MAP_FIXED, file, 0));
}

static uintptr_t place_number(uintptr_t address)
{
    return (address - first_place) >> CHUNK_SHIFT;
}

/* Maps a file at a free place. Returns 0 on failure. */
static uintptr_t map_at_place(uint64_t n_bytes, long file)
{
    static _Atomic uint32_t next_place;
    if (!hpp__claim_addresses(n_bytes, false)) {
        return 0;
    }
    for (int i = 0; i < MAX_TRIES; i++) {
        uintptr_t number = atomic_fetch_add(&next_place, 1) % N_PLACES;
        uintptr_t wanted = first_place + (number << CHUNK_SHIFT);
        long place = hpp__syscall(SYS_mmap, (long)wanted, (long)n_bytes, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
        if (place == (long)wanted) {
            return wanted;
        }
        if (!is_error(place)) { /* an old kernel, which does not know the flag */
            hpp__syscall(SYS_munmap, place, (long)n_bytes, 0, 0, 0, 0);
        } else if (place != -EEXIST) {
            break;
        }
    }
    hpp__unclaim_addresses(n_bytes, false);
    return 0;
}

static void unmap_shared(uintptr_t begin, uint64_t n_bytes)
{
    hpp__syscall(SYS_munmap, (long)begin, (long)n_bytes, 0, 0, 0, 0);
    hpp__unclaim_addresses(n_bytes, false);
}

/* Maps a new memory file twice: shared at `chunk->begin`, private at `chunk->twin`. */
static bool map_file(hpp_sample_chunk *chunk)
{
    uint64_t n_bytes = chunk->n_bytes;
    long file = make_file(n_bytes);
    if (is_error(file)) {
        return false;
    }
    uintptr_t begin = map_at_place(n_bytes, file);
    uintptr_t twin = begin != 0 ? (uintptr_t)hpp__map(n_bytes) : 0;
    bool ok = twin != 0 && map_over(twin, n_bytes, file, MAP_PRIVATE);
    hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
    if (!ok) {
        if (begin != 0) {
            unmap_shared(begin, n_bytes);
        }
        if (twin != 0) {
            hpp__unmap((void *)twin, n_bytes);
        }
        return false;
    }
    hpp__syscall(SYS_madvise, (long)begin, (long)n_bytes, MADV_NOHUGEPAGE, 0, 0, 0);
    hpp__syscall(SYS_madvise, (long)twin, (long)n_bytes, MADV_DONTDUMP, 0, 0, 0);
    if (chunk->stride_bytes == 0) { /* the program would have mapped as much */
        hpp__unclaim_addresses(n_bytes, true);
    }
    chunk->begin = begin;
    chunk->twin = twin;
    atomic_store(&chunk_at[place_number(begin)], chunk);
    return true;
}

/* Returns the number of slots of the next chunk of a stride. */
static uint32_t slots_of_next(uint64_t stride_bytes)
{
    uint64_t n = FIRST_SLOTS, most = CHUNK_BYTES / stride_bytes;
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); c != NULL && n < most;
         c = c->next) {
        n *= c->stride_bytes == stride_bytes ? 2 : 1;
    }
    return (uint32_t)(n < most ? n : most);
}

/* Makes a chunk, whose first slot is taken. */
static hpp_sample_chunk *make_chunk(uint64_t n_bytes, uint64_t stride_bytes)
{
    uint32_t n_slots = (uint32_t)(stride_bytes != 0 ? n_bytes / stride_bytes : 1);
    hpp_sample_chunk *chunk = hpp__map(sizeof(*chunk) + n_slots * sizeof(hpp_sample));
    if (chunk == NULL) {
        return NULL;
    }
    chunk->n_bytes = n_bytes;
    chunk->stride_bytes = stride_bytes;
    chunk->n_slots = n_slots;
    chunk->n_taken = chunk->n_used = 1;
    chunk->slots[0].state = HPP_SAMPLE_TAKEN;
    if (!map_file(chunk)) {
        hpp__unmap(chunk, sizeof(*chunk) + n_slots * sizeof(hpp_sample));
        return NULL;
    }
    chunk->next = atomic_load(&hpp__sample_chunks);
    while (!atomic_compare_exchange_weak(&hpp__sample_chunks, &chunk->next, chunk)) {
    }
    return chunk;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static hpp_sample_chunk *chunk_of(const hpp_sample *sample)
{
    return atomic_load(&chunk_at[place_number(sample->block)]);
}

static bool take_slot(hpp_sample_chunk *chunk, uint32_t i)
{
    bool is_free = atomic_load(&chunk->slots[i].state) == HPP_SAMPLE_FREE;
    bool is_taken =
        is_free && hpp__sample_move(&chunk->slots[i], HPP_SAMPLE_FREE, HPP_SAMPLE_TAKEN);
    atomic_fetch_add(&chunk->n_taken, is_taken);
    uint32_t n = atomic_load(&chunk->n_used);
    while (is_taken && n <= i && !atomic_compare_exchange_weak(&chunk->n_used, &n, i + 1)) {
    }
    return is_taken;
}

/* Takes a free slot of chunks of a stride, first the one that was freed last. */
static hpp_sample *take_free_slot(uint64_t stride_bytes, hpp_sample_chunk **out)
{
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); c != NULL; c = c->next) {
        *out = c;
        if (c->stride_bytes != stride_bytes || c->twin == 0 || c->n_taken >= c->n_slots) {
            continue;
        }
        uint32_t hint = atomic_load(&c->last_freed);
        for (uint32_t i = 0; i < c->n_slots; i++) {
            uint32_t at = (hint + i) % c->n_slots;
            if (take_slot(c, at)) {
                atomic_store(&c->last_freed, (at + 1) % c->n_slots);
                return &c->slots[at];
            }
        }
    }
    return NULL;
}

/* Takes the record of a large block that was freed, or a new one, and maps its memory. */
static hpp_sample *take_large(uint64_t n_bytes, hpp_sample_chunk **out)
{
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); c != NULL; c = c->next) {
        if (c->stride_bytes == 0 && take_slot(c, 0)) {
            c->n_bytes = n_bytes;
            if (map_file(c)) {
                *out = c;
                return &c->slots[0];
            }
            atomic_fetch_sub(&c->n_taken, 1);
            atomic_store(&c->slots[0].state, HPP_SAMPLE_FREE);
            return NULL;
        }
    }
    *out = make_chunk(n_bytes, 0);
    return *out != NULL ? &(*out)->slots[0] : NULL;
}

static uintptr_t first_page(const hpp_sample *sample)
{
    return sample->block & ~(uintptr_t)(PAGE_BYTES - 1);
}

/* Returns the number of pages of a block, its padding included. */
static uint64_t n_pages_of(const hpp_sample *sample)
{
    return (sample->block + sample->n_bytes + TAIL_BYTES - first_page(sample) + PAGE_BYTES - 1) /
           PAGE_BYTES;
}

static bool is_large(const hpp_sample *sample)
{
    return n_pages_of(sample) > MAX_PAGES;
}

static uintptr_t end_of(const hpp_sample *sample)
{
    return first_page(sample) + n_pages_of(sample) * PAGE_BYTES;
}

/* Unmaps the page before the pages of a slot, unless there are too many gaps. */
static void make_gap(hpp_sample *sample)
{
    if (atomic_fetch_add(&n_gaps, 1) < MAX_GAPS) {
        sample->has_gap = hpp__syscall(SYS_munmap, (long)(first_page(sample) - PAGE_BYTES),
                                       PAGE_BYTES, 0, 0, 0, 0) == 0;
    }
    atomic_fetch_sub(&n_gaps, !sample->has_gap);
}

static void forget_gap(hpp_sample *sample)
{
    atomic_fetch_sub(&n_gaps, sample->has_gap);
    sample->has_gap = false;
}

/* Writes the header, by which glibc takes the block for a mapping of its own, from the gap to the
 * end of the block. Without a gap, its free of the block changes nothing. */
static void write_header(const hpp_sample *sample)
{
    uint64_t *header = (uint64_t *)(sample->block - HEADER_BYTES);
    uintptr_t begin = sample->has_gap ? first_page(sample) - PAGE_BYTES : no_place;
    bool is_followed = strverscmp(gnu_get_libc_version(), "2.43") >= 0; /* as if by a chunk */
    header[0] = (uintptr_t)header - begin;
    header[1] =
        (end_of(sample) - (uintptr_t)header - (is_followed ? HEADER_BYTES : 0)) | IS_MAPPED_CHUNK;
}

/* Returns where the window has the pages of a sample; NULL without room there. */
static hpp_window_watched *place_of(const hpp_sample *sample)
{
    uint32_t i = sample->watched - 1;
    hpp_window_watched *chunk =
        sample->watched == 0
            ? NULL
            : hpp__window_chunk(&hpp__window->watched_pages[i / HPP_WATCHED_PER_CHUNK],
                                HPP_WATCHED_PER_CHUNK * sizeof(*chunk) / PAGE_BYTES);
    return chunk != NULL ? &chunk[i % HPP_WATCHED_PER_CHUNK] : NULL;
}

/* Shows the collector which pages have no entries until the block is used. */
static void show(const hpp_sample *sample)
{
    hpp_window_watched *place = place_of(sample);
    if (place != NULL) {
        atomic_store(&place->seen, 0);
        place->begin = first_page(sample);
        place->n_pages = n_pages_of(sample);
        place->n_probes = sample->n_probes;
        place->seed = sample->probes_seed;
    }
}

uint64_t hpp__sample_seen(const hpp_sample *sample)
{
    hpp_window_watched *place = place_of(sample);
    return place != NULL ? atomic_load(&place->seen) : 0;
}

static uint64_t whole_pages(uint64_t n_bytes)
{
    return hpp__round_up(n_bytes, PAGE_BYTES);
}

static hpp_sample *take(size_t n_bytes, size_t alignment, bool is_zeroed, uint64_t random)
{
    /* The table of blocks needs three granules. */
    uint64_t n_least =
        TAIL_BYTES + (n_bytes > 3 * HPP_GRANULE_BYTES ? n_bytes : 3 * HPP_GRANULE_BYTES);
    uint64_t offset = alignment > HEADER_BYTES ? alignment : HEADER_BYTES;
    uint64_t n_slot = whole_pages(offset + n_least);
    unsigned n_offsets = 1; /* glibc accepts powers of two */
    while (offset << n_offsets < PAGE_BYTES && (offset << n_offsets) + n_least <= n_slot) {
        n_offsets++;
    }
    hpp_sample_chunk *chunk;
    hpp_sample *sample;
    if (SLOT_BEGIN + n_slot > HPP_MAX_SLOT_BYTES) {
        sample = take_large(SLOT_BEGIN + n_slot, &chunk);
    } else {
        uint64_t stride = HPP_SLOT_STRIDE_BYTES;
        while (stride < SLOT_BEGIN + n_slot) {
            stride *= 2;
        }
        sample = take_free_slot(stride, &chunk);
        if (sample == NULL &&
            (chunk = make_chunk(slots_of_next(stride) * stride, stride)) != NULL) {
            sample = &chunk->slots[0];
        }
    }
    if (sample == NULL) {
        return NULL;
    }
    sample->block = chunk->begin + (uint64_t)(sample - chunk->slots) * chunk->stride_bytes +
                    SLOT_BEGIN + (offset << random % n_offsets);
    sample->n_bytes = n_bytes;
    sample->serial++;
    sample->n_filling = HPP_ERAS_OF_CREATION;
    sample->n_probes = 0;
    sample->is_tracked = false;
    atomic_fetch_add(&n_large, is_large(sample));
    if (!sample->has_gap) {
        make_gap(sample);
    }
    write_header(sample);
    sample->watched = sample->watched != 0
                          ? sample->watched
                          : hpp__window_next(&hpp__window->head.n_watched, HPP_MAX_WATCHED) + 1;
    show(sample);
    if (is_zeroed && sample->is_dirty) {
        memset((void *)sample->block, 0, n_bytes);
    }
    return sample;
}

hpp_sample *hpp__sample_take(size_t n_bytes, size_t alignment, bool is_zeroed, uint64_t random)
{
    uint64_t signal_mask;
    if (alignment > HPP_MAX_SAMPLE_ALIGNMENT || n_bytes > (uint64_t)1 << (HPP_ADDRESS_BITS - 3) ||
        !hpp__samples_begin_change(&signal_mask)) {
        return NULL;
    }
    hpp_sample *sample = take(n_bytes, alignment, is_zeroed, random);
    hpp__samples_end_change(signal_mask);
    return sample;
}

/* A thread that forks may freeze the chunk at the same time: the twin belongs to the first. */
static void unmap(hpp_sample_chunk *chunk)
{
    uintptr_t twin = atomic_exchange(&chunk->twin, 0);
    atomic_store(&chunk_at[place_number(chunk->begin)], NULL);
    unmap_shared(chunk->begin, chunk->n_bytes);
    if (twin != 0) {
        hpp__syscall(SYS_munmap, (long)twin, (long)chunk->n_bytes, 0, 0, 0, 0);
    }
    chunk->begin = 0;
}

/* Frees the memory of a slot. Its earlier blocks may have been larger than the last one. */
static void clear(hpp_sample *sample, const hpp_sample_chunk *chunk)
{
    sample->is_dirty =
        hpp__syscall(SYS_madvise, (long)first_page(sample),
                     (long)(chunk->stride_bytes - SLOT_BEGIN), MADV_REMOVE, 0, 0, 0) != 0;
}

/* Frees a slot; with the last one of some chunks, their memory. */
static void leave_slot(hpp_sample *sample, hpp_sample_chunk *chunk)
{
    bool is_last = atomic_fetch_sub(&chunk->n_taken, 1) == 1;
    if (is_last && (chunk->twin == 0 || chunk->stride_bytes == 0)) {
        unmap(chunk);
        forget_gap(sample);
        sample->is_dirty = false;
    }
    atomic_store(&sample->state, HPP_SAMPLE_FREE);
}

/* A small slot keeps its memory, since it is often taken again at once. In a frozen chunk no slot
 * is taken again. Without its header, glibc refuses a block that is freed twice. */
void hpp__sample_release(hpp_sample *sample)
{
    hpp_sample_chunk *chunk = chunk_of(sample);
    memset((void *)(sample->block - HEADER_BYTES), 0, HEADER_BYTES);
    atomic_fetch_sub(&n_large, is_large(sample));
    sample->is_dirty = true;
    if (chunk->twin != 0 && chunk->stride_bytes != 0 && is_large(sample)) {
        clear(sample, chunk);
    }
    atomic_store(&chunk->last_freed, (uint32_t)(sample - chunk->slots));
    leave_slot(sample, chunk);
}

/* The page at the beginning of the chunk is duplicated, with all that follows it in the file, and
 * the part of the slot is moved to its place. */
static bool map_again(const hpp_sample *sample, const hpp_sample_chunk *chunk)
{
    uint64_t begin = first_page(sample) - chunk->begin, end = end_of(sample) - chunk->begin;
    long copy = hpp__syscall(SYS_mremap, (long)chunk->begin, 0, (long)end, MREMAP_MAYMOVE, 0, 0);
    if (is_error(copy)) {
        return false;
    }
    long moved =
        hpp__syscall(SYS_mremap, copy + (long)begin, (long)(end - begin), (long)(end - begin),
                     MREMAP_MAYMOVE | MREMAP_FIXED, (long)first_page(sample), 0);
    hpp__syscall(SYS_munmap, copy, (long)(is_error(moved) ? end : begin), 0, 0, 0, 0);
    return !is_error(moved);
}

bool hpp__sample_is_unmapped(const hpp_sample *sample)
{
    unsigned char is_resident;
    return sample->has_gap && hpp__syscall(SYS_mincore, (long)first_page(sample), PAGE_BYTES,
                                           (long)&is_resident, 0, 0, 0) == -ENOMEM;
}

/* A slot that cannot be mapped again stays taken. */
void hpp__sample_release_unmapped(hpp_sample *sample)
{
    hpp_sample_chunk *chunk = chunk_of(sample);
    atomic_fetch_sub(&n_large, is_large(sample));
    sample->is_dirty = true;
    if (chunk->stride_bytes == 0 || map_again(sample, chunk)) {
        leave_slot(sample, chunk);
    } else {
        atomic_store(&sample->state, HPP_SAMPLE_TAKEN);
    }
}

void hpp__sample_clear(hpp_sample *sample, const hpp_sample_chunk *chunk)
{
    if (sample->is_dirty && hpp__sample_move(sample, HPP_SAMPLE_FREE, HPP_SAMPLE_TAKEN)) {
        clear(sample, chunk);
        atomic_store(&sample->state, HPP_SAMPLE_FREE);
    }
}

hpp_sample *hpp__sample_at(const void *block)
{
    uintptr_t place = (uintptr_t)block;
    uintptr_t number = place_number(place);
    hpp_sample_chunk *chunk = number < N_PLACES ? atomic_load(&chunk_at[number]) : NULL;
    if (HPP_LIKELY(chunk == NULL)) {
        return NULL;
    }
    uint64_t i = chunk->stride_bytes != 0 ? (place - chunk->begin) / chunk->stride_bytes : 0;
    hpp_sample *sample = i < chunk->n_slots ? &chunk->slots[i] : NULL;
    return sample != NULL && sample->block == place ? sample : NULL;
}

uint64_t hpp__sample_room(const hpp_sample *sample)
{
    return end_of(sample) - sample->block;
}

/* ---- entries of the page table --------------------------------------------------------------- */

long hpp__sample_open_pagemap(void)
{
    static const char path[] = "/proc/self/pagemap";
    return getauxval(AT_PAGESZ) == PAGE_BYTES
               ? hpp__syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0)
               : -EINVAL;
}

/* Returns the number of pages that are mapped, at most `most`. */
static uint64_t count_present(long pagemap, uintptr_t begin, uint64_t n_pages, uint64_t most)
{
    enum { BATCH = 128 };
    uint64_t n = 0;
    for (uint64_t i = 0; i < n_pages && n < most; i += BATCH) {
        uint64_t entries[BATCH] = {0};
        uint64_t n_here = n_pages - i < BATCH ? n_pages - i : BATCH;
        hpp__syscall(SYS_pread64, pagemap, (long)entries, (long)(n_here * sizeof(uint64_t)),
                     (long)((begin / PAGE_BYTES + i) * sizeof(uint64_t)), 0, 0);
        for (uint64_t k = 0; k < n_here; k++) {
            n += (entries[k] & is_present) != 0;
        }
    }
    return n < most ? n : most;
}

static uintptr_t probe(const hpp_sample *sample, uint32_t i)
{
    return hpp_window_probe(first_page(sample), n_pages_of(sample), sample->probes_seed, i);
}

bool hpp__sample_is_touched(const hpp_sample *sample, long pagemap)
{
    if (sample->n_probes == 0) {
        return count_present(pagemap, first_page(sample), n_pages_of(sample), 1) > 0;
    }
    bool is_touched = false;
    for (uint32_t i = 0; i < sample->n_probes && !is_touched; i++) {
        is_touched = count_present(pagemap, probe(sample, i), 1, 1) > 0;
    }
    return is_touched;
}

bool hpp__sample_read_chunk(const hpp_sample_chunk *chunk, long pagemap, uint64_t *entries)
{
    long n_bytes = (long)(chunk->n_used * (uint64_t)MAX_PAGES * sizeof(uint64_t));
    return chunk->stride_bytes == HPP_SLOT_STRIDE_BYTES &&
           hpp__syscall(SYS_pread64, pagemap, (long)entries, n_bytes,
                        (long)(chunk->begin / PAGE_BYTES * sizeof(uint64_t)), 0, 0) == n_bytes;
}

bool hpp__sample_was_touched(const hpp_sample *sample, const uint64_t *entries)
{
    uintptr_t first = first_page(sample) / PAGE_BYTES % HPP_CHUNK_PAGES;
    uint64_t any = 0;
    for (uint64_t i = 0; i < n_pages_of(sample); i++) {
        any |= entries[first + i];
    }
    return (any & is_present) != 0;
}

bool hpp__sample_has_entries(uint32_t slot, const uint64_t *entries)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < MAX_PAGES; i++) {
        any |= entries[slot * MAX_PAGES + i];
    }
    return (any & is_present) != 0;
}

/* Drops entries. Returns false if the memory is locked; gaps do no harm. */
static bool drop(uintptr_t begin, uint64_t n_bytes)
{
    long error = hpp__syscall(SYS_madvise, (long)begin, (long)n_bytes, MADV_DONTNEED, 0, 0, 0);
    return error == 0 || error == -ENOMEM;
}

bool hpp__sample_drop_slots(const hpp_sample_chunk *chunk, uint32_t first, uint32_t end)
{
    return first == end ||
           drop(chunk->begin + first * chunk->stride_bytes, (end - first) * chunk->stride_bytes);
}

bool hpp__sample_is_frozen(const hpp_sample *sample)
{
    return chunk_of(sample)->twin == 0;
}

bool hpp__sample_drop(hpp_sample *sample)
{
    sample->n_probes = 0;
    if (hpp__sample_is_frozen(sample)) {
        return true;
    }
    bool ok = drop(first_page(sample), n_pages_of(sample) * PAGE_BYTES);
    show(sample);
    return ok;
}

static bool drop_probes(hpp_sample *sample)
{
    static _Atomic uint32_t n_drops;
    uint32_t n_each = PROBE_BUDGET / (atomic_load(&n_large) | 1);
    sample->n_probes = n_each < 2 ? 2 : n_each < HPP_MAX_PROBES ? n_each : HPP_MAX_PROBES;
    sample->probes_seed = atomic_fetch_add(&n_drops, 1);
    bool ok = true;
    for (uint32_t i = 0; i < sample->n_probes && ok; i++) {
        ok = drop(probe(sample, i), PAGE_BYTES);
    }
    show(sample);
    return ok;
}

bool hpp__sample_drop_used(hpp_sample *sample, long pagemap, bool is_touched)
{
    if (!is_touched && sample->n_probes == 0) {
        return true;
    }
    bool is_dense = is_touched && is_large(sample) &&
                    (sample->n_probes > 0 || count_present(pagemap, first_page(sample),
                                                           n_pages_of(sample), DENSE) == DENSE);
    return is_dense && !hpp__sample_is_frozen(sample) ? drop_probes(sample)
                                                      : hpp__sample_drop(sample);
}

static uint64_t mask_signals(uint64_t mask)
{
    uint64_t before = 0;
    hpp__syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&before, ALL_SIGNALS_BYTES, 0,
                 0);
    return before;
}

/* A fork in a signal handler must not wait for the code that it interrupted. */
bool hpp__samples_begin_change(uint64_t *signal_mask)
{
    *signal_mask = mask_signals(UINT64_MAX);
    atomic_fetch_add(&n_changing, 1);
    if (atomic_load(&n_forking) != 0) {
        hpp__samples_end_change(*signal_mask);
        return false;
    }
    return true;
}

void hpp__samples_end_change(uint64_t signal_mask)
{
    atomic_fetch_sub(&n_changing, 1);
    mask_signals(signal_mask);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static void visit_slots(hpp_sample_chunk *chunk, hpp_visit_sample *visit)
{
    for (uint32_t i = 0; i < chunk->n_used; i++) {
        visit(&chunk->slots[i]);
    }
}

/* Makes the gaps again that other memory was mapped over, of blocks that still exist. */
static void renew_gap(hpp_sample *sample)
{
    bool had_gap = sample->has_gap;
    forget_gap(sample);
    if (had_gap && sample->state != HPP_SAMPLE_FREE) {
        make_gap(sample);
    }
}

static void freeze(hpp_sample_chunk *chunk, hpp_visit_sample *retire)
{
    uintptr_t begin = chunk->begin, twin = atomic_exchange(&chunk->twin, 0);
    if (twin == 0) {
        return;
    }
    long moved = hpp__syscall(SYS_mremap, (long)twin, (long)chunk->n_bytes, (long)chunk->n_bytes,
                              MREMAP_MAYMOVE | MREMAP_FIXED, (long)begin, 0);
    if (is_error(moved)) {
        atomic_store(&chunk->twin, twin);
    } else {
        visit_slots(chunk, renew_gap);
    }
    chunk->can_thaw = !is_error(moved) && retire == NULL;
    if (retire != NULL) {
        visit_slots(chunk, retire);
    }
}

/* Several threads may fork at once: each waits until all chunks are frozen. */
void hpp__samples_freeze(hpp_visit_sample *retire)
{
    uint64_t signal_mask = mask_signals(UINT64_MAX);
    atomic_fetch_add(&n_forking, 1);
    while (atomic_load(&n_changing) != 0 || atomic_flag_test_and_set(&is_freezing)) {
        hpp__syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    }
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); c != NULL; c = c->next) {
        freeze(c, retire);
    }
    atomic_flag_clear(&is_freezing);
    mask_signals(signal_mask);
}

/* Writes the blocks of a chunk to their places in a file. */
static bool copy_blocks(const hpp_sample_chunk *chunk, long file)
{
    for (uint32_t i = 0; i < chunk->n_used; i++) {
        const hpp_sample *sample = &chunk->slots[i];
        uint64_t n_left = sample->state != HPP_SAMPLE_FREE ? n_pages_of(sample) * PAGE_BYTES : 0;
        for (uintptr_t place = first_page(sample); n_left > 0;) {
            long n = hpp__syscall(SYS_pwrite64, file, (long)place, (long)n_left,
                                  (long)(place - chunk->begin), 0, 0);
            if (n <= 0) {
                return false;
            }
            place += (uint64_t)n;
            n_left -= (uint64_t)n;
        }
    }
    return true;
}

/* The addresses of the twin are still claimed. */
static bool thaw(hpp_sample_chunk *chunk)
{
    long file = make_file(chunk->n_bytes);
    if (is_error(file)) {
        return false;
    }
    long n_bytes = (long)chunk->n_bytes;
    long twin = hpp__syscall(SYS_mmap, 0, n_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_NORESERVE, file, 0);
    bool ok = !is_error(twin) && copy_blocks(chunk, file) &&
              map_over(chunk->begin, chunk->n_bytes, file, MAP_SHARED);
    hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
    if (ok) {
        chunk->twin = (uintptr_t)twin;
        visit_slots(chunk, renew_gap);
        hpp__syscall(SYS_madvise, (long)chunk->begin, n_bytes, MADV_NOHUGEPAGE, 0, 0, 0);
        hpp__syscall(SYS_madvise, twin, n_bytes, MADV_DONTDUMP, 0, 0, 0);
    } else if (!is_error(twin)) {
        hpp__syscall(SYS_munmap, twin, n_bytes, 0, 0, 0, 0);
    }
    return ok;
}

void hpp__samples_in_parent(hpp_visit_sample *retire)
{
    uint64_t signal_mask = mask_signals(UINT64_MAX);
    bool is_last = atomic_load(&n_forking) == 1; /* not in a handler that interrupted a fork */
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); is_last && c; c = c->next) {
        if (c->can_thaw && c->begin != 0 && !thaw(c)) {
            visit_slots(c, retire);
        }
        c->can_thaw = false;
    }
    atomic_fetch_sub(&n_forking, 1);
    mask_signals(signal_mask);
}

/* Other threads may have been about to change chunks, or to fork. */
void hpp__samples_in_child(hpp_visit_sample *retire)
{
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); c != NULL; c = c->next) {
        if (c->can_thaw) {
            visit_slots(c, retire);
        }
        c->can_thaw = false;
    }
    atomic_store(&n_changing, 0);
    atomic_store(&n_forking, 0);
    atomic_flag_clear(&is_freezing);
}

uint64_t hpp__samples_bytes(void)
{
    uint64_t sum = 0;
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); c != NULL; c = c->next) {
        for (uint32_t i = 0; i < c->n_used; i++) {
            bool is_live = c->slots[i].state != HPP_SAMPLE_FREE && c->twin != 0;
            sum += is_live ? c->slots[i].n_bytes : 0;
        }
    }
    return sum;
}
