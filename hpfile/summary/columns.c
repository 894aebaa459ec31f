/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Adding columns and finding them again.
 */
#include "summary/columns.h"

#include <stdlib.h>

#include "base/array.h"

#define DEFAULT_MOST_BYTES ((size_t)64 << 20)

void hpf__columns_init(hpf__columns *c, size_t most_bytes)
{
    most_bytes = most_bytes ? most_bytes : DEFAULT_MOST_BYTES;
    *c = (hpf__columns){.most_words = most_bytes / sizeof *c->words};
    c->sweep_words = c->most_words;
    c->n_kept = SIZE_MAX;
}

void hpf__columns_finish(hpf__columns *c)
{
    free(c->all);
    free(c->words);
    free(c->is_folded);
    *c = (hpf__columns){0};
}

/* Grows the words to what `n_more` need, and not by doubling beyond what may be taken. */
static bool make_room(hpf__columns *c, size_t n_more)
{
    size_t needed = c->n_words + n_more;
    size_t most = c->sweep_words > needed ? c->sweep_words : needed;
    if (needed > c->words_capacity && c->words_capacity > most / 2) {
        uint64_t *words = realloc(c->words, most * sizeof *words);
        c->words = words ? words : c->words;
        c->words_capacity = words ? most : c->words_capacity;
        return words != NULL;
    }
    return HPF__ARRAY_RESERVE(c->words, c->words_capacity, needed);
}

bool hpf__columns_add(hpf__columns *c, const hpf_sample *sample)
{
    if (!HPF__ARRAY_RESERVE(c->all, c->capacity, c->n_columns + 1)) {
        return false;
    }
    if (!make_room(c, 1 + 2 * sample->n_costs)) {
        return false;
    }
    uint64_t *to = c->words + c->n_words;
    *to++ = sample->n_costs;
    for (size_t i = 0; i < sample->n_costs; i++) {
        to = hpf__pack(to, &sample->costs[i]);
    }
    c->all[c->n_columns++] =
        (hpf__column){sample->time, sample->begin_offset, sample->end_offset, c->n_words};
    c->n_words = (size_t)(to - c->words);
    return true;
}

static int compare(const void *left, const void *right)
{
    const hpf__column *a = left, *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return (a->end_offset > b->end_offset) - (a->end_offset < b->end_offset);
}

void hpf__columns_sort(hpf__columns *c)
{
    if (c->n_columns) {
        qsort(c->all, c->n_columns, sizeof *c->all, compare);
    }
}

size_t hpf__columns_find(const hpf__columns *c, size_t from, const hpf_pick *pick)
{
    size_t end = c->n_columns;
    if (from < end && hpf__column_compare(&c->all[from], pick) == 0) {
        return from; /* mostly they are asked for in a row */
    }
    while (from < end) {
        size_t middle = from + (end - from) / 2;
        if (hpf__column_compare(&c->all[middle], pick) < 0) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    bool is_there = from < c->n_columns && hpf__column_compare(&c->all[from], pick) == 0;
    return is_there ? from : c->n_columns;
}
