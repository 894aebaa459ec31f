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
