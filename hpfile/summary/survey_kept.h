/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A survey of a profile that is still growing: its second pass goes over the columns that were kept
 * (columns.h). Series that are asked for again cost only the columns that came since.
 *
 * Where names were folded, their rest is shared out to the bands of the names that are folded, by
 * what these amount to; mostly all of them belong to one band, of all other names.
 */
#ifndef HPF_SURVEY_KEPT_H
#define HPF_SURVEY_KEPT_H

#include "summary/columns.h"
#include "summary/survey.h"
#include "summary/told.h"

/* Views that divide names into bands in so many ways do not disturb each other. */
#define HPF__N_TOLD 4

typedef struct hpf__kept_survey {
    hpf_survey base; /* its tally is a view */
    const hpf__columns *columns;
    const hpf__tally *growing; /* what it is a view of */
    hpf__told told[HPF__N_TOLD];
    uint32_t next_told; /* the one that makes room for another */
    hpf_cost *costs;    /* of the sample that is told */
    size_t costs_capacity;
} hpf__kept_survey;

extern const hpf__second_pass hpf__survey_keeps_columns;

/* Tells the columns [begin, end) as samples, a rest under the name `rest`, or not at all if that is
 * HPF__REST. */
hpf_status hpf__kept_tell(hpf__kept_survey *survey, size_t begin, size_t end, hpf_name rest,
                          const hpf_events *events, void *context, hpf_error *err);

/* Frees all but what is borrowed. */
void hpf__kept_finish(hpf__kept_survey *survey);

#endif
