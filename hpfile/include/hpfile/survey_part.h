/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The part of a profile between two times: samples, marks and quantities in the
 * window, and only the names that its samples use.
 */
#ifndef HPFILE_SURVEY_PART_H
#define HPFILE_SURVEY_PART_H

#include "hpfile/survey.h"

HPF_BEGIN_DECLS

typedef struct hpf_survey_part {
    const hpf_survey *survey; /* has the window too, so that it replays only samples in it */
    double from_time, to_time;
    const hpf_events *to; /* receives the part */
    void *context;
    hpf_name *number_of; /* by name of the survey: its number in the part, or UINT32_MAX */
    hpf_name *names;     /* by number in the part: the name in the survey */
    hpf_name n_names;
    hpf_cost *costs; /* of the current sample */
    size_t costs_capacity;
} hpf_survey_part;

/* Numbers the names of the part. The other members are set by the caller. Returns false without
 * memory. */
HPF_API bool hpf_survey_part_init(hpf_survey_part *cut);
HPF_API void hpf_survey_part_finish(hpf_survey_part *cut);

/* The events that a cut accepts; the context is the cut. */
HPF_API extern const hpf_events hpf_survey_part_events;

HPF_END_DECLS
#endif
