/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the bytes that each stack of an event log has allocated, as a profile with one sample.
 */
#ifndef HPF_EVENTLOG_ALLOCATED_H
#define HPF_EVENTLOG_ALLOCATED_H

#include "hpfile/event.h"
#include "hpfile/source.h"

/* The name of the amount (hpf_reader_options.value). */
#define HPF__EVENTLOG_ALLOCATED "allocated"

/* The `read` of event logs (format_row.h). Errors: ARGUMENT if the log does not have these bytes,
 * or for another amount; those of the source, the log and the consumer. */
hpf_status hpf__eventlog_read_allocated(hpf_source *source, const hpf_events *events, void *context,
                                        const hpf_reader_options *options, hpf_error *err);

#endif
