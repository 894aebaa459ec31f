/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A view that is a file: a picture that is written anew as the profile grows. It is replaced in one
 * step, so whoever reads it sees a whole one; while nothing changes, it is left alone.
 */
#ifndef CENSUS_WATCH_VIEW_PICTURE_H
#define CENSUS_WATCH_VIEW_PICTURE_H

#include "plot/plot_setup.h"

#include "watch/loop/watch.h"

typedef enum picture_state {
    PICTURE_NONE,    /* there was nothing to draw yet */
    PICTURE_CURRENT, /* the file shows what there was to show */
    PICTURE_FAILED,  /* it does not, and why was said */
} picture_state;

typedef struct view_picture_options {
    const plot_setup *setup; /* borrowed */
    const char *path;        /* borrowed */
    double every_s;          /* it is written at most so often */
    double window_s;         /* only what the last so many seconds are; 0: all */
    picture_state *state;    /* becomes what the file is, each time that it is drawn */
} view_picture_options;

/* A picture of the first profile of the watch. NULL when there is no memory or no descriptor. */
view *view_picture_create(loop *l, const view_picture_options *options);

#endif
