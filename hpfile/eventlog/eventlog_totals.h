/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads one of the totals of the stacks of an event log, as a profile with one sample.
 */
#ifndef HPF_EVENTLOG_TOTALS_H
#define HPF_EVENTLOG_TOTALS_H

#include "eventlog/eventlog.h"
#include "eventlog/eventlog_tags.h"

/* Returns whether records of a type are totals; with a fixed length it is another type. */
static inline bool hpf__is_stack_totals(const hpf_event_type *type)
{
    return type->id == HPF__EVENT_HEAP_PROF_STACK_TOTALS && type->n_bytes == HPF_EVENT_VARIABLE;
}

/* The `read` of event logs (format_row.h). The amounts are "allocated", the bytes that a stack has
 * allocated, and "peak" and "blocks", what of that was live in the largest sample. Errors: ARGUMENT
 * if the log does not have totals, or for another amount; those of the source, the log and the
 * consumer. */
hpf_status hpf__eventlog_read_totals(hpf_source *source, const hpf_events *events, void *context,
                                     const hpf_reader_options *options, hpf_error *err);

#endif
