/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads places, adds costs up by file and lines, and finds the files.
 */
#include "text/text_costs.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "hpfile/str.h"

/* ---- Places ---------------------------------------------------------------------------------- */

/* Reads a number and moves `*at` behind it. Returns 0 if there is none. */
static uint32_t read_number(hpf_str text, size_t *at)
{
    uint64_t number = 0;
    while (*at < text.length && text.data[*at] >= '0' && text.data[*at] <= '9') {
        number = number * 10 + (uint64_t)(text.data[(*at)++] - '0');
        number = number > UINT32_MAX ? UINT32_MAX : number;
    }
    return (uint32_t)number;
}

static bool skip(hpf_str text, size_t *at, char c)
{
    bool is_there = *at < text.length && text.data[*at] == c;
    *at += is_there;
    return is_there;
}

/* Reads the lines of what follows the file's name: "12", "12:3-20", or "(12,3)-(15,8)". */
static bool read_lines(hpf_str text, hpf_text_span *span)
{
    size_t at = 0;
    if (skip(text, &at, '(')) {
        span->first_line = read_number(text, &at);
        skip(text, &at, ',');
        read_number(text, &at);
        bool has_end = skip(text, &at, ')') && skip(text, &at, '-') && skip(text, &at, '(');
        span->last_line = has_end ? read_number(text, &at) : 0;
    } else {
        span->first_line = span->last_line = read_number(text, &at);
    }
    return span->first_line > 0 && span->last_line >= span->first_line;
}

/* Splits a place into the name of a file and lines: at the first colon that lines follow. */
static bool read_place(hpf_str place, hpf_str *file, hpf_text_span *span)
{
    for (size_t i = 1; i < place.length; i++) {
        hpf_str rest = {place.data + i + 1, place.length - i - 1};
        if (place.data[i] == ':' && read_lines(rest, span)) {
            *file = (hpf_str){place.data, i};
            return true;
        }
    }
    return false;
}

/* ---- Costs ----------------------------------------------------------------------------------- */

static hpf_text_file *file_of(hpf_text_costs *t, hpf_str name)
{
    uint32_t number;
    bool is_new;
    if (hpf__intern_add(&t->names, name, &number, &is_new) != HPF_OK) {
        return NULL;
    }
    if (is_new) {
        const hpf_text_file file = {.name = t->names.names[number]};
        if (!HPF__ARRAY_PUSH(t->files, t->n_files, t->capacity, file)) {
            return NULL;
        }
    }
    return &t->files[number];
}

static hpf_text_span *span_of(hpf_text_file *file, const hpf_text_span *place)
{
    for (size_t i = file->n_spans; i-- > 0;) {
        hpf_text_span *s = &file->spans[i];
        if (s->first_line == place->first_line && s->last_line == place->last_line) {
            return s;
        }
    }
    return HPF__ARRAY_PUSH(file->spans, file->n_spans, file->capacity, *place)
               ? &file->spans[file->n_spans - 1]
               : NULL;
}

bool hpf_text_costs_add(hpf_text_costs *t, hpf_str place, const double *amounts)
{
    hpf_text_span lines = {0};
    hpf_str name;
    for (size_t i = 0; i < t->n_columns; i++) {
        t->totals[i] += amounts[i];
    }
    if (!read_place(place, &name, &lines)) {
        return true;
    }
    hpf_text_file *file = file_of(t, name);
    hpf_text_span *span = file ? span_of(file, &lines) : NULL;
    for (size_t i = 0; span && i < t->n_columns; i++) {
        t->placed[i] += amounts[i];
        file->totals[i] += amounts[i];
        span->amounts[i] += amounts[i];
    }
    return span != NULL;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Sorts by the first column with an amount, decreasing; then by name. */
static int compare_files(const void *a, const void *b)
{
    const hpf_text_file *x = a, *y = b;
    for (size_t i = 0; i < HPF_TEXT_MOST_COLUMNS; i++) {
        if (x->totals[i] != y->totals[i]) {
            return x->totals[i] < y->totals[i] ? 1 : -1;
        }
    }
    return hpf_str_compare(x->name, y->name);
}

hpf_status hpf_text_costs_find(hpf_text_costs *t, const hpf_text_folder *folder, hpf_error *err)
{
    t->texts = t->texts ? t->texts : hpf_arena_create();
    bool fits = t->texts != NULL;
    for (size_t i = 0; i < t->n_files && fits; i++) {
        hpf_text_file *file = &t->files[i];
        const char *path = hpf_text_folder_find(folder, file->name, &file->is_ambiguous);
        file->path = path ? hpf_arena_text(t->texts, hpf_str_of(path)) : NULL;
        fits = !path || file->path;
    }
    t->heat = t->n_columns > 1 && t->placed[0] == 0 ? 1 : 0;
    HPF__ARRAY_SORT(t->files, t->n_files, compare_files);
    return fits ? HPF_OK : hpf_error_set_memory(err);
}

void hpf_text_costs_finish(hpf_text_costs *t)
{
    for (size_t i = 0; i < t->n_files; i++) {
        free(t->files[i].spans);
    }
    free(t->files);
    hpf__intern_finish(&t->names);
    hpf_arena_destroy(t->texts);
}

/* ---- Lines ---- */

enum { N_NEIGHBOURS = 2 };

static int compare_decreasing(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void add_spans(hpf_text_lines *lines, const hpf_text_costs *table, const hpf_text_file *file)
{
    for (size_t i = 0; i < file->n_spans; i++) {
        const hpf_text_span *s = &file->spans[i];
        for (size_t line = s->first_line; line <= s->last_line && line <= lines->n; line++) {
            lines->all[line].heat = fmax(lines->all[line].heat, s->amounts[table->heat]);
        }
        for (size_t k = 0; s->first_line <= lines->n && k < table->n_columns; k++) {
            lines->all[s->first_line].amounts[k] += s->amounts[k];
        }
        lines->is_too_short |= s->last_line > lines->n;
    }
    for (size_t line = 1; line <= lines->n; line++) {
        lines->hottest = fmax(lines->hottest, lines->all[line].heat);
    }
}

/* Marks the most expensive lines and their neighbours. `amounts` has room for all. */
static void find_expensive(hpf_text_lines *lines, size_t heat, size_t most, double *amounts)
{
    size_t n = 0;
    for (size_t i = 1; i <= lines->n; i++) {
        amounts[n] = lines->all[i].amounts[heat];
        n += amounts[n] > 0;
    }
    HPF__ARRAY_SORT(amounts, n, compare_decreasing);
    double least = most > 0 && most < n ? amounts[most - 1] : 0;
    for (size_t i = 1; i <= lines->n; i++) {
        double amount = lines->all[i].amounts[heat];
        size_t first = i > N_NEIGHBOURS ? i - N_NEIGHBOURS : 1;
        for (size_t k = first; amount > 0 && amount >= least && k <= i + N_NEIGHBOURS; k++) {
            if (k <= lines->n) {
                lines->all[k].is_near = true;
            }
        }
    }
}

hpf_status hpf_text_lines_make(hpf_text_lines *out, const hpf_text_costs *table,
                               const hpf_text_file *file, size_t n, size_t most, hpf_error *err)
{
    *out = (hpf_text_lines){.all = calloc(n + 1, sizeof *out->all), .n = n};
    double *amounts = calloc(n + 1, sizeof *amounts);
    if (!out->all || !amounts) {
        free(amounts);
        hpf_text_lines_finish(out);
        return hpf_error_set_memory(err);
    }
    add_spans(out, table, file);
    find_expensive(out, table->heat, most, amounts);
    free(amounts);
    return HPF_OK;
}

void hpf_text_lines_finish(hpf_text_lines *lines)
{
    free(lines->all);
    *lines = (hpf_text_lines){.all = NULL};
}

int hpf_text_level(const hpf_text_lines *lines, size_t line)
{
    static const double least[HPF_TEXT_LEVELS] = {0, .02, .1, .3, .7};
    int level = 0;
    while (level < HPF_TEXT_LEVELS && lines->all[line].heat > least[level] * lines->hottest) {
        level++;
    }
    return level;
}
