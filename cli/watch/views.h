/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the views that the command line requests.
 */
#ifndef CENSUS_WATCH_VIEWS_H
#define CENSUS_WATCH_VIEWS_H

#include "plot/plot_setup.h"

#include "watch/loop/watch.h"
#include "watch/web/view_http.h"

/* A picture in a file that is updated as the profile grows. The file is replaced atomically, and
 * only if the picture has changed. */

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

/* Pointers are borrowed for the life of the watch. */
typedef struct watch_views {
    const plot_setup *setup; /* what to draw, with fonts if there is a picture */
    bool of_failures;        /* print messages only about failures */
    bool tty;
    bool http;
    const char *http_where;      /* see http_listen.h; NULL: the loopback address */
    const char *token_file;      /* NULL: a new secret each time */
    bool has_source;             /* pages show the program's text */
    const char *source;          /* from this folder; NULL: from the files that profiles name */
    view_http_document document; /* to serve instead of profiles */
    const char *fragment;        /* of the URL, which selects the first view; NULL: none */
    bool opens_browser;
    const char *picture; /* path; NULL: none */
    double every_s;      /* shortest time between two pictures */
    double window_s;     /* window of terminal and picture; 0: the whole profile */
    /* Results; `page` is valid while the watch exists. */
    picture_state picture_state;
    view *page;
} watch_views;

/* Adds the views, and messages on standard error unless there is a terminal view. Returns false
 * after a message. */
bool watch_views_open(watch_views *views, loop *l, watch *w);

/* Returns whether the page has viewers. */
bool watch_views_has_viewers(const watch_views *views);

#endif
