/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The part of a profile that a command uses, between two times or marks: --from and --to.
 */
#ifndef CENSUS_TIME_WINDOW_H
#define CENSUS_TIME_WINDOW_H

#include <math.h>

#include "input.h"

typedef struct time_window {
    opt_time from, to; /* -HUGE_VAL, HUGE_VAL: not given */
} time_window;

#define TIME_WINDOW_ALL                                                                            \
    {                                                                                              \
        .from.value = -HUGE_VAL, .to.value = HUGE_VAL                                              \
    }

/* The rows of a command's options for a time_window at `position`. What the command does is `verb`;
 * `more` is added to the options for the begin. */
#define TIME_WINDOW_OPTIONS(position, verb, more)                                                  \
    OPT(0, "from", OPT_WHEN, (position) + offsetof(time_window, from), "WHEN",                     \
        verb " from WHEN on: a time such as 30s, 5m, or 12.5 in the time unit of the profile, or " \
             "the label of a mark" more,                                                           \
        .low = -HUGE_VAL, .high = HUGE_VAL),                                                       \
        OPT(0, "to", OPT_WHEN, (position) + offsetof(time_window, to), "WHEN",                     \
            verb " up to WHEN: a time, or the first mark of that label after the begin",           \
            .low = -HUGE_VAL, .high = HUGE_VAL)

/* Returns the name of an option that was given, or NULL. */
const char *time_window_given(const time_window *window);

/* Checks that options do not exclude each other. */
bool time_window_check(const time_window *window, opt_complaint *complaint);

/* Returns whether an end is a mark. */
bool time_window_has_mark(const time_window *window);

/* Sets the window of `limits` for a surveyed input. Marks are searched by their labels: the first
 * one that begins the window, and the first one after its begin that ends it; with `warns` says if
 * there are more. Marks may be in the sidecar file, which is added. Returns false after a message.
 */
bool time_window_find(const time_window *window, input *in, bool warns, hpf_survey_options *limits);

/* Surveys an input again, with these limits and only the samples of the window. With `only_begin`,
 * uses only the first sample of the window. Returns false after a message. */
bool time_window_apply(const time_window *window, input *in, hpf_survey_options limits,
                       bool only_begin);

#endif
