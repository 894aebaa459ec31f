/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The terminal comes last: what the others have to say stands above it.
 */
#include "views.h"

#include "../diag.h"

#include "tty.h"
#include "view_http.h"
#include "view_messages.h"

static bool add_or_explain(watch *w, view *v)
{
    if (v && watch_add_view(w, v)) {
        return true;
    }
    diag_say("out of memory");
    return false;
}

static bool open_messages(const watch_views *views, watch *w)
{
    return add_or_explain(w, view_messages_create(views->of_failures));
}

static bool open_page(watch_views *views, loop *l, watch *w)
{
    const view_http_options options = {
        .where = views->http_where,
        .token_file = views->token_file,
        .opens_browser = views->opens_browser,
        .page = &views->setup->options.chart,
    };
    views->page = view_http_create(l, &options);
    return views->page && add_or_explain(w, views->page);
}

static bool open_picture(watch_views *views, loop *l, watch *w)
{
    const view_picture_options options = {
        .setup = views->setup,
        .path = views->picture,
        .every_s = views->every_s,
        .window_s = views->window_s,
        .state = &views->picture_state,
    };
    return add_or_explain(w, view_picture_create(l, &options));
}

static bool open_terminal(const watch_views *views, loop *l, watch *w)
{
    const plot_values *plot = views->setup->values;
    const view_tty_options options = {
        .chart = views->setup->options.chart,
        .has_theme = plot->theme != HPR_THEME_AUTO || plot->print,
        .window_s = views->window_s,
    };
    view *v = view_tty_create(l, &options);
    return v && add_or_explain(w, v);
}

bool watch_views_open(watch_views *views, loop *l, watch *w)
{
    return (views->tty || open_messages(views, w)) && (!views->http || open_page(views, l, w)) &&
           (!views->picture || open_picture(views, l, w)) &&
           (!views->tty || open_terminal(views, l, w));
}

bool watch_views_has_viewers(const watch_views *views)
{
    return views->page && view_http_n_viewers(views->page) > 0;
}
