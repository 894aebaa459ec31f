/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The marks of a profile whose samples are written again at its end.
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
    hpp__mark *marks; /* as they came, so by time */
    size_t n, capacity;
    size_t n_told;
    bool is_short; /* there was no memory for one */
} hpp__marks;

/* Keeps a mark and a copy of its label. */
void hpp__marks_add(hpp__marks *marks, double time_s, hpf_str label);

/* Tells the output those before `time_s` that it was not told before. */
void hpp__marks_tell(hpp__marks *marks, double time_s, hpp__output *output);

void hpp__marks_finish(hpp__marks *marks);

#endif
