/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The marks of a profile whose samples are written a second time at its end.
 */
#ifndef HPP_MARKS_H
#define HPP_MARKS_H

#include "output.h"

typedef struct hpp__mark {
    double time_s;
    char *label; /* not terminated */
    size_t label_bytes;
} hpp__mark;

typedef struct hpp__marks {
    hpp__mark *marks; /* by time */
    size_t n, capacity;
    size_t n_emitted;
    bool is_short; /* a mark was lost for lack of memory */
} hpp__marks;

/* Adds a mark with a copy of its label. */
void hpp__marks_add(hpp__marks *marks, double time_s, hpf_str label);

/* Writes the marks before `time_s` that are not written yet. */
void hpp__marks_emit(hpp__marks *marks, double time_s, hpp__output *output);

void hpp__marks_finish(hpp__marks *marks);

#endif
