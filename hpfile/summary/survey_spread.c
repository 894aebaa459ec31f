/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The blocks of a name in the largest sample have a mean size, by the totals of stacks, from which
 * follows how far estimates of it spread.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/names.h"
#include "hpfile/margin.h"
#include "hpfile/str.h"
#include "summary/survey_read.h"

/* What a name has in the largest sample. */
typedef struct entry {
    hpf_str name;
    double bytes, blocks;
} entry;

typedef struct entries {
    hpf_survey *surveys[2]; /* of bytes, and of blocks; they have the names */
    entry *all;
    size_t n, capacity;
} entries;

static int by_name(const void *a, const void *b)
{
    return hpf_str_compare(((const entry *)a)->name, ((const entry *)b)->name);
}

/* Reads one of the totals of stacks. Logs with restrictions have none. */
static hpf_status read_value(entries *e, int which, const hpf__read_survey *of, hpf_error *err)
{
    static const char *const values[] = {"peak", "blocks"};
    hpf_survey_options options = of->options;
    options.value = hpf_str_of(values[which]);
    options.has_window = options.uses_mutator_clock = options.keeps_stacks = false;
    options.is_wanted = NULL;
    options.warning = NULL;
    options.progress = NULL;
    options.expects_no_series = true;
    options.size = sizeof options;
    hpf_status status = hpf_source_rewind(of->input, err);
    status = status ? status : hpf_survey_create(&e->surveys[which], of->input, &options, err);
    uint32_t n = status ? 0 : hpf_survey_n_names(e->surveys[which]);
    for (hpf_name i = 0; i < n; i++) {
        double sum = hpf_survey_totals(e->surveys[which], i)->sum;
        entry next = {hpf__without_id(hpf_survey_name(e->surveys[which], i)), which == 0 ? sum : 0,
                      which == 1 ? sum : 0};
        if (!HPF__ARRAY_PUSH(e->all, e->n, e->capacity, next)) {
            return hpf_error_set_memory(err);
        }
    }
    return status == HPF_ERR_ARGUMENT || status == HPF_ERR_UNSUPPORTED ? HPF_OK : status;
}

/* Joins the entries of each name. */
static void join(entries *e)
{
    size_t n = 0;
    HPF__ARRAY_SORT(e->all, e->n, by_name);
    for (size_t i = 0; i < e->n; i++) {
        if (n > 0 && hpf_str_equal(e->all[n - 1].name, e->all[i].name)) {
            e->all[n - 1].bytes += e->all[i].bytes;
            e->all[n - 1].blocks += e->all[i].blocks;
        } else {
            e->all[n++] = e->all[i];
        }
    }
    e->n = n;
}

/* Fills in the spreads of names that have an entry, and that of all. */
static bool spread(hpf_survey *s, const entries *e, double rate_bytes)
{
    uint32_t n_names = hpf_survey_n_names(s);
    double variance = 0, bytes = 0;
    s->spreads = malloc((n_names + 1) * sizeof *s->spreads);
    for (hpf_name i = 0; s->spreads && i < n_names; i++) {
        const entry key = {.name = hpf__without_id(hpf_survey_name(s, i))};
        const entry *found = bsearch(&key, e->all, e->n, sizeof *e->all, by_name);
        s->spreads[i] =
            found && found->bytes > 0
                ? hpf_margin_variance(found->bytes, found->blocks, rate_bytes) / found->bytes
                : rate_bytes;
    }
    for (size_t i = 0; i < e->n; i++) {
        variance += hpf_margin_variance(e->all[i].bytes, e->all[i].blocks, rate_bytes);
        bytes += e->all[i].bytes;
    }
    s->spread = bytes > 0 ? variance / bytes : rate_bytes;
    return s->spreads != NULL;
}

hpf_status hpf_survey_find_spreads(hpf_survey *survey, hpf_error *err)
{
    entries e = {0};
    double rate_bytes = hpf_survey_rate_bytes(survey);
    hpf_status status = HPF_OK;
    for (int i = 0; i < 2 && status == HPF_OK && rate_bytes > 0; i++) {
        status = read_value(&e, i, (const hpf__read_survey *)survey, err);
    }
    if (status == HPF_OK && e.n > 0) {
        join(&e);
        status = spread(survey, &e, rate_bytes) ? HPF_OK : hpf_error_set_memory(err);
    }
    hpf_survey_destroy(e.surveys[0]);
    hpf_survey_destroy(e.surveys[1]);
    free(e.all);
    return status;
}

double hpf_survey_spread(const hpf_survey *s, hpf_name name)
{
    return s->spreads ? s->spreads[name] : hpf_survey_rate_bytes(s);
}

double hpf_survey_spread_of_all(const hpf_survey *s)
{
    return s->spreads ? s->spread : hpf_survey_rate_bytes(s);
}
