/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report --nonmoving: the work and the heap of the non-moving collector in an event log.
 */
#ifndef CENSUS_LOG_NONMOVING_H
#define CENSUS_LOG_NONMOVING_H

#include "hpfile/sink.h"

#include "input.h"
#include "table.h"

/* Writes the report of an opened log: text and Markdown have the census with the most live bytes,
 * JSON and CSV all. Does not finish the sink. */
hpf_status log_write_nonmoving(const input *in, table_format format, bool exact, hpf_sink *sink,
                               hpf_error *err);

#endif
