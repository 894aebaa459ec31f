/* SPDX-License-Identifier: BSD-2-Clause */
#include "mapped_pages.h"

#include <string.h>

#include "native/window/platform.h"

enum {
    ADDRESS_BITS = 47,
    SPAN_SHIFT = 30,
    N_SPANS = 1 << (ADDRESS_BITS - SPAN_SHIFT),
    PAGES_PER_SPAN = (1 << SPAN_SHIFT) / HPP_PAGE_BYTES,
};
static const uintptr_t span_bytes = (uintptr_t)1 << SPAN_SHIFT;

/* A span is a value of hpp_page, if all its pages are the same, or the address of its leaf: a byte
 * for each page. Leaves stay for good. */
static HPP_LARGE _Atomic uintptr_t spans[N_SPANS];

static inline bool is_leaf(uintptr_t span)
{
    return span > HPP_PAGE_RESERVED;
}

static uintptr_t span_of(uintptr_t address)
{
    uintptr_t index = address >> SPAN_SHIFT;
    return index < N_SPANS ? atomic_load_explicit(&spans[index], memory_order_acquire)
                           : (uintptr_t)HPP_PAGE_OTHER;
}

static unsigned char *bytes_of(uintptr_t span)
{
    return (unsigned char *)span; /* NOLINT(performance-no-int-to-ptr) */
}

/* Returns the end of the span of an address, at most `end`. */
static uintptr_t end_of_span(uintptr_t address, uintptr_t end)
{
    uintptr_t next = (address / span_bytes + 1) * span_bytes;
    return next < end ? next : end;
}

static inline size_t page_in_span(uintptr_t address)
{
    return address % span_bytes / HPP_PAGE_BYTES;
}

/* Returns the leaf of a span, made if it has none; NULL without memory. */
static unsigned char *leaf_of(uintptr_t index)
{
    uintptr_t span = atomic_load_explicit(&spans[index], memory_order_acquire);
    if (!is_leaf(span)) {
        unsigned char *fresh = hpp__map(PAGES_PER_SPAN);
        if (fresh == NULL) {
            return NULL;
        }
        if (span != HPP_PAGE_OTHER) {
            memset(fresh, (int)span, PAGES_PER_SPAN);
        }
        if (atomic_compare_exchange_strong(&spans[index], &span, (uintptr_t)fresh)) {
            return fresh;
        }
        hpp__unmap(fresh, PAGES_PER_SPAN); /* another thread was faster */
    }
    return bytes_of(span);
}

hpp_page hpp__page_at(uintptr_t address)
{
    uintptr_t span = span_of(address);
    return (hpp_page)(is_leaf(span) ? bytes_of(span)[page_in_span(address)] : span);
}

uintptr_t hpp__pages_same(uintptr_t begin, uintptr_t end)
{
    const hpp_page page = hpp__page_at(begin);
    while (begin < end) {
        uintptr_t span = span_of(begin);
        uintptr_t next = end_of_span(begin, end);
        if (!is_leaf(span)) {
            if (span != page) {
                break;
            }
            begin = next;
            continue;
        }
        const unsigned char *leaf = bytes_of(span);
        while (begin < next && leaf[page_in_span(begin)] == page) {
            begin += HPP_PAGE_BYTES;
        }
        if (begin < next) {
            break;
        }
    }
    return begin;
}

uintptr_t hpp__pages_block_before(uintptr_t address)
{
    do {
        bool is_whole = address % span_bytes == 0 && !is_leaf(span_of(address - 1));
        address -= is_whole ? span_bytes : (uintptr_t)HPP_PAGE_BYTES;
    } while (hpp__page_at(address) == HPP_PAGE_REST && address > 0);
    return address;
}

bool hpp__pages_set(uintptr_t begin, uintptr_t end, hpp_page page)
{
    while (begin < end) {
        uintptr_t index = begin >> SPAN_SHIFT;
        uintptr_t next = end_of_span(begin, end);
        uintptr_t span = span_of(begin);
        bool is_whole = next - begin == span_bytes;
        if (index >= N_SPANS) {
            return false;
        }
        if (is_leaf(span) || (span != page && (!is_whole || !atomic_compare_exchange_strong(
                                                                &spans[index], &span, page)))) {
            unsigned char *leaf = leaf_of(index);
            if (leaf == NULL) {
                return false;
            }
            memset(leaf + page_in_span(begin), (int)page, (next - begin) / HPP_PAGE_BYTES);
        }
        begin = next;
    }
    return true;
}
