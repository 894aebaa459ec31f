/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which views a watch has, as a command line asks for them.
 */
#ifndef CENSUS_WATCH_VIEWS_H
#define CENSUS_WATCH_VIEWS_H

#include "plot/plot_setup.h"

#include "view_picture.h"
#include "watch/loop/watch.h"

/* What is pointed to is borrowed for the life of the watch. */
typedef struct watch_views {
    const plot_setup *setup; /* what is drawn, and how; with its fonts if there is a picture */
    bool of_failures;        /* messages are about nothing else */
    bool tty;
    bool http;
    const char *http_where; /* as http_listen.h has it; NULL: the loopback */
    const char *token_file; /* NULL: another secret each time */
    bool opens_browser;
    const char *picture; /* a path; NULL: none */
    double every_s;      /* the picture is written at most so often */
    double window_s;     /* of the terminal and the picture; 0: the whole profile */
    /* Set, the last while the watch lives. */
    picture_state picture_state;
    view *page;
} watch_views;

/* Adds the views, and one for messages unless a terminal shows them. False after a message. */
bool watch_views_open(watch_views *views, loop *l, watch *w);

/* Whether anybody has the page open. */
bool watch_views_has_viewers(const watch_views *views);

#endif
