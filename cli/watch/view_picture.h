/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A picture in a file that is updated as the profile grows. The file is replaced atomically, and
 * only if the picture has changed.
 */
#ifndef CENSUS_WATCH_VIEW_PICTURE_H
#define CENSUS_WATCH_VIEW_PICTURE_H

#include "plot/plot_setup.h"

#include "watch/loop/watch.h"

typedef enum picture_state {
    PICTURE_NONE,    /* nothing to draw yet */
    PICTURE_CURRENT, /* the file is up to date */
    PICTURE_FAILED,  /* the file is not up to date; a message was printed */
} picture_state;

typedef struct view_picture_options {
    const plot_setup *setup; /* borrowed */
    const char *path;        /* borrowed */
    double every_s;          /* shortest time between two writes */
    double window_s;         /* show only the last `window_s` seconds; 0: all */
    picture_state *state;    /* updated each time the picture is drawn */
} view_picture_options;

/* Draws the first profile of the watch. Returns NULL without memory or descriptors. */
view *view_picture_create(loop *l, const view_picture_options *options);

#endif
