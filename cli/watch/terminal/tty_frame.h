/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What stands around the graph in a terminal: the title above, how things stand below, the help.
 */
#ifndef CENSUS_WATCH_TTY_FRAME_H
#define CENSUS_WATCH_TTY_FRAME_H

#include "tty_plot.h"
#include "watch/loop/watch.h"

typedef struct tty_frame {
    const watched *profile; /* NULL: there is none yet */
    const hpr_chart *chart; /* NULL: nothing to draw yet */
    double window_s;        /* 0: all */
    double now_s;           /* loop_now_s() */
    bool is_paused, has_help;
    tty_plot_style style;
} tty_frame;

/* Draws everything. */
void tty_frame_draw(screen *s, const tty_frame *frame);

#endif
