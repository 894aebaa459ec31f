/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the metadata of an event log mean.
 */
#ifndef HPF_EVENTLOG_METADATA_H
#define HPF_EVENTLOG_METADATA_H

#include "hpfile/eventlog.h"

/* Returns whether the command line has an option of the run-time system with this beginning. False
 * while the command line is unknown; options may also come from the environment. */
bool hpf__eventlog_metadata_has_option(const hpf_eventlog_metadata *metadata,
                                       const char *beginning);

/* Returns whether GHC's run-time system wrote the log: it is identified as GHC, or not at all. */
bool hpf__eventlog_metadata_is_ghc(const hpf_eventlog_metadata *metadata);

/* Returns the further break-down that the flags of a cost centre mean; NONE if there is none. */
hpf_breakdown hpf__eventlog_further(unsigned flags);

#endif
