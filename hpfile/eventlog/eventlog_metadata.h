/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Gathering what an event log says of itself.
 */
#ifndef HPF_EVENTLOG_METADATA_H
#define HPF_EVENTLOG_METADATA_H

#include "base/arena.h"
#include "hpfile/eventlog.h"

/* Whether events of this type say something of the log. */
HPF_API bool hpf_eventlog_metadata_want(uint16_t id);

/* Notes what an event says of the log; events of no interest do nothing. The struct begins zeroed.
 * Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_metadata_note(hpf_eventlog_metadata *facts,
                                                           const hpf_event *event, hpf_error *err);

/* Whether the command line has an option of the run-time system that begins so. False also as long
 * as no command line was told; and options come from elsewhere, too. */
HPF_API bool hpf_eventlog_metadata_has_option(const hpf_eventlog_metadata *facts,
                                              const char *beginning);
HPF_API void hpf_eventlog_metadata_finish(hpf_eventlog_metadata *facts);

/* Whether GHC's run-time system has written the log: it says so, or nothing. */
HPF_API bool hpf_eventlog_metadata_is_ghc(const hpf_eventlog_metadata *facts);

#endif
