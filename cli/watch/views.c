/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Messages on standard error are a view as well. The terminal view is opened last, so that messages
 * of the others appear above it.
 */
#include "views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "diag.h"

#include "watch/terminal/tty.h"
#include "watch/web/view_http.h"
#include "hpfile/survey.h"
#include "hpfile/sink.h"
#include "hpfile/str.h"
#include "findings/findings_write.h"
#include "font_choice.h"
#include "plot/retainers.h"

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Changes arm a timer, which draws. */

typedef struct picture {
    view base; /* first: a `view *` is a `picture *` */
    loop *l;
    view_picture_options options;
    int timer;
    const watched *profile;
    bool has_news;                  /* there are changes that are not drawn */
    hpf_sink *last;                 /* contents of the file; NULL: not written yet */
    double last_s;                  /* time of the last attempt */
    char complaint[PLOT_WHY_BYTES]; /* last message, which is not repeated */
} picture;

/* ---- drawing ---- */

static hpf_status put_in_place(const char *path, hpf_str bytes, hpf_error *err)
{
    hpf_sink *sink = hpf_sink_to_path(path, err);
    if (!sink) {
        return err->status;
    }
    hpf_sink_str(sink, bytes);
    hpf_status status = hpf_sink_finish(sink, err);
    hpf_sink_destroy(sink);
    return status;
}

/* Writes the picture, unless the file has the same contents. */
static hpf_status replace(picture *p, hpf_sink *drawn, hpf_error *err)
{
    hpf_str bytes = hpf_sink_bytes(drawn);
    hpf_status status = p->last && hpf_str_equal(hpf_sink_bytes(p->last), bytes)
                            ? HPF_OK
                            : put_in_place(p->options.path, bytes, err);
    hpf_sink_destroy(status == HPF_OK ? p->last : drawn);
    p->last = status == HPF_OK ? drawn : p->last;
    return status;
}

/* Writes an interactive page, with what stands out unless names are grouped. */
static hpf_status write_page(const picture *p, hpf_survey *survey, hpr_options *options,
                             hpf_sink *sink, hpf_error *err)
{
    const plot_setup *s = p->options.setup;
    const char *const name = p->profile->name;
    const hpf_recording recording = {.survey = survey, .from_time = -HUGE_VAL, .to_time = HUGE_VAL};
    hpf_sink *text = hpf_sink_to_memory();
    hpf_status status = !text              ? hpf_error_set_memory(err)
                        : s->values->group ? HPF_OK
                                           : findings_write_line(text, &recording, err);
    const hpf_str findings = text ? hpf_sink_bytes(text) : HPF_STR("");
    options->findings = &findings;
    status = status ? status : s->backend->write_profiles(&survey, &name, 1, options, sink, err);
    hpf_sink_destroy(text);
    return status;
}

static hpf_status write_chart(const picture *p, hpf_survey *survey, hpf_sink *sink, hpf_error *err)
{
    const plot_setup *s = p->options.setup;
    hpr_options options = s->options;
    options.activity = hpf_live_activity(p->profile->live, survey);
    if (s->backend->write_profiles) {
        return write_page(p, survey, &options, sink, err);
    }
    const hpr_output output = font_choice_output(s->fonts, s->values->dpi);
    return hpr_render(survey, &options, s->backend, &output, sink, err);
}

static hpf_status draw_survey(picture *p, hpf_survey *survey, hpf_error *err)
{
    hpf_sink *drawn = hpf_sink_to_memory();
    if (!drawn) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = write_chart(p, survey, drawn, err);
    status = status == HPF_OK ? hpf_sink_finish(drawn, err) : status;
    if (status == HPF_OK) {
        return replace(p, drawn, err);
    }
    hpf_sink_destroy(drawn);
    return status;
}

/* Draws with the members of retainer sets, whose report exists only after the program has ended. */
static hpf_status draw_with_sets(picture *p, hpf_survey *survey, hpf_error *err)
{
    bool may_have_sets = p->profile->state == WATCHED_ENDED;
    hpf_retainer_sets *sets =
        may_have_sets ? retainers_of_profile(survey, p->profile->name, NULL) : NULL;
    hpf_status status = draw_survey(p, survey, err);
    hpf_survey_use_retainer_sets(survey, NULL);
    hpf_retainer_sets_destroy(sets);
    return status;
}

/* Prints why there is no picture, unless that was the last message. */
static void complain(picture *p, const char *of, const char *message)
{
    *p->options.state = PICTURE_FAILED;
    if (strcmp(p->complaint, message) != 0) {
        snprintf(p->complaint, sizeof p->complaint, "%s", message);
        diag_say("%s: %s", of, message);
    }
}

/* Draws, unless no sample has a name that is wanted: that is an error only when no more samples can
 * come. */
static void draw(picture *p)
{
    hpf_error err;
    hpf_survey *survey;
    char why[PLOT_WHY_BYTES];
    p->last_s = clock_now_s();
    hpf_status status = watched_survey(&survey, p->profile, 0, &err);
    if (status == HPF_MORE) {
        p->has_news = false;
        return;
    }
    if (status == HPF_OK && plot_setup_is_empty(p->options.setup, &survey, 1, why)) {
        p->has_news = false;
        if (p->profile->state == WATCHED_ENDED) {
            complain(p, p->profile->name, why);
        }
        return;
    }
    if (status == HPF_OK && p->options.window_s > 0) {
        status = watched_survey(&survey, p->profile, p->options.window_s, &err);
    }
    status = status == HPF_OK ? draw_with_sets(p, survey, &err) : status;
    p->has_news = status != HPF_OK;
    if (status == HPF_OK) {
        *p->options.state = PICTURE_CURRENT;
        p->complaint[0] = '\0';
    } else {
        complain(p, p->options.path, err.message);
    }
}

/* ---- when ---- */

static void draw_in_time(void *context, uint32_t epoll_events)
{
    picture *p = context;
    (void)epoll_events;
    draw(p);
    if (p->has_news) {
        loop_arm(p->timer, p->options.every_s, 0);
    }
}

static void grew(view *v, const watched *profile)
{
    picture *p = (picture *)v;
    if (profile->number == 0) {
        p->profile = profile;
        double due_s = p->last_s + p->options.every_s - clock_now_s();
        if (!p->has_news) {
            loop_arm(p->timer, due_s > 0 ? due_s : 1e-9, 0);
        }
        p->has_news = true;
    }
}

/* The end may add marks after the last sample. */
static void picture_changed(view *v, const watched *profile)
{
    if (profile->state == WATCHED_ENDED) {
        grew(v, profile);
    }
}

static void finish_picture(view *v)
{
    picture *p = (picture *)v;
    if (p->has_news) {
        draw(p);
    }
    loop_remove(p->l, p->timer);
    hpf_sink_destroy(p->last);
    free(p);
}

/* Draws the first profile of the watch. Returns NULL without memory or descriptors. */
static view *view_picture_create(loop *l, const view_picture_options *options)
{
    picture *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->base = (view){.grew = grew, .changed = picture_changed, .finish = finish_picture};
    p->l = l;
    p->options = *options;
    p->last_s = -options->every_s;
    p->timer = loop_add_timer(l, draw_in_time, p);
    if (p->timer < 0) {
        free(p);
        return NULL;
    }
    return &p->base;
}

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

/* ---- Messages ---- */

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
