/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What holds retainers, how long objects were used, and what was kept without use.
 *
 * Names of savings are "DRAG producer <- retainers". The areas of the names of a pair are added up,
 * and pairs are sorted by them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/findings.h"
#include "base/array.h"
#include "base/words.h"
#include "hpfile/str.h"
#include "hpfile/summary.h"
#include "hpfile/retainer_sets.h"

/* ---- Chains ---------------------------------------------------------------------------------- */

bool hpf_chain_has_listed(const hpf_chain *c, hpf_str retainer)
{
    for (size_t i = 0; i < c->n_listed; i++) {
        if (hpf_str_equal(c->listed[i], retainer)) {
            return true;
        }
    }
    return false;
}

/* Returns whether a set leads on: it has a member that is not listed yet, or is no set but a word
 * such as MANY. */
static bool leads_on(const hpf_chain *c, hpf_str members)
{
    hpf_str rest = members;
    hpf_str member = hpf_retainer_sets_next_member(&rest);
    bool is_word = !member.data;
    for (; member.data; member = hpf_retainer_sets_next_member(&rest)) {
        if (!hpf_chain_has_listed(c, member)) {
            return true;
        }
    }
    return is_word;
}

hpf_held hpf_chain_holdings_of(const hpf_chain *c, hpf_str retainer)
{
    hpf_held all = {0};
    for (size_t i = 0; i < c->n_holdings; i++) {
        const hpf_prof_holding *h = &c->holdings[i];
        if (!hpf_str_equal(h->retainer, retainer)) {
            continue;
        }
        all.is_root |= h->is_root;
        all.size_bytes += h->size_bytes;
        all.n_objects += h->is_root ? 0 : h->n_objects;
        if (!h->is_root && leads_on(c, h->by)) {
            all.n_sets++;
            all.best = !all.best || h->size_bytes > all.best->size_bytes ? h : all.best;
        }
    }
    return all;
}

/* ---- Life times ------------------------------------------------------------------------------ */

/* The bytes of a name fall from sample to sample. The share that is left at a duration gives the
 * quantiles, and the area the mean. */

typedef struct distribution {
    hpf_life_time *rows; /* by name */
    double *amounts, time_s;
    size_t n_rows;
} distribution;

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    distribution *d = context;
    (void)err;
    memset(d->amounts, 0, d->n_rows * sizeof *d->amounts);
    for (size_t i = 0; i < sample->n_costs; i++) {
        d->amounts[sample->costs[i].name] += hpf_cost_amount(&sample->costs[i]);
    }
    for (size_t i = 0; i < d->n_rows; i++) {
        hpf_life_time *r = &d->rows[i];
        double left = d->amounts[i];
        r->bytes = r->bytes < left ? left : r->bytes;
        r->area += r->left * (sample->time - d->time_s);
        r->left = left;
        r->half_s = left > 0.5 * r->bytes ? sample->time : r->half_s;
        r->most_s = left > 0.1 * r->bytes ? sample->time : r->most_s;
        r->longest_s = left > 0 ? sample->time : r->longest_s;
    }
    d->time_s = sample->time;
    return HPF_OK;
}

/* Reads the names, "PHASE producer". Returns false if one is something else. */
static bool read_names(distribution *d, const hpf_survey *survey)
{
    static const char *const phases[] = {"LAG ", "USE ", "DRAG ", "VOID "};
    for (uint32_t i = 0; i < d->n_rows; i++) {
        hpf_str name = hpf_survey_name(survey, i);
        size_t k = 0;
        while (k < sizeof phases / sizeof *phases && !hpf_str_begins(name, phases[k])) {
            k++;
        }
        if (k == sizeof phases / sizeof *phases) {
            return false;
        }
        size_t n = strlen(phases[k]);
        d->rows[i].phase = (hpf_str){name.data, n - 1};
        d->rows[i].producer = hpf_str_from(name, n);
    }
    return d->n_rows > 0;
}

static int compare_life_areas(const void *a, const void *b)
{
    const hpf_life_time *x = a, *y = b;
    int order = (x->area < y->area) - (x->area > y->area);
    order = order ? order : (x->bytes < y->bytes) - (x->bytes > y->bytes);
    order = order ? order : hpf_str_compare(x->producer, y->producer);
    return order ? order : hpf_str_compare(x->phase, y->phase);
}

hpf_status hpf_life_times_find(hpf_life_time **out, size_t *n, hpf_survey *survey, hpf_error *err)
{
    static const hpf_events events = {.sample = on_sample};
    distribution d = {.n_rows = hpf_survey_n_names(survey)};
    d.rows = calloc(d.n_rows + 1, sizeof *d.rows);
    d.amounts = calloc(d.n_rows + 1, sizeof *d.amounts);
    hpf_status status = d.rows && d.amounts ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK && !read_names(&d, survey)) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "--life-times needs a NAME.lives.hp, which programs that embed "
                               "hpprof write with -hb --life-times: other recordings do not have "
                               "these times");
    }
    status = status == HPF_OK ? hpf_survey_emit(survey, false, &events, &d, err) : status;
    if (status == HPF_OK) {
        qsort(d.rows, d.n_rows, sizeof *d.rows, compare_life_areas);
    }
    free(d.amounts);
    *out = d.rows;
    *n = d.n_rows;
    return status;
}

/* ---- Savings ---- */

static const char *const phase_names[HPF_N_SAVING_PHASES] = {"LAG ", "DRAG ", "VOID "};

/* Splits a name. Returns false if it is another. */
static bool read_name(hpf_str name, hpf_saving *out, int *phase)
{
    for (*phase = 0; *phase < HPF_N_SAVING_PHASES; ++*phase) {
        if (hpf__take_word(&name, phase_names[*phase])) {
            *out = (hpf_saving){.pair = name};
            return hpf__divide(name, " <- ", &out->producer, &out->retainers) &&
                   out->retainers.length > 0;
        }
    }
    return false;
}

static int compare_pairs(const void *a, const void *b)
{
    const hpf_saving *x = a;
    const hpf_saving *y = b;
    return hpf_str_compare(x->pair, y->pair);
}

static int compare_areas(const void *a, const void *b)
{
    const hpf_saving *x = a;
    const hpf_saving *y = b;
    return x->area != y->area ? (x->area < y->area) - (x->area > y->area) : compare_pairs(a, b);
}

static void add(hpf_saving *to, const hpf_saving *from)
{
    for (int k = 0; k < HPF_N_SAVING_PHASES; k++) {
        to->areas[k] += from->areas[k];
    }
    to->area += from->area;
}

/* Lists the pairs, largest first. Returns their number, 0 if the profile has other names. */
static size_t list_savings(hpf_saving *out, const hpf_summary *sum)
{
    size_t n = 0, n_pairs = 0;
    for (uint32_t i = 0; i < sum->n_rows; i++) {
        int phase;
        double area = sum->rows[i].mean * sum->duration;
        if (read_name(sum->rows[i].name, &out[n], &phase)) {
            out[n].areas[phase] = out[n].area = area;
            n++;
        } else if (area > 0 && !hpf_str_is(sum->rows[i].name, "OUT_OF_MEMORY")) {
            return 0;
        }
    }
    HPF__ARRAY_SORT(out, n, compare_pairs);
    for (size_t i = 0; i < n; i++) {
        if (n_pairs > 0 && hpf_str_equal(out[n_pairs - 1].pair, out[i].pair)) {
            add(&out[n_pairs - 1], &out[i]);
        } else {
            out[n_pairs++] = out[i];
        }
    }
    HPF__ARRAY_SORT(out, n_pairs, compare_areas);
    return n_pairs;
}

hpf_status hpf_savings_find(hpf_saving **out, size_t *n, hpf_saving *total,
                            const hpf_survey *survey, hpf_error *err)
{
    hpf_summary sum;
    *out = NULL;
    *n = 0;
    *total = (hpf_saving){.area = 0};
    hpf_status status = hpf_summary_make(&sum, survey, 0, err);
    if (status != HPF_OK) {
        return status;
    }
    *out = calloc((size_t)sum.n_rows + 1, sizeof **out);
    *n = *out ? list_savings(*out, &sum) : 0;
    for (size_t i = 0; i < *n; i++) {
        add(total, &(*out)[i]);
    }
    hpf_summary_finish(&sum);
    return *out ? HPF_OK : hpf_error_set_memory(err);
}

/* By trapezia, of the quantity `live`. It is 0
 * at the first and the last sample, where GHC and hpprof write an empty one without a census. */
double hpf_survey_live_area(const hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    double area = 0;
    for (size_t i = 0; i < o->n_quantities; i++) {
        const hpf_quantity *q = &o->quantities[i];
        if (!hpf_str_is(q->name, "live")) {
            continue;
        }
        const hpf_quantity_point *first = &q->points[0], *last = &q->points[q->n_points - 1];
        area += first->value / 2 * fmax(0, first->time - o->first_time) +
                last->value / 2 * fmax(0, o->last_time - last->time);
        for (size_t k = 1; k < q->n_points; k++) {
            area += (q->points[k].value + q->points[k - 1].value) / 2 *
                    (q->points[k].time - q->points[k - 1].time);
        }
    }
    return area;
}
