/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reports of event logs, which are made from all their records. The functions do not finish sinks.
 */
#ifndef CENSUS_EVENTLOG_LOG_H
#define CENSUS_EVENTLOG_LOG_H

#include "hpfile/eventlog.h"
#include "hpfile/sink.h"
#include "base/json.h"

#include "input.h"
#include "table.h"

typedef hpf_status log_note(void *context, const hpf_event *event, hpf_error *err);

/* Calls `note` for every record of an opened log, and warns if the log has no end marker. `facts`,
 * unless NULL, must be zeroed and receives the metadata of the log; finish it also after an error.
 */
hpf_status log_pass(const input *in, hpf_eventlog_metadata *facts, log_note *note, void *context,
                    hpf_error *err);

/* A report made from all records of an event log; each kind of report starts with this struct. */
typedef struct log_report log_report;
struct log_report {
    table_format format;
    bool exact;
    log_note *note; /* called for every record; the context is the report */
    /* Called after the last record. Fails if the log has nothing to report. */
    hpf_status (*sum_up)(log_report *report, hpf_error *err);
    void (*write_text)(const log_report *report, hpf_sink *sink);
    void (*write_json)(const log_report *report, hpf_json *json); /* members of the object */
    table (*rows)(const log_report *report);                      /* the rows of CSV */
    hpf_eventlog_metadata facts;                                  /* zeroed by the caller */
};

/* Reads an opened log and writes the report. */
hpf_status log_report_write(log_report *report, const input *in, hpf_sink *sink, hpf_error *err);

/* Writes the program and the date as two lines of text. */
void log_write_head(hpf_sink *sink, const hpf_eventlog_metadata *facts);

/* Reads the ticks of an opened log. Having no ticks is an error. */
hpf_status log_read_time(const input *in, hpf_eventlog_time *time, hpf_error *err);

/* Writes the time profile of an opened log, laid out like GHC's `.prof`. */
hpf_status log_write_time(const input *in, bool as_json, hpf_sink *sink, hpf_error *err);

/* Writes the `most_rows` ticky counters with the largest allocation (0: all that are not zero) of
 * an opened log. */
hpf_status log_write_ticky(const input *in, table_format format, size_t most_rows, bool exact,
                           hpf_sink *sink, hpf_error *err);

/* Writes the work and the heap of the non-moving collector: text has the census with
 * the most live bytes, JSON and CSV all. */
hpf_status log_write_nonmoving(const input *in, table_format format, bool exact, hpf_sink *sink,
                               hpf_error *err);

/* For census info: write what an opened log contains, what can be drawn, and which run-time options
 * would have recorded more. */
hpf_status log_write_text(const input *in, bool exact, hpf_sink *sink, hpf_error *err);
hpf_status log_write_json(const input *in, hpf_sink *sink, hpf_error *err);

/* Writes every record as a line (hpf_event_print), in the order of the file. */
hpf_status log_write_events(const input *in, hpf_sink *sink, hpf_error *err);

#endif
