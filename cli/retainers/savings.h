/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a program kept without using it, integrated over time: what to let go of, and where.
 */
#ifndef CENSUS_SAVINGS_H
#define CENSUS_SAVINGS_H

#include "input.h"
#include "hpfile/sink.h"

/* Writes a table of at most `n_rows` pairs of a producer and retainers (0: all), as text. Errors:
 * UNSUPPORTED for a profile that was not made with --savings; MEMORY. */
hpf_status savings_write(const input *in, size_t n_rows, bool exact, hpf_sink *sink,
                         hpf_error *err);

#endif
