/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The swapping selection sort, replayed in O(n log n).
 *
 * Sorting determines which key comes to a position; the swaps determine which of the elements with
 * that key. So elements with equal keys form a group, and each group keeps the current positions of
 * its elements in a heap. For position i, the smallest remaining key gives the group, and the top
 * of its heap the position p of the element that moves to i. The element that was at i moves to p.
 * All positions before i are final, so i was the top of the heap of *its* group: replacing the top
 * by p repairs that heap.
 */
#include "base/arena.h"
#include "chart/hp2ps_sort.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"

#define N_BUCKETS 513

int hpr__sort_by_number(const void *a, const void *b)
{
    double left = ((const hpr__sort_item *)a)->number;
    double right = ((const hpr__sort_item *)b)->number;

    return (left > right) - (left < right);
}

int hpr__sort_by_text(const void *a, const void *b)
{
    hpf_str left = ((const hpr__sort_item *)a)->text;
    hpf_str right = ((const hpr__sort_item *)b)->text;

    return hpf_str_compare(left, right);
}

int hpr__sort_by_text_down(const void *a, const void *b)
{
    return hpr__sort_by_text(b, a);
}

static uint32_t bucket_of(hpf_str name)
{
    uint32_t hash = 0;

    for (size_t i = 0; i < name.length; i++) {
        hash = 3 * hash + (uint32_t)(int32_t)(signed char)name.data[i];
    }
    if (hash > INT32_MAX) {
        hash = 0 - hash;
    }
    return hash % N_BUCKETS;
}

hpf_status hpr__sort_hash_table(hpr__sort_item *items, uint32_t n, hpf_arena *scratch,
                                hpf_error *err)
{
    hpr__sort_item *copy = hpf_arena_array(scratch, n, sizeof *copy);
    uint32_t *buckets = hpf_arena_array(scratch, n, sizeof *buckets);
    uint32_t ends[N_BUCKETS] = {0};

    if (!copy || !buckets) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = items[i];
        buckets[i] = bucket_of(items[i].text);
        ends[buckets[i]]++;
    }
    for (int bucket = 1; bucket < N_BUCKETS; bucket++) {
        ends[bucket] += ends[bucket - 1];
    }
    /* Filling each bucket from its end puts the newest name first. */
    for (uint32_t i = 0; i < n; i++) {
        items[--ends[buckets[i]]] = copy[i];
    }
    return HPF_OK;
}

typedef struct swap_sort {
    hpr__sort_item *ranked; /* by key */
    uint32_t *group;        /* by element: number of its key */
    uint32_t *start;        /* by group: where its heap begins in `heaps` */
    uint32_t *size;         /* by group: positions in the heap */
    uint32_t *heaps;        /* positions, smallest on top */
    uint32_t *at;           /* by position: the element there */
} swap_sort;

static hpf_status allocate(swap_sort *sort, uint32_t n, hpf_arena *scratch, hpf_error *err)
{
    uint32_t *numbers = hpf_arena_array(scratch, n, 5 * sizeof *numbers);

    sort->ranked = hpf_arena_array(scratch, n, sizeof *sort->ranked);
    if (!numbers || !sort->ranked) {
        return hpf_error_set_memory(err);
    }
    sort->group = numbers;
    sort->start = numbers + n;
    sort->size = numbers + 2 * (size_t)n;
    sort->heaps = numbers + 3 * (size_t)n;
    sort->at = numbers + 4 * (size_t)n;
    return HPF_OK;
}

/* Numbers the distinct keys and fills the heaps in order of position, which makes them heaps. */
static void make_groups(swap_sort *sort, const hpr__sort_item *items, uint32_t n,
                        hpr__sort_compare *compare)
{
    uint32_t n_groups = 0;

    for (uint32_t i = 0; i < n; i++) {
        sort->ranked[i] = items[i];
        sort->ranked[i].element = i;
        sort->at[i] = i;
    }
    qsort(sort->ranked, n, sizeof *sort->ranked, compare);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || compare(&sort->ranked[i - 1], &sort->ranked[i]) != 0) {
            sort->start[n_groups++] = i;
        }
        sort->ranked[i].group = n_groups - 1;
        sort->group[sort->ranked[i].element] = n_groups - 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t group = sort->group[i];

        sort->heaps[sort->start[group] + sort->size[group]++] = i;
    }
}

/* Replaces the top of the heap of a group, and sifts it down. */
static void replace_top(swap_sort *sort, uint32_t group, uint32_t position)
{
    uint32_t *heap = sort->heaps + sort->start[group];
    uint32_t size = sort->size[group];
    uint32_t hole = 0;

    for (;;) {
        uint32_t child = 2 * hole + 1;

        if (child + 1 < size && heap[child + 1] < heap[child]) {
            child++;
        }
        if (child >= size || heap[child] >= position) {
            break;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = position;
}

/* Removes and returns the smallest position of a group. */
static uint32_t take_top(swap_sort *sort, uint32_t group)
{
    uint32_t *heap = sort->heaps + sort->start[group];
    uint32_t top = heap[0];
    uint32_t last = heap[--sort->size[group]];

    if (sort->size[group] > 0) {
        replace_top(sort, group, last);
    }
    return top;
}

hpf_status hpr__sort_by_swaps(hpr__sort_item *items, uint32_t n, hpr__sort_compare *compare,
                              hpf_arena *scratch, hpf_error *err)
{
    swap_sort sort;

    if (allocate(&sort, n, scratch, err)) {
        return HPF_ERR_MEMORY;
    }
    make_groups(&sort, items, n, compare);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t position = take_top(&sort, sort.ranked[i].group);
        uint32_t coming = sort.at[position];

        if (position != i) {
            replace_top(&sort, sort.group[sort.at[i]], position);
            sort.at[position] = sort.at[i];
            sort.at[i] = coming;
        }
    }
    /* `ranked` is no longer needed, and holds the items in their old order. */
    memcpy(sort.ranked, items, n * sizeof *items);
    for (uint32_t i = 0; i < n; i++) {
        items[i] = sort.ranked[sort.at[i]];
    }
    return HPF_OK;
}
