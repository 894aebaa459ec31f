/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over all records, and the report of the time profile.
 */
#include "hpfile/sink.h"
#include "log.h"

#include "diag.h"

typedef struct passing {
    hpf_eventlog_metadata *facts;
    log_note *note;
    void *context;
} passing;

static hpf_status visit(void *context, const hpf_event *event, hpf_error *err)
{
    passing *p = context;
    hpf_status status = p->facts ? hpf_eventlog_metadata_note(p->facts, event, err) : HPF_OK;
    return status == HPF_OK ? p->note(p->context, event, err) : status;
}

hpf_status log_pass(const input *in, hpf_eventlog_metadata *facts, log_note *note, void *context,
                    hpf_error *err)
{
    const hpf_event_visitor visitor = {.event = visit};
    passing p = {facts, note, context};
    hpf_eventlog *log = NULL;
    hpf_status status = hpf_eventlog_read_source(&log, in->source, &visitor, &p, err);
    hpf_error warning;
    if (status == HPF_OK && hpf_eventlog_describe_damage(log, &warning)) {
        diag_warning(in->name, &warning);
    }
    if (status == HPF_OK && hpf_eventlog_state(log) != HPF_EVENTLOG_COMPLETE) {
        hpf_error_set(&warning, HPF_END, "the event log is incomplete: it has no end marker");
        warning.offset = hpf_eventlog_offset(log);
        diag_warning(in->name, &warning);
    }
    hpf_eventlog_destroy(log);
    return status;
}

void log_write_head(hpf_sink *sink, const hpf_eventlog_metadata *facts)
{
    hpf_sink_name(sink, facts->job);
    hpf_sink_text(sink, "\n");
    hpf_sink_name(sink, facts->date);
    hpf_sink_text(sink, "\n");
}

hpf_status log_report_write(log_report *report, const input *in, hpf_sink *sink, hpf_error *err)
{
    hpf_status status = log_pass(in, &report->facts, report->note, report, err);
    status = status == HPF_OK ? report->sum_up(report, err) : status;
    if (status == HPF_OK && report->format == TABLE_AS_JSON) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_str(&json, "job", report->facts.job);
        hpf_json_str(&json, "date", report->facts.date);
        report->write_json(report, &json);
        hpf_json_end(&json);
    } else if (status == HPF_OK && report->format == TABLE_AS_CSV) {
        const table rows = report->rows(report);
        table_write(&rows, TABLE_AS_CSV, sink);
    } else if (status == HPF_OK) {
        report->write_text(report, sink);
    }
    hpf_eventlog_metadata_finish(&report->facts);
    return status;
}

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_time_note(context, event, err);
}

hpf_status log_read_time(const input *in, hpf_eventlog_time *time, hpf_error *err)
{
    hpf_status status = log_pass(in, NULL, note, time, err);
    if (status == HPF_OK && hpf_eventlog_time_n_ticks(time) == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "no time profile in the event log: build the program with -prof and "
                             "run it with +RTS -p -l, or use ghc-stack-profiler");
    }
    return status;
}

hpf_status log_write_time(const input *in, bool as_json, hpf_sink *sink, hpf_error *err)
{
    hpf_prof prof;
    hpf_eventlog_time *time = hpf_eventlog_time_create();
    if (!time) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = log_read_time(in, time, err);
    status = status == HPF_OK ? hpf_eventlog_time_profile(time, &prof, err) : status;
    hpf_sink *lines = as_json ? NULL : hpf_sink_to_memory();
    if (status == HPF_OK && as_json) {
        status = hpf_prof_write_json(sink, &prof, err);
    } else if (status == HPF_OK) {
        status =
            lines ? hpf_prof_write(lines, &prof, HPF_PROF_VERBOSE, err) : hpf_error_set_memory(err);
    }
    if (status == HPF_OK && lines) {
        hpf_sink_lines(sink, hpf_sink_bytes(lines));
    }
    hpf_sink_destroy(lines);
    hpf_eventlog_time_destroy(time);
    return status;
}
