/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The part of a profile that census diff and census report use, between two times or marks.
 */
#ifndef CENSUS_TIME_WINDOW_H
#define CENSUS_TIME_WINDOW_H

#include <math.h>

#include "input.h"

/* For each end at most one of the two. */
typedef struct time_window {
    opt_time from, to;                   /* -HUGE_VAL, HUGE_VAL: not given */
    const char *since_mark, *until_mark; /* NULL: not given */
} time_window;

#define TIME_WINDOW_ALL                                                                            \
    {                                                                                              \
        .from.value = -HUGE_VAL, .to.value = HUGE_VAL                                              \
    }

/* The rows of a command's options for a time_window at `position`. What the command does is `verb`;
 * `more` is added to the options for the begin. */
#define TIME_WINDOW_OPTIONS(position, verb, more)                                                  \
    {0,        "since-mark",                                                                       \
     OPT_TEXT, (position) + offsetof(time_window, since_mark),                                     \
     "LABEL",  verb " from the first mark LABEL on" more,                                          \
     NULL,     0,                                                                                  \
     0},                                                                                           \
        {0,        "until-mark",                                                                   \
         OPT_TEXT, (position) + offsetof(time_window, until_mark),                                 \
         "LABEL",  verb " up to the first mark LABEL after the begin",                             \
         NULL,     0,                                                                              \
         0},                                                                                       \
        {0,                                                                                        \
         "from",                                                                                   \
         OPT_TIME,                                                                                 \
         (position) + offsetof(time_window, from),                                                 \
         "T",                                                                                      \
         verb " from time T on, such as 30s, 5m, or 12.5 in the time unit of the profile" more,    \
         NULL,                                                                                     \
         -HUGE_VAL,                                                                                \
         HUGE_VAL},                                                                                \
    {                                                                                              \
        0, "to", OPT_TIME, (position) + offsetof(time_window, to), "T", verb " up to time T",      \
            NULL, -HUGE_VAL, HUGE_VAL                                                              \
    }

/* Returns the name of an option that was given, or NULL. */
const char *time_window_given(const time_window *window);

/* Checks that options do not exclude each other. */
bool time_window_check(const time_window *window, opt_complaint *complaint);

/* Surveys an input again, with these limits and only the samples of the window. Marks are searched
 * by their labels: the first one that begins the window, and the first one after its begin that
 * ends it. With `only_begin`, uses only the first sample of the window. Returns false after a
 * message. */
bool time_window_apply(const time_window *window, input *in, hpf_survey_options limits,
                       bool only_begin);

#endif
