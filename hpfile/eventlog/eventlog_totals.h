/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads one of the totals of the stacks of an event log, as a profile with one sample.
 */
#ifndef HPF_EVENTLOG_TOTALS_H
#define HPF_EVENTLOG_TOTALS_H

#include "hpfile/event.h"
#include "hpfile/source.h"

/* The `read` of event logs (format_row.h). The amounts are "allocated", the bytes that a stack has
 * allocated, and "peak" and "blocks", what of that was live in the largest sample. Errors: ARGUMENT
 * if the log does not have totals, or for another amount; those of the source, the log and the
 * consumer. */
hpf_status hpf__eventlog_read_totals(hpf_source *source, const hpf_events *events, void *context,
                                     const hpf_reader_options *options, hpf_error *err);

#endif
