/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a program kept without using it, integrated over time: what to let go of, and where.
 */
#ifndef CENSUS_SAVINGS_H
#define CENSUS_SAVINGS_H

#include "input.h"
#include "hpfile/sink.h"

enum { SAVINGS_N_PHASES = 3 }; /* lag, drag, void */

/* What one producer made and one set retained. Texts are borrowed from the survey. */
typedef struct saving {
    hpf_str pair, producer, retainers;
    double areas[SAVINGS_N_PHASES], area; /* amount x time */
} saving;

/* Lists the pairs of a profile, largest first; none if it was not made with --savings. Free the
 * list. Errors: MEMORY. */
HPF_MUST_USE hpf_status savings_find(saving **out, size_t *n, const hpf_survey *survey,
                                     hpf_error *err);

/* Returns the area of all live memory; 0 if the profile does not have it. */
double savings_live_area(const hpf_survey *survey);

/* Writes a table of at most `n_rows` pairs of a producer and retainers (0: all), as text. Errors:
 * UNSUPPORTED for a profile that was not made with --savings; MEMORY. */
hpf_status savings_write(const input *in, size_t n_rows, bool exact, hpf_sink *sink,
                         hpf_error *err);

#endif
