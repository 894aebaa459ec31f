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
    hpf_str name;    /* the label `profile` */
    hpf_str program; /* more labels; empty: none */
    uint32_t process_id;
    hpf_memory memory;  /* limits that are not known are 0 */
    const char *killer; /* NULL: none */
    double time, total, peak, n_samples;
    double resident, margin;         /* NAN if it is not known, or the total is exact */
    const http_metrics_bands *bands; /* NULL: only its end is of interest */
    double amounts[HTTP_METRICS_MOST_BANDS];
    double other;
} metrics_profile;

/* ---- reading ---- */

/* The names of a sample, as labels, and their amounts. */
typedef struct amounts {
    hpf_str *labels;
    double *of;
    size_t n;
} amounts;

void http_metrics_bands_finish(http_metrics_bands *bands)
{
    hpf_arena_destroy(bands->labels);
    *bands = (http_metrics_bands){0};
}

static void free_amounts(const amounts *a)
{
    free(a->labels);
    free(a->of);
}

/* Returns the index of the band with a label, or the number of bands. */
static size_t find_band(const http_metrics_bands *bands, hpf_str label)
{
    size_t i = 0;
    while (i < bands->n && !hpf_str_equal(bands->of[i], label)) {
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

/* Gives bands to the largest names. */
static void choose_bands(http_metrics_bands *bands, const amounts *a)
{
    size_t largest[HTTP_METRICS_LARGEST], n = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (a->of[i] <= 0 || (n == HTTP_METRICS_LARGEST && a->of[i] <= a->of[largest[n - 1]])) {
            continue;
        }
        size_t at = n < HTTP_METRICS_LARGEST ? n++ : n - 1;
        while (at > 0 && a->of[i] > a->of[largest[at - 1]]) {
            largest[at] = largest[at - 1];
            at--;
        }
        largest[at] = i;
    }
    bands->labels = bands->labels ? bands->labels : hpf_arena_create();
    for (size_t i = 0; i < n && bands->n < HTTP_METRICS_MOST_BANDS; i++) {
        hpf_str label = a->labels[largest[i]];
        bool is_new = find_band(bands, label) == bands->n && can_be_label(label) &&
                      !hpf_str_is(label, other_band);
        hpf_str copy = is_new && bands->labels ? hpf_arena_str(bands->labels, label) : HPF_STR("");
        if (copy.length > 0) {
            bands->of[bands->n++] = copy;
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

/* Adds the amounts of all names to the bands with their labels; the rest is OTHER. */
static void add_amounts(metrics_profile *p, http_metrics_bands *bands, const amounts *a)
{
    choose_bands(bands, a);
    p->bands = bands;
    p->other = p->total;
    for (size_t i = 0; i < a->n; i++) {
        size_t band = a->of[i] > 0 ? find_band(bands, a->labels[i]) : bands->n;
        if (band < bands->n) {
            p->amounts[band] += a->of[i];
            p->other -= a->of[i];
        }
    }
}

static bool make_amounts(amounts *a, size_t n)
{
    a->labels = calloc(n + 1, sizeof *a->labels);
    a->of = calloc(n + 1, sizeof *a->of);
    a->n = n;
    return a->labels && a->of;
}

/* Fills in the latest sample. Labels are names without the numbers of stacks, which differ between
 * processes. */
static hpf_status read_sample(metrics_profile *p, hpf_survey *survey, http_metrics_bands *bands,
                              hpf_error *err)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    amounts a = {0};
    hpf_status status = make_amounts(&a, hpf_survey_n_names(survey))
                            ? hpf_survey_drawn_amounts(survey, o->n_drawn - 1, a.of, err)
                            : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        const hpf_drawn_sample *last = &o->drawn[o->n_drawn - 1];
        for (uint32_t name = 0; name < a.n; name++) {
            a.labels[name] = hpf__without_id(hpf_survey_name(survey, name));
        }
        p->n_samples = (double)o->n_samples;
        p->time = last->time;
        p->total = last->total;
        p->peak = o->peak_total;
        double rate_bytes = hpf_survey_rate_bytes(survey);
        double spread = hpf_survey_spread_of_all(survey);
        p->margin = spread > 0 ? hpf_margin(p->total, p->total * spread, rate_bytes) : NAN;
        p->resident = last_of_quantity(o, "resident");
        add_amounts(p, bands, &a);
    }
    free_amounts(&a);
    return status;
}

/* Adds a profile of which only the name is known. Returns NULL without memory. */
static metrics_profile *add(http_metrics *m, hpf_str name, hpf_error *err)
{
    metrics_profile *grown = realloc(m->profiles, (m->n + 1) * sizeof *grown);
    if (!grown) {
        (void)hpf_error_set_memory(err);
        return NULL;
    }
    m->profiles = grown;
    grown[m->n] = (metrics_profile){.name = name,
                                    .time = NAN,
                                    .total = NAN,
                                    .peak = NAN,
                                    .resident = NAN,
                                    .margin = NAN,
                                    .n_samples = NAN};
    return &grown[m->n++];
}

hpf_status http_metrics_add_end(http_metrics *m, const watched *profile, hpf_error *err)
{
    const hpf_process *process = hpf_live_process(profile->live);
    const char *killer = process ? death_killer_name(process) : NULL;
    metrics_profile *p = killer ? add(m, hpf_str_of(profile->name), err) : NULL;
    if (p) {
        p->killer = killer;
    }
    return p || !killer ? HPF_OK : HPF_ERR_MEMORY;
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
    metrics_profile *p = add(m, hpf_str_of(profile->name), err);
    if (!p) {
        return HPF_ERR_MEMORY;
    }
    if (bands->epoch != profile->epoch) {
        http_metrics_bands_finish(bands);
        bands->epoch = profile->epoch;
    }
    const hpf_process *process = hpf_live_process(profile->live);
    if (process) {
        p->memory = process->memory;
        p->killer = death_killer_name(process);
    }
    status = read_sample(p, survey, bands, err);
    m->n -= status != HPF_OK;
    return status;
}

static metrics_profile *add_labelled(http_metrics *m, const http_metrics_process *process,
                                     hpf_error *err)
{
    metrics_profile *p = add(m, hpf_str_of(process->profile), err);
    if (p) {
        p->program = hpf_str_of(process->program);
        p->process_id = process->process_id;
    }
    return p;
}

hpf_status http_metrics_add_process(http_metrics *m, const http_metrics_process *process,
                                    const hpp_latest *latest, http_metrics_bands *bands,
                                    hpf_error *err)
{
    amounts a = {0};
    metrics_profile *p = add_labelled(m, process, err);
    if (!p || !make_amounts(&a, latest->n_bands)) {
        free_amounts(&a);
        m->n -= p != NULL;
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < a.n; i++) {
        a.labels[i] = hpf__without_id(latest->bands[i].name);
        a.of[i] = (double)latest->bands[i].live_bytes;
    }
    p->n_samples = (double)latest->n_samples;
    p->time = latest->time_s;
    p->total = (double)latest->live_bytes;
    p->peak = (double)latest->peak_bytes;
    p->margin = latest->rate_bytes > 0 ? latest->live_margin : NAN;
    p->resident = latest->resident_bytes >= 0 ? latest->resident_bytes : NAN;
    p->memory = latest->memory;
    add_amounts(p, bands, &a);
    free_amounts(&a);
    return HPF_OK;
}

hpf_status http_metrics_add_killed(http_metrics *m, const http_metrics_process *process,
                                   const char *killer, hpf_error *err)
{
    metrics_profile *p = add_labelled(m, process, err);
    if (p) {
        p->killer = killer;
    }
    return p ? HPF_OK : HPF_ERR_MEMORY;
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
    write_label(sink, "profile", p->name);
    if (p->program.length > 0) {
        hpf_sink_text(sink, ",");
        write_label(sink, "program", p->program);
        hpf_sink_printf(sink, ",pid=\"%u\"", (unsigned)p->process_id);
    }
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
        for (size_t i = 0; p->bands && i < p->bands->n; i++) {
            write_value(sink, metric, p, "band", &p->bands->of[i], p->amounts[i]);
        }
        if (p->bands) {
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
        for (hpf_memory_limit i = 0; i < HPF_N_MEMORY_LIMITS; i++) {
            const hpf_str limit = hpf_str_of(death_limit_name(i));
            if (p->memory.limits[i].most_bytes > 0) {
                write_value(sink, ratio, p, "limit", &limit, hpf_memory_part(&p->memory, i));
            }
        }
    }
    hpf_sink_text(sink, "# TYPE census_process_killed gauge\n"
                        "# HELP census_process_killed 1 for a process that SIGKILL has ended.\n");
    for (size_t k = 0; k < m->n; k++) {
        const metrics_profile *p = &m->profiles[k];
        if (p->killer) {
            const hpf_str by = hpf_str_of(p->killer);
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
