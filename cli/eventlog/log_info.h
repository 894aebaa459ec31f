/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census info for event logs of GHC: contents, what can be drawn, and which run-time options would
 * have recorded more.
 */
#ifndef CENSUS_LOG_INFO_H
#define CENSUS_LOG_INFO_H

#include "hpfile/sink.h"

#include "input.h"

/* Write the contents of an opened log. Do not finish the sink. */
hpf_status log_write_text(const input *in, bool exact, hpf_sink *sink, hpf_error *err);
hpf_status log_write_json(const input *in, hpf_sink *sink, hpf_error *err);

/* Writes every record as a line (hpf_event_print), in the order of the file. */
hpf_status log_write_events(const input *in, hpf_sink *sink, hpf_error *err);

#endif
