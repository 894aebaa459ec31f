/* SPDX-License-Identifier: BSD-2-Clause */
#include "retainer_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "census/property.h"

static double ratio(uint64_t sum, uint64_t n)
{
    return n > 0 ? (double)sum / (double)n : 0;
}

static bool note_pass(hpp__retainer_log *log, const hpp_census_result *result)
{
    const hpp_retainer_figures *figures = &result->retainers;
    const hpf_prof_census pass = {
        .number = result->era - 1,
        .time_s = result->time_s,
        .max_stack_entries = figures->max_frames,
        .visits_per_object = ratio(figures->n_visits, figures->n_objects),
        .has_totals = true,
        .total_cost = figures->size_bytes,
        .n_sets = figures->n_sets,
    };
    return HPF__ARRAY_PUSH(log->passes, log->n, log->capacity, pass);
}

bool hpp__retainer_log_add(hpp__retainer_log *log, hpp__output *output,
                           const hpp_census_result *result)
{
    const hpp_retainer_figures *f = &result->retainers;
    const struct {
        hpf_str name;
        double value;
    } lines[] = {
        {HPF_STR("sets (number)"), f->n_sets},
        {HPF_STR("mean set (retainers)"), ratio(f->n_retainers, f->n_costed)},
        {HPF_STR("largest set (retainers)"), f->largest_set},
        {HPF_STR("visits (per object)"), ratio(f->n_visits, f->n_objects)},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hpp__output_line(output, result->time_s, lines[i].name, lines[i].value);
    }
    return note_pass(log, result);
}

static int write_scheme(const hpp_scheme *scheme, void *sink)
{
    const hpp_retaining *retaining = scheme->retaining;
    bool is_named = retaining->rule == HPP_RETAINERS_NAMED;
    hpp__text rule = {0};
    if (retaining->is_retainer) {
        hpp__text_add(&rule, HPF_STR("of the runtime"));
    } else {
        const char *word = is_named ? hpp__property_word(retaining->named.selector)
                                    : hpp__rule_words[retaining->rule];
        hpp__text_add(&rule, hpf_str_of(word));
        for (size_t i = 0; i < retaining->named.n_names && is_named; i++) {
            hpp__text_add(&rule, i > 0 ? HPF_STR(",") : HPF_STR(":"));
            hpp__text_add(&rule, retaining->named.names[i]);
        }
    }
    const char *identity =
        hpp__property_word(retaining->identity ? retaining->identity : HPF_BREAKDOWN_COST_CENTRE);
    hpf_prof_write_scheme(sink, &(hpf_prof_scheme){
                                    .identity = hpf_str_of(identity),
                                    .is_retainer = hpp__text_str(&rule),
                                    .visits = ratio(scheme->n_visits, scheme->n_objects),
                                    .mean_set = ratio(scheme->n_retainers, scheme->n_costed),
                                    .largest_set = scheme->largest_set,
                                    .n_sets = scheme->n_sets,
                                    .ms = ratio(scheme->time_ns, scheme->n_censuses) / 1e6,
                                });
    hpp__text_finish(&rule);
    return 0;
}

static int write_set(uint32_t id, hpf_str text, void *sink)
{
    hpf_prof_write_set(sink, id, text);
    return 0;
}

static int write_holding(const hpp_holding *h, void *sink)
{
    const hpf_prof_holding holding = {h->retainer, h->by, h->is_root, h->size_bytes, h->n_objects};
    hpf_prof_write_holding(sink, &holding);
    return 0;
}

void hpp__retainer_log_write(const hpp__retainer_log *log, hpp_census *engine, hpf_sink *sink)
{
    for (size_t i = 0; i < log->n; i++) {
        hpf_prof_write_census(sink, &log->passes[i]);
    }
    if (hpp_census_compares_schemes(engine)) {
        hpf_prof_write_schemes_title(sink);
        hpp_census_each_scheme(engine, write_scheme, sink);
    }
    hpf_prof_write_sets_title(sink);
    hpp_census_each_set(engine, write_set, sink);
    hpf_prof_write_holdings_title(sink);
    hpp_census_each_holding(engine, write_holding, sink);
}

void hpp__retainer_log_finish(hpp__retainer_log *log)
{
    free(log->passes);
    *log = (hpp__retainer_log){0};
}
