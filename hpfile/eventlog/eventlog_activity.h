/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The activity of an event log, for readers of profiles.
 */
#ifndef HPF_EVENTLOG_ACTIVITY_H
#define HPF_EVENTLOG_ACTIVITY_H

#include "hpfile/eventlog_activity.h"

/* Returns whether events of this type do something. */
bool hpf__eventlog_activity_wants(uint16_t type);

/* Returns whether any event did something. */
bool hpf__eventlog_activity_has_records(const hpf_eventlog_activity *activity);

/* Reads the activity of a whole log, to which it sets the clock of the mutator, and rewinds the
 * source. The caller owns `*out`, also after an error. Errors: UNSUPPORTED without records; from
 * the log. */
HPF_MUST_USE hpf_status hpf__eventlog_activity_read(hpf_eventlog_activity **out, hpf_source *source,
                                                    hpf_error *err);

/* Returns the time at which records have the time `elapsed_s`. */
double hpf__eventlog_activity_time(const hpf_eventlog_activity *activity, double elapsed_s);

#endif
