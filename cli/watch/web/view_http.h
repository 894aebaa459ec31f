/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A view for browsers: a page that shows the profiles of the watch as they grow, for any number of
 * viewers at once, who may come late and go. What is sent is sent at most ten times a second, and
 * while nobody looks nothing is made ready.
 */
#ifndef CENSUS_WATCH_VIEW_HTTP_H
#define CENSUS_WATCH_VIEW_HTTP_H

#include "hprender/render.h"

#include "watch/loop/watch.h"

/* All is borrowed during the call only. */
typedef struct view_http_options {
    const char *where;       /* to listen at, as http_listen.h has it; NULL: the loopback */
    const char *token_file;  /* where the secret of the URL is kept; NULL: another one each time */
    bool opens_browser;      /* if there is a display */
    const hpr_options *page; /* what the page shows first */
    double batch_s; /* between what is sent and what is sent next; 0: a tenth of a second */
} view_http_options;

/* Says on standard error under which URL it can be seen. NULL after a message. */
view *view_http_create(loop *l, const view_http_options *options);

/* How many look at it now. */
size_t view_http_n_viewers(const view *v);

#endif
