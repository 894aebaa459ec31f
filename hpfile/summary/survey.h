/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The common part of all surveys: the names of a reader, a settled accumulator, and a second pass
 * to the costs of samples. Each kind of survey begins with this struct.
 */
#ifndef HPF_SURVEY_H
#define HPF_SURVEY_H

#include "detect/reader.h"
#include "hpfile/survey.h"
#include "hpfile/retainer_sets.h"
#include "summary/accumulator.h"

/* Series at the drawn samples: hpf_survey_series while it is filled, drawn sample by drawn sample.
 */
typedef struct hpf__series {
    const uint32_t *band_of_name;
    uint32_t n_bands;
    double *values; /* n_bands rows of n_drawn, zero at first */
    size_t n_drawn;
} hpf__series;

/* How the costs of samples are found again. */
typedef struct hpf__second_pass {
    /* Fills the series of all drawn samples. */
    hpf_status (*series)(hpf_survey *survey, hpf__series *to, hpf_error *err);
    /* Every sample of the survey in order; marks and lines in between, where the input has them, or
     * before them all, by time. */
    hpf_status (*replay)(hpf_survey *survey, const hpf_events *events, void *context,
                         hpf_error *err);
    bool (*emits_marks_first)(const hpf_survey *survey); /* all before the first sample */
    /* The samples from drawn sample `first` to drawn sample `last`, as far as they can be found. */
    hpf_status (*between)(hpf_survey *survey, const hpf_drawn_sample *first,
                          const hpf_drawn_sample *last, const hpf_events *events, void *context,
                          hpf_error *err);
} hpf__second_pass;

struct hpf_survey {
    hpf_reader *reader;
    hpf__accumulator accumulator;
    const hpf__second_pass *second_pass;
    hpf_retainer_sets *sets; /* borrowed; or NULL */
    double *spreads, spread; /* of each name, and of all (hpf_survey_find_spreads); or NULL */
    bool has_sidecar;        /* not all marks and quantities are in the input */
};

/* Marks and lines, in the order of time. Errors: MEMORY; from `events`. */
hpf_status hpf__survey_emit_marks(const hpf_survey *survey, const hpf_events *events, void *context,
                                  hpf_error *err);

#endif
