/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory leaves the tables before the kernel gets it back: another thread may get it at once. It
 * enters them when it is there.
 */
#include "maps.h"

#include <sys/auxv.h>

#include "accounting.h"
#include "entry.h"
#include "native/machine/linux_numbers.h"
#include "native/target/counting/mapped_pages.h"
#include "native/target/counting/next_allocator.h"
#include "native/window/trie.h"
#include "process.h"

/* Called from assembly only. */
void *hpp__on_mmap(void *wanted, size_t n_bytes, int protection, int flags, int file, off_t offset,
                   HPP_CALLER_PARAMETERS);
void *hpp__on_mremap(void *block, size_t n_before, size_t n_bytes, int flags, void *wanted,
                     long unused, HPP_CALLER_PARAMETERS);
int hpp__on_mprotect(void *begin, size_t n_bytes, int protection, HPP_CALLER_PARAMETERS);

/* An entry with six arguments of its own. */
#define ENTRY_6(name, function) HPP_ASM_FUNCTION(".globl", #name, HPP_CALL_AFTER_6(#function))
ENTRY_6(mmap, hpp__on_mmap);
ENTRY_6(mmap64, hpp__on_mmap);
ENTRY_6(mremap, hpp__on_mremap);
HPP_ENTRY(mprotect, 3, hpp__on_mprotect);

/* A range of whole pages; empty: nothing is counted in it. */
typedef struct range {
    uintptr_t begin, end;
} range;

static size_t usual_page_bytes(void)
{
    return getauxval(AT_PAGESZ);
}

static range pages_of(const void *begin, size_t n_bytes, size_t page_bytes)
{
    uintptr_t first = (uintptr_t)begin, end;
    bool is_valid = !(first & (usual_page_bytes() - 1)) &&
                    !__builtin_add_overflow(first, n_bytes + (page_bytes - 1), &end) &&
                    n_bytes + (page_bytes - 1) >= n_bytes;
    return is_valid ? (range){first, end & ~(uintptr_t)(page_bytes - 1)} : (range){0};
}

/* Returns whether mappings are counted in this process. Allocators must not get here: it may start
 * profiling. */
static bool is_on(void)
{
    return (hpp__alive() || hpp__process_wake()) && hpp__settings.has_maps;
}

static bool is_block(hpp_page page)
{
    return page == HPP_PAGE_FIRST || page == HPP_PAGE_REST;
}

static bool has_any(range pages)
{
    return pages.begin < pages.end && (hpp__page_at(pages.begin) != HPP_PAGE_OTHER ||
                                       hpp__pages_same(pages.begin, pages.end) < pages.end);
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* Enters what is left of a block, which is counted already. */
static void keep_piece(range piece, uint32_t site)
{
    hpp_block before;
    if (hpp__blocks_put((const void *)piece.begin, site, piece.end - piece.begin, &before)) {
        hpp__pages_set(piece.begin, piece.begin + HPP_PAGE_BYTES, HPP_PAGE_FIRST);
    }
}

/* Takes the part of a block that is in a range out of it. Returns the end of that part; the
 * beginning of the range if the block is not counted. */
static uintptr_t cut_block(uintptr_t begin, range gone)
{
    hpp_block block = hpp__blocks_get((const void *)begin);
    uintptr_t end = begin + block.size_bytes;
    range cut = {begin < gone.begin ? gone.begin : begin, end < gone.end ? end : gone.end};
    if (block.site == 0 || cut.begin >= cut.end) {
        return gone.begin;
    }
    hpp__blocks_take((const void *)begin);
    int n_pieces = (begin < cut.begin) + (cut.end < end);
    hpp_block part = {block.site, cut.end - cut.begin};
    hpp__account_cut(part, n_pieces == 0, n_pieces == 2);
    if (begin < cut.begin) {
        keep_piece((range){begin, cut.begin}, block.site);
    }
    if (cut.end < end) {
        keep_piece((range){cut.end, end}, block.site);
    }
    return cut.end;
}

/* Counts what a range contains as unmapped. Returns the site of the first block in it; 0: none. */
static uint32_t leave(range gone)
{
    uint32_t site = 0;
    if (!has_any(gone) || !is_on()) {
        return 0;
    }
    for (uintptr_t at = gone.begin; at < gone.end;) {
        hpp_page page = hpp__page_at(at);
        uintptr_t next = at;
        if (is_block(page)) {
            uintptr_t begin = page == HPP_PAGE_FIRST ? at : hpp__pages_block_before(at);
            site = site != 0 ? site : hpp__blocks_get((const void *)begin).site;
            next = cut_block(begin, (range){at, gone.end});
        }
        uintptr_t other =
            page == HPP_PAGE_FIRST ? at + HPP_PAGE_BYTES : hpp__pages_same(at, gone.end);
        at = next > at ? next : other;
    }
    hpp__pages_set(gone.begin, gone.end, HPP_PAGE_OTHER);
    return site;
}

/* ---- entering -------------------------------------------------------------------------------- */

/* Returns whether the stack of a site has a function of this library, which has called an
 * allocator. What a signal handler has interrupted has not called it. */
static bool is_inside_call(uint32_t site)
{
    for (uint32_t node = hpp__trie_site_node(site); node != 0;) {
        const hpp_window_node *frame = hpp__trie_look(node);
        if (frame->flags & HPP_NODE_EXACT) {
            return false;
        }
        if (!(frame->flags & (HPP_NODE_SCOPE | HPP_NODE_PYTHON)) &&
            hpp__next_allocator_is_own(frame->address)) {
            return true;
        }
        node = frame->parent;
    }
    return false;
}

/* Returns where the mapping of a caller is counted; site HPP_SITE_NONE: it is not. */
static hpp_place place_of(hpp_caller caller)
{
    const hpp_place none = {HPP_SITE_NONE, NULL};
    const void *next_malloc = (const void *)(uintptr_t)hpp__next.malloc;
    if (hpp__is_in_python_allocator ||
        hpp__next_allocator_is_together((const void *)caller.pc, next_malloc) || !is_on()) {
        return none;
    }
    hpp_place place = hpp__account_place_of(caller, HPP_CALL_MMAP);
    return is_inside_call(place.site) ? none : place;
}

static void enter(range pages, hpp_place place)
{
    uintptr_t second = pages.begin + HPP_PAGE_BYTES;
    if (place.site == HPP_SITE_NONE || pages.begin >= pages.end) {
        return;
    }
    if (hpp__pages_set(pages.begin, second, HPP_PAGE_FIRST)) {
        hpp__pages_set(second, pages.end, HPP_PAGE_REST);
        hpp__account_block((void *)pages.begin, pages.end - pages.begin, place.cell, place.site);
    }
}

void hpp__maps_disown(uintptr_t address)
{
    hpp_page page = hpp__page_at(address);
    if (!is_block(page)) {
        return;
    }
    uintptr_t first = address & ~(uintptr_t)(HPP_PAGE_BYTES - 1);
    first = page == HPP_PAGE_FIRST ? first : hpp__pages_block_before(first);
    leave((range){first, first + hpp__blocks_get((const void *)first).size_bytes});
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Returns the size of a page of a mapping with these flags. */
static size_t page_bytes_of(int flags)
{
    enum { USUAL_HUGE_SHIFT = 21 };
    unsigned shift = (unsigned)flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;
    return flags & MAP_HUGETLB ? (size_t)1 << (shift != 0 ? shift : USUAL_HUGE_SHIFT)
                               : usual_page_bytes();
}

HPP_ANY_STACK void *hpp__on_mmap(void *wanted, size_t n_bytes, int protection, int flags, int file,
                                 off_t offset, HPP_CALLER_PARAMETERS)
{
    void *block = hpp__next.mmap(wanted, n_bytes, protection, flags, file, offset);
    if (block == MAP_FAILED) {
        return block;
    }
    range pages = pages_of(block, n_bytes, page_bytes_of(flags));
    leave(pages); /* by MAP_FIXED, or without these functions */
    if (flags & MAP_ANONYMOUS && protection & PROT_WRITE) {
        enter(pages, place_of(HPP_CALLER));
    } else if (flags & MAP_ANONYMOUS) {
        hpp__pages_set(pages.begin, pages.end, HPP_PAGE_RESERVED);
    }
    return block;
}

HPP_EXPORT HPP_ANY_STACK int munmap(void *begin, size_t n_bytes)
{
    range pages = pages_of(begin, n_bytes, usual_page_bytes());
    uint32_t site = leave(pages);
    int error = hpp__next.munmap(begin, n_bytes);
    if (error != 0) { /* too many mappings to cut one */
        enter(pages, (hpp_place){site, NULL});
    }
    return error;
}

/* Counts like realloc: the block is new, and the caller's. It leaves before only as far as the
 * kernel may give its old place away; where it may not be moved, the kernel often refuses. */
HPP_ANY_STACK void *hpp__on_mremap(void *block, size_t n_before, size_t n_bytes, int flags,
                                   void *wanted, long unused, HPP_CALLER_PARAMETERS)
{
    (void)unused;
    range before = pages_of(block, n_before, usual_page_bytes());
    range kept = pages_of(block, n_bytes, usual_page_bytes());
    range gone = {flags & MREMAP_MAYMOVE ? before.begin : kept.end, before.end};
    hpp_page page = before.begin < before.end ? hpp__page_at(before.begin) : HPP_PAGE_OTHER;
    uint32_t site = flags & MREMAP_DONTUNMAP ? 0 : leave(gone);
    void *moved = hpp__next.mremap(block, n_before, n_bytes, flags, wanted);
    if (moved == MAP_FAILED) {
        enter(gone, (hpp_place){site, NULL});
        return moved;
    }
    range pages = pages_of(moved, n_bytes, usual_page_bytes());
    leave(pages);
    if (page == HPP_PAGE_RESERVED) {
        hpp__pages_set(pages.begin, pages.end, HPP_PAGE_RESERVED);
    } else if (is_block(page)) {
        enter(pages, place_of(HPP_CALLER));
    }
    return moved;
}

HPP_ANY_STACK int hpp__on_mprotect(void *begin, size_t n_bytes, int protection,
                                   HPP_CALLER_PARAMETERS)
{
    int error = hpp__next.mprotect(begin, n_bytes, protection);
    if (error != 0 || !(protection & PROT_WRITE)) {
        return error;
    }
    range pages = pages_of(begin, n_bytes, usual_page_bytes());
    for (uintptr_t at = pages.begin; at < pages.end;) {
        range same = {at, hpp__pages_same(at, pages.end)};
        if (hpp__page_at(at) == HPP_PAGE_RESERVED) {
            enter(same, place_of(HPP_CALLER));
        }
        at = same.end;
    }
    return error;
}
