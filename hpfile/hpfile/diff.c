/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names to rows by a table of their texts, then partners for those that were cut differently, then
 * amounts.
 */
#include "hpfile/diff.h"

#include <math.h>
#include <stdlib.h>

#include "hpfile/str.h"
#include "intern.h"

#define DOTS "..."

/* A number in front of a name rarely has more digits than another by more than this. */
#define MOST_DIGITS 3

struct hpf_diff {
    hpf_survey *surveys[2];
    hpf__intern texts;        /* by first number: before partners are found */
    uint32_t *row_of_name[2]; /* numbers of rows */
    hpf_diff_row *rows;
    uint32_t n_rows;
    hpf_diff_row total;
};

/* ---- Names to rows ---- */

static bool is_used(const hpf_survey *survey, hpf_name name)
{
    return hpf_survey_totals(survey, name)->n_samples > 0;
}

static hpf_status number_names(hpf_diff *d, int side, hpf_error *err)
{
    const hpf_survey *survey = d->surveys[side];
    uint32_t n = hpf_survey_n_names(survey);
    d->row_of_name[side] = calloc((size_t)n + 1, sizeof *d->row_of_name[side]);
    if (!d->row_of_name[side]) {
        return hpf_error_set_memory(err);
    }
    for (hpf_name i = 0; i < n; i++) {
        bool is_new;
        hpf_str text = hpf_str_without_id(hpf_survey_name(survey, i));
        hpf_status status = hpf__intern_add(&d->texts, text, &d->row_of_name[side][i], &is_new);
        if (status != HPF_OK) {
            return status == HPF_ERR_MEMORY ? hpf_error_set_memory(err)
                                            : hpf_error_set(err, status, "too many names");
        }
    }
    return HPF_OK;
}

static void count_names(hpf_diff *d, int side)
{
    for (hpf_name i = 0; i < hpf_survey_n_names(d->surveys[side]); i++) {
        d->rows[d->row_of_name[side][i]].n_names[side] += is_used(d->surveys[side], i);
    }
}

static hpf_status make_rows(hpf_diff *d, hpf_error *err)
{
    d->n_rows = d->texts.n_names;
    d->rows = calloc((size_t)d->n_rows + 1, sizeof *d->rows);
    if (!d->rows) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < d->n_rows; i++) {
        d->rows[i] = (hpf_diff_row){.name = d->texts.names[i], .number = i};
    }
    count_names(d, 0);
    count_names(d, 1);
    return HPF_OK;
}

/* ---- Names that were cut ---- */

/* A cut name that only one of the profiles has. */
typedef struct cut_name {
    hpf_str text; /* without the dots */
    int side;
    uint32_t row;
} cut_name;

static bool is_cut(hpf_str name)
{
    size_t n = sizeof DOTS - 1;
    return name.length > n && memcmp(name.data + name.length - n, DOTS, n) == 0;
}

static int compare_cut_names(const void *left, const void *right)
{
    const cut_name *a = left;
    const cut_name *b = right;
    return hpf_str_compare(a->text, b->text);
}

/* Whether one is the other, cut a little sooner. */
static bool is_sooner(const cut_name *sooner, const cut_name *later)
{
    size_t n = sooner->text.length;
    return n < later->text.length && later->text.length - n <= MOST_DIGITS &&
           memcmp(sooner->text.data, later->text.data, n) == 0;
}

static size_t gather_cut_names(const hpf_diff *d, cut_name *out)
{
    size_t n = 0;
    for (uint32_t i = 0; i < d->n_rows; i++) {
        const hpf_diff_row *row = &d->rows[i];
        if (is_cut(row->name) && (row->n_names[0] == 0) != (row->n_names[1] == 0)) {
            hpf_str text = {row->name.data, row->name.length - (sizeof DOTS - 1)};
            out[n++] = (cut_name){text, row->n_names[1] > 0, i};
        }
    }
    qsort(out, n, sizeof *out, compare_cut_names);
    return n;
}

/* In the order of bytes a name stands right before those that begin with it. So a pair of
 * neighbours is one if neither fits its neighbour on the other side. */
static void find_partners(const cut_name *names, size_t n, uint32_t *partner_of_row)
{
    for (size_t i = 0; i + 1 < n; i++) {
        const cut_name *sooner = &names[i];
        const cut_name *later = &names[i + 1];
        bool is_taken =
            (i > 0 && is_sooner(sooner - 1, sooner)) ||
            (i + 2 < n && (is_sooner(later, later + 1) || is_sooner(sooner, later + 1)));
        if (sooner->side != later->side && is_sooner(sooner, later) && !is_taken) {
            partner_of_row[sooner->row] = later->row;
        }
    }
}

/* Rows whose names went to a partner, or belong to no complete sample, are dropped. */
static void drop_rows(hpf_diff *d, const uint32_t *partner_of_row, uint32_t *number_of_row)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n_rows; i++) {
        hpf_diff_row *row = &d->rows[i];
        if (partner_of_row[i] == i && row->n_names[0] + row->n_names[1] > 0) {
            number_of_row[i] = n;
            d->rows[n] = *row;
            d->rows[n].number = n;
            n++;
        }
    }
    d->n_rows = n;
}

static void renumber(hpf_diff *d, const uint32_t *partner_of_row, const uint32_t *number_of_row)
{
    for (int side = 0; side < 2; side++) {
        for (hpf_name i = 0; i < hpf_survey_n_names(d->surveys[side]); i++) {
            uint32_t *row = &d->row_of_name[side][i];
            *row = number_of_row[partner_of_row[*row]];
        }
    }
}

static hpf_status join_cut_names(hpf_diff *d, hpf_error *err)
{
    size_t room = (size_t)d->n_rows + 1;
    cut_name *names = calloc(room, sizeof *names);
    uint32_t *partner_of_row = calloc(room, sizeof *partner_of_row);
    uint32_t *number_of_row = calloc(room, sizeof *number_of_row);
    bool fits = names && partner_of_row && number_of_row;
    if (fits) {
        for (uint32_t i = 0; i < d->n_rows; i++) {
            partner_of_row[i] = i;
        }
        find_partners(names, gather_cut_names(d, names), partner_of_row);
        for (uint32_t i = 0; i < d->n_rows; i++) {
            if (partner_of_row[i] != i) {
                d->rows[partner_of_row[i]].n_names[0] += d->rows[i].n_names[0];
                d->rows[partner_of_row[i]].n_names[1] += d->rows[i].n_names[1];
            }
        }
        drop_rows(d, partner_of_row, number_of_row);
        renumber(d, partner_of_row, number_of_row);
    }
    free(names);
    free(partner_of_row);
    free(number_of_row);
    return fits ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- Amounts ---- */

static void add_means(hpf_diff *d, int side)
{
    const hpf_survey *survey = d->surveys[side];
    for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
        if (is_used(survey, i)) {
            hpf_diff_row *row = &d->rows[d->row_of_name[side][i]];
            row->amounts[side][HPF_DIFF_MEAN] +=
                hpf_survey_mean(survey, hpf_survey_totals(survey, i));
        }
    }
    d->total.amounts[side][HPF_DIFF_MEAN] =
        hpf_survey_mean(survey, &hpf_survey_overview(survey)->total);
}

/* What the names cost in one sample. `buffer` has room for all of them. */
static hpf_status add_pick(hpf_diff *d, int side, size_t pick, hpf_diff_measure measure,
                           double *buffer, hpf_error *err)
{
    hpf_survey *survey = d->surveys[side];
    hpf_status status = hpf_survey_pick_amounts(survey, pick, buffer, err);
    for (hpf_name i = 0; i < hpf_survey_n_names(survey) && status == HPF_OK; i++) {
        if (is_used(survey, i)) {
            d->rows[d->row_of_name[side][i]].amounts[side][measure] += buffer[i];
        }
    }
    d->total.amounts[side][measure] = hpf_survey_overview(survey)->picks[pick].total;
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
    hpf_status status = add_pick(d, side, hpf_survey_peak_pick(survey), HPF_DIFF_PEAK, buffer, err);
    if (status == HPF_OK) {
        status = add_pick(d, side, hpf_survey_end_pick(survey), HPF_DIFF_END, buffer, err);
    }
    free(buffer);
    for (uint32_t i = 0; i < d->n_rows; i++) {
        d->total.n_names[side] += d->rows[i].n_names[side];
    }
    return status;
}

static hpf_status compare(hpf_diff *d, hpf_error *err)
{
    hpf_status status = number_names(d, 0, err);
    status = status == HPF_OK ? number_names(d, 1, err) : status;
    status = status == HPF_OK ? make_rows(d, err) : status;
    status = status == HPF_OK ? join_cut_names(d, err) : status;
    status = status == HPF_OK ? add_amounts(d, 0, err) : status;
    return status == HPF_OK ? add_amounts(d, 1, err) : status;
}

hpf_status hpf_diff_create(hpf_diff **out, hpf_survey *old_one, hpf_survey *new_one, hpf_error *err)
{
    hpf_diff *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) {
        return hpf_error_set_memory(err);
    }
    d->surveys[0] = old_one;
    d->surveys[1] = new_one;
    d->total.name = HPF_STR("");
    hpf_status status = compare(d, err);
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
        hpf__intern_finish(&d->texts);
        free(d->row_of_name[0]);
        free(d->row_of_name[1]);
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
    return d->row_of_name[side][name];
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
