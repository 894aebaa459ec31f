/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report --nonmoving: what the non-moving collector of an event log did, and how its heap
 * was filled.
 */
#ifndef CENSUS_LOG_NONMOVING_H
#define CENSUS_LOG_NONMOVING_H

#include "hpfile/sink.h"

#include "input.h"
#include "table.h"

/* Writes the report of a log that is open but not surveyed: for people the census with the most
 * live bytes, as data all. The first error is set; the sink is not finished. */
hpf_status log_write_nonmoving(const input *in, table_format format, bool exact, hpf_sink *sink,
                               hpf_error *err);

#endif
