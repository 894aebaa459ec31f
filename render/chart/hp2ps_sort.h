/* SPDX-License-Identifier: BSD-2-Clause
 *
 * hp2ps's two ways of putting names in order, which decide between equals: its hash table and its
 * selection sort that swaps.
 */
#ifndef HPR_HP2PS_SORT_H
#define HPR_HP2PS_SORT_H

#include "base/arena.h"
#include "hpfile/survey.h"

/* A name among others, and what it is sorted by. */
typedef struct hpr__sort_item {
    hpf_name name;
    uint32_t group;   /* of the sort itself: number of its key among the distinct keys */
    uint32_t element; /* of the sort itself: position before it */
    double number;
    hpf_str text;
} hpr__sort_item;

/* As qsort's. */
typedef int hpr__sort_compare(const void *a, const void *b);

/* By `number`, ascending; by the bytes of `text`, ascending and descending. */
int hpr__sort_by_number(const void *a, const void *b);
int hpr__sort_by_text(const void *a, const void *b);
int hpr__sort_by_text_down(const void *a, const void *b);

/* Puts names numbered in order of appearance into the order of hp2ps's table: 513 buckets by a hash
 * of the bytes, from the first bucket to the last, newest name first within each. The items' texts
 * are the keys. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__sort_hash_table(hpr__sort_item *items, uint32_t n, hpf_arena *scratch,
                                             hpf_error *err);

/* What hp2ps's selection sort makes of `items`: for every position from the first, the first
 * smallest of the rest is *swapped* there. Not stable, so the sort is replayed, but in
 * O(n log n): see the file. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__sort_by_swaps(hpr__sort_item *items, uint32_t n,
                                           hpr__sort_compare *compare, hpf_arena *scratch,
                                           hpf_error *err);

#endif
