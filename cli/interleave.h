/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile with its marks and lines between the samples, where the input has them beside these.
 */
#ifndef CENSUS_INTERLEAVE_H
#define CENSUS_INTERLEAVE_H

#include "hpfile/survey.h"

/* As hpf_survey_emit with the marks in place: each mark and each point of a line is sent before the
 * first sample that is later. Errors: those, and MEMORY. */
hpf_status interleave_emit(hpf_survey *survey, const hpf_events *events, void *context,
                           hpf_error *err);

#endif
