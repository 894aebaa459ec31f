/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over all records, and the report of the time profile.
 */
#include "eventlog/eventlog_metadata.h"
#include "log_pass.h"

#include "diag.h"
#include "output.h"

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
    hpf_status status = hpf_eventlog_read_source(&log, in->given, &visitor, &p, err);
    if (status == HPF_OK && hpf_eventlog_state(log) != HPF_EVENTLOG_COMPLETE) {
        hpf_error warning;
        hpf_error_set(&warning, HPF_END, "the event log has no end marker");
        warning.offset = hpf_eventlog_offset(log);
        diag_warning(in->name, &warning);
    }
    hpf_eventlog_destroy(log);
    return status;
}

void log_write_head(hpf_sink *sink, const hpf_eventlog_metadata *facts)
{
    output_name(sink, facts->job);
    hpf_sink_text(sink, "\n");
    output_name(sink, facts->date);
    hpf_sink_text(sink, "\n");
}

void log_write_json_head(hpf_json *json, const hpf_eventlog_metadata *facts)
{
    hpf_json_str(json, "job", facts->job);
    hpf_json_str(json, "date", facts->date);
}

/* --- time profiles --- */

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_time_note(context, event, err);
}

hpf_status log_read_time(const input *in, hpf_eventlog_time *time, hpf_error *err)
{
    hpf_status status = log_pass(in, NULL, note, time, err);
    if (status == HPF_OK && hpf_eventlog_time_n_ticks(time) == 0) {
        return hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "no time profile in the event log: run a program built with -prof with +RTS -p -l");
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
    if (status == HPF_OK) {
        status = as_json ? hpf_prof_write_json(sink, &prof, err)
                         : hpf_prof_write(sink, &prof, HPF_PROF_VERBOSE, err);
    }
    hpf_eventlog_time_destroy(time);
    return status;
}
