/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces view_http.c if census is built without libmicrohttpd.
 */
#include "view_http.h"

#include "diag.h"

view *view_http_create(loop *l, const view_http_options *options)
{
    (void)l;
    (void)options;
    diag_say("the browser view is not built in: census was compiled without libmicrohttpd");
    return NULL;
}

void view_http_attach(view *v, const hpp_collector *collector)
{
    (void)v;
    (void)collector;
}

size_t view_http_n_viewers(const view *v)
{
    (void)v;
    return 0;
}
