/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The terminal view: the graph in character cells, keys, and a status line.
 */
#ifndef CENSUS_WATCH_TTY_H
#define CENSUS_WATCH_TTY_H

#include "hprender/render.h"

#include "watch/loop/watch.h"

typedef struct view_tty_options {
    /* What to draw: bands, grouping, order and so on. The theme follows the terminal unless
     * `has_theme`. Pointers are borrowed for the life of the view. */
    hpr_options chart;
    bool has_theme;
    double window_s; /* 0: the whole profile */
} view_tty_options;

/* Takes over the terminal until the view is finished; `q` stops the loop. Returns NULL after a
 * message if there is no terminal. */
view *view_tty_create(loop *l, const view_tty_options *options);

#endif
