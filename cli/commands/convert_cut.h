/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The part of a profile between two times, for census convert: samples, marks and quantities in the
 * window, and only the names that its samples use.
 */
#ifndef CENSUS_CONVERT_CUT_H
#define CENSUS_CONVERT_CUT_H

#include "hpfile/survey.h"

typedef struct convert_cut {
    const hpf_survey *survey; /* has the window too, so that it replays only samples in it */
    double from_time, to_time;
    const hpf_events *to; /* receives the part */
    void *context;
    hpf_name *number_of; /* by name of the survey: its number in the part, or UINT32_MAX */
    hpf_name *names;     /* by number in the part: the name in the survey */
    hpf_name n_names;
    hpf_cost *costs; /* of the current sample */
    size_t costs_capacity;
} convert_cut;

/* Numbers the names of the part. The other members are set by the caller. Returns false without
 * memory. */
bool convert_cut_init(convert_cut *cut);
void convert_cut_finish(convert_cut *cut);

/* The events that a cut accepts; the context is the cut. */
extern const hpf_events convert_cut_events;

#endif
