/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The middle: each profile's events and states go to each view.
 */
#include "watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hprender/units.h"

enum { N_MAGIC_BYTES = 6 };

/* What stands behind what views see. */
typedef struct profile {
    watched seen; /* first: a `watched *` is a `profile *` */
    watch *of;
    char *name;
    /* The first bytes are held back until they tell whether the input is compressed: a reader would
     * only say that they are no text. */
    char first[N_MAGIC_BYTES];
    size_t n_first;
    bool is_sidecar_broken;
    bool is_finished;   /* its reader takes no more */
    bool has_beside;    /* marks or lines came since views were told that it grew */
    double units_per_s; /* of the profile's sample unit */
    watch_teller *teller;
    void *teller_context;
} profile;

struct watch {
    hpf_live_options options;
    view **views;
    size_t n_views;
    profile **profiles;
    size_t n_profiles;
    bool is_ending; /* views are finished next */
};

static profile *behind(watched *seen)
{
    return (profile *)seen;
}

/* ---- to the views ---- */

static void tell_began(const profile *p)
{
    for (size_t i = 0; i < p->of->n_views; i++) {
        view *v = p->of->views[i];
        if (v->began) {
            v->began(v, &p->seen);
        }
    }
}

static void tell_grew(const profile *p)
{
    for (size_t i = 0; i < p->of->n_views; i++) {
        view *v = p->of->views[i];
        if (v->grew) {
            v->grew(v, &p->seen);
        }
    }
}

static void tell_changed(const profile *p)
{
    for (size_t i = 0; i < p->of->n_views; i++) {
        view *v = p->of->views[i];
        if (v->changed) {
            v->changed(v, &p->seen);
        }
    }
}

/* Tells all views an event, by the name of its function. */
#define TELL(p, event, ...)                                                                        \
    for (size_t i = 0; i < (p)->of->n_views; i++) {                                                \
        view_event_context to = {(p)->of->views[i], &(p)->seen};                                   \
        hpf_error ignored;                                                                         \
        if (to.view->events && to.view->events->event) {                                           \
            (void)to.view->events->event(&to, __VA_ARGS__, &ignored);                              \
        }                                                                                          \
    }

static hpf_status tell_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    profile *p = context;
    (void)err;
    if (which == HPF_HEADER_SAMPLE_UNIT) {
        p->units_per_s = hpr_units_per_second(text);
    }
    TELL(p, header, which, text)
    return HPF_OK;
}

static hpf_status tell_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    profile *p = context;
    (void)err;
    TELL(p, name, name, text)
    return HPF_OK;
}

static hpf_status tell_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    profile *p = context;
    (void)err;
    TELL(p, sample, sample)
    return HPF_OK;
}

static hpf_status tell_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    profile *p = context;
    (void)err;
    p->has_beside = true;
    TELL(p, mark, time, label)
    return HPF_OK;
}

static hpf_status tell_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    profile *p = context;
    (void)err;
    p->has_beside = true;
    TELL(p, quantity, name, point)
    return HPF_OK;
}

static const hpf_events to_views = {
    .header = tell_header,
    .name = tell_name,
    .sample = tell_sample,
    .mark = tell_mark,
    .quantity = tell_line,
};

/* ---- states ---- */

/* `message` may be the one that is there. */
static void say(profile *p, watched_state state, const char *message)
{
    char text[sizeof p->seen.message];
    snprintf(text, sizeof text, "%s", message);
    bool is_news = p->seen.state != state || strcmp(p->seen.message, text) != 0;
    p->seen.state = state;
    memcpy(p->seen.message, text, sizeof text);
    if (is_news) {
        tell_changed(p);
    }
}

void watch_say(watch *w, watched *seen, watched_state state, const char *format, ...)
{
    char message[sizeof seen->message];
    va_list arguments;
    (void)w;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    say(behind(seen), state, message);
}

static void fail(profile *p, const hpf_error *err)
{
    if (err->line > 0) {
        watch_say(p->of, &p->seen, WATCHED_FAILED, "line %u, column %u: %s", (unsigned)err->line,
                  (unsigned)err->column, err->message);
    } else {
        say(p, WATCHED_FAILED, err->message);
    }
}

static void warn(void *context, const hpf_error *warning)
{
    profile *p = context;
    if (!p->of->is_ending) {
        say(p, p->seen.state, warning->message);
    }
}

/* Looks what the profile says of itself by now. Why one failed is a message. */
static void update_caveat(profile *p)
{
    hpf_error caveat = {.status = HPF_OK};
    char text[sizeof p->seen.caveat];
    if (p->seen.state != WATCHED_FAILED) {
        (void)hpf_live_diagnosis(p->seen.live, &caveat);
    }
    snprintf(text, sizeof text, "%s%s", caveat.message,
             caveat.status == HPF_ERR_UNSUPPORTED ? " (--profile N)" : "");
    if (strcmp(text, p->seen.caveat) != 0) {
        memcpy(p->seen.caveat, text, sizeof text);
        tell_changed(p);
    }
}

/* ---- profiles ---- */

static hpf_live *create_live(profile *p)
{
    hpf_live_options options = p->of->options;
    hpf_live *live = NULL;
    hpf_error err;
    options.listener = &to_views;
    options.listener_context = p;
    options.warning = warn;
    options.warning_context = p;
    return hpf_live_create(&live, &options, &err) == HPF_OK ? live : NULL;
}

static void destroy_profile(profile *p)
{
    if (p) {
        hpf_live_destroy(p->seen.live);
        free(p->name);
        free(p);
    }
}

static profile *create_profile(watch *w, const char *name)
{
    profile *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->of = w;
    p->units_per_s = 1;
    p->name = strdup(name);
    p->seen.number = (uint32_t)w->n_profiles;
    p->seen.name = p->name;
    p->seen.live = create_live(p);
    if (!p->name || !p->seen.live) {
        destroy_profile(p);
        return NULL;
    }
    return p;
}

watched *watch_add_profile(watch *w, const char *name)
{
    profile **profiles = realloc(w->profiles, (w->n_profiles + 1) * sizeof *profiles);
    if (!profiles) {
        return NULL;
    }
    w->profiles = profiles;
    profile *p = create_profile(w, name);
    if (!p) {
        return NULL;
    }
    w->profiles[w->n_profiles++] = p;
    tell_began(p);
    return &p->seen;
}

void watch_begin_anew(watch *w, watched *seen)
{
    profile *p = behind(seen);
    hpf_live *live = create_live(p);
    if (!live) {
        watch_say(w, seen, WATCHED_FAILED, "out of memory");
        return;
    }
    hpf_live_destroy(seen->live);
    seen->live = live;
    seen->epoch++;
    seen->last_sample_s = 0;
    p->n_first = 0;
    p->is_sidecar_broken = false;
    p->is_finished = false;
    p->units_per_s = 1;
    *seen->caveat = '\0';
    tell_began(p);
    say(p, WATCHED_WAITING, "begins anew");
}

/* ---- bytes ---- */

/* What the first bytes say of a compressed input; NULL: it is not compressed. */
static const char *compression_of(const profile *p)
{
    static const struct {
        const char *name, *bytes;
        size_t n_bytes;
    } known[] = {
        {"gzip", "\x1f\x8b", 2},
        {"xz",
         "\xfd"
         "7zXZ\0",
         6},
        {"zstd", "\x28\xb5\x2f\xfd", 4},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (p->n_first >= known[i].n_bytes &&
            memcmp(p->first, known[i].bytes, known[i].n_bytes) == 0) {
            return known[i].name;
        }
    }
    return NULL;
}

/* A log may hold back marks and lines until long after the samples that they stand at. */
static void feed_live(profile *p, const char *bytes, size_t n_bytes)
{
    hpf_error err;
    uint64_t n_before = hpf_live_n_samples(p->seen.live);
    hpf_status status = hpf_live_feed(p->seen.live, bytes, n_bytes, &err);
    uint64_t n_now = hpf_live_n_samples(p->seen.live);
    if (n_now > n_before) {
        p->seen.last_sample_s = loop_now_s();
    }
    if (n_now > n_before || (n_now > 0 && p->has_beside)) {
        p->has_beside = false;
        tell_grew(p);
    }
    if (status != HPF_OK) {
        fail(p, &err);
    }
    /* Of a log that is over the end says why there was no sample; what was said before stays. */
    if (status != HPF_OK || n_now > 0 || !hpf_live_has_end(p->seen.live)) {
        update_caveat(p);
    }
}

/* All that there is may be told from `first`, or more of the input: hands it to the reader. */
static void release_first(profile *p)
{
    const char *compression = compression_of(p);
    if (compression) {
        watch_say(p->of, &p->seen, WATCHED_FAILED,
                  "compressed with %s: a profile that grows is read as it is (census plot reads "
                  "compressed files)",
                  compression);
    } else {
        feed_live(p, p->first, p->n_first);
    }
}

void watch_feed(watch *w, watched *seen, const char *bytes, size_t n_bytes)
{
    profile *p = behind(seen);
    (void)w;
    if (n_bytes > 0 && seen->state == WATCHED_WAITING) {
        say(p, WATCHED_GROWING, "");
    }
    if (p->n_first < N_MAGIC_BYTES) {
        size_t room = N_MAGIC_BYTES - p->n_first;
        size_t n = n_bytes < room ? n_bytes : room;
        memcpy(p->first + p->n_first, bytes, n);
        p->n_first += n;
        bytes += n;
        n_bytes -= n;
        if (p->n_first == N_MAGIC_BYTES && seen->state == WATCHED_GROWING) {
            release_first(p);
        }
    }
    if (n_bytes > 0 && seen->state == WATCHED_GROWING) {
        feed_live(p, bytes, n_bytes);
    }
}

void watch_feed_sidecar(watch *w, watched *seen, const char *bytes, size_t n_bytes)
{
    profile *p = behind(seen);
    hpf_error err;
    if (!p->is_sidecar_broken &&
        hpf_live_feed_sidecar(seen->live, bytes, n_bytes, &err) != HPF_OK) {
        p->is_sidecar_broken = true;
        watch_say(w, seen, seen->state, "the lines beside it: %s", err.message);
    } else if (!p->is_sidecar_broken && n_bytes > 0) {
        tell_grew(p);
    }
}

void watch_end_profile(watch *w, watched *seen)
{
    profile *p = behind(seen);
    hpf_error err;
    (void)w;
    if (p->n_first < N_MAGIC_BYTES && seen->state == WATCHED_GROWING) {
        release_first(p);
    }
    if (seen->state != WATCHED_GROWING && seen->state != WATCHED_WAITING) {
        return;
    }
    if (hpf_live_is_whole(seen->live)) {
        say(p, WATCHED_ENDED, seen->message);
        return;
    }
    p->is_finished = true;
    uint64_t n_before = hpf_live_n_samples(seen->live);
    hpf_status status = hpf_live_finish(seen->live, &err);
    if (hpf_live_n_samples(seen->live) > n_before) {
        seen->last_sample_s = loop_now_s();
        tell_grew(p);
    }
    if (status != HPF_OK) {
        fail(p, &err);
    } else {
        say(p, WATCHED_ENDED, seen->message);
    }
    update_caveat(p);
}

/* ---- commands ---- */

void watch_set_teller(watch *w, watched *seen, watch_teller *teller, void *context)
{
    profile *p = behind(seen);
    bool can_control = teller != NULL;
    (void)w;
    p->teller = teller;
    p->teller_context = context;
    if (seen->can_control != can_control) {
        seen->can_control = can_control;
        tell_changed(p);
    }
}

bool watched_tell(const watched *seen, control_command command)
{
    const profile *p = (const profile *)seen;
    return p->teller && p->teller(p->teller_context, command);
}

bool watch_go_on(watch *w, watched *seen)
{
    profile *p = behind(seen);
    (void)w;
    if (!p->is_finished) {
        say(p, WATCHED_GROWING, seen->message);
    }
    return !p->is_finished;
}

/* ---- surveys ---- */

hpf_status watched_survey(hpf_survey **out, const watched *seen, double window_s, hpf_error *err)
{
    const profile *p = (const profile *)seen;
    return window_s > 0 ? hpf_live_snapshot_last(out, seen->live, window_s * p->units_per_s, err)
                        : hpf_live_snapshot(out, seen->live, err);
}

/* ---- the watch ---- */

watch *watch_create(const hpf_live_options *options)
{
    watch *w = calloc(1, sizeof *w);
    if (w) {
        w->options = *options;
    }
    return w;
}

/* A reader may hold back the last statement, for lack of the byte behind it. It counts, as it does
 * in a file that is read as it is now; that a sample is not whole is no wonder. */
static void end_in_the_middle(watch *w)
{
    w->is_ending = true;
    for (size_t i = 0; i < w->n_profiles; i++) {
        watched *seen = &w->profiles[i]->seen;
        if (hpf_live_n_samples(seen->live) > 0) {
            watch_end_profile(w, seen);
        }
    }
}

void watch_destroy(watch *w)
{
    if (!w) {
        return;
    }
    end_in_the_middle(w);
    for (size_t i = 0; i < w->n_views; i++) {
        w->views[i]->finish(w->views[i]);
    }
    for (size_t i = 0; i < w->n_profiles; i++) {
        destroy_profile(w->profiles[i]);
    }
    free(w->views);
    free(w->profiles);
    free(w);
}

/* What a view that comes late has missed. */
static void tell_so_far(view *v, const watched *seen)
{
    if (v->began) {
        v->began(v, seen);
    }
    if (v->grew && hpf_live_n_samples(seen->live) > 0) {
        v->grew(v, seen);
    }
    if (v->changed) {
        v->changed(v, seen);
    }
}

bool watch_add_view(watch *w, view *v)
{
    view **views = realloc(w->views, (w->n_views + 1) * sizeof *views);
    if (!views) {
        return false;
    }
    w->views = views;
    w->views[w->n_views++] = v;
    for (size_t i = 0; i < w->n_profiles; i++) {
        tell_so_far(v, &w->profiles[i]->seen);
    }
    return true;
}

size_t watch_n_profiles(const watch *w)
{
    return w->n_profiles;
}

const watched *watch_profile(const watch *w, size_t index)
{
    return &w->profiles[index]->seen;
}

bool watch_is_over(const watch *w)
{
    bool is_over = true;
    for (size_t i = 0; i < w->n_profiles; i++) {
        watched_state state = w->profiles[i]->seen.state;
        is_over &= state == WATCHED_ENDED || state == WATCHED_FAILED;
    }
    return is_over;
}
