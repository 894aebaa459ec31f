/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Computes means and slopes from the totals of a survey.
 */
#include "hpfile/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/names.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"
#include "base/array.h"
#include "base/intern.h"

#define LEAST_SHARE 0.01 /* of the whole area */

/* ---- Holders ---- */

/* The members of all sets, one after the other. */
typedef struct members {
    hpf__intern names;
    uint32_t *list;
    size_t n, capacity;
    size_t *first; /* by row; one more ends the last */
} members;

/* Returns the labels of a name "(7)a,b", without the number; empty if it is none. */
static hpf_str labels_of(hpf_str name)
{
    size_t n = 1;
    while (n < name.length && name.data[n] >= '0' && name.data[n] <= '9') {
        n++;
    }
    bool is_set = n > 1 && n < name.length && name.data[0] == '(' && name.data[n] == ')';
    return is_set ? hpf_str_from(name, n + 1) : HPF_STR("");
}

/* Removes the first of labels, and returns it: up to a comma outside of brackets. */
static hpf_str next_label(hpf_str *labels)
{
    size_t n = 0;
    for (int depth = 0; n < labels->length && (depth > 0 || labels->data[n] != ','); n++) {
        char c = labels->data[n];
        depth += (c == '<' || c == '(' || c == '[') - (c == '>' || c == ')' || c == ']');
    }
    hpf_str label = {labels->data, n};
    *labels = hpf_str_from(*labels, n < labels->length ? n + 1 : n);
    return label;
}

static bool add_member(members *m, hpf_str name)
{
    bool is_new;
    uint32_t number;
    return hpf__intern_add(&m->names, name, &number, &is_new) == HPF_OK &&
           HPF__ARRAY_PUSH(m->list, m->n, m->capacity, number);
}

/* A package of Python is a member of the sets whose holders it has. */
static bool find_members(members *m, const hpf_survey *survey, const hpf_summary_row *rows,
                         uint32_t n_rows)
{
    hpf_retainer_set set;
    bool is_good = (m->first = calloc(n_rows + (size_t)1, sizeof *m->first)) != NULL;
    for (uint32_t i = 0; i < n_rows && is_good; i++) {
        bool is_known = hpf_survey_retainer_set(survey, rows[i].number, &set);
        hpf_str labels = labels_of(is_known ? set.name : rows[i].name);
        hpf_str package = hpf__package_of_holders(labels);
        is_good = package.length == 0 || add_member(m, package);
        while (labels.length > 0 && is_good) {
            is_good = add_member(m, next_label(&labels));
        }
        m->first[i + 1] = m->n;
    }
    return is_good;
}

/* Finds the holder with the largest area; its sets are several. A package is only found if none of
 * its holders has half of that area. `area` and `n_sets` have room for all holders. Returns
 * UINT32_MAX without one. */
static uint32_t find_largest(const members *m, const hpf_summary_row *rows, const bool *is_taken,
                             uint32_t n_rows, double *area, uint32_t *n_sets)
{
    uint32_t largest = UINT32_MAX, within = UINT32_MAX;
    memset(area, 0, m->names.n_names * sizeof *area);
    memset(n_sets, 0, m->names.n_names * sizeof *n_sets);
    for (uint32_t i = 0; i < n_rows; i++) {
        for (size_t k = m->first[i]; k < m->first[i + 1] && !is_taken[i]; k++) {
            area[m->list[k]] += rows[i].share;
            n_sets[m->list[k]]++;
        }
    }
    for (uint32_t h = 0; h < m->names.n_names; h++) {
        bool is_larger = largest == UINT32_MAX || area[h] > area[largest];
        largest = n_sets[h] > 1 && is_larger ? h : largest;
    }
    for (uint32_t h = 0; largest != UINT32_MAX && h < m->names.n_names; h++) {
        hpf_str package = hpf__package_of_holders(m->names.names[h]);
        double least = within == UINT32_MAX ? area[largest] / 2 : area[within];
        bool is_better = n_sets[h] > 1 && area[h] >= least;
        within = is_better && hpf_str_equal(package, m->names.names[largest]) ? h : within;
    }
    return within != UINT32_MAX ? within : largest;
}

static void add_row(hpf_summary_row *to, const hpf_summary_row *row)
{
    to->n_names++;
    to->share += row->share;
    to->mean += row->mean;
    to->growth += row->growth;
}

static bool fold(hpf_summary *s, members *m, uint32_t n_rows)
{
    hpf_summary_row *rows = s->rows + s->n_rows;
    bool *is_taken = calloc(n_rows + (size_t)1, sizeof *is_taken);
    double *area = malloc((m->names.n_names + (size_t)1) * sizeof *area);
    uint32_t *n_sets = malloc((m->names.n_names + (size_t)1) * sizeof *n_sets);
    bool is_good = is_taken && area && n_sets;
    for (uint32_t n = 0; is_good && n < HPF_SUMMARY_MOST_HOLDERS; n++) {
        uint32_t holder = find_largest(m, rows, is_taken, n_rows, area, n_sets);
        if (holder == UINT32_MAX || area[holder] < LEAST_SHARE) {
            break;
        }
        hpf_summary_row *to = &s->holders[s->n_holders++];
        *to = (hpf_summary_row){
            .name = hpf_arena_str(s->texts, m->names.names[holder]), .max = NAN, .r_squared = NAN};
        is_good = to->name.data != NULL;
        for (uint32_t i = 0; i < n_rows; i++) {
            for (size_t k = m->first[i]; k < m->first[i + 1] && !is_taken[i]; k++) {
                if (m->list[k] == holder) {
                    is_taken[i] = true;
                    add_row(to, &rows[i]);
                }
            }
        }
    }
    s->others = (hpf_summary_row){.max = NAN, .r_squared = NAN};
    for (uint32_t i = 0; is_good && i < n_rows; i++) {
        if (!is_taken[i]) {
            rows[s->others.n_names] = rows[i];
            add_row(&s->others, &rows[i]);
        }
    }
    free(is_taken);
    free(area);
    free(n_sets);
    return is_good;
}

hpf_status hpf_summary_find_holders(hpf_summary *s, const hpf_survey *survey, hpf_error *err)
{
    members m = {0};
    uint32_t n_rows = s->others.n_names;
    bool is_good = n_rows == 0 ||
                   ((s->texts = hpf_arena_create()) != NULL &&
                    find_members(&m, survey, s->rows + s->n_rows, n_rows) && fold(s, &m, n_rows));
    hpf__intern_finish(&m.names);
    free(m.list);
    free(m.first);
    return is_good ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- Means and slopes ---- */

/* Figures of the whole profile. */
typedef struct frame {
    double duration;
    double total_trapezium; /* of all names; 0 without duration or amounts */
    double total_sum;
    /* For least squares, without an empty first and last sample; times from the first. */
    double n, sum_times, sum_times_squared;
} frame;

static frame make_frame(const hpf_overview *o)
{
    frame f = {
        .duration = o->last_time - o->first_time,
        .total_trapezium = o->total.trapezium,
        .total_sum = o->total.sum,
        .n = (double)o->n_samples,
        .sum_times = o->sum_times,
        .sum_times_squared = o->sum_times_squared,
    };
    if (o->n_drawn > 0 && o->drawn[0].total == 0) {
        f.n -= 1;
    }
    if (o->n_drawn > 1 && o->drawn[o->n_drawn - 1].total == 0) {
        f.n -= 1;
        f.sum_times -= f.duration;
        f.sum_times_squared -= f.duration * f.duration;
    }
    return f;
}

/* Computes slope and fit of the line through (time, amount). */
static void fit_line(hpf_summary_row *row, const frame *f, const hpf_totals *t)
{
    double spread_time = f->n * f->sum_times_squared - f->sum_times * f->sum_times;
    double spread_amount = f->n * t->sum_squares - t->sum * t->sum;
    double together = f->n * t->sum_time - f->sum_times * t->sum;
    /* Differences of nearly equal products: ignore rounding errors. */
    bool has_times = f->n >= 2 && spread_time > 1e-12 * f->n * f->sum_times_squared;
    bool varies = spread_amount > 1e-12 * f->n * t->sum_squares;
    row->growth = !has_times ? NAN : varies ? together / spread_time : 0;
    row->r_squared = has_times && varies ? row->growth * (together / spread_amount) : NAN;
}

static hpf_summary_row make_row(const hpf_survey *survey, const frame *f, const hpf_totals *t,
                                hpf_str name)
{
    hpf_summary_row row = {
        .name = name, .n_names = 1, .mean = hpf_survey_mean(survey, t), .max = t->max};
    if (f->total_trapezium > 0) {
        row.share = t->trapezium / f->total_trapezium;
    } else if (f->total_sum > 0) {
        row.share = t->sum / f->total_sum;
    }
    fit_line(&row, f, t);
    return row;
}

/* Orders by share, largest first, then by name. */
static int compare_rows(const void *left, const void *right)
{
    const hpf_summary_row *a = left;
    const hpf_summary_row *b = right;
    if (a->share != b->share) {
        return a->share > b->share ? -1 : 1;
    }
    return hpf_str_compare(a->name, b->name);
}

/* Adds up means and slopes; maxima and fits of several names are undefined. */
static hpf_summary_row join_rows(const hpf_summary_row *rows, uint32_t n_rows)
{
    hpf_summary_row joined = {.n_names = n_rows, .max = NAN, .r_squared = NAN};
    for (uint32_t i = 0; i < n_rows; i++) {
        joined.share += rows[i].share;
        joined.mean += rows[i].mean;
        joined.growth += rows[i].growth;
    }
    return joined;
}

uint32_t hpf_summary_n_names(const hpf_survey *survey)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < hpf_survey_n_names(survey); i++) {
        n += hpf_survey_totals(survey, i)->n_samples > 0;
    }
    return n;
}

hpf_status hpf_summary_make(hpf_summary *out, const hpf_survey *survey, uint32_t most_rows,
                            hpf_error *err)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t n_names = hpf_summary_n_names(survey);
    frame f = make_frame(o);
    memset(out, 0, sizeof *out);
    out->peak = o->peak_total;
    out->peak_time = o->peak_time;
    out->duration = f.duration;
    out->total = make_row(survey, &f, &o->total, (hpf_str){"", 0});
    out->total.n_names = n_names;
    const hpf_drawn_sample *end = &o->drawn[hpf_survey_end_index(survey)];
    out->final = end->total;
    out->final_time = end->time;
    out->rows = calloc(n_names > 0 ? n_names : 1, sizeof *out->rows);
    if (!out->rows) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0, n = 0; i < hpf_survey_n_names(survey); i++) {
        const hpf_totals *totals = hpf_survey_totals(survey, i);
        if (totals->n_samples > 0) {
            out->rows[n] = make_row(survey, &f, totals, hpf_survey_name(survey, i));
            out->rows[n++].number = i;
        }
    }
    qsort(out->rows, n_names, sizeof *out->rows, compare_rows);
    out->n_rows = most_rows > 0 && most_rows < n_names ? most_rows : n_names;
    out->others = join_rows(out->rows + out->n_rows, n_names - out->n_rows);
    return HPF_OK;
}

void hpf_summary_add_high(hpf_summary *s)
{
    enum { MOST_ROWS = 40 };
    uint32_t n_names = s->total.n_names;
    for (uint32_t i = s->n_rows; i < n_names && s->n_rows < MOST_ROWS; i++) {
        if (s->rows[i].max >= 0.05 * s->peak) {
            hpf_summary_row high = s->rows[i];
            memmove(&s->rows[s->n_rows + 1], &s->rows[s->n_rows],
                    (i - s->n_rows) * sizeof *s->rows);
            s->rows[s->n_rows++] = high;
        }
    }
    s->others = join_rows(s->rows + s->n_rows, n_names - s->n_rows);
}

hpf_status hpf_summary_name_rows(hpf_summary *s, uint32_t n, const hpf_survey *survey,
                                 hpf_error *err)
{
    hpf_str *names = calloc(n + (size_t)1, sizeof *names);
    for (uint32_t i = 0; names && i < n; i++) {
        hpf_retainer_set set;
        bool is_known = hpf_survey_retainer_set(survey, s->rows[i].number, &set);
        names[i] = is_known ? set.name : s->rows[i].name;
    }
    bool is_ok = names && hpf__drop_ids(names, n);
    for (uint32_t i = 0; i < n && is_ok; i++) {
        s->rows[i].name = names[i];
    }
    free(names);
    return is_ok ? HPF_OK : hpf_error_set_memory(err);
}

void hpf_summary_finish(hpf_summary *s)
{
    free(s->rows);
    hpf_arena_destroy(s->texts);
}
