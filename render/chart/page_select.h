/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps *select* and *limit* for several profiles that stand on one page: which names get a
 * band of their own in all of them.
 *
 * Names are one as hpfile/match.h says, or, in groups, when their groups are; a band is called by
 * the name without a run's number. They are weighed by their mean amounts; unless heights are to be
 * compared, in shares of each profile's own mean, so that a name that matters in a small profile
 * is not lost beside a large one.
 */
#ifndef HPR_PAGE_SELECT_H
#define HPR_PAGE_SELECT_H

#include "hprender/page.h"
#include "chart/band_assignment.h"

/* Fills a plan for each survey, with the same bands, from the largest down and with OTHER, if it is
 * needed, on top; bands that a survey does not have are there without names. `*other_names` becomes
 * the number of different names in OTHER. Memory from `arena`. Errors: MEMORY; LIMIT for too many
 * profiles. */
HPF_MUST_USE hpf_status hpr__page_select(hpr__assignment *plans, uint32_t *other_names,
                                         hpf_arena *arena, hpf_survey *const *surveys,
                                         size_t n_surveys, const hpr_page_options *options,
                                         hpf_error *err);

#endif
