/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The part of a profile that census diff compares, between two times or marks.
 */
#ifndef CENSUS_DIFF_WINDOW_H
#define CENSUS_DIFF_WINDOW_H

#include "input.h"

/* For each end at most one of the two. */
typedef struct diff_window {
    opt_time from, to;                   /* -HUGE_VAL, HUGE_VAL: not given */
    const char *since_mark, *until_mark; /* NULL: not given */
} diff_window;

/* Returns the name of an option that was given, or NULL. */
const char *diff_window_given(const diff_window *window);

/* Checks that options do not exclude each other. */
bool diff_window_check(const diff_window *window, opt_complaint *complaint);

/* Surveys an input again, with only the samples of the window, in which marks are searched by their
 * labels: the first one that begins the window, and the first one after its begin that ends it.
 * With `only_begin`, uses only the first sample of the window. Returns false after a message. */
bool diff_window_apply(const diff_window *window, input *in, const hpf_stack_view *view,
                       bool only_begin);

#endif
