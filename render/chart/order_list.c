/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each band is looked up in the list, by its whole name first, and sorted by the line found.
 */
#include "base/arena.h"
#include "chart/order_list.h"

#include <stdlib.h>

#include "hpfile/str.h"

static const char all_others[] = "*";

typedef struct entry {
    hpf_str text;
    size_t line;
} entry;

/* By text, then from the top of the list. */
static int compare_entries(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    int by_text = hpf_str_compare(x->text, y->text);
    return by_text ? by_text : x->line < y->line ? -1 : x->line > y->line;
}

/* The first line with `text`, or `none`. */
static size_t find_line(const entry *entries, size_t n, hpf_str text, size_t none)
{
    size_t low = 0;
    size_t high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hpf_str_compare(entries[middle].text, text) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && hpf_str_equal(entries[low].text, text) ? entries[low].line : none;
}

/* The list sorted by text, with or without the numbers of stacks. NULL when there is no memory. */
static entry *sorted_entries(hpf_arena *arena, const hpf_str *list, size_t n, bool is_bare)
{
    entry *entries = hpf_arena_array(arena, n, sizeof *entries);
    for (size_t i = 0; entries && i < n; i++) {
        entries[i] = (entry){is_bare ? hpf_str_without_id(list[i]) : list[i], i};
    }
    if (entries) {
        qsort(entries, n, sizeof *entries, compare_entries);
    }
    return entries;
}

/* A band's place and its line of the list. */
typedef struct listed {
    size_t line;
    uint32_t place, band;
} listed;

/* The first line on top; bands of one line stay as they were. */
static int compare_listed(const void *a, const void *b)
{
    const listed *x = a;
    const listed *y = b;
    if (x->line != y->line) {
        return x->line > y->line ? -1 : 1;
    }
    return x->place < y->place ? -1 : x->place > y->place;
}

bool hpr__order_by_list(hpr__chart *chart, uint32_t *order, uint32_t n, const hpf_str *list,
                        size_t n_list)
{
    entry *whole = sorted_entries(chart->arena, list, n_list, false);
    entry *bare = sorted_entries(chart->arena, list, n_list, true);
    listed *bands = hpf_arena_array(chart->arena, n, sizeof *bands);
    if (!whole || !bare || !bands) {
        return false;
    }
    size_t rest = find_line(whole, n_list, (hpf_str){all_others, sizeof all_others - 1}, n_list);
    for (uint32_t i = 0; i < n; i++) {
        hpf_str name = chart->bands[order[i]].name;
        size_t line = find_line(bare, n_list, hpf_str_without_id(name), rest);
        bands[i] = (listed){find_line(whole, n_list, name, line), i, order[i]};
    }
    qsort(bands, n, sizeof *bands, compare_listed);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = bands[i].band;
    }
    return true;
}

static bool has_line(const hpf_str *list, size_t n_list, hpf_str text)
{
    size_t i = 0;
    while (i < n_list && !hpf_str_equal(list[i], text)) {
        i++;
    }
    return i < n_list;
}

bool hpr__order_list_is_whole(const hpr__chart *chart, uint32_t n, const hpf_str *list,
                              size_t n_list)
{
    uint32_t i = 0;
    while (i < n && has_line(list, n_list, chart->bands[i].name)) {
        i++;
    }
    return i == n;
}

bool hpr__order_list_has_other(const hpf_str *list, size_t n_list)
{
    return has_line(list, n_list, HPF_STR("OTHER"));
}
