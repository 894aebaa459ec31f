/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text around the graph in a terminal: title, status line, help.
 */
#ifndef CENSUS_WATCH_TTY_FRAME_H
#define CENSUS_WATCH_TTY_FRAME_H

#include "terminal/terminal_plot.h"
#include "watch/loop/watch.h"

typedef struct tty_frame {
    const watched *profile; /* NULL: none yet */
    const hpr_chart *chart; /* NULL: nothing to draw yet */
    double window_s;        /* 0: the whole profile */
    double now_s;           /* clock_now_s() */
    bool is_paused, has_help;
    hpr__terminal_style style;
} tty_frame;

/* Draws everything. */
void tty_frame_draw(hpr__screen *s, const tty_frame *frame);

#endif
