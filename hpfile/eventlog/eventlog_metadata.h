/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading the metadata of an event log from its records.
 */
#ifndef HPF_EVENTLOG_METADATA_H
#define HPF_EVENTLOG_METADATA_H

#include "base/arena.h"
#include "eventlog/eventlog.h"

/* Returns whether records of this type have metadata. */
HPF_API bool hpf_eventlog_metadata_want(uint16_t id);

/* Adds the metadata of a record; other records are ignored. The struct is zeroed at first. Errors:
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_metadata_note(hpf_eventlog_metadata *metadata,
                                                           const hpf_event *event, hpf_error *err);

/* Returns whether the command line has an option of the run-time system with this beginning. False
 * while the command line is unknown; options may also come from the environment. */
HPF_API bool hpf_eventlog_metadata_has_option(const hpf_eventlog_metadata *metadata,
                                              const char *beginning);
HPF_API void hpf_eventlog_metadata_finish(hpf_eventlog_metadata *metadata);

/* Returns whether GHC's run-time system wrote the log: it is identified as GHC, or not at all. */
HPF_API bool hpf_eventlog_metadata_is_ghc(const hpf_eventlog_metadata *metadata);

#endif
