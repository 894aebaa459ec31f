/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the totals of the stacks of an event log: what they are after all records, or one of their
 * amounts as a profile with one sample.
 */
#ifndef HPF_EVENTLOG_TOTALS_H
#define HPF_EVENTLOG_TOTALS_H

#include "hpfile/eventlog.h"
#include "eventlog/eventlog_names.h"
#include "hpfile/eventlog_tags.h"

/* The stacks of a log that have totals, in the order of their numbers. Begins zeroed. */
typedef struct hpf__eventlog_totals {
    hpf__eventlog_names names;
    struct hpf__total {
        hpf_name name;
        hpf_stack_totals amounts;
    } * list;
    size_t n, capacity;
} hpf__eventlog_totals;

/* Returns whether a record is one of totals: of a stack, or changes of some. */
bool hpf__eventlog_totals_want(const hpf_event_type *type);

/* Reads such a record. Its cost centres and calls must have been defined in `names`. Errors:
 * MEMORY, LIMIT, SYNTAX. */
hpf_status hpf__eventlog_totals_note(hpf__eventlog_totals *totals, const hpf_event *event,
                                     hpf_error *err);
void hpf__eventlog_totals_finish(hpf__eventlog_totals *totals);

/* The `read` of event logs (format_row.h). The amounts are "allocated", the bytes that a stack has
 * allocated, and "peak" and "blocks", what of it was live in the largest sample; and the amounts of
 * ticky counters (eventlog_heap.h) and the resident set (eventlog_resident.h) over time. Errors:
 * ARGUMENT if the log does not have these, or for another amount; from the source, the log and the
 * consumer. */
hpf_status hpf__eventlog_read_totals(hpf_source *source, const hpf_events *events, void *context,
                                     const hpf_reader_options *options, hpf_error *err);

#endif
