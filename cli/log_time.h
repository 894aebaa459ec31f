/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report --time: the time profile of an event log, as GHC lays out a `.prof`.
 */
#ifndef CENSUS_LOG_TIME_H
#define CENSUS_LOG_TIME_H

#include "hpfile/sink.h"

#include "input.h"

/* Writes the report of a log that is open but not surveyed. The first error is set; the sink is not
 * finished. */
hpf_status log_write_time(const input *in, bool as_json, hpf_sink *sink, hpf_error *err);

#endif
