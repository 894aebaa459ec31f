/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The time profile of an event log: for census report --time as GHC lays out a `.prof`, for census
 * convert as it is.
 */
#ifndef CENSUS_LOG_TIME_H
#define CENSUS_LOG_TIME_H

#include "eventlog/eventlog_time.h"
#include "hpfile/sink.h"

#include "input.h"

/* Notes the ticks of a log that is open but not surveyed. The first error is set; it is one to have
 * no tick. */
hpf_status log_read_time(const input *in, hpf_eventlog_time *time, hpf_error *err);

/* Writes the report of a log that is open but not surveyed. The first error is set; the sink is not
 * finished. */
hpf_status log_write_time(const input *in, bool as_json, hpf_sink *sink, hpf_error *err);

#endif
