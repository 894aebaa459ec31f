/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes of a name fall from sample to sample. The share that is left at a duration gives the
 * quantiles, and the area the mean.
 */
#include <stdlib.h>
#include <string.h>

#include "hpfile/findings.h"
#include "hpfile/str.h"

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

static int compare_areas(const void *a, const void *b)
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
        qsort(d.rows, d.n_rows, sizeof *d.rows, compare_areas);
    }
    free(d.amounts);
    *out = d.rows;
    *n = d.n_rows;
    return status;
}
