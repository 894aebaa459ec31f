/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reports of profiles that know what retained objects, or how they were used.
 */
#ifndef CENSUS_RETAINERS_REPORT_H
#define CENSUS_RETAINERS_REPORT_H

#include "hpfile/sink.h"
#include "input.h"
#include "table.h"

/* Writes the chains of retainers from at most `n_bands` bands (0: all) to the roots, as text.
 * Errors: UNSUPPORTED for a profile whose report does not have them; MEMORY. */
HPF_MUST_USE hpf_status chains_write(const input *in, size_t n_bands, bool exact, hpf_sink *sink,
                                     hpf_error *err);

/* Writes what a program kept without using it, integrated over time: at most `n_rows` pairs of a
 * producer and retainers (0: all), as text. Errors: UNSUPPORTED for a profile that was not made
 * with --savings; MEMORY. */
HPF_MUST_USE hpf_status savings_write(const input *in, size_t n_rows, bool exact, hpf_sink *sink,
                                      hpf_error *err);

/* Writes how long objects were lag, use, drag and void (hpf_life_times_find): at most `most_rows`
 * phases of producers (0: all). Errors: UNSUPPORTED for another profile; MEMORY; from the input. */
HPF_MUST_USE hpf_status life_times_write(const input *in, table_format format, size_t most_rows,
                                         bool exact, hpf_sink *sink, hpf_error *err);

#endif
