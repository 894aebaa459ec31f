/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The results of a survey (survey.h): totals of each name, the samples worth drawing, and the
 * profile as a whole.
 */
#ifndef HPFILE_OVERVIEW_H
#define HPFILE_OVERVIEW_H

#include "hpfile/event.h"

HPF_BEGIN_DECLS

/* One pass over a profile: survey.h. */
typedef struct hpf_survey hpf_survey;

/* Totals of one name. Times are in the sample unit, amounts in the value unit. */
typedef struct hpf_totals {
    double sum;            /* of all amounts: exact below 2^53, then rounded once */
    uint64_t sum_wrapped;  /* whole amounts added modulo 2^64; reals are truncated first */
    double trapezium;      /* area under the name's curve, which is 0 in samples without it */
    double sum_squares;    /* of the amount per sample */
    double sum_time;       /* of time * amount, time counted from the first sample */
    double max;            /* largest amount in a sample */
    uint64_t first_sample; /* indices of the first and the last sample with the name */
    uint64_t last_sample;
    uint64_t n_samples; /* samples with the name */
} hpf_totals;

/* A sample worth drawing. */
typedef struct hpf_drawn_sample {
    double time;
    double total;          /* all names added */
    uint64_t sample_index; /* from 0, among all samples */
    uint64_t begin_offset, end_offset;
} hpf_drawn_sample;

/* The profile as a whole. */
typedef struct hpf_overview {
    uint64_t n_samples;
    uint64_t n_before; /* samples before the window */
    double first_time, last_time;
    double peak_total, peak_time; /* the first sample with the largest total */
    uint64_t peak_sample;
    hpf_totals total; /* of all names together; n_samples counts all samples */
    double sum_times,
        sum_times_squared; /* of sample times counted from the first: for least squares */
    size_t n_marks;
    const hpf_mark *marks; /* in order of appearance, of an event log by time; borrowed */
    size_t n_quantities;
    const hpf_quantity *quantities; /* in order of appearance; borrowed */
    size_t n_drawn;
    const hpf_drawn_sample *drawn; /* by sample_index, increasing; borrowed */
    bool reduced;                  /* drawn samples are not all samples */
    bool truncated;                /* the input ended inside a sample or a line */
} hpf_overview;

/* Says that a name belongs to no band. */
#define HPF_NO_BAND UINT32_MAX

/* Says that a name is in no sample, and so in no row. */
#define HPF_NO_ROW UINT32_MAX

HPF_END_DECLS
#endif
