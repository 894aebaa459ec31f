/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is wrong with the log was said when it was surveyed.
 */
#include "collections.h"

#include "diag.h"

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_gc_note(context, event, err);
}

static hpf_status read_log(const input *in, hpf_eventlog_gc *out, hpf_error *err)
{
    const hpf_event_visitor visitor = {.event = note};
    if (in->format != HPF_FORMAT_EVENTLOG) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "--gc is for GHC's event logs");
    }
    hpf_status status = hpf_source_rewind(in->given, err);
    if (status == HPF_OK) {
        status = hpf_eventlog_read_source(NULL, in->given, &visitor, out, err);
    }
    if (status == HPF_OK && out->n == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "no garbage collections in the event log: +RTS -lg, which is part of "
                             "-l");
    }
    return status;
}

bool collections_read(const input *in, hpf_eventlog_gc *out)
{
    hpf_error err;
    if (read_log(in, out, &err) != HPF_OK) {
        diag_input(in->name, in->given, &err);
        return false;
    }
    hpf_eventlog_gc_settle(out);
    return true;
}
