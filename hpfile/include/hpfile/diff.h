/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The comparison of two profiles, name by name.
 *
 * Names are compared without the numbers that a run gives its cost-centre stacks.
 *
 * Memory: the names of both.
 */
#ifndef HPFILE_DIFF_H
#define HPFILE_DIFF_H

#include "hpfile/survey.h"

HPF_BEGIN_DECLS

typedef struct hpf_diff hpf_diff;

/* Compares two surveys, which are borrowed for the life of the result. With `moves_lines`, they are
 * of two versions of a program, and lines of one function that moved are one name. Errors: MEMORY,
 * LIMIT, from reading a sample a second time. */
HPF_API HPF_MUST_USE hpf_status hpf_diff_create(hpf_diff **out, hpf_survey *old_one,
                                                hpf_survey *new_one, bool moves_lines,
                                                hpf_error *err);
HPF_API void hpf_diff_destroy(hpf_diff *diff);

/* The amounts compared, in the value unit: the mean over the whole profile, the amount at the peak
 * of the whole profile, and the amount in the last sample that is not empty. */
typedef enum hpf_diff_measure {
    HPF_DIFF_MEAN,
    HPF_DIFF_PEAK,
    HPF_DIFF_END,
    HPF_N_DIFF_MEASURES
} hpf_diff_measure;

/* One name, or several joined, in both profiles: [0] the old one, [1] the new one. */
typedef struct hpf_diff_row {
    hpf_str name;        /* without number; the longer of two truncated names */
    hpf_str moved_from;  /* the name in the old profile, if its line moved (match.h) */
    uint32_t number;     /* of the row, in any sort order */
    uint32_t n_names[2]; /* 0: not in this profile */
    double amounts[2][HPF_N_DIFF_MEASURES];
} hpf_diff_row;

/* Return all rows, and a row without name for the whole profiles. */
HPF_API uint32_t hpf_diff_n_rows(const hpf_diff *diff);
HPF_API const hpf_diff_row *hpf_diff_rows(const hpf_diff *diff);
HPF_API const hpf_diff_row *hpf_diff_total(const hpf_diff *diff);

/* Sorts the rows by the size of their difference, largest first; equal ones by name. At first they
 * are sorted by HPF_DIFF_MEAN. */
HPF_API void hpf_diff_sort(hpf_diff *diff, hpf_diff_measure measure);

/* Returns the sum of the rows from index `first` on, without name. */
HPF_API hpf_diff_row hpf_diff_join(const hpf_diff *diff, uint32_t first);

/* Returns the number of the row of a name in profile `side` (0 or 1), or HPF_NO_ROW. */
HPF_API uint32_t hpf_diff_row_of_name(const hpf_diff *diff, int side, hpf_name name);

/* Returns new minus old; 0 for amounts that only rounding has made different. */
static inline double hpf_diff_change(const hpf_diff_row *row, hpf_diff_measure measure)
{
    double change = row->amounts[1][measure] - row->amounts[0][measure];
    double noise = 1e-12 * (row->amounts[0][measure] + row->amounts[1][measure]);
    return change < noise && -change < noise ? 0 : change;
}

/* Which times of two runs of a program belong together: times of the older run are mapped to times
 * of the newer one, on straight lines between knots. Knots are the begin and the end of both runs,
 * marks that both have in the same order, and what changes the total alike a little earlier or
 * later. */

typedef enum hpf_align {
    HPF_ALIGN_AUTO,  /* MARKS if both runs have some in common, else SHARE */
    HPF_ALIGN_MARKS, /* between common marks by share of the time, and by changes of the total */
    HPF_ALIGN_SHARE, /* by share of the run, and by changes of the total */
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

/* Return the time of the newer run that belongs to a time of the older one, and the inverse. */
HPF_API double hpf_alignment_map(const hpf_alignment *a, double old_time);
HPF_API double hpf_alignment_map_back(const hpf_alignment *a, double new_time);

HPF_END_DECLS
#endif
