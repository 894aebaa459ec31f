/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of live blocks: whatever the functions in line leave over, and walks. See blocks.h.
 */
#include "blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>

#include "native/window/window_writer.h"

enum {
    LEAF_LIST_PAGES = 512, /* 1 TiB */
    MAX_LISTED_LEAVES = LEAF_LIST_PAGES * HPP_WINDOW_PAGE_BYTES / 8,
    PAGE_GRANULES = HPP_WINDOW_PAGE_BYTES / 4,
    LEAF_PAGES = HPP_GRANULES_PER_LEAF / PAGE_GRANULES,
    PAGEMAP_BATCH = 128,
    MAX_PRIVATELY_LISTED = 1 << 16,
};

HPP_LARGE _Atomic(hpp_branch *) hpp__branches[HPP_MAX_BRANCHES];

/* The leaves in the order in which they were made, so that a walk need not look at every place
 * where one could be; it does if there are more (256 GiB of heap). What lost a race to be made is
 * here too. */
typedef struct listed_leaf {
    _Atomic(_Atomic uint32_t *) leaf;
    uintptr_t index;
} listed_leaf;
static HPP_LARGE listed_leaf listed[MAX_PRIVATELY_LISTED];
static _Atomic uint32_t n_listed;

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Adds a leaf to the list that the collector reads. If the list or the window is full, the leaf is
 * not measured, and its blocks are in no image. */
static void list_leaf(const void *leaf, uintptr_t index)
{
    hpp_window_head *head = &hpp__window->head;
    uint32_t page = atomic_load(&head->n_leaf_pages);
    if (page == 0) {
        uint32_t fresh = hpp__window_pages(LEAF_LIST_PAGES);
        if (fresh == 0) {
            return;
        }
        head->branches = (uintptr_t)hpp__branches;
        if (atomic_compare_exchange_strong(&head->n_leaf_pages, &page, fresh)) {
            page = fresh;
        }
    }
    _Atomic uint64_t *list = hpp__window_at(page);
    uint64_t entry = hpp__leaf_entry((uintptr_t)leaf, index);
    for (uint32_t i = atomic_load(&head->n_leaves); i < MAX_LISTED_LEAVES; i++) {
        uint64_t nothing = 0;
        if (atomic_compare_exchange_strong(&list[i], &nothing, entry)) {
            uint32_t n = atomic_load(&head->n_leaves);
            while (n <= i && !atomic_compare_exchange_weak(&head->n_leaves, &n, i + 1)) {
            }
            return;
        }
    }
}

void hpp__blocks_forked(void)
{
    const hpp_window_head *head = &hpp__window->head;
    uint32_t page = atomic_load(&head->n_leaf_pages);
    _Atomic uint64_t *list = hpp__window_at(page);
    for (uint32_t i = 0; page != 0 && i < atomic_load(&head->n_leaves); i++) {
        uint64_t entry = atomic_load(&list[i]);
        uintptr_t index = entry & HPP_MAX_LEAVES;
        if ((uintptr_t)hpp__leaf_at(index) != hpp__leaf_of_entry(entry)) {
            atomic_store(&list[i], 0);
        }
    }
}

/* Returns the branch of a leaf, made if there is none yet; NULL without memory. */
static hpp_branch *make_branch(uintptr_t index)
{
    _Atomic(hpp_branch *) *place = &hpp__branches[index / HPP_LEAVES_PER_BRANCH];
    hpp_branch *branch = atomic_load(place);
    hpp_branch *fresh = branch == NULL ? hpp__map(sizeof(*fresh)) : NULL;
    if (fresh != NULL && !atomic_compare_exchange_strong(place, &branch, fresh)) {
        hpp__unmap(fresh, sizeof(*fresh));
    } else if (fresh != NULL) {
        branch = fresh;
    }
    return branch;
}

static _Atomic uint32_t *make_leaf(uintptr_t index)
{
    hpp_branch *branch = make_branch(index);
    _Atomic uint32_t *fresh = branch != NULL ? hpp__map(HPP_LEAF_BYTES) : NULL;
    if (fresh == NULL) {
        return NULL;
    }
    hpp__syscall(SYS_madvise, (long)fresh, HPP_LEAF_BYTES, MADV_NOHUGEPAGE, 0, 0, 0);
    uint32_t place = atomic_fetch_add(&n_listed, 1);
    if (place < MAX_PRIVATELY_LISTED) {
        listed[place].index = index;
        atomic_store(&listed[place].leaf, fresh);
    }
    _Atomic uint32_t *leaf = NULL;
    if (!atomic_compare_exchange_strong(&branch->leaves[index % HPP_LEAVES_PER_BRANCH], &leaf,
                                        fresh)) {
        hpp__unmap((void *)(uintptr_t)fresh, HPP_LEAF_BYTES);
        return leaf;
    }
    if (hpp__window != NULL) {
        list_leaf((void *)(uintptr_t)fresh, index);
    }
    return fresh;
}

/* Returns the first granule of an address, made if it has none yet; NULL: it cannot have one, or
 * there is no memory. */
static _Atomic uint32_t *make_granule(const void *address)
{
    uintptr_t granule = hpp__granule_of(address);
    uintptr_t index = granule / HPP_GRANULES_PER_LEAF;
    if (index >= HPP_MAX_LEAVES) {
        return NULL;
    }
    _Atomic uint32_t *leaf = hpp__leaf_at(index);
    leaf = leaf != NULL ? leaf : make_leaf(index);
    return leaf == NULL ? NULL : leaf + granule % HPP_GRANULES_PER_LEAF;
}

/* ---- the filter ------------------------------------------------------------------------------ */

HPP_LARGE _Atomic uint8_t hpp__blocks_filter[HPP_FILTER_BYTES];
bool hpp__blocks_are_samples;

void hpp__blocks_note(const void *block)
{
    _Atomic uint8_t *byte = hpp__blocks_filter_byte(block);
    uint8_t n = atomic_load(byte);
    while (n < UINT8_MAX && !atomic_compare_exchange_weak(byte, &n, n + 1)) {
    }
}

/* A byte that was full stays so. */
static void forget(const void *block)
{
    _Atomic uint8_t *byte = hpp__blocks_filter_byte(block);
    uint8_t n = atomic_load(byte);
    while (n > 0 && n < UINT8_MAX && !atomic_compare_exchange_weak(byte, &n, n - 1)) {
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static uint32_t load_part(_Atomic uint32_t *granule)
{
    return atomic_load_explicit(granule, memory_order_relaxed) & HPP_BLOCK_SIZE_PART;
}

static hpp_block read_block(_Atomic uint32_t *first)
{
    uint32_t entry = first == NULL ? 0 : atomic_load_explicit(first, memory_order_relaxed);
    if (entry < HPP_BLOCK_FIRST) {
        return (hpp_block){0};
    }
    hpp_block block = {.site = entry & HPP_BLOCK_SITE};
    if (entry & HPP_BLOCK_SMALL) {
        block.size_bytes = entry >> HPP_BLOCK_SIZE_SHIFT & 0x1f;
        return block;
    }
    block.size_bytes = load_part(first + 1);
    if (entry & HPP_BLOCK_HUGE) {
        block.size_bytes |= (uint64_t)load_part(first + 2) << HPP_BLOCK_SIZE_PART_BITS;
    }
    return block;
}

static void erase(_Atomic uint32_t *first)
{
    uint32_t entry = atomic_load_explicit(first, memory_order_relaxed);
    atomic_store_explicit(first, 0, memory_order_relaxed);
    if (!(entry & HPP_BLOCK_SMALL)) {
        atomic_store_explicit(first + 1, 0, memory_order_relaxed);
    }
    if (!(entry & HPP_BLOCK_SMALL) && (entry & HPP_BLOCK_HUGE)) {
        atomic_store_explicit(first + 2, 0, memory_order_relaxed);
    }
}

hpp_block hpp__blocks_get(const void *address)
{
    return read_block(hpp__granule_at(address));
}

hpp_block hpp__blocks_take(const void *address)
{
    _Atomic uint32_t *first = hpp__granule_at(address);
    hpp_block block = read_block(first);
    if (block.site != 0) {
        erase(first);
        if (hpp__blocks_are_samples) {
            forget(address);
        }
    }
    return block;
}

/* Writes the first granule last: if it is set, the others are complete. */
static void put_huge(_Atomic uint32_t *first, uint32_t site, uint64_t size_bytes)
{
    uint64_t upper = size_bytes >> HPP_BLOCK_SIZE_PART_BITS;
    atomic_store_explicit(first + 2, (uint32_t)upper, memory_order_relaxed);
    atomic_store_explicit(first + 1, (uint32_t)(size_bytes & HPP_BLOCK_SIZE_PART),
                          memory_order_relaxed);
    atomic_store_explicit(first, HPP_BLOCK_FIRST | HPP_BLOCK_HUGE | site, memory_order_release);
}

uint32_t hpp__blocks_mark(const void *address)
{
    hpp_block block = hpp__blocks_get(address);
    if (block.site != 0) {
        put_huge(hpp__granule_at(address), block.site, block.size_bytes);
    } else if (hpp__blocks_are_samples) {
        hpp__blocks_note(address);
    }
    return block.site;
}

bool hpp__blocks_put(const void *address, uint32_t site, uint64_t size_bytes, hpp_block *before)
{
    *before = (hpp_block){0};
    _Atomic uint32_t *first = make_granule(address);
    if (first == NULL) {
        return false;
    }
    *before = hpp__blocks_take(address);
    if (hpp__blocks_are_samples) {
        hpp__blocks_note(address);
    }
    if (size_bytes <= HPP_BLOCK_SIZE_PART) {
        return hpp__blocks_put_usual(address, site, size_bytes);
    }
    put_huge(first, site, size_bytes);
    return true;
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void visit_granules(uintptr_t begin, uintptr_t end, hpp_visit_block *visit, void *context)
{
    for (uintptr_t place = begin; place < end; place += HPP_GRANULE_BYTES) {
        hpp_block block = hpp__blocks_get((const void *)place);
        if (block.site != 0) {
            visit(place, block, context);
        }
    }
}

void hpp__blocks_in(uintptr_t begin, uintptr_t end, hpp_visit_block *visit, void *context)
{
    const uintptr_t leaf_span = (uintptr_t)1 << HPP_LEAF_SHIFT;
    uintptr_t place = hpp__round_up(begin, HPP_GRANULE_BYTES);
    while (place < end && place >> HPP_ADDRESS_BITS == 0) {
        uintptr_t next = (place / leaf_span + 1) * leaf_span;
        if (hpp__leaf_at(place >> HPP_LEAF_SHIFT) != NULL) {
            visit_granules(place, next < end ? next : end, visit, context);
        }
        place = next;
    }
}

/* Stores for pages of a leaf whether they were ever written to, as the kernel knows it: reading an
 * untouched page would cost a fault, and a leaf has 4096 of them. Without /proc, and with larger
 * pages, all are taken as touched. */
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
    const void *leaf = (const void *)(uintptr_t)hpp__leaf_at(index);
    if (leaf == NULL) {
        return;
    }
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

void hpp__blocks_set_site(const void *address, uint32_t site)
{
    _Atomic uint32_t *first = hpp__granule_at(address);
    if (first != NULL) {
        atomic_store(first, (atomic_load(first) & ~(uint32_t)HPP_BLOCK_SITE) | site);
    }
}

void hpp__blocks_each(hpp_visit_block *visit, void *context)
{
    static const char path[] = "/proc/self/pagemap";
    long pagemap = -EINVAL;
    if (getauxval(AT_PAGESZ) == HPP_WINDOW_PAGE_BYTES) {
        pagemap = hpp__syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    }
    uint32_t n = atomic_load(&n_listed);
    for (uint32_t i = 0; i < n && n <= MAX_PRIVATELY_LISTED; i++) {
        _Atomic uint32_t *leaf = atomic_load(&listed[i].leaf);
        if (leaf != NULL && leaf == hpp__leaf_at(listed[i].index)) {
            visit_leaf(listed[i].index, pagemap, visit, context);
        }
    }
    for (uintptr_t i = 0; i < HPP_MAX_LEAVES && n > MAX_PRIVATELY_LISTED; i++) {
        visit_leaf(i, pagemap, visit, context);
    }
    if (pagemap >= 0) {
        hpp__syscall(SYS_close, pagemap, 0, 0, 0, 0, 0);
    }
}
