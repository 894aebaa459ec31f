/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names to rows by matching them, then amounts.
 */
#include "hpfile/survey.h"
#include "hpfile/diff.h"
#include "hpfile/match.h"

#include <math.h>
#include <stdlib.h>

#include "hpfile/str.h"

/* ---- Alignment of times ---------------------------------------------------------------------- */

/* A step is a part of a run in which the total only rises, or only falls, by so much of the peak at
 * each sample, and in all. Samples at its begin and end with less than a share of it are left out.
 */
static const double least_rise = 0.02, least_step = 0.1, least_share = 0.1;

/* Two steps are aligned if the larger one is at most `most_ratio` times the other, and their times
 * differ by at most the share `most_shift` of the run. */
static const double most_ratio = 1.5, most_shift = 0.06;

enum { MOST_MARKS = 2000 }; /* that are compared; the rest is left out */

typedef struct step {
    double begin, end; /* times of the samples before and after it */
    double change;
} step;

/* One of the two runs, without the empty samples at its end. */
typedef struct run {
    const hpf_overview *overview;
    size_t n;
    double first, last;
    step *steps;
    size_t n_steps;
} run;

static run begin_run(hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    size_t n = hpf_survey_end_index(survey) + 1;
    n = n > 1 ? n : o->n_drawn;
    return (run){.overview = o,
                 .n = n,
                 .first = n > 0 ? o->drawn[0].time : 0,
                 .last = n > 0 ? o->drawn[n - 1].time : 0};
}

/* ---- Marks ---- */

/* Adds a knot if both times increase. The list has room. */
static void add_knot(hpf_alignment *a, double old_time, double new_time)
{
    const hpf_knot *last = a->n_knots > 0 ? &a->knots[a->n_knots - 1] : NULL;
    if (!last || (old_time > last->old_time && new_time > last->new_time)) {
        a->knots[a->n_knots++] = (hpf_knot){old_time, new_time};
    }
}

/* Returns the marks of a run that have labels and are inside it, at most MOST_MARKS; NULL without
 * memory. */
static const hpf_mark **labelled_marks(const run *r, size_t *n)
{
    const hpf_mark **out = calloc(r->overview->n_marks + 1, sizeof *out);
    *n = 0;
    for (size_t i = 0; out && i < r->overview->n_marks && *n < MOST_MARKS; i++) {
        const hpf_mark *m = &r->overview->marks[i];
        if (m->label.length > 0 && m->time > r->first && m->time < r->last) {
            out[(*n)++] = m;
        }
    }
    return out;
}

/* Adds a knot for each mark of the longest common sequence of labels. */
static hpf_status add_marks(hpf_alignment *a, const run runs[2], hpf_error *err)
{
    size_t n, m;
    const hpf_mark **old_marks = labelled_marks(&runs[0], &n);
    const hpf_mark **new_marks = labelled_marks(&runs[1], &m);
    /* By index in both: the length of the longest common sequence from there on. */
    uint16_t *lengths = calloc((n + 1) * (m + 1), sizeof *lengths);
    hpf_knot *knots = realloc(a->knots, (n + 2) * sizeof *knots);
    hpf_status status =
        old_marks && new_marks && lengths && knots ? HPF_OK : hpf_error_set_memory(err);
    a->knots = knots ? knots : a->knots;
    if (status == HPF_OK) {
        for (size_t i = n; i-- > 0;) {
            for (size_t k = m; k-- > 0;) {
                uint16_t *at = &lengths[i * (m + 1) + k], down = at[m + 1], right = at[1];
                *at = hpf_str_equal(old_marks[i]->label, new_marks[k]->label)
                          ? (uint16_t)(at[m + 2] + 1)
                      : down > right ? down
                                     : right;
            }
        }
        for (size_t i = 0, k = 0; i < n && k < m;) {
            if (hpf_str_equal(old_marks[i]->label, new_marks[k]->label)) {
                a->n_marks++;
                add_knot(a, old_marks[i++]->time, new_marks[k++]->time);
            } else if (lengths[(i + 1) * (m + 1) + k] >= lengths[i * (m + 1) + k + 1]) {
                i++;
            } else {
                k++;
            }
        }
    }
    free(lengths);
    free(old_marks);
    free(new_marks);
    return status;
}

/* ---- Steps ---- */

/* Returns a step from one drawn sample to another, without small changes at its begin and end. */
static step step_between(const hpf_drawn_sample *drawn, size_t begin, size_t end)
{
    double change = drawn[end].total - drawn[begin].total;
    while (begin + 1 < end &&
           (drawn[begin + 1].total - drawn[begin].total) / change < least_share) {
        begin++;
    }
    while (end - 1 > begin && (drawn[end].total - drawn[end - 1].total) / change < least_share) {
        end--;
    }
    return (step){drawn[begin].time, drawn[end].time, drawn[end].total - drawn[begin].total};
}

/* Finds the large steps of a run. Returns false without memory. */
static bool find_steps(run *r, double peak)
{
    const hpf_drawn_sample *drawn = r->overview->drawn;
    r->steps = calloc(r->n + 1, sizeof *r->steps);
    for (size_t i = 1; r->steps && i < r->n;) {
        size_t begin = i - 1;
        double change = drawn[i].total - drawn[begin].total;
        bool rises = change > 0;
        if (fabs(change) < least_rise * peak) {
            i++;
            continue;
        }
        for (i++; i < r->n; i++) {
            double next = drawn[i].total - drawn[i - 1].total;
            if ((next > 0) != rises || fabs(next) < least_rise * peak) {
                break;
            }
            change += next;
        }
        if (fabs(change) >= least_step * peak) {
            r->steps[r->n_steps++] = step_between(drawn, begin, i - 1);
        }
    }
    return r->steps != NULL;
}

static bool are_alike(const step *a, const step *b)
{
    double ratio = a->change / b->change;
    return ratio > 1 / most_ratio && ratio < most_ratio;
}

double hpf_alignment_map(const hpf_alignment *a, double old_time)
{
    if (a->n_knots < 2) {
        return old_time;
    }
    size_t i = 1;
    while (i + 1 < a->n_knots && a->knots[i].old_time < old_time) {
        i++;
    }
    const hpf_knot *p = &a->knots[i - 1], *q = &a->knots[i];
    double share = (old_time - p->old_time) / (q->old_time - p->old_time);
    return p->new_time + share * (q->new_time - p->new_time);
}

/* Adds knots for the steps of both runs that belong together, which are near by `base`, between the
 * knots of `base`. */
static void add_steps(hpf_alignment *a, const hpf_alignment *base, const run runs[2])
{
    const double reach = most_shift * (runs[1].last - runs[1].first);
    size_t next = 0, done = 0;
    for (size_t i = 0; i < runs[0].n_steps; i++) {
        const step *s = &runs[0].steps[i];
        for (size_t k = next; k < runs[1].n_steps; k++) {
            const step *t = &runs[1].steps[k];
            bool is_near = fabs(hpf_alignment_map(base, s->begin) - t->begin) <= reach &&
                           fabs(hpf_alignment_map(base, s->end) - t->end) <= reach;
            if (!is_near || !are_alike(s, t)) {
                continue;
            }
            while (done < base->n_knots && base->knots[done].old_time < s->begin) {
                add_knot(a, base->knots[done].old_time, base->knots[done].new_time);
                done++;
            }
            if (done == base->n_knots || base->knots[done].old_time >= s->end) {
                add_knot(a, s->begin, t->begin);
                add_knot(a, s->end, t->end);
            } /* else a mark is inside the step */
            next = k + 1;
            break;
        }
    }
    while (done < base->n_knots) {
        add_knot(a, base->knots[done].old_time, base->knots[done].new_time);
        done++;
    }
}

/* Replaces the knots by ones that also align large steps. */
static hpf_status refine(hpf_alignment *a, run runs[2], hpf_error *err)
{
    double peak = fmax(runs[0].overview->peak_total, runs[1].overview->peak_total);
    hpf_alignment finer = *a;
    finer.n_knots = 0;
    finer.knots = NULL;
    bool has_room = find_steps(&runs[0], peak) && find_steps(&runs[1], peak) &&
                    (finer.knots = calloc(a->n_knots + 2 * runs[0].n_steps, sizeof *finer.knots));
    if (has_room) {
        add_steps(&finer, a, runs);
        free(a->knots);
        *a = finer;
    }
    free(runs[0].steps);
    free(runs[1].steps);
    return has_room ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- The alignment ---- */

void hpf_alignment_finish(hpf_alignment *a)
{
    free(a->knots);
    *a = (hpf_alignment){.by = HPF_ALIGN_TIME};
}

hpf_status hpf_alignment_make(hpf_alignment *out, hpf_survey *old_one, hpf_survey *new_one,
                              hpf_align by, hpf_error *err)
{
    run runs[2] = {begin_run(old_one), begin_run(new_one)};
    bool has_times = runs[0].last > runs[0].first && runs[1].last > runs[1].first;
    *out = (hpf_alignment){.by = HPF_ALIGN_TIME};
    if (by == HPF_ALIGN_TIME || !has_times) {
        return HPF_OK;
    }
    out->knots = calloc(2, sizeof *out->knots);
    hpf_status status = out->knots ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        add_knot(out, runs[0].first, runs[1].first);
        status = by == HPF_ALIGN_SHARE ? HPF_OK : add_marks(out, runs, err);
    }
    if (status == HPF_OK && by == HPF_ALIGN_MARKS && out->n_marks == 0) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "the two profiles have no mark with the same label");
    }
    if (status == HPF_OK) {
        out->by = out->n_marks > 0 ? HPF_ALIGN_MARKS : HPF_ALIGN_SHARE;
        add_knot(out, runs[0].last, runs[1].last);
        status = refine(out, runs, err);
    }
    if (status != HPF_OK) {
        hpf_alignment_finish(out);
    }
    return status;
}

struct hpf_diff {
    hpf_survey *surveys[2];
    hpf_match *match;
    hpf_diff_row *rows;
    uint32_t n_rows;
    hpf_diff_row total;
};

/* ---- Names to rows ---- */

static bool is_used(const hpf_survey *survey, hpf_name name)
{
    return hpf_survey_totals(survey, name)->n_samples > 0;
}

static void count_names(hpf_diff *d, int side)
{
    for (hpf_name i = 0; i < hpf_survey_n_names(d->surveys[side]); i++) {
        if (is_used(d->surveys[side], i)) {
            d->rows[hpf_match_row(d->match, (size_t)side, i)].n_names[side]++;
        }
    }
}

static hpf_status make_rows(hpf_diff *d, bool moves_lines, hpf_error *err)
{
    hpf_status status = hpf_match_create(&d->match, d->surveys, 2, moves_lines, err);
    if (status != HPF_OK) {
        return status;
    }
    d->n_rows = hpf_match_n_rows(d->match);
    d->rows = calloc((size_t)d->n_rows + 1, sizeof *d->rows);
    if (!d->rows) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < d->n_rows; i++) {
        d->rows[i] = (hpf_diff_row){.name = hpf_match_name(d->match, i),
                                    .moved_from = hpf_match_moved_from(d->match, i),
                                    .number = i};
    }
    count_names(d, 0);
    count_names(d, 1);
    return HPF_OK;
}

/* ---- Amounts ---- */

static void add_means(hpf_diff *d, int side)
{
    const hpf_survey *survey = d->surveys[side];
    for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
        if (is_used(survey, i)) {
            hpf_diff_row *row = &d->rows[hpf_match_row(d->match, (size_t)side, i)];
            row->amounts[side][HPF_DIFF_MEAN] +=
                hpf_survey_mean(survey, hpf_survey_totals(survey, i));
        }
    }
    d->total.amounts[side][HPF_DIFF_MEAN] =
        hpf_survey_mean(survey, &hpf_survey_overview(survey)->total);
}

/* Adds what the names cost in one sample. `buffer` has room for all of them. */
static hpf_status add_drawn(hpf_diff *d, int side, size_t drawn_sample, hpf_diff_measure measure,
                            double *buffer, hpf_error *err)
{
    hpf_survey *survey = d->surveys[side];
    hpf_status status = hpf_survey_drawn_amounts(survey, drawn_sample, buffer, err);
    for (hpf_name i = 0; i < hpf_survey_n_names(survey) && status == HPF_OK; i++) {
        if (is_used(survey, i)) {
            d->rows[hpf_match_row(d->match, (size_t)side, i)].amounts[side][measure] += buffer[i];
        }
    }
    d->total.amounts[side][measure] = hpf_survey_overview(survey)->drawn[drawn_sample].total;
    return status;
}

static hpf_status add_amounts(hpf_diff *d, int side, hpf_error *err)
{
    hpf_survey *survey = d->surveys[side];
    double *buffer = calloc((size_t)hpf_survey_n_names(survey) + 1, sizeof *buffer);
    if (!buffer) {
        return hpf_error_set_memory(err);
    }
    add_means(d, side);
    hpf_status status =
        add_drawn(d, side, hpf_survey_peak_index(survey), HPF_DIFF_PEAK, buffer, err);
    if (status == HPF_OK) {
        status = add_drawn(d, side, hpf_survey_end_index(survey), HPF_DIFF_END, buffer, err);
    }
    free(buffer);
    for (uint32_t i = 0; i < d->n_rows; i++) {
        d->total.n_names[side] += d->rows[i].n_names[side];
    }
    return status;
}

hpf_status hpf_diff_create(hpf_diff **out, hpf_survey *old_one, hpf_survey *new_one,
                           bool moves_lines, hpf_error *err)
{
    hpf_diff *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) {
        return hpf_error_set_memory(err);
    }
    d->surveys[0] = old_one;
    d->surveys[1] = new_one;
    d->total.name = HPF_STR("");
    hpf_status status = make_rows(d, moves_lines, err);
    status = status == HPF_OK ? add_amounts(d, 0, err) : status;
    status = status == HPF_OK ? add_amounts(d, 1, err) : status;
    if (status != HPF_OK) {
        hpf_diff_destroy(d);
        return status;
    }
    hpf_diff_sort(d, HPF_DIFF_MEAN);
    *out = d;
    return HPF_OK;
}

void hpf_diff_destroy(hpf_diff *d)
{
    if (d) {
        hpf_match_destroy(d->match);
        free(d->rows);
        free(d);
    }
}

/* ---- What was found ---- */

uint32_t hpf_diff_n_rows(const hpf_diff *d)
{
    return d->n_rows;
}

const hpf_diff_row *hpf_diff_rows(const hpf_diff *d)
{
    return d->rows;
}

const hpf_diff_row *hpf_diff_total(const hpf_diff *d)
{
    return &d->total;
}

uint32_t hpf_diff_row_of_name(const hpf_diff *d, int side, hpf_name name)
{
    return hpf_match_row(d->match, (size_t)side, name);
}

static int compare_rows(const hpf_diff_row *a, const hpf_diff_row *b, hpf_diff_measure measure)
{
    double left = fabs(hpf_diff_change(a, measure));
    double right = fabs(hpf_diff_change(b, measure));
    if (left != right) {
        return left > right ? -1 : 1;
    }
    return hpf_str_compare(a->name, b->name);
}

static int compare_by_mean(const void *a, const void *b)
{
    return compare_rows(a, b, HPF_DIFF_MEAN);
}

static int compare_by_peak(const void *a, const void *b)
{
    return compare_rows(a, b, HPF_DIFF_PEAK);
}

static int compare_by_end(const void *a, const void *b)
{
    return compare_rows(a, b, HPF_DIFF_END);
}

void hpf_diff_sort(hpf_diff *d, hpf_diff_measure measure)
{
    static int (*const by[HPF_N_DIFF_MEASURES])(const void *, const void *) = {
        [HPF_DIFF_MEAN] = compare_by_mean,
        [HPF_DIFF_PEAK] = compare_by_peak,
        [HPF_DIFF_END] = compare_by_end,
    };
    qsort(d->rows, d->n_rows, sizeof *d->rows, by[measure]);
}

hpf_diff_row hpf_diff_join(const hpf_diff *d, uint32_t first)
{
    hpf_diff_row joined = {.name = HPF_STR("")};
    for (uint32_t i = first; i < d->n_rows; i++) {
        for (int side = 0; side < 2; side++) {
            joined.n_names[side] += d->rows[i].n_names[side];
            for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
                joined.amounts[side][m] += d->rows[i].amounts[side][m];
            }
        }
    }
    return joined;
}
