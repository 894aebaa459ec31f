/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile as a command gets it: opened and surveyed, with everything that went wrong said
 * already.
 */
#ifndef CENSUS_INPUT_H
#define CENSUS_INPUT_H

#include "hpfile/survey.h"

typedef struct input {
    const char *name; /* for people: the path, or "stdin" */
    hpf_source *source;
    hpf_survey *survey;
} input;

/* Opens and surveys the profile at `path`, or standard input for "-". False: a message was printed
 * and there is nothing to close. `path` is borrowed. */
bool input_open(input *out, const char *path);

/* The same with another limit for the samples that are picked for drawing
 * (hpf_survey_options.max_picks). */
bool input_open_fine(input *out, const char *path, size_t max_picks);

/* The same with only the samples from one time to another. */
bool input_open_window(input *out, const char *path, double from_time, double to_time);

void input_close(input *in);

#endif
