/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the resident set, or a Haskell heap, was made of, as a profile.
 */
#ifndef HPF_EVENTLOG_RESIDENT_H
#define HPF_EVENTLOG_RESIDENT_H

#include "hpfile/eventlog.h"
#include "hpfile/source.h"

/* What can be read (hpf_reader_options.value): "resident" and "pss", the parts of the resident and
 * the proportional set; "pinned", "pinned-64K" and "pinned-2M", what is not live in ranges that are
 * nearly empty, by site; "generations", where the closures of a Haskell heap are. */
#define HPF__RESIDENT_VALUES "resident", "pss", "pinned", "pinned-64K", "pinned-2M", "generations"

/* Reads the value with an index among them. Errors: ARGUMENT if the log has no such records; from
 * the source, the log and the consumer. */
hpf_status hpf__eventlog_read_resident(hpf_source *source, const hpf_events *events, void *context,
                                       size_t value, hpf_error *err);

#endif
