/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over all records, then the report.
 */
#include "log_time.h"

#include "log_pass.h"

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
            "no time profile in the event log: a program built for profiling writes "
            "it with +RTS -p -l");
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
