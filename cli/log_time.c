/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over all records, then the report.
 */
#include "log_time.h"

#include "hpfile/log_time.h"

#include "diag.h"

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_log_time_note(context, event, err);
}

static hpf_status read_log(const input *in, hpf_log_time *time, hpf_error *err)
{
    const hpf_event_visitor visitor = {.event = note};
    hpf_eventlog *log = NULL;
    hpf_status status = hpf_eventlog_read_source(&log, in->given, &visitor, time, err);
    if (status == HPF_OK && hpf_eventlog_state(log) != HPF_EVENTLOG_COMPLETE) {
        hpf_error warning;
        hpf_error_set(&warning, HPF_END, "the event log has no end marker");
        diag_warning(in->name, &warning);
    }
    hpf_eventlog_destroy(log);
    if (status == HPF_OK && hpf_log_time_n_ticks(time) == 0) {
        return hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "no time profile in the event log: a program built for profiling writes "
            "it with +RTS -p -l");
    }
    return status;
}

hpf_status log_write_time(const input *in, bool as_json, hpf_sink *sink, hpf_error *err)
{
    hpf_prof prof;
    hpf_log_time *time = hpf_log_time_create();
    if (!time) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = read_log(in, time, err);
    status = status == HPF_OK ? hpf_log_time_profile(time, &prof, err) : status;
    if (status == HPF_OK) {
        status = as_json ? hpf_prof_write_json(sink, &prof, err)
                         : hpf_prof_write(sink, &prof, HPF_PROF_VERBOSE, err);
    }
    hpf_log_time_destroy(time);
    return status;
}
