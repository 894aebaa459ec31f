/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census info for GHC's event logs: what they hold beside a heap profile, what can be drawn, and
 * which flags would have given more.
 */
#ifndef CENSUS_LOG_INFO_H
#define CENSUS_LOG_INFO_H

#include "hpfile/sink.h"
#include "hpfile/source.h"

/* What a command is asked to tell. */
typedef struct log_question {
    const char *name;   /* of the input, for people */
    hpf_source *source; /* opened with `keep`; it is read from its start */
    bool as_json;
    bool exact;
} log_question;

/* Whether the source holds an event log. Errors, which are for whoever reads it next, count as no.
 * The source stands at its start again. */
bool log_is_there(hpf_source *source);

/* Writes what is in the log. The first error is set; the sink is not finished. */
hpf_status log_write_info(const log_question *question, hpf_sink *sink, hpf_error *err);

/* Writes every record as a line (hpf_event_print), in the order of the file. */
hpf_status log_write_events(const log_question *question, hpf_sink *sink, hpf_error *err);

#endif
