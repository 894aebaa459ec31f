/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are "DRAG producer <- retainers". The areas of the names of a pair are added up, and pairs
 * are sorted by them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/findings.h"
#include "base/array.h"
#include "base/words.h"
#include "hpfile/str.h"
#include "hpfile/summary.h"

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
