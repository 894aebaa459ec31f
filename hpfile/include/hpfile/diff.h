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

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_diff hpf_diff;

/* Compares two surveys, which are borrowed for the life of the result. With `moves_lines`, they are
 * of two versions of a program, and lines of one function that moved are one name. Errors: MEMORY,
 * LIMIT, those of reading a sample a second time. */
HPF_API HPF_MUST_USE hpf_status hpf_diff_create(hpf_diff **out, hpf_survey *old_one,
                                                hpf_survey *new_one, bool moves_lines,
                                                hpf_error *err);
HPF_API void hpf_diff_destroy(hpf_diff *diff);

#ifdef __cplusplus
}
#endif
#endif
