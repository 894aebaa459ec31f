/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of OpenMetrics lists all samples of one metric together, so all profiles are read before
 * anything is written.
 */
#include "http_metrics.h"

#include <math.h>
#include <stdlib.h>

#include "death.h"
#include "base/names.h"
#include "base/utf8.h"
#include "hpfile/margin.h"
#include "hpfile/str.h"
#include "hpfile/sink.h"
#include "hpfile/survey.h"

static const char other_band[] = "OTHER";

typedef struct metrics_profile {
    const watched *of;
    double time, total, peak, n_samples;
    double resident, margin; /* NAN if it is not known, or the total is exact */
    size_t n_bands;
    hpf_str labels[HTTP_METRICS_MOST_BANDS]; /* borrowed from the survey */
    double amounts[HTTP_METRICS_MOST_BANDS];
    double other;
    bool has_ended; /* only its end is of interest */
} metrics_profile;

/* ---- reading ---- */

/* Returns the label of a name: without the number of its stack, which differs between processes. */
static hpf_str label_of(const hpf_survey *survey, hpf_name name)
{
    return hpf__without_id(hpf_survey_name(survey, name));
}

/* Returns the index of the band with a label, or the number of bands. */
static size_t find_band(const metrics_profile *p, hpf_str label)
{
    size_t i = 0;
    while (i < p->n_bands && !hpf_str_equal(p->labels[i], label)) {
        i++;
    }
    return i;
}

/* Returns whether a name can be a label: text that is written unchanged, so that labels differ like
 * names. */
static bool can_be_label(hpf_str name)
{
    while (name.length > 0) {
        uint32_t character;
        size_t n = hpf_utf8_next(name, &character);
        if (n == 0 || !hpf_utf8_is_printable(character)) {
            return false;
        }
        name = hpf_str_from(name, n);
    }
    return true;
}

/* Lists the bands, after it has given some to the largest names. */
static void choose_bands(metrics_profile *p, http_metrics_bands *bands, const hpf_survey *survey,
                         const double *amounts)
{
    uint32_t n_names = hpf_survey_n_names(survey);
    hpf_name largest[HTTP_METRICS_LARGEST];
    size_t n = 0;
    for (uint32_t i = 0; i < n_names; i++) {
        if (amounts[i] <= 0 ||
            (n == HTTP_METRICS_LARGEST && amounts[i] <= amounts[largest[n - 1]])) {
            continue;
        }
        size_t at = n < HTTP_METRICS_LARGEST ? n++ : n - 1;
        while (at > 0 && amounts[i] > amounts[largest[at - 1]]) {
            largest[at] = largest[at - 1];
            at--;
        }
        largest[at] = i;
    }
    for (; p->n_bands < bands->n; p->n_bands++) {
        p->labels[p->n_bands] = label_of(survey, bands->names[p->n_bands]);
    }
    for (size_t i = 0; i < n && bands->n < HTTP_METRICS_MOST_BANDS; i++) {
        hpf_str label = label_of(survey, largest[i]);
        if (find_band(p, label) == bands->n && can_be_label(label) &&
            !hpf_str_is(label, other_band)) {
            bands->names[bands->n++] = largest[i];
            p->labels[p->n_bands++] = label;
        }
    }
}

/* Returns the last point of a quantity, or NAN. */
static double last_of_quantity(const hpf_overview *o, const char *name)
{
    for (size_t i = 0; i < o->n_quantities; i++) {
        const hpf_quantity *q = &o->quantities[i];
        if (hpf_str_is(q->name, name)) {
            return q->points[q->n_points - 1].value;
        }
    }
    return NAN;
}

/* Adds the amounts of all names to the bands with their labels. */
static void add_amounts(metrics_profile *p, const hpf_survey *survey, const double *amounts)
{
    for (uint32_t name = 0; name < hpf_survey_n_names(survey); name++) {
        size_t band = amounts[name] > 0 ? find_band(p, label_of(survey, name)) : p->n_bands;
        if (band < p->n_bands) {
            p->amounts[band] += amounts[name];
            p->other -= amounts[name];
        }
    }
}

/* Fills in the latest sample. */
static hpf_status read_sample(metrics_profile *p, hpf_survey *survey, http_metrics_bands *bands,
                              hpf_error *err)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t n_names = hpf_survey_n_names(survey);
    double *amounts = calloc(n_names + 1, sizeof *amounts);
    if (!amounts) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_survey_drawn_amounts(survey, o->n_drawn - 1, amounts, err);
    if (status == HPF_OK) {
        const hpf_drawn_sample *last = &o->drawn[o->n_drawn - 1];
        choose_bands(p, bands, survey, amounts);
        p->n_samples = (double)o->n_samples;
        p->time = last->time;
        p->total = p->other = last->total;
        p->peak = o->peak_total;
        double rate_bytes = hpf_survey_rate_bytes(survey);
        p->margin = rate_bytes > 0 ? hpf_margin_of(p->total, 0, rate_bytes) : NAN;
        p->resident = last_of_quantity(o, "resident");
        add_amounts(p, survey, amounts);
    }
    free(amounts);
    return status;
}

static bool make_room(http_metrics *m)
{
    metrics_profile *grown = realloc(m->profiles, (m->n + 1) * sizeof *grown);
    m->profiles = grown ? grown : m->profiles;
    return grown != NULL;
}

hpf_status http_metrics_add_end(http_metrics *m, const watched *profile, hpf_error *err)
{
    const hpf_process *process = hpf_live_process(profile->live);
    if (!process || !death_killer_name(process)) {
        return HPF_OK;
    }
    if (!make_room(m)) {
        return hpf_error_set_memory(err);
    }
    m->profiles[m->n++] = (metrics_profile){.of = profile,
                                            .has_ended = true,
                                            .time = NAN,
                                            .total = NAN,
                                            .peak = NAN,
                                            .resident = NAN,
                                            .n_samples = NAN};
    return HPF_OK;
}

hpf_status http_metrics_add(http_metrics *m, const watched *profile, http_metrics_bands *bands,
                            hpf_error *err)
{
    hpf_survey *survey;
    hpf_status status = watched_survey(&survey, profile, 0, err);
    if (status != HPF_OK) {
        return status == HPF_MORE ? HPF_OK : status;
    }
    if (!hpf_str_is(hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT), "bytes") ||
        hpf_survey_overview(survey)->n_drawn == 0) {
        return HPF_OK;
    }
    if (!make_room(m)) {
        return hpf_error_set_memory(err);
    }
    if (bands->epoch != profile->epoch) {
        *bands = (http_metrics_bands){.epoch = profile->epoch};
    }
    m->profiles[m->n] = (metrics_profile){.of = profile};
    status = read_sample(&m->profiles[m->n], survey, bands, err);
    m->n += status == HPF_OK;
    return status;
}

/* ---- writing ---- */

/* Writes text inside double quotes. */
static void write_label(hpf_sink *sink, const char *key, hpf_str text)
{
    hpf_sink_printf(sink, "%s=\"", key);
    while (text.length > 0) {
        size_t n = 0;
        while (n < text.length && text.data[n] != '"' && text.data[n] != '\\') {
            n++;
        }
        hpf_sink_name(sink, (hpf_str){text.data, n}); /* has no line feeds */
        if (n < text.length) {
            hpf_sink_printf(sink, "\\%c", text.data[n++]);
        }
        text = hpf_str_from(text, n);
    }
    hpf_sink_text(sink, "\"");
}

static void write_value(hpf_sink *sink, const char *metric, const metrics_profile *p,
                        const char *key, const hpf_str *label, double value)
{
    hpf_sink_printf(sink, "%s{", metric);
    write_label(sink, "profile", hpf_str_of(p->of->name));
    if (label) {
        hpf_sink_text(sink, ",");
        write_label(sink, key, *label);
    }
    hpf_sink_text(sink, "} ");
    hpf_sink_shortest(sink, value);
    hpf_sink_text(sink, "\n");
}

static void write_bands(const http_metrics *m, hpf_sink *sink)
{
    static const char metric[] = "census_heap_live_bytes";
    const hpf_str other = {other_band, sizeof other_band - 1};
    hpf_sink_text(sink, "# TYPE census_heap_live_bytes gauge\n# UNIT census_heap_live_bytes bytes\n"
                        "# HELP census_heap_live_bytes Live heap by band in the latest sample.\n");
    for (size_t k = 0; k < m->n; k++) {
        const metrics_profile *p = &m->profiles[k];
        for (size_t i = 0; i < p->n_bands; i++) {
            write_value(sink, metric, p, "band", &p->labels[i], p->amounts[i]);
        }
        if (!p->has_ended) {
            write_value(sink, metric, p, "band", &other, p->other);
        }
    }
}

/* Writes how much of each limit of memory is used, and who killed processes. */
static void write_memory(const http_metrics *m, hpf_sink *sink)
{
    static const char ratio[] = "census_memory_used_ratio", killed[] = "census_process_killed";
    hpf_sink_text(sink, "# TYPE census_memory_used_ratio gauge\n"
                        "# UNIT census_memory_used_ratio ratio\n"
                        "# HELP census_memory_used_ratio Used part of a limit of memory.\n");
    for (size_t k = 0; k < m->n; k++) {
        const metrics_profile *p = &m->profiles[k];
        const hpf_process *process = p->has_ended ? NULL : hpf_live_process(p->of->live);
        for (hpf_memory_limit i = 0; process && i < HPF_N_MEMORY_LIMITS; i++) {
            const hpf_str limit = hpf_str_of(death_limit_name(i));
            if (process->memory.limits[i].most_bytes > 0) {
                write_value(sink, ratio, p, "limit", &limit, hpf_memory_part(&process->memory, i));
            }
        }
    }
    hpf_sink_text(sink, "# TYPE census_process_killed gauge\n"
                        "# HELP census_process_killed 1 for a process that SIGKILL has ended.\n");
    for (size_t k = 0; k < m->n; k++) {
        const metrics_profile *p = &m->profiles[k];
        const hpf_process *process = hpf_live_process(p->of->live);
        const char *killer = process ? death_killer_name(process) : NULL;
        if (killer) {
            const hpf_str by = hpf_str_of(killer);
            write_value(sink, killed, p, "killer", &by, 1);
        }
    }
}

/* The metrics with one value for each profile that has it. */
static const struct {
    const char *head, *name;
    size_t offset; /* of the value in a metrics_profile */
} single[] = {
    {"# TYPE census_heap_total_bytes gauge\n# UNIT census_heap_total_bytes bytes\n"
     "# HELP census_heap_total_bytes Live heap in the latest sample.\n",
     "census_heap_total_bytes", offsetof(metrics_profile, total)},
    {"# TYPE census_heap_margin_bytes gauge\n# UNIT census_heap_margin_bytes bytes\n"
     "# HELP census_heap_margin_bytes How far the total, of a sample of the blocks, may be off "
     "(95 %).\n",
     "census_heap_margin_bytes", offsetof(metrics_profile, margin)},
    {"# TYPE census_heap_peak_bytes gauge\n# UNIT census_heap_peak_bytes bytes\n"
     "# HELP census_heap_peak_bytes Largest live heap of any sample.\n",
     "census_heap_peak_bytes", offsetof(metrics_profile, peak)},
    {"# TYPE census_resident_bytes gauge\n# UNIT census_resident_bytes bytes\n"
     "# HELP census_resident_bytes Resident set of the process.\n",
     "census_resident_bytes", offsetof(metrics_profile, resident)},
    {"# TYPE census_samples counter\n# HELP census_samples Samples of the profile.\n",
     "census_samples_total", offsetof(metrics_profile, n_samples)},
    {"# TYPE census_sample_time gauge\n"
     "# HELP census_sample_time Time of the latest sample in the profile.\n",
     "census_sample_time", offsetof(metrics_profile, time)},
};

void http_metrics_finish(http_metrics *m, hpf_sink *sink)
{
    write_bands(m, sink);
    write_memory(m, sink);
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        hpf_sink_text(sink, single[i].head);
        for (size_t k = 0; k < m->n; k++) {
            const metrics_profile *p = &m->profiles[k];
            double value = *(const double *)(const void *)((const char *)p + single[i].offset);
            if (!isnan(value)) {
                write_value(sink, single[i].name, p, NULL, NULL, value);
            }
        }
    }
    hpf_sink_text(sink, "# EOF\n");
    free(m->profiles);
    *m = (http_metrics){NULL, 0};
}
