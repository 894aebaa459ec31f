/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps *select* and *limit* of the modern look: which names get a band of their own.
 *
 * Names can be merged into groups (group.h), which then count as names. The weight of a name is its
 * area, or its sum in a profile without area and in charts by sample. Two kinds of names are folded
 * into OTHER: the smallest ones that together make less than the trace percentage, and all beyond
 * the largest `n_bands`. Traces are dropped instead if the options say so. A single name that would
 * be left for OTHER keeps its own band. With `fit_bands`, so does a name that is a twentieth of the
 * peak in any sample, as long as there are at most 40 bands.
 *
 * Several profiles on one page get the same bands. Names are matched as in hpfile/match.h, or by
 * group; bands are named without the id of a cost-centre stack. The weight of a name is its mean
 * amount. Unless the panels share a scale, it is divided by the mean total of its profile, so that
 * names of a small profile count as much as names of a large one.
 */
#ifndef HPR_SELECT_H
#define HPR_SELECT_H

#include "chart/chart.h"
#include "hprender/page.h"

/* If more than half of the profile would go into OTHER, and the options have no groups but types of
 * stacks: changes options to draw more names or, if these would be too many, groups of names, so
 * that half of it or more is in bands. Sets `*caption` to what was done, constant or in the arena;
 * NULL: nothing. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__fit_bands(hpr_options *options, const char **caption, hpf_arena *arena,
                                       const hpf_survey *survey, hpf_error *err);

/* Fills `assignment` with the largest name first. Takes memory from `arena`. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_select(hpr__assignment *assignment, hpf_arena *arena,
                                           hpf_survey *survey, const hpr_options *options,
                                           hpf_error *err);

/* Fills one assignment per survey. All have the same bands, the largest first, and OTHER, if there
 * is one, last; a band that a survey does not have is there without names. Sets `*other_names` to
 * the number of different names in OTHER. Takes memory from `arena`. Errors: MEMORY; LIMIT for too
 * many profiles. */
HPF_MUST_USE hpf_status hpr__page_select(hpr__assignment *assignments, uint32_t *other_names,
                                         hpf_arena *arena, hpf_survey *const *surveys,
                                         size_t n_surveys, const hpr_options *options,
                                         hpf_error *err);

#endif
