/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are sorted by function and line; each function is paired by itself.
 */
#include "hpfile/moved_lines.h"
#include "base/array.h"
#include "base/lex.h"

#include <stdlib.h>

/* A name with a line. */
typedef struct placed {
    hpf_str function; /* all before the line */
    hpf_str rest;     /* from the line on */
    uint32_t line, number;
} placed;

/* The lines of one function in one profile, increasing. */
typedef struct lines {
    const placed *const *all;
    size_t n;
} lines;

/* Returns whether the text ends in the name of a source file: a point and letters. */
static bool ends_in_file(hpf_str text)
{
    size_t i = text.length;
    while (i > 0 && ((text.data[i - 1] | 32) >= 'a' && (text.data[i - 1] | 32) <= 'z')) {
        i--;
    }
    return i < text.length && i > 1 && text.data[i - 1] == '.';
}

/* GHC writes places of several lines as `file.hs:(14,1)-(26,19)`. */
hpf_str hpf_line_of_name(hpf_str name)
{
    for (size_t i = name.length; i > 1; i--) {
        size_t at = i + (i < name.length && name.data[i] == '(');
        bool is_line = name.data[i - 1] == ':' && at < name.length && hpf__is_digit(name.data[at]);
        if (is_line && ends_in_file((hpf_str){name.data, i - 1})) {
            return hpf_str_from(name, i);
        }
    }
    return HPF_STR("");
}

static uint32_t number_at(hpf_str text)
{
    uint32_t number = 0;
    size_t i = text.data[0] == '(';
    for (; i < text.length && hpf__is_digit(text.data[i]) && number < UINT32_MAX / 20; i++) {
        number = 10 * number + (uint32_t)(text.data[i] - '0');
    }
    return number;
}

static int compare_placed(const void *left, const void *right)
{
    const placed *a = left, *b = right;
    int order = hpf_str_compare(a->function, b->function);
    order = order ? order : (a->line > b->line) - (a->line < b->line);
    return order ? order : hpf_str_compare(a->rest, b->rest);
}

static int compare_shifts(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Returns the distance that most lines of `a` moved to be lines of `b`. `shifts` has room for all
 * pairs. */
static int64_t best_shift(lines a, lines b, int64_t *shifts)
{
    size_t n = 0, most = 0;
    for (size_t i = 0; i < a.n; i++) {
        for (size_t k = 0; k < b.n; k++) {
            shifts[n++] = (int64_t)b.all[k]->line - a.all[i]->line;
        }
    }
    HPF__ARRAY_SORT(shifts, n, compare_shifts);
    int64_t best = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && shifts[end] == shifts[begin]; end++) {
        }
        bool is_better =
            end - begin > most || (end - begin == most && llabs(shifts[begin]) <= llabs(best));
        best = is_better ? shifts[begin] : best;
        most = is_better ? end - begin : most;
    }
    return best;
}

/* Pairs lines in their order. */
static void pair(lines a, lines b, int64_t *shifts, uint32_t *moved_to)
{
    if (a.n == 0 || b.n == 0) {
        return;
    }
    int64_t shift = best_shift(a, b, shifts);
    size_t i = 0, k = 0, after_i = 0, after_k = 0;
    while (i < a.n && k < b.n) {
        int64_t moved = a.all[i]->line + shift, line = b.all[k]->line;
        if (moved == line) {
            moved_to[a.all[i]->number] = b.all[k]->number;
            pair((lines){a.all + after_i, i - after_i}, (lines){b.all + after_k, k - after_k},
                 shifts, moved_to);
            after_i = i + 1;
            after_k = k + 1;
        }
        i += moved <= line;
        k += moved >= line;
    }
    pair((lines){a.all + after_i, a.n - after_i}, (lines){b.all + after_k, b.n - after_k}, shifts,
         moved_to);
}

/* Undoes moves to a line that both profiles have, unless it moved itself: else two lines of the old
 * profile would be one. */
static void keep_lines(lines a, const uint64_t *sides, uint32_t *moved_to)
{
    bool is_undone = true;
    while (is_undone) {
        is_undone = false;
        for (size_t i = 0; i < a.n; i++) {
            uint32_t number = a.all[i]->number, to = moved_to[number];
            if (to != number && (sides[to] & 1) && moved_to[to] == to) {
                moved_to[number] = number;
                is_undone = true;
            }
        }
    }
}

/* Pairs the lines of one function, the names [begin, end) of `all`. `scratch` has room for them
 * twice. */
static bool pair_function(const placed *all, size_t begin, size_t end, const uint64_t *sides,
                          const placed **scratch, uint32_t *moved_to)
{
    lines by_side[2] = {{scratch, 0}, {scratch + (end - begin), 0}};
    for (int side = 0; side < 2; side++) {
        for (size_t i = begin; i < end; i++) {
            if (sides[all[i].number] >> side & 1) {
                scratch[(size_t)side * (end - begin) + by_side[side].n++] = &all[i];
            }
        }
    }
    lines a = by_side[0], b = by_side[1];
    if (a.n == 0 || b.n == 0 || a.n > HPF_MOST_MOVED_LINES || b.n > HPF_MOST_MOVED_LINES) {
        return true;
    }
    int64_t *shifts = malloc(a.n * b.n * sizeof *shifts);
    if (shifts) {
        pair(a, b, shifts, moved_to);
        keep_lines(a, sides, moved_to);
    }
    free(shifts);
    return shifts != NULL;
}

bool hpf_moved_lines_find(const hpf_str *texts, uint32_t n, const uint64_t *sides,
                          uint32_t *moved_to)
{
    placed *all = calloc((size_t)n + 1, sizeof *all);
    const placed **scratch = calloc((size_t)n + 1, 2 * sizeof(placed *));
    size_t n_placed = 0;
    bool fits = all && scratch;
    for (uint32_t i = 0; fits && i < n; i++) {
        hpf_str rest = hpf_line_of_name(texts[i]);
        moved_to[i] = i;
        if (rest.length) {
            all[n_placed++] =
                (placed){{texts[i].data, texts[i].length - rest.length}, rest, number_at(rest), i};
        }
    }
    HPF__ARRAY_SORT(all, n_placed, compare_placed);
    for (size_t begin = 0, end; begin < n_placed && fits; begin = end) {
        for (end = begin + 1;
             end < n_placed && hpf_str_equal(all[begin].function, all[end].function); end++) {
        }
        fits = pair_function(all, begin, end, sides, scratch, moved_to);
    }
    free(all);
    free(scratch);
    return fits;
}
