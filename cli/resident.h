/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a recording says of the resident set (--resident), for pages.
 */
#ifndef CENSUS_RESIDENT_H
#define CENSUS_RESIDENT_H

#include "hpfile/survey.h"
#include "hprender/render.h"

/* Surveys the values of hpr_options.resident of a source, of which there is a survey. Fills `out`
 * with NULL if it says nothing of the resident set, or after an error: from the source; MEMORY. */
HPF_MUST_USE hpf_status resident_read(hpf_survey *out[HPR_N_RESIDENT], hpf_source *source,
                                      const hpf_survey *survey, hpf_error *err);
void resident_free(hpf_survey *surveys[HPR_N_RESIDENT]);

#endif
