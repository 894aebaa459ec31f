/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Select, order and limit as hp2ps does them (docs/hp2ps.md).
 */
#ifndef HPR_CLASSIC_SELECT_H
#define HPR_CLASSIC_SELECT_H

#include "hprender/render.h"
#include "chart/band_assignment.h"

/* The plan of the classic look; it lives as long as the arena. Errors: MEMORY; those of
 * hpf_survey_replay when the order asks for a second reading; LIMIT for more ORDER lines in the
 * `.aux` file than hp2ps takes. */
HPF_MUST_USE hpf_status hpr__classic_plan(hpr__assignment *plan, hpf_arena *arena,
                                          hpf_survey *survey, const hpr_options *options,
                                          hpf_error *err);

/* How many ORDER lines, and how many shades, hp2ps can keep for this profile. */
size_t hpr__classic_map_capacity(const hpf_survey *survey, const hpr_options *options);

#endif
