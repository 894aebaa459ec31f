/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A view for browsers: a page that shows growing profiles to any number of viewers. Updates are
 * sent at most ten times a second. Nothing is prepared while there are no viewers.
 */
#ifndef CENSUS_WATCH_VIEW_HTTP_H
#define CENSUS_WATCH_VIEW_HTTP_H

#include "hprender/render.h"
#include "hpprof/collector.h"

#include "watch/loop/watch.h"

/* A page without profiles. Pointers are borrowed while it is served. */
typedef struct view_http_document {
    hpf_str page; /* empty: none */
    /* Writes the answer to a question, as JSON. Returns false if there can be none. NULL: never. */
    bool (*answer)(void *context, const char *question, hpf_sink *sink);
    void *context;
} view_http_document;

/* Pointers are borrowed during the call. */
typedef struct view_http_options {
    const char *where;      /* where to listen, see http_listen.h; NULL: the loopback address */
    const char *token_file; /* file with the secret of the URL; NULL: a new secret each time */
    bool has_source;        /* show the program's text */
    const char *source;     /* from this folder; NULL: from the files that profiles name */
    view_http_document document; /* to serve instead of profiles */
    const char *fragment;        /* of the URL, which selects the first view; NULL: none */
    bool opens_browser;      /* open a browser, or without a display print how to reach the page */
    const hpr_options *page; /* the first view of the page */
    bool has_lanes;          /* show lanes of event logs */
    double batch_s;          /* time between two messages; 0: a tenth of a second */
} view_http_options;

/* Starts the server and prints the URL on standard error. Returns NULL after a message. */
view *view_http_create(loop *l, const view_http_options *options);

/* Sets the collector of the programs, for what they allocate and their processor time; it must
 * live until the view is finished. Without one, there is no data of these. */
void view_http_attach(view *v, const hpp_collector *collector);

/* Returns the number of viewers. */
size_t view_http_n_viewers(const view *v);

#endif
