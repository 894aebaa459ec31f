/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The survey of the heap profile also counts records and collects metadata. A log without a heap
 * profile is read only for these.
 */
#include "hpfile/source.h"
#include "hpfile/sink.h"
#include "hpfile/breakdown.h"
#include "hpfile/eventlog.h"
#include "hpfile/eventlog_tags.h"
#include "log.h"

#include <string.h>

#include "base/json.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"

#include "diag.h"
#include "options/stack_options.h"
#include "processes.h"
#include "unit_format.h"
#include "hpfile/summary.h"

typedef struct log_contents {
    const input *in;
    bool exact;
    const hpf_eventlog *log;
    const hpf_eventlog_metadata *facts;
    hpf_survey *survey;          /* NULL if there is no complete heap sample */
    hpf_eventlog *counted;       /* used if there is no survey */
    hpf_eventlog_metadata noted; /* used if there is no survey */
    hpf_eventlog_missing missing;
} log_contents;

/* --- reading --- */

static hpf_status choose(void *context, const hpf_event_type *type, bool *is_wanted, hpf_error *err)
{
    (void)context;
    (void)err;
    *is_wanted = hpf_eventlog_metadata_want(type->id);
    return HPF_OK;
}

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_metadata_note(context, event, err);
}

static uint64_t count_of(const log_contents *c, unsigned id)
{
    return hpf_eventlog_n_of_type(c->log, id);
}

static void warn(void *context, const hpf_error *warning)
{
    const log_contents *c = context;
    diag_warning(c->in->name, warning);
}

/* Counts records only. If the log is invalid, the error occurs again here. */
static hpf_status count_only(log_contents *c, hpf_error *err)
{
    const hpf_event_visitor visitor = {.type = choose, .event = note};
    hpf_source *source = c->in->source;
    hpf_status status = hpf_source_rewind(source, err);
    if (status == HPF_OK) {
        status = hpf_eventlog_read_source(&c->counted, source, &visitor, &c->noted, err);
    }
    c->log = c->counted;
    c->facts = &c->noted;
    hpf_error warning;
    if (status == HPF_OK && hpf_eventlog_describe_damage(c->log, &warning)) {
        diag_warning(c->in->name, &warning);
    }
    return status;
}

static hpf_status read_contents(log_contents *c, hpf_error *err)
{
    const hpf_survey_options options = {.size = sizeof options,
                                        .expects_no_series = true,
                                        .uses_mutator_clock = input_uses_mutator_clock(),
                                        .warning = warn,
                                        .warning_context = c};
    hpf_status status = hpf_survey_create(&c->survey, c->in->source, &options, err);
    if (status == HPF_OK) {
        c->log = hpf_survey_eventlog(c->survey);
        c->facts = hpf_survey_eventlog_metadata(c->survey);
    } else if (status == HPF_ERR_SYNTAX) {
        status = count_only(c, err);
    }
    if (status == HPF_OK) {
        c->missing = hpf_eventlog_find_missing(c->log, c->facts, c->survey != NULL);
    }
    return status;
}

/* Reports of census report other than the heap's, and the events they need. */
static const struct {
    const char *option;
    unsigned id;
} reports[] = {{"--time", HPF__EVENT_PROF_SAMPLE_COST_CENTRE},
               {"--ticky", HPF__EVENT_TICKY_COUNTER_DEF},
               {"--nonmoving", HPF__EVENT_CONC_MARK_END}};

enum { N_REPORTS = sizeof reports / sizeof *reports };

/* --- text --- */

static formatted log_time(const log_contents *c, double seconds)
{
    return format_time(seconds, HPF_STR("seconds"), c->exact);
}

static const char *ending(const log_contents *c)
{
    switch (hpf_eventlog_state(c->log)) {
    case HPF_EVENTLOG_COMPLETE:
        return "yes";
    case HPF_EVENTLOG_OPEN:
        return "no, it has no end marker";
    case HPF_EVENTLOG_IN_RECORD:
        return "no, it ends inside a record";
    default:
        return "no, it ends inside its header";
    }
}

static void write_filters(hpf_sink *sink, const hpf_eventlog_profile *profile)
{
    static const char *const names[HPF_N_RESTRICTIONS] = {
        "module",   "closure description", "type", "cost centre", "cost centre on the stack",
        "retainer", "biography",
    };
    for (int i = 0; i < HPF_N_RESTRICTIONS; i++) {
        if (profile->filters[i].length) {
            hpf_sink_printf(sink, ", only %s ", names[i]);
            hpf_sink_name(sink, profile->filters[i]);
        }
    }
}

/* The further break-downs that a recording may have. */
static const hpf_breakdown further[] = {HPF_BREAKDOWN_TYPE, HPF_BREAKDOWN_RETAINER,
                                        HPF_BREAKDOWN_BIOGRAPHY};

enum { N_FURTHER = sizeof further / sizeof *further };

static bool has_further(const log_contents *c, size_t i)
{
    return c->facts->further >> further[i] & 1;
}

static void write_further(hpf_sink *sink, const log_contents *c)
{
    const char *before = "\nmore         ";
    for (size_t i = 0; i < N_FURTHER; i++) {
        if (has_further(c, i)) {
            hpf_sink_printf(sink, "%s--by %s (%s)", before, stack_part_of(further[i]),
                            hpf_breakdown_flag(further[i]));
            before = ", ";
        }
    }
}

static void write_profiles(hpf_sink *sink, const log_contents *c)
{
    for (size_t i = 0; i < c->facts->n_profiles; i++) {
        const hpf_eventlog_profile *p = &c->facts->profiles[i];
        const char *name = hpf_breakdown_name(p->breakdown);
        hpf_sink_text(sink, "\nbreakdown    ");
        if (c->facts->n_profiles > 1) {
            hpf_sink_printf(sink, "profile %u: ", p->id);
        }
        if (name) {
            hpf_sink_printf(sink, "%s (%s)", name, hpf_breakdown_flag(p->breakdown));
        } else {
            hpf_sink_printf(sink, "number %u (unknown)", (unsigned)p->breakdown);
        }
        if (p->period_ns) {
            double period_s = (double)p->period_ns / 1e9;
            hpf_sink_printf(sink, ", a sample every %s", log_time(c, period_s).text);
        }
        write_filters(sink, p);
    }
    if (c->facts->rate_bytes) {
        hpf_sink_printf(sink, "\nrate         %sa sample of the blocks, one for %s",
                        c->facts->has_watch ? "totals are of all blocks, names of " : "",
                        format_amount((double)c->facts->rate_bytes, HPF_STR("bytes"), false).text);
    }
}

/* Quantities of the log, without a survey. */
static const struct {
    unsigned id;
    const char *name;
} quantities[] = {{HPF__EVENT_HEAP_SIZE, "heap"},     {HPF__EVENT_HEAP_LIVE, "live"},
                  {HPF__EVENT_BLOCKS_SIZE, "blocks"}, {HPF__EVENT_MEM_RETURN, "held"},
                  {HPF__EVENT_MEM_RETURN, "needed"},  {HPF__EVENT_MEM_RETURN, "returned"}};

enum { N_QUANTITIES = sizeof quantities / sizeof *quantities };

static void write_heap(hpf_sink *sink, const log_contents *c)
{
    if (!c->survey) {
        const char *before = "\nlines        ";
        hpf_sink_text(sink, "\nsamples      0");
        for (size_t i = 0; i < N_QUANTITIES; i++) {
            if (count_of(c, quantities[i].id)) {
                hpf_sink_printf(sink, "%s%s", before, quantities[i].name);
                before = ", ";
            }
        }
        return;
    }
    const hpf_overview *o = hpf_survey_overview(c->survey);
    hpf_sink_printf(sink, "\nsamples      %s", format_count(o->n_samples).text);
    hpf_sink_printf(sink, ", from %s", log_time(c, o->first_time).text);
    hpf_sink_printf(sink, " to %s", log_time(c, o->last_time).text);
    hpf_sink_printf(sink, "\nnames        %s", format_count(hpf_summary_n_names(c->survey)).text);
    hpf_sink_printf(sink, "\npeak         %s",
                    format_amount(o->peak_total, HPF_STR("bytes"), c->exact).text);
    hpf_sink_printf(sink, " at %s", log_time(c, o->peak_time).text);
    for (size_t i = 0; i < o->n_quantities; i++) {
        hpf_sink_text(sink, i ? ", " : "\nlines        ");
        hpf_sink_name(sink, o->quantities[i].name);
    }
}

static void write_reports(hpf_sink *sink, const log_contents *c)
{
    const char *before = "\nreports      ";
    for (size_t i = 0; i < N_REPORTS; i++) {
        if (count_of(c, reports[i].id)) {
            hpf_sink_printf(sink, "%s%s", before, reports[i].option);
            before = ", ";
        }
    }
}

static void write_types(hpf_sink *sink, const log_contents *c)
{
    size_t n_seen = 0;
    for (size_t i = 0; i < hpf_eventlog_n_types(c->log); i++) {
        n_seen += hpf_eventlog_type(c->log, i)->n_events > 0;
    }
    hpf_sink_printf(sink, "\nevents       %s", format_count(hpf_eventlog_n_events(c->log)).text);
    hpf_sink_printf(sink, " of %zu types, %zu declared\n", n_seen, hpf_eventlog_n_types(c->log));
    for (size_t i = 0; i < hpf_eventlog_n_types(c->log); i++) {
        const hpf_event_type *type = hpf_eventlog_type(c->log, i);
        const char *name = hpf_event_name(type);
        if (type->n_events) {
            hpf_sink_printf(sink, "%12s %5u  %-28s  ", format_count(type->n_events).text, type->id,
                            name ? name : "(not documented)");
            hpf_sink_name(sink, type->description);
            hpf_sink_text(sink, "\n");
        }
    }
}

/* Writes a value; the log of a killed program may lack it. */
static void write_fact(hpf_sink *sink, const char *label, hpf_str text)
{
    if (text.length) {
        hpf_sink_printf(sink, "\n%s", label);
        hpf_sink_name(sink, text);
    }
}

static hpf_status write_text(hpf_sink *sink, const log_contents *c, hpf_error *err)
{
    double rate_bytes = c->facts->has_watch ? 0 : (double)c->facts->rate_bytes; /* of totals */
    hpf_status status = processes_write_text(c->in, rate_bytes, c->exact, sink, err);
    input_write_file(c->in, hpf_source_recording(c->in->source) ? "recording" : "event log",
                     c->exact, sink);
    write_fact(sink, "job          ", c->facts->job);
    write_fact(sink, "date         ", c->facts->date);
    write_fact(sink, "rts          ", c->facts->rts);
    hpf_sink_printf(sink, "\nended        %s",
                    log_time(c, (double)hpf_eventlog_last_ns(c->log) / 1e9).text);
    write_profiles(sink, c);
    write_further(sink, c);
    write_heap(sink, c);
    hpf_sink_printf(sink, "\nmarks        %s",
                    format_count(count_of(c, HPF__EVENT_USER_MARKER)).text);
    hpf_sink_printf(sink, "\ntime samples %s",
                    format_count(count_of(c, HPF__EVENT_PROF_SAMPLE_COST_CENTRE)).text);
    write_reports(sink, c);
    hpf_sink_printf(sink, "\ncomplete     %s", ending(c));
    if (hpf_source_recording(c->in->source)) {
        hpf_sink_text(sink, "\n");
    } else {
        write_types(sink, c);
    }
    for (size_t i = 0; i < c->missing.n; i++) {
        hpf_sink_printf(sink, "%s %s\n", i ? "            " : "missing     ", c->missing.hints[i]);
    }
    return status;
}

/* --- JSON --- */

static void write_json_profiles(hpf_json *json, const log_contents *c)
{
    static const char *const keys[HPF_N_RESTRICTIONS] = {
        "module",   "closure_descr", "type", "cost_centre", "cost_centre_stack",
        "retainer", "biography",
    };
    if (c->facts->rate_bytes) {
        hpf_json_whole(json, "rate_bytes", c->facts->rate_bytes);
    }
    hpf_json_array(json, "heap_profiles");
    for (size_t i = 0; i < c->facts->n_profiles; i++) {
        const hpf_eventlog_profile *p = &c->facts->profiles[i];
        const char letter[] = {hpf_breakdown_letter(p->breakdown), '\0'};
        hpf_json_object(json, NULL);
        hpf_json_whole(json, "id", p->id);
        hpf_json_text(json, "breakdown", hpf_breakdown_name(p->breakdown));
        hpf_json_text(json, "breakdown_letter", *letter ? letter : NULL);
        hpf_json_whole(json, "period_ns", p->period_ns);
        hpf_json_object(json, "only");
        for (int k = 0; k < HPF_N_RESTRICTIONS; k++) {
            if (p->filters[k].length) {
                hpf_json_str(json, keys[k], p->filters[k]);
            }
        }
        hpf_json_close(json);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void write_json_heap(hpf_json *json, const log_contents *c)
{
    input_write_json_samples(c->survey, count_of(c, HPF__EVENT_USER_MARKER), json);
    hpf_json_array(json, "lines");
    const hpf_overview *o = c->survey ? hpf_survey_overview(c->survey) : NULL;
    for (size_t i = 0; o && i < o->n_quantities; i++) {
        hpf_json_str(json, NULL, o->quantities[i].name);
    }
    for (size_t i = 0; !o && i < N_QUANTITIES; i++) {
        if (count_of(c, quantities[i].id)) {
            hpf_json_text(json, NULL, quantities[i].name);
        }
    }
    hpf_json_close(json);
}

static void write_json_events(hpf_json *json, const log_contents *c)
{
    hpf_json_array(json, "events");
    for (size_t i = 0; i < hpf_eventlog_n_types(c->log); i++) {
        const hpf_event_type *type = hpf_eventlog_type(c->log, i);
        hpf_json_object(json, NULL);
        hpf_json_whole(json, "id", type->id);
        hpf_json_text(json, "name", hpf_event_name(type));
        hpf_json_str(json, "description", type->description);
        hpf_json_number(json, "declared_bytes", type->n_bytes);
        hpf_json_whole(json, "count", type->n_events);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static hpf_status write_json(hpf_sink *sink, const log_contents *c, hpf_error *err)
{
    hpf_breakdown breakdown =
        c->facts->n_profiles ? c->facts->profiles[0].breakdown : HPF_BREAKDOWN_NONE;
    const char letter[] = {hpf_breakdown_letter(breakdown), '\0'};
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    input_write_json_file(c->in, hpf_source_recording(c->in->source) ? "census" : "eventlog",
                          &json);
    hpf_json_str(&json, "job", c->facts->job);
    hpf_json_str(&json, "date", c->facts->date);
    hpf_json_text(&json, "sample_unit", "seconds");
    hpf_json_text(&json, "value_unit", "bytes");
    hpf_json_text(&json, "breakdown", hpf_breakdown_name(breakdown));
    hpf_json_text(&json, "breakdown_letter", *letter ? letter : NULL);
    write_json_heap(&json, c);
    hpf_json_bool(&json, "truncated", hpf_eventlog_state(c->log) != HPF_EVENTLOG_COMPLETE);
    hpf_json_str(&json, "run_time_system", c->facts->rts);
    hpf_json_whole(&json, "pid", c->facts->pid);
    hpf_json_number(&json, "ended", (double)hpf_eventlog_last_ns(c->log) / 1e9);
    write_json_profiles(&json, c);
    hpf_json_array(&json, "more");
    for (size_t i = 0; i < N_FURTHER; i++) {
        if (has_further(c, i)) {
            hpf_json_text(&json, NULL, stack_part_of(further[i]));
        }
    }
    hpf_json_close(&json);
    hpf_json_whole(&json, "time_samples", count_of(c, HPF__EVENT_PROF_SAMPLE_COST_CENTRE));
    hpf_json_array(&json, "reports");
    for (size_t i = 0; i < N_REPORTS; i++) {
        if (count_of(c, reports[i].id)) {
            hpf_json_text(&json, NULL, reports[i].option);
        }
    }
    hpf_json_close(&json);
    write_json_events(&json, c);
    hpf_json_array(&json, "not_there");
    for (size_t i = 0; i < c->missing.n; i++) {
        hpf_json_text(&json, NULL, c->missing.hints[i]);
    }
    hpf_json_close(&json);
    hpf_status status = processes_write_json(c->in, &json, err);
    hpf_json_end(&json);
    return status;
}

/* --- all --- */

static hpf_status write_contents(log_contents *c,
                                 hpf_status (*write)(hpf_sink *, const log_contents *, hpf_error *),
                                 hpf_sink *sink, hpf_error *err)
{
    hpf_status status = read_contents(c, err);
    status = status == HPF_OK ? write(sink, c, err) : status;
    hpf_survey_destroy(c->survey);
    hpf_eventlog_metadata_finish(&c->noted);
    hpf_eventlog_destroy(c->counted);
    return status;
}

hpf_status log_write_text(const input *in, bool exact, hpf_sink *sink, hpf_error *err)
{
    log_contents contents = {.in = in, .exact = exact};
    return write_contents(&contents, write_text, sink, err);
}

hpf_status log_write_json(const input *in, hpf_sink *sink, hpf_error *err)
{
    log_contents contents = {.in = in};
    return write_contents(&contents, write_json, sink, err);
}

/* --- events --- */

static hpf_status print(void *context, const hpf_event *event, hpf_error *err)
{
    (void)err;
    hpf_event_print(context, event);
    return HPF_OK;
}

hpf_status log_write_events(const input *in, hpf_sink *sink, hpf_error *err)
{
    return log_pass(in, NULL, print, sink, err);
}
