/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census info for GHC's event logs: what they hold beside a heap profile, what can be drawn, and
 * which flags would have given more.
 */
#ifndef CENSUS_LOG_INFO_H
#define CENSUS_LOG_INFO_H

#include "hpfile/sink.h"

#include "input.h"

/* Writes what is in the log, which is open but not surveyed. The first error is set; the sink is
 * not finished. */
hpf_status log_write_text(const input *in, bool exact, hpf_sink *sink, hpf_error *err);
hpf_status log_write_json(const input *in, hpf_sink *sink, hpf_error *err);

/* Writes every record as a line (hpf_event_print), in the order of the file. */
hpf_status log_write_events(const input *in, hpf_sink *sink, hpf_error *err);

#endif
