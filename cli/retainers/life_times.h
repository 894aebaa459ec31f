/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How long objects were lag, use, drag and void: the distribution of each by producer.
 */
#ifndef CENSUS_LIFE_TIMES_H
#define CENSUS_LIFE_TIMES_H

#include "input.h"
#include "table.h"

/* Writes a table of at most `most_rows` phases of producers (0: all), those with most bytes x time
 * first. The profile is a `.lives.hp` file (docs/embedding.md): at each duration, the bytes whose
 * phase lasted as long. Errors: UNSUPPORTED for another profile; MEMORY; from the input. */
HPF_MUST_USE hpf_status life_times_write(const input *in, table_format format, size_t most_rows,
                                         bool exact, hpf_sink *sink, hpf_error *err);

#endif
