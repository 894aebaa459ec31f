/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names to rows by a table of their texts, then one row for texts that were cut differently, and
 * for one that was cut and one that was not.
 */
#include "hpfile/match.h"

#include <stdlib.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "base/intern.h"
#include "base/names.h"
#include "base/lex.h"

/* ---- Which lines of an edited program are the same ---- */

/* Names are sorted by function and line; each function is paired by itself. */

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

#define DOTS "..."

/* A number in front of a name rarely has more digits than another by more than this. */
#define MOST_DIGITS 3

/* ---- Names ---- */

struct hpf_match {
    hpf__intern texts;
    uint32_t **row_of_name; /* by profile, by name; first a number of a text, at last a row */
    size_t n;               /* profiles */
    uint32_t *text_of_row;
    uint32_t
        *moved_from; /* by number of a text: the text of the first profile; NULL: not searched */
    uint32_t n_rows;
};

/* Scratch by number of a text. */
typedef struct scratch {
    uint64_t *profiles; /* a bit for each profile with a sample that has it, or what joined it */
    uint32_t *joined;   /* a text that it is the same as; first itself */
    uint32_t *row;
} scratch;

static hpf_status number_names(hpf_match *m, size_t which, const hpf_survey *survey, hpf_error *err)
{
    uint32_t n = hpf_survey_n_names(survey);
    m->row_of_name[which] = calloc((size_t)n + 1, sizeof **m->row_of_name);
    if (!m->row_of_name[which]) {
        return hpf_error_set_memory(err);
    }
    for (hpf_name i = 0; i < n; i++) {
        uint32_t *row = &m->row_of_name[which][i];
        hpf_str text = hpf__without_id(hpf_survey_name(survey, i));
        bool is_new;
        if (hpf_survey_totals(survey, i)->n_samples == 0) {
            *row = HPF_NO_ROW;
            continue;
        }
        hpf_status status = hpf__intern_add(&m->texts, text, row, &is_new);
        if (status != HPF_OK) {
            return status == HPF_ERR_MEMORY ? hpf_error_set_memory(err)
                                            : hpf_error_set(err, status, "too many names");
        }
    }
    return HPF_OK;
}

/* ---- Names that were cut ---- */

typedef struct some_name {
    hpf_str text; /* of a cut name without the dots */
    uint64_t profiles;
    uint32_t number;
} some_name;

static bool is_cut(hpf_str name)
{
    return name.length > strlen(DOTS) && hpf_str_ends(name, DOTS);
}

static int compare_names(const void *left, const void *right)
{
    const some_name *a = left;
    const some_name *b = right;
    return hpf_str_compare(a->text, b->text);
}

/* Returns whether `sooner` is the text of `later`, cut a little sooner. */
static bool is_sooner(const some_name *sooner, const some_name *later)
{
    size_t n = sooner->text.length;
    return n < later->text.length && later->text.length - n <= MOST_DIGITS &&
           memcmp(sooner->text.data, later->text.data, n) == 0;
}

/* Gathers the cut names that some of the profiles do not have. */
static size_t gather_cut_names(const hpf_match *m, const scratch *s, some_name *out)
{
    uint64_t all = UINT64_MAX >> (HPF_MATCH_MOST - m->n);
    size_t n = 0;
    for (uint32_t i = 0; i < m->texts.n_names; i++) {
        hpf_str name = m->texts.names[i];
        if (is_cut(name) && s->profiles[i] != all) {
            hpf_str text = {name.data, name.length - (sizeof DOTS - 1)};
            out[n++] = (some_name){text, s->profiles[i], i};
        }
    }
    qsort(out, n, sizeof *out, compare_names);
    return n;
}

static size_t gather_whole_names(const hpf_match *m, const scratch *s, some_name *out)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->texts.n_names; i++) {
        if (!is_cut(m->texts.names[i])) {
            out[n++] = (some_name){m->texts.names[i], s->profiles[i], i};
        }
    }
    qsort(out, n, sizeof *out, compare_names);
    return n;
}

/* Returns whether the names from `begin` to `end`, each of which begins with the one before, are
 * one without doubt. Names are sorted, so names that begin with another one follow it: the only
 * other name that could fit is at `end`. */
static bool is_one_name(const some_name *names, size_t n, size_t begin, size_t end)
{
    uint64_t seen = 0;
    for (size_t i = begin; i < end; i++) {
        if ((seen & names[i].profiles) != 0 || (end < n && is_sooner(&names[i], &names[end]))) {
            return false;
        }
        seen |= names[i].profiles;
    }
    return is_sooner(&names[begin], &names[end - 1]);
}

static void join(scratch *s, uint32_t number, uint32_t to)
{
    s->joined[number] = to;
    s->profiles[to] |= s->profiles[number];
}

static void join_cut_names(const some_name *names, size_t n, scratch *s)
{
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && is_sooner(&names[end - 1], &names[end]); end++) {
        }
        bool is_one = is_one_name(names, n, begin, end);
        for (size_t i = begin; is_one && i < end; i++) {
            join(s, names[i].number, names[end - 1].number);
        }
    }
}

static bool begins_with(hpf_str text, hpf_str beginning)
{
    return text.length > beginning.length &&
           memcmp(text.data, beginning.data, beginning.length) == 0;
}

/* Returns the only one of the whole names that begins with `text`, and is longer; NULL: there is
 * none, or another. */
static const some_name *find_whole(const some_name *whole, size_t n, hpf_str text)
{
    size_t first;
    HPF__ARRAY_BISECT(first, n, i, hpf_str_compare(whole[i].text, text) <= 0);
    bool is_only = first < n && begins_with(whole[first].text, text) &&
                   !(first + 1 < n && begins_with(whole[first + 1].text, text));
    return is_only ? &whole[first] : NULL;
}

/* Joins names that one profile has cut and another has not, such as a `.hp` file and the log of the
 * same program. */
static void join_whole_names(const some_name *cut, size_t n_cut, const some_name *whole,
                             size_t n_whole, scratch *s)
{
    for (size_t i = 0; i < n_cut; i++) {
        uint32_t number = cut[i].number;
        const some_name *found =
            s->joined[number] == number ? find_whole(whole, n_whole, cut[i].text) : NULL;
        if (found && (s->profiles[number] & s->profiles[found->number]) == 0) {
            join(s, number, found->number);
        }
    }
}

/* ---- Lines that moved ---- */

/* Replaces in the first of two profiles the names with lines that moved by the names of the
 * second. */
static hpf_status move_lines(hpf_match *m, hpf_survey *const *surveys, hpf_error *err)
{
    size_t room = (size_t)m->texts.n_names + 1;
    uint64_t *sides = calloc(room, sizeof *sides);
    uint32_t *moved_to = calloc(room, sizeof *moved_to);
    m->moved_from = calloc(room, sizeof *m->moved_from);
    bool fits = sides && moved_to && m->moved_from;
    for (size_t which = 0; fits && which < m->n; which++) {
        for (hpf_name i = 0; i < hpf_survey_n_names(surveys[which]); i++) {
            uint32_t number = m->row_of_name[which][i];
            if (number != HPF_NO_ROW) {
                sides[number] |= UINT64_C(1) << which;
            }
        }
    }
    fits = fits && hpf_moved_lines_find(m->texts.names, m->texts.n_names, sides, moved_to);
    for (uint32_t i = 0; fits && i < m->texts.n_names; i++) {
        m->moved_from[i] = i;
    }
    for (hpf_name i = 0; fits && i < hpf_survey_n_names(surveys[0]); i++) {
        uint32_t *number = &m->row_of_name[0][i];
        if (*number != HPF_NO_ROW) {
            m->moved_from[moved_to[*number]] = *number;
            *number = moved_to[*number];
        }
    }
    free(sides);
    free(moved_to);
    return fits ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- Rows ---- */

static void look_at_profiles(const hpf_match *m, hpf_survey *const *surveys, scratch *s)
{
    for (size_t which = 0; which < m->n; which++) {
        for (hpf_name i = 0; i < hpf_survey_n_names(surveys[which]); i++) {
            uint32_t number = m->row_of_name[which][i];
            if (number != HPF_NO_ROW) {
                s->profiles[number] |= UINT64_C(1) << which;
            }
        }
    }
}

static uint32_t root_of(const scratch *s, uint32_t number)
{
    while (s->joined[number] != number) {
        number = s->joined[number];
    }
    return number;
}

/* Numbers the texts that are left and that a profile still has, in order of appearance. */
static void make_rows(hpf_match *m, hpf_survey *const *surveys, const scratch *s)
{
    for (uint32_t i = 0; i < m->texts.n_names; i++) {
        if (s->joined[i] == i && s->profiles[i] != 0) {
            s->row[i] = m->n_rows;
            m->text_of_row[m->n_rows++] = i;
        }
    }
    for (size_t which = 0; which < m->n; which++) {
        for (hpf_name i = 0; i < hpf_survey_n_names(surveys[which]); i++) {
            uint32_t *row = &m->row_of_name[which][i];
            *row = *row == HPF_NO_ROW ? HPF_NO_ROW : s->row[root_of(s, *row)];
        }
    }
}

static hpf_status find_rows(hpf_match *m, hpf_survey *const *surveys, hpf_error *err)
{
    size_t room = (size_t)m->texts.n_names + 1;
    some_name *cut = calloc(room, sizeof *cut);
    some_name *whole = calloc(room, sizeof *whole);
    scratch s = {.profiles = calloc(room, sizeof *s.profiles),
                 .joined = calloc(room, sizeof *s.joined),
                 .row = calloc(room, sizeof *s.row)};
    m->text_of_row = calloc(room, sizeof *m->text_of_row);
    bool fits = cut && whole && s.profiles && s.joined && s.row && m->text_of_row;
    if (fits) {
        for (uint32_t i = 0; i < m->texts.n_names; i++) {
            s.joined[i] = i;
        }
        look_at_profiles(m, surveys, &s);
        size_t n_cut = gather_cut_names(m, &s, cut);
        join_cut_names(cut, n_cut, &s);
        join_whole_names(cut, n_cut, whole, gather_whole_names(m, &s, whole), &s);
        make_rows(m, surveys, &s);
    }
    free(cut);
    free(whole);
    free(s.profiles);
    free(s.joined);
    free(s.row);
    return fits ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status match(hpf_match *m, hpf_survey *const *surveys, bool moves_lines, hpf_error *err)
{
    m->row_of_name = calloc(m->n + 1, sizeof *m->row_of_name);
    if (!m->row_of_name) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < m->n && status == HPF_OK; i++) {
        status = number_names(m, i, surveys[i], err);
    }
    if (status == HPF_OK && moves_lines) {
        status = move_lines(m, surveys, err);
    }
    return status == HPF_OK ? find_rows(m, surveys, err) : status;
}

hpf_status hpf_match_create(hpf_match **out, hpf_survey *const *surveys, size_t n, bool moves_lines,
                            hpf_error *err)
{
    *out = NULL;
    if (n > HPF_MATCH_MOST) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "at most %d profiles at once", HPF_MATCH_MOST);
    }
    hpf_match *m = calloc(1, sizeof *m);
    if (!m) {
        return hpf_error_set_memory(err);
    }
    m->n = n;
    hpf_status status = match(m, surveys, moves_lines, err);
    if (status != HPF_OK) {
        hpf_match_destroy(m);
        return status;
    }
    *out = m;
    return HPF_OK;
}

void hpf_match_destroy(hpf_match *m)
{
    if (m) {
        for (size_t i = 0; m->row_of_name && i < m->n; i++) {
            free(m->row_of_name[i]);
        }
        free(m->row_of_name);
        free(m->text_of_row);
        free(m->moved_from);
        hpf__intern_finish(&m->texts);
        free(m);
    }
}

/* ---- What was found ---- */

uint32_t hpf_match_n_rows(const hpf_match *m)
{
    return m->n_rows;
}

hpf_str hpf_match_name(const hpf_match *m, uint32_t row)
{
    return m->texts.names[m->text_of_row[row]];
}

hpf_str hpf_match_moved_from(const hpf_match *m, uint32_t row)
{
    uint32_t text = m->text_of_row[row];
    bool has_moved = m->moved_from && m->moved_from[text] != text;
    return has_moved ? m->texts.names[m->moved_from[text]] : HPF_STR("");
}

uint32_t hpf_match_row(const hpf_match *m, size_t which, hpf_name name)
{
    return m->row_of_name[which][name];
}
