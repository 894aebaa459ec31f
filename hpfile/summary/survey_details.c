/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/survey.h"

#include "hpfile/str.h"
#include "summary/survey.h"

const hpf_eventlog_metadata *hpf_survey_eventlog_metadata(const hpf_survey *s)
{
    const hpf__eventlog_heap *log = hpf__reader_log(s->reader);
    return log ? hpf__eventlog_heap_metadata(log) : NULL;
}

const hpf_eventlog *hpf_survey_eventlog(const hpf_survey *s)
{
    const hpf__eventlog_heap *log = hpf__reader_log(s->reader);
    return log ? hpf__eventlog_heap_records(log) : NULL;
}

const hpf_eventlog_profile *hpf_survey_eventlog_profile(const hpf_survey *s)
{
    const hpf__eventlog_heap *log = hpf__reader_log(s->reader);
    return log ? hpf__eventlog_heap_profile(log) : NULL;
}

double hpf_survey_input_sum(const hpf_survey *s, hpf_name name)
{
    return hpf__accumulator_input_sum(&s->accumulator, name);
}

double hpf_survey_leftover(const hpf_survey *s, hpf_name name)
{
    return s->accumulator.accounts[name].leftover;
}

size_t hpf_survey_end_index(const hpf_survey *s)
{
    const hpf_overview *o = &s->accumulator.overview;
    size_t i = o->n_drawn;
    while (i > 0 && o->drawn[i - 1].total == 0) {
        i--;
    }
    return (i > 0 ? i : o->n_drawn) - 1;
}

double hpf_survey_mean(const hpf_survey *s, const hpf_totals *totals)
{
    const hpf_overview *o = &s->accumulator.overview;
    double duration = o->last_time - o->first_time;
    return duration > 0 ? totals->trapezium / duration : totals->sum / (double)o->n_samples;
}

void hpf_survey_use_retainer_sets(hpf_survey *s, hpf_retainer_sets *sets)
{
    s->sets = sets;
}

bool hpf_survey_retainer_set(const hpf_survey *s, hpf_name name, hpf_retainer_set *set)
{
    return hpf_survey_retainer_set_named(s, hpf_survey_name(s, name), set);
}

bool hpf_survey_retainer_set_named(const hpf_survey *s, hpf_str name, hpf_retainer_set *set)
{
    return s->sets && hpf_retainer_sets_find(s->sets, name, set);
}

size_t hpf_survey_find_mark(const hpf_survey *survey, const char *label, double after, double *time)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    size_t n = 0;
    for (size_t i = 0; i < o->n_marks; i++) {
        if (hpf_str_is(o->marks[i].label, label) && o->marks[i].time > after) {
            *time = n++ == 0 ? o->marks[i].time : *time;
        }
    }
    return n;
}
