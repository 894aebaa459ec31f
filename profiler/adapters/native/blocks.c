/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of live blocks: whatever the functions in line leave over, and walks. See blocks.h.
 */
#include "blocks.h"

#include <errno.h>
#include <fcntl.h>

#include "window_writer.h"

enum {
    LEAF_LIST_PAGES = 64,
    MAX_LISTED_LEAVES = LEAF_LIST_PAGES * HPP_WINDOW_PAGE_BYTES / 8,
    PAGE_GRANULES = HPP_WINDOW_PAGE_BYTES / 4,
    LEAF_PAGES = HPP_LEAF_BYTES / HPP_WINDOW_PAGE_BYTES,
    PAGEMAP_BATCH = 512,
};
#define SIZE_PART_BITS 31
#define SIZE_PART      0x7fffffffu

_Atomic(_Atomic uint32_t *) hpp__leaves[HPP_MAX_LEAVES];

/* ---- leaves
 * ---------------------------------------------------------------------------------------------- */

/* Tells the collector where the leaf is. A list that is full, or a window that is, ends the list:
 * the memory guard then knows of less than there is. */
static void list_leaf(const void *leaf)
{
    hpp_window_head *head = &hpp__window->head;
    uint32_t page = atomic_load(&head->n_leaf_pages);
    if (page == 0) {
        uint32_t fresh = hpp__window_pages(LEAF_LIST_PAGES);
        if (fresh == 0) {
            return;
        }
        head->leaf_bytes = HPP_LEAF_BYTES;
        if (atomic_compare_exchange_strong(&head->n_leaf_pages, &page, fresh)) {
            page = fresh;
        }
    }
    _Atomic uint64_t *list = hpp__window_at(page);
    for (uint32_t i = atomic_load(&head->n_leaves); i < MAX_LISTED_LEAVES; i++) {
        uint64_t nothing = 0;
        if (atomic_compare_exchange_strong(&list[i], &nothing, (uintptr_t)leaf)) {
            uint32_t n = atomic_load(&head->n_leaves);
            while (n <= i && !atomic_compare_exchange_weak(&head->n_leaves, &n, i + 1)) {
            }
            return;
        }
    }
}

static _Atomic uint32_t *make_leaf(uintptr_t index)
{
    _Atomic uint32_t *fresh = hpp__map(HPP_LEAF_BYTES);
    if (fresh == NULL) {
        return NULL;
    }
    hpp__syscall(SYS_madvise, (long)fresh, HPP_LEAF_BYTES, MADV_NOHUGEPAGE, 0, 0, 0);
    hpp__syscall(SYS_madvise, (long)fresh, HPP_LEAF_BYTES, MADV_DONTDUMP, 0, 0, 0);
    _Atomic uint32_t *leaf = NULL;
    if (!atomic_compare_exchange_strong(&hpp__leaves[index], &leaf, fresh)) {
        hpp__unmap((void *)(uintptr_t)fresh, HPP_LEAF_BYTES);
        return leaf;
    }
    if (hpp__window != NULL) {
        list_leaf((void *)(uintptr_t)fresh);
    }
    return fresh;
}

/* The granule of an address, or NULL where there is no leaf and none is to be made or can be. */
static _Atomic uint32_t *granule_at(uintptr_t place, bool make)
{
    if (place >> HPP_ADDRESS_BITS != 0) {
        return NULL;
    }
    uintptr_t index = place >> HPP_LEAF_SHIFT;
    _Atomic uint32_t *leaf = atomic_load_explicit(&hpp__leaves[index], memory_order_acquire);
    if (leaf == NULL && make) {
        leaf = make_leaf(index);
    }
    return leaf == NULL ? NULL : leaf + place / HPP_GRANULE_BYTES % HPP_GRANULES_PER_LEAF;
}

static uint32_t load_granule(uintptr_t place)
{
    _Atomic uint32_t *granule = granule_at(place, false);
    return granule == NULL ? 0 : atomic_load_explicit(granule, memory_order_relaxed);
}

static bool store_granule(uintptr_t place, uint32_t entry)
{
    _Atomic uint32_t *granule = granule_at(place, entry != 0);
    if (granule == NULL) {
        return entry == 0;
    }
    atomic_store_explicit(granule, entry, memory_order_release);
    return true;
}

/* ---- blocks
 * ---------------------------------------------------------------------------------------------- */

static hpp_block read_block(uintptr_t place)
{
    uint32_t entry = load_granule(place);
    if (entry < HPP_BLOCK_FIRST) {
        return (hpp_block){0};
    }
    hpp_block block = {.site = entry & HPP_BLOCK_SITE};
    if (entry & HPP_BLOCK_SMALL) {
        block.size_bytes = entry >> HPP_BLOCK_SIZE_SHIFT & 0x1f;
        return block;
    }
    block.size_bytes = load_granule(place + HPP_GRANULE_BYTES) & SIZE_PART;
    if (entry & HPP_BLOCK_HUGE) {
        uint64_t upper = load_granule(place + 2 * HPP_GRANULE_BYTES) & SIZE_PART;
        block.size_bytes |= upper << SIZE_PART_BITS;
    }
    return block;
}

static void erase(uintptr_t place)
{
    uint32_t entry = load_granule(place);
    store_granule(place, 0);
    if (!(entry & HPP_BLOCK_SMALL)) {
        store_granule(place + HPP_GRANULE_BYTES, 0);
    }
    if (!(entry & HPP_BLOCK_SMALL) && (entry & HPP_BLOCK_HUGE)) {
        store_granule(place + 2 * HPP_GRANULE_BYTES, 0);
    }
}

hpp_block hpp__blocks_get(const void *address)
{
    return read_block((uintptr_t)address);
}

hpp_block hpp__blocks_take(const void *address)
{
    hpp_block block = read_block((uintptr_t)address);
    if (block.site != 0) {
        erase((uintptr_t)address);
    }
    return block;
}

/* The upper parts first: a first granule that is there can be believed. */
bool hpp__blocks_put(const void *address, uint32_t site, uint64_t size_bytes, hpp_block *before)
{
    uintptr_t place = (uintptr_t)address;
    *before = (hpp_block){0};
    if (place % HPP_GRANULE_BYTES != 0) {
        return false;
    }
    *before = hpp__blocks_take(address);
    uint32_t entry = HPP_BLOCK_FIRST | site;
    if (size_bytes <= HPP_SMALL_BYTES) {
        entry |= HPP_BLOCK_SMALL | (uint32_t)size_bytes << HPP_BLOCK_SIZE_SHIFT;
        return store_granule(place, entry);
    }
    uint64_t upper = size_bytes >> SIZE_PART_BITS;
    if (upper != 0) {
        entry |= HPP_BLOCK_HUGE;
        if (!store_granule(place + 2 * HPP_GRANULE_BYTES, (uint32_t)upper)) {
            return false;
        }
    }
    return store_granule(place + HPP_GRANULE_BYTES, (uint32_t)(size_bytes & SIZE_PART)) &&
           store_granule(place, entry);
}

/* ---- walks
 * -----------------------------------------------------------------------------------------------
 */

static void visit_granules(uintptr_t begin, uintptr_t end, hpp_visit_block *visit, void *context)
{
    for (uintptr_t place = begin; place < end; place += HPP_GRANULE_BYTES) {
        hpp_block block = read_block(place);
        if (block.site != 0) {
            visit(place, block, context);
        }
    }
}

void hpp__blocks_in(uintptr_t begin, uintptr_t end, hpp_visit_block *visit, void *context)
{
    const uintptr_t leaf_span = (uintptr_t)1 << HPP_LEAF_SHIFT;
    uintptr_t place = (begin + HPP_GRANULE_BYTES - 1) / HPP_GRANULE_BYTES * HPP_GRANULE_BYTES;
    while (place < end && place >> HPP_ADDRESS_BITS == 0) {
        uintptr_t next = (place / leaf_span + 1) * leaf_span;
        if (atomic_load(&hpp__leaves[place >> HPP_LEAF_SHIFT]) != NULL) {
            visit_granules(place, next < end ? next : end, visit, context);
        }
        place = next;
    }
}

/* Whether pages of a leaf were ever written to, as the kernel knows it: reading an untouched page
 * would cost a fault, and a leaf has 4096 of them. Without /proc all are taken as touched. */
static void find_touched(long pagemap, const void *leaf, uint32_t first_page, uint64_t *entries)
{
    const uint64_t present_or_swapped = (uint64_t)3 << 62;
    const long n_bytes = PAGEMAP_BATCH * 8;
    uint64_t page = (uintptr_t)leaf / HPP_WINDOW_PAGE_BYTES + first_page;
    long n = hpp__syscall(SYS_pread64, pagemap, (long)entries, n_bytes, (long)(page * 8), 0, 0);
    for (uint32_t i = 0; i < PAGEMAP_BATCH; i++) {
        entries[i] = n != n_bytes ? 1 : entries[i] & present_or_swapped;
    }
}

static void visit_leaf(uintptr_t index, long pagemap, hpp_visit_block *visit, void *context)
{
    const uintptr_t page_span = (uintptr_t)PAGE_GRANULES * HPP_GRANULE_BYTES;
    const void *leaf = (const void *)(uintptr_t)atomic_load(&hpp__leaves[index]);
    uint64_t touched[PAGEMAP_BATCH];
    for (uint32_t page = 0; page < LEAF_PAGES; page += PAGEMAP_BATCH) {
        find_touched(pagemap, leaf, page, touched);
        for (uint32_t i = 0; i < PAGEMAP_BATCH; i++) {
            uintptr_t begin = (index << HPP_LEAF_SHIFT) + (page + i) * page_span;
            if (touched[i] != 0) {
                visit_granules(begin, begin + page_span, visit, context);
            }
        }
    }
}

void hpp__blocks_each(hpp_visit_block *visit, void *context)
{
    static const char path[] = "/proc/self/pagemap";
    long pagemap = hpp__syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    for (uintptr_t i = 0; i < HPP_MAX_LEAVES; i++) {
        if (atomic_load_explicit(&hpp__leaves[i], memory_order_relaxed) != NULL) {
            visit_leaf(i, pagemap, visit, context);
        }
    }
    if (pagemap >= 0) {
        hpp__syscall(SYS_close, pagemap, 0, 0, 0, 0, 0);
    }
}
