/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The two steps of hp2ps that decide the order of equal names: its hash table and its swapping
 * selection sort.
 */
#ifndef HPR_HP2PS_SORT_H
#define HPR_HP2PS_SORT_H

#include "base/arena.h"
#include "hpfile/survey.h"

typedef struct hpr__sort_item {
    hpf_name name;
    uint32_t group;   /* private: number of its key among the distinct keys */
    uint32_t element; /* private: position before the sort */
    double number;
    hpf_str text;
} hpr__sort_item;

typedef int hpr__sort_compare(const void *a, const void *b);

/* Compare by `number`, ascending; by the bytes of `text`, ascending and descending. */
int hpr__sort_by_number(const void *a, const void *b);
int hpr__sort_by_text(const void *a, const void *b);
int hpr__sort_by_text_down(const void *a, const void *b);

/* Reorders names, given in order of appearance, as in the hash table of hp2ps: 513 buckets by a
 * hash of `text`, the newest name first in each. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__sort_hash_table(hpr__sort_item *items, uint32_t n, hpf_arena *scratch,
                                             hpf_error *err);

/* Sorts as hp2ps's selection sort does: for every position from the first, the first of the
 * smallest remaining items is *swapped* there. That is not stable, so the swaps are replayed, in
 * O(n log n). Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__sort_by_swaps(hpr__sort_item *items, uint32_t n,
                                           hpr__sort_compare *compare, hpf_arena *scratch,
                                           hpf_error *err);

#endif
