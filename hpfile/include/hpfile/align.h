/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which times of two runs of a program belong together: times of the older run are mapped to times
 * of the newer one, on straight lines between knots. Knots are the begin and the end of both runs,
 * marks that both have in the same order, and large steps of the total near each other.
 */
#ifndef HPFILE_ALIGN_H
#define HPFILE_ALIGN_H

#include "hpfile/survey.h"

HPF_BEGIN_DECLS

typedef enum hpf_align {
    HPF_ALIGN_AUTO,  /* MARKS if both runs have some in common, else SHARE */
    HPF_ALIGN_MARKS, /* between common marks by share of the time, and by large steps */
    HPF_ALIGN_SHARE, /* by share of the run, and by large steps */
    HPF_ALIGN_TIME   /* equal times */
} hpf_align;

/* A time of the older run, and the time of the newer one that belongs to it. */
typedef struct hpf_knot {
    double old_time, new_time;
} hpf_knot;

typedef struct hpf_alignment {
    hpf_align by;     /* what was used: never AUTO */
    uint32_t n_marks; /* that both have */
    hpf_knot *knots;  /* both times increase; none: equal times */
    size_t n_knots;
} hpf_alignment;

/* Aligns two surveys. A profile of one sample is aligned by time. Errors: MEMORY; UNSUPPORTED for
 * MARKS if they have none in common. */
HPF_API HPF_MUST_USE hpf_status hpf_alignment_make(hpf_alignment *out, hpf_survey *old_one,
                                                   hpf_survey *new_one, hpf_align by,
                                                   hpf_error *err);
HPF_API void hpf_alignment_finish(hpf_alignment *a);

/* Returns the time of the newer run that belongs to a time of the older one. */
HPF_API double hpf_alignment_map(const hpf_alignment *a, double old_time);

HPF_END_DECLS
#endif
