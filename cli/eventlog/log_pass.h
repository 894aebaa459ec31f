/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads all records of an event log, for reports; and its time profile.
 */
#ifndef CENSUS_LOG_PASS_H
#define CENSUS_LOG_PASS_H

#include "hpfile/eventlog.h"
#include "io/json.h"
#include "eventlog/eventlog_time.h"

#include "input.h"
#include "hpfile/sink.h"

typedef hpf_status log_note(void *context, const hpf_event *event, hpf_error *err);

/* Calls `note` for every record of an opened log, and warns if the log has no end marker. `facts`,
 * unless NULL, must be zeroed and receives the metadata of the log; finish it also after an error.
 */
hpf_status log_pass(const input *in, hpf_eventlog_metadata *facts, log_note *note, void *context,
                    hpf_error *err);

/* Write the program and the date, as two lines of text or two members. */
void log_write_head(hpf_sink *sink, const hpf_eventlog_metadata *facts);
void log_write_json_head(hpf_json *json, const hpf_eventlog_metadata *facts);

/* Reads the ticks of an opened log. Having no ticks is an error. */
hpf_status log_read_time(const input *in, hpf_eventlog_time *time, hpf_error *err);

/* Writes the time profile of an opened log, laid out like GHC's `.prof`. Does not finish the sink.
 */
hpf_status log_write_time(const input *in, bool as_json, hpf_sink *sink, hpf_error *err);

#endif
