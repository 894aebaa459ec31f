/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report --ticky: the ticky counters of an event log.
 */
#ifndef CENSUS_LOG_TICKY_H
#define CENSUS_LOG_TICKY_H

#include "hpfile/sink.h"

#include "input.h"
#include "table.h"

/* Writes the `most_rows` counters with the largest allocation (0: all that are not zero) of an
 * opened log. Does not finish the sink. */
hpf_status log_write_ticky(const input *in, table_format format, size_t most_rows, bool exact,
                           hpf_sink *sink, hpf_error *err);

#endif
