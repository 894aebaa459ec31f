/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Summary figures of a profile: peak, means and growth.
 *
 * Means are over time: area under the curve / duration; without duration, over samples.
 *
 * Growth is the slope of the least-squares line through all samples; an absent name is 0. R2 is its
 * coefficient of determination. An empty first and an empty last sample, which GHC always writes,
 * are ignored.
 */
#ifndef HPFILE_SUMMARY_H
#define HPFILE_SUMMARY_H

#include "hpfile/survey.h"

HPF_BEGIN_DECLS

/* One name, or several together. Amounts are in the value unit. Undefined values are NAN. */
typedef struct hpf_summary_row {
    hpf_str name;     /* borrowed from the survey; empty for several */
    hpf_name number;  /* its number in the survey */
    uint32_t n_names; /* number of names in this row */
    double share;     /* share of the whole area, 0..1 */
    double mean;
    double max;       /* NAN for several names */
    double growth;    /* per unit of time; NAN without two different times */
    double r_squared; /* NAN without growth, for constants, and for several names */
} hpf_summary_row;

enum { HPF_SUMMARY_MOST_HOLDERS = 10 };
typedef struct hpf_summary {
    double peak, peak_time;   /* of the first sample with the largest total */
    double final, final_time; /* of the last kept sample that is not empty, else 0 */
    double duration;
    hpf_summary_row total;
    hpf_summary_row *rows; /* the `n_rows` names with the largest area, largest first, then those of
                              `others`, in the same order */
    uint32_t n_rows;
    hpf_summary_row others; /* all other names together; n_names 0: none */
    /* Of a profile by retainer, after hpf_summary_find_holders: the holders that several of the
     * other sets have in common, each with these sets. The largest goes first. */
    hpf_summary_row holders[HPF_SUMMARY_MOST_HOLDERS];
    uint32_t n_holders;
    struct hpf_arena *texts; /* of holders; private */
} hpf_summary;

/* Returns the number of names in complete samples; the survey may also have names of an incomplete
 * last sample. */
HPF_API uint32_t hpf_summary_n_names(const hpf_survey *survey);

/* Summarises a survey, with at most `most_rows` rows (0: all). Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_summary_make(hpf_summary *out, const hpf_survey *survey,
                                                 uint32_t most_rows, hpf_error *err);

/* Adds a row for each other name that is a twentieth of the peak in any sample, up to 40 rows. */
HPF_API void hpf_summary_add_high(hpf_summary *s);

/* Moves retainer sets with a common holder from `others` to `holders`. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_summary_find_holders(hpf_summary *s, const hpf_survey *survey,
                                                         hpf_error *err);

/* Names the first `n` of all rows for people: retainer sets by their whole names, and stacks
 * without their ids where the names stay different. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_summary_name_rows(hpf_summary *s, uint32_t n,
                                                      const hpf_survey *survey, hpf_error *err);
HPF_API void hpf_summary_finish(hpf_summary *s);

HPF_END_DECLS

#endif
