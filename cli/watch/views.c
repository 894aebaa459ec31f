/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Messages on standard error are a view as well. The terminal view is opened last, so that messages
 * of the others appear above it.
 */
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "diag.h"

#include "watch/terminal/tty.h"
#include "watch/web/view_http.h"

/* Last message and caveat of a profile, or empty. */
typedef struct said {
    char message[sizeof((watched *)NULL)->message];
    char caveat[sizeof((watched *)NULL)->caveat];
} said;

typedef struct messages {
    view base; /* first: a `view *` is a `messages *` */
    bool of_failures;
    said *said; /* by number of the profile */
    size_t n_said, capacity;
} messages;

/* Prints `text` if it differs from `last`. */
static void say(const watched *profile, const char *text, char *last, size_t n_bytes)
{
    bool differs = strcmp(last, text) != 0;
    memcpy(last, text, n_bytes);
    if (differs && *text) {
        diag_say("%s: %s", profile->name, text);
    }
}

/* Prints a caveat that becomes a failure once. Without memory, all messages are printed. */
static void changed(view *v, const watched *profile)
{
    messages *m = (messages *)v;
    said nothing = {"", ""};
    while (m->n_said <= profile->number &&
           HPF__ARRAY_PUSH(m->said, m->n_said, m->capacity, (said){0})) {
    }
    said *last = profile->number < m->n_said ? &m->said[profile->number] : &nothing;
    if (!m->of_failures || profile->state == WATCHED_FAILED) {
        if (strcmp(profile->message, last->caveat) == 0) {
            memcpy(last->message, profile->message, sizeof last->message);
        }
        say(profile, profile->message, last->message, sizeof last->message);
        say(profile, profile->caveat, last->caveat, sizeof last->caveat);
    }
}

static void finish(view *v)
{
    free(((messages *)v)->said);
    free(v);
}

static view *create_messages(bool of_failures)
{
    messages *m = calloc(1, sizeof *m);
    if (!m) {
        return NULL;
    }
    m->base = (view){.changed = changed, .finish = finish};
    m->of_failures = of_failures;
    return &m->base;
}

static bool add_or_explain(watch *w, view *v)
{
    if (v && watch_add_view(w, v)) {
        return true;
    }
    diag_say("out of memory");
    return false;
}

static bool open_page(watch_views *views, loop *l, watch *w)
{
    const view_http_options options = {
        .where = views->http_where,
        .token_file = views->token_file,
        .has_source = views->has_source,
        .source = views->source,
        .document = views->document,
        .fragment = views->fragment,
        .opens_browser = views->opens_browser,
        .page = &views->setup->options,
        .has_lanes = views->setup->values->lanes,
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
        .chart = views->setup->options,
        .has_theme = plot->theme != HPR_THEME_AUTO || plot->print,
        .window_s = views->window_s,
    };
    view *v = view_tty_create(l, &options);
    return v && add_or_explain(w, v);
}

bool watch_views_open(watch_views *views, loop *l, watch *w)
{
    return (views->tty || add_or_explain(w, create_messages(views->of_failures))) &&
           (!views->http || open_page(views, l, w)) &&
           (!views->picture || open_picture(views, l, w)) &&
           (!views->tty || open_terminal(views, l, w));
}

bool watch_views_has_viewers(const watch_views *views)
{
    return views->page && view_http_n_viewers(views->page) > 0;
}
