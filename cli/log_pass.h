/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over all records of an event log, and what all reports of logs begin with.
 */
#ifndef CENSUS_LOG_PASS_H
#define CENSUS_LOG_PASS_H

#include "hpfile/eventlog.h"
#include "io/json.h"

#include "input.h"

typedef hpf_status log_note(void *context, const hpf_event *event, hpf_error *err);

/* Calls `note` for every record of a log that is open but not surveyed, and warns of a log that has
 * no end. `facts`, unless NULL, begins zeroed and becomes what the log says of itself; it is to be
 * finished, also after an error. */
hpf_status log_pass(const input *in, hpf_eventlog_metadata *facts, log_note *note, void *context,
                    hpf_error *err);

/* The program and the date: two lines of text, or two members. */
void log_write_head(hpf_sink *sink, const hpf_eventlog_metadata *facts);
void log_write_json_head(hpf_json *json, const hpf_eventlog_metadata *facts);

#endif
