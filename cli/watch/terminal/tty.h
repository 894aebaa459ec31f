/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The view in a terminal: the graph in cells, keys, and a line about how things stand.
 */
#ifndef CENSUS_WATCH_TTY_H
#define CENSUS_WATCH_TTY_H

#include "hprender/render.h"

#include "watch/loop/watch.h"

typedef struct view_tty_options {
    /* What is drawn: bands, grouping, order and so on. The theme follows the terminal unless
     * `has_theme`. What it borrows is borrowed for the view's life. */
    hpr_options chart;
    bool has_theme;
    double window_s; /* 0: the whole profile */
} view_tty_options;

/* Takes the terminal over until the view is finished; `q` stops the loop. NULL after a message:
 * there is no terminal. */
view *view_tty_create(loop *l, const view_tty_options *options);

#endif
