/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Events are collected (http_feed.h), put into the ring in batches, and sent by the server.
 */
#include "hpfile/sink.h"
#include "view_http.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "diag.h"
#include "hpfile/live.h"
#include "hprender/html.h"

#include "http_browser.h"
#include "http_server.h"
#include "http_feed.h"
#include "http_metrics.h"
#include "http_pprof.h"
#include "hpfile/survey.h"
#include "hpfile/text_folder.h"
#include "text/text_costs.h"
#include "watch/loop/watch.h"
#include "source/source_lines.h"

/* ---- Texts of the program -------------------------------------------------------------------- */

/* The text of a program for pages of growing profiles, read when a page asks for it.
 *
 * A page asks for a file as the places of a profile name it, and a question, in hexadecimal. The
 * text is compared with those names, and never used as a path; what is read is in the folder of
 * --source (source_folder.h), and only lines near places of the profile are sent.
 *
 * Each request reads the places of new names only. */

/* The places of one profile. All zero: none yet. */
typedef struct http_sources {
    uint32_t epoch;     /* of the profile that the names are of */
    hpf_name n_names;   /* of the profile that were read */
    hpf_name n_calls;   /* of watched_calls, too */
    hpf__intern places; /* each once */
    hpf_text_costs table;
} http_sources;

enum { MOST_BYTES = 1 << 20, MOST_NAME_BYTES = 4096 };

/* Reads pairs of digits. Returns false for anything else. */
static bool read_hex(char *out, size_t *n, const char *hex)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(hex);
    if (length % 2 || length == 0 || length > 2 * (size_t)MOST_NAME_BYTES ||
        strspn(hex, digits) != length) {
        return false;
    }
    for (*n = 0; *n < length / 2; (*n)++) {
        ptrdiff_t high = strchr(digits, hex[2 * *n]) - digits;
        ptrdiff_t low = strchr(digits, hex[2 * *n + 1]) - digits;
        out[*n] = (char)(16 * high + low);
    }
    return true;
}

static bool add_place(http_sources *s, hpf_str place)
{
    uint32_t number;
    bool is_new;
    return hpf__intern_add(&s->places, place, &number, &is_new) == HPF_OK &&
           (!is_new || hpf_text_costs_add(&s->table, place, NULL));
}

/* Fills at most `room` frames of a name of `calls`, or of the profile if that is NULL. */
static size_t frames_of(const watched *profile, const hpf_survey *calls, hpf_name name,
                        hpf_frame *frames, size_t room)
{
    return calls ? hpf_survey_frames(calls, name, frames, room)
                 : hpf_live_frames(profile->live, name, frames, room);
}

/* Adds the places of the names [*first, end). */
static bool add_names(http_sources *s, const watched *profile, const hpf_survey *calls,
                      hpf_name *first, hpf_name end)
{
    hpf_frame *frames = NULL;
    size_t capacity = 0;
    bool fits = true;
    for (; *first < end && fits; ++*first) {
        size_t n = frames_of(profile, calls, *first, NULL, 0);
        fits = HPF__ARRAY_RESERVE(frames, capacity, n);
        if (fits && n > 0) {
            frames_of(profile, calls, *first, frames, n);
        }
        for (size_t i = 0; i < n && fits; i++) {
            fits = add_place(s, frames[i].source);
        }
    }
    free(frames);
    return fits;
}

static void http_sources_finish(http_sources *s)
{
    hpf__intern_finish(&s->places);
    hpf_text_costs_finish(&s->table);
}

/* Adds the places of names that are new since the last request. */
static bool read_names(http_sources *s, const watched *profile, hpf_name n_names)
{
    const hpf_survey *calls = watched_calls(profile);
    if (s->epoch != profile->epoch) {
        http_sources_finish(s);
        *s = (http_sources){.epoch = profile->epoch};
    }
    return add_names(s, profile, NULL, &s->n_names, n_names) &&
           (!calls || add_names(s, profile, calls, &s->n_calls, hpf_survey_n_names(calls)));
}

/* Writes the calls of a growing profile, and adds their places. Returns false for one that
 * has ended, whose snapshot has them, and without memory. */
static bool http_sources_write_calls(http_sources *s, const http_feed *feed, hpf_sink *sink)
{
    hpf__intern places = {0};
    bool fits = !watched_calls(feed->of) && read_names(s, feed->of, feed->n_names) &&
                http_feed_put_calls(feed, &places, sink);
    for (uint32_t i = 0; i < places.n_names && fits; i++) {
        fits = add_place(s, places.names[i]);
    }
    hpf__intern_finish(&places);
    return fits;
}

/* Writes the lines of a file near its places among the first `n_names` names of a profile, in the
 * format of pages: an empty list if there are none. `hex` is the name of the file. Returns false
 * for invalid text, and without memory. */
static bool http_sources_write(http_sources *s, const watched *profile, hpf_name n_names,
                               const hpf_text_folder *folder, const char *hex, hpf_sink *sink)
{
    char name[MOST_NAME_BYTES];
    size_t length, room = MOST_BYTES;
    if (!read_hex(name, &length, hex) || !read_names(s, profile, n_names)) {
        return false;
    }
    source_lines lines = {0};
    uint32_t number;
    bool fits = true;
    if (hpf__intern_find(&s->table.names, (hpf_str){name, length}, &number)) {
        const hpf_text_file *file = &s->table.files[number];
        bool is_ambiguous;
        const char *path = hpf_text_folder_find(folder, file->name, &is_ambiguous);
        fits = source_lines_add(&lines, file, folder, path, &room);
    }
    if (fits) {
        hpr_html_sources_json(lines.all, lines.n, sink);
    }
    source_lines_finish(&lines);
    return fits;
}

#define BATCH_S     0.1  /* between two batches */
#define HEARTBEAT_S 15.0 /* keeps connections alive */
#define PATIENCE_S  30.0
#define LINGER_S    1.0  /* for the last message */
#define REST_S      30.0 /* after the last viewer; a viewer who reconnects misses nothing */

/* Snapshots are large: at most one per second, and at most this part of the time. */
#define SNAPSHOT_EVERY_S 1.0
#define MOST_OF_TIME     0.05

enum {
    MOST_VIEWERS = 64,
    MOST_RING_BYTES = 4 << 20,
    MOST_SNAPSHOT_BYTES = 4 << 20,    /* total for all profiles */
    LEAST_SNAPSHOT_BYTES = 256 << 10, /* for each profile */
    DEFAULT_SECONDS = 30,             /* of processor time */
};

typedef struct view_http {
    view base; /* first */
    loop *loop;
    http_guard guard;
    http_listener listener;
    http_channel channel;
    http_server *server;
    http_browser browser;
    view_http_document document; /* instead of profiles; its page is in `page` */
    hpf_sink *page;
    char policy[1024];
    http_feed **feeds;         /* by the number of the profile */
    http_metrics_bands *bands; /* by the number of the profile */
    size_t n_bands, bands_capacity;
    size_t n_feeds, feeds_capacity;
    hpf_text_folder *folder; /* of the program's text; NULL: none */
    http_sources *sources;   /* by the number of the profile */
    size_t n_sources, sources_capacity;
    int batch_timer, rest_timer;
    const hpp_collector *collector; /* borrowed; NULL: none */
    bool has_lanes, si_units;
    bool is_batch_due; /* the batch timer is armed */
    bool is_followed;  /* there are viewers, or were recently */
    bool was_joined;   /* since the rest timer last expired */
    bool has_drawn_up; /* a snapshot was made in this batch */
    double batch_s, last_batch_s, next_snapshot_s;
} view_http;

/* ---- batches ---- */

static void arm_batch(view_http *v, double earliest_s)
{
    double now_s = clock_now_s();
    if (v->is_followed && !v->is_batch_due) {
        v->is_batch_due = true;
        loop_arm(v->batch_timer, earliest_s > now_s ? earliest_s - now_s : 1e-6, 0);
    }
}

static void want_batch(view_http *v)
{
    arm_batch(v, v->last_batch_s + v->batch_s);
}

static void fall_behind(view_http *v)
{
    http_ring_clear(&v->channel.ring);
    for (size_t i = 0; i < v->n_feeds; i++) {
        http_feed_invalidate(v->feeds[i]);
    }
}

static size_t share_of_snapshot(const view_http *v)
{
    size_t share = MOST_SNAPSHOT_BYTES / v->n_feeds;
    return share > LEAST_SNAPSHOT_BYTES ? share : LEAST_SNAPSHOT_BYTES;
}

/* Makes a new base of all profiles. Without memory, viewers wait for the next one. */
static void rebase(view_http *v)
{
    hpf_sink *base = hpf_sink_to_memory();
    hpf_error err;
    bool is_made = base != NULL;
    v->has_drawn_up = true;
    for (size_t i = 0; i < v->n_feeds && is_made; i++) {
        uint64_t number = i + 1 == v->n_feeds ? v->channel.ring.last_number + 1 : 0;
        is_made = http_feed_put_base(v->feeds[i], share_of_snapshot(v), &v->channel, base, number);
    }
    if (!is_made || hpf_sink_finish(base, &err) != HPF_OK ||
        !http_ring_rebase(&v->channel.ring, hpf_sink_bytes(base))) {
        fall_behind(v);
    }
    v->channel.has_lost = v->channel.ring.base == NULL;
    hpf_sink_destroy(base);
}

static bool prefers_snapshot(const http_feed *feed)
{
    return (feed->needs_snapshot || feed->prefers_snapshot) &&
           hpf_live_n_samples(feed->of->live) > 0;
}

/* Returns whether a new base is shorter than the messages since the old one. */
static bool is_base_due(const view_http *v)
{
    const http_ring *ring = &v->channel.ring;
    size_t base_bytes = ring->base ? ring->base->length : 0;
    return v->channel.has_lost || ring->n_bytes > MOST_RING_BYTES + base_bytes ||
           (v->n_feeds == 1 && prefers_snapshot(v->feeds[0]));
}

/* Sends the events of a profile. Returns false if it needs a snapshot, for which it is too early.
 */
static bool send_profile(view_http *v, http_feed *feed, bool may_be_snapshot)
{
    bool is_wanted = prefers_snapshot(feed);
    if (is_wanted && may_be_snapshot) {
        is_wanted = !http_feed_send_snapshot(feed, share_of_snapshot(v), &v->channel);
        v->has_drawn_up = true;
    }
    if (!feed->needs_snapshot) {
        http_feed_flush(feed, &v->channel);
    }
    if (!http_feed_flush_lanes(feed, &v->channel)) {
        want_batch(v);
    }
    http_feed_flush_state(feed, &v->channel);
    return !is_wanted;
}

static void send_batch(view_http *v)
{
    double begin_s = clock_now_s();
    bool may_be_snapshot = begin_s >= v->next_snapshot_s;
    bool is_all = true;
    v->last_batch_s = begin_s;
    v->has_drawn_up = false;
    if (may_be_snapshot && is_base_due(v)) {
        rebase(v);
    } else {
        for (size_t i = 0; i < v->n_feeds; i++) {
            is_all &= send_profile(v, v->feeds[i], may_be_snapshot);
        }
    }
    if (v->has_drawn_up) {
        /* Sets when the next snapshot may be made, given the cost of the last one, which started at
         * `begin_s`. */
        double cost_s = clock_now_s() - begin_s;
        double pause_s = cost_s / MOST_OF_TIME;
        v->next_snapshot_s = begin_s + (pause_s > SNAPSHOT_EVERY_S ? pause_s : SNAPSHOT_EVERY_S);
    }
    if (!is_all || v->channel.has_lost) {
        arm_batch(v, v->next_snapshot_s);
    }
    http_server_wake(v->server);
}

static void on_batch(void *context, uint32_t epoll_events)
{
    view_http *v = context;
    (void)epoll_events;
    v->is_batch_due = false;
    send_batch(v);
}

/* ---- viewers ---- */

static void on_joined(void *context, bool is_resumed, uint64_t number)
{
    view_http *v = context;
    http_ring *ring = &v->channel.ring;
    v->was_joined = true;
    if (!v->is_followed) {
        v->is_followed = true;
        loop_arm(v->rest_timer, REST_S, REST_S);
    }
    if (!ring->base && !(is_resumed && http_ring_continues(ring, number))) {
        rebase(v);
    }
}

/* Finds the profile of NUMBER/REST. Returns NULL without one. */
static const http_feed *find_numbered(const view_http *v, const char *text, const char **rest)
{
    char *end;
    unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : ULONG_MAX;
    if (number >= v->n_feeds || *end != '/') {
        return NULL;
    }
    *rest = end + 1;
    return v->feeds[number];
}

/* Handles a command NUMBER/NAME: the profile and the command. Returns the HTTP status. */
static unsigned on_commanded(void *context, const char *text)
{
    enum { DONE = 204, NOT_FOUND = 404, CONFLICT = 409 };
    const char *name;
    socket_command command;
    const http_feed *feed = find_numbered(context, text, &name);
    if (!feed || !socket_command_find(name, &command)) {
        return NOT_FOUND;
    }
    return watched_send_command(feed->of, command) ? DONE : CONFLICT;
}

/* Writes the lines of a file NUMBER/FILE: the profile, and the name in hexadecimal; or its calls,
 * NUMBER/calls. */
static bool write_source(view_http *v, const char *text, hpf_sink *sink)
{
    const char *what;
    const http_feed *feed = v->folder ? find_numbered(v, text, &what) : NULL;
    while (v->n_sources < v->n_feeds &&
           HPF__ARRAY_PUSH(v->sources, v->n_sources, v->sources_capacity, (http_sources){0})) {
    }
    if (!feed || feed->of->number >= v->n_sources) {
        return false;
    }
    http_sources *sources = &v->sources[feed->of->number];
    return strcmp(what, "calls") == 0
               ? http_sources_write_calls(sources, feed, sink)
               : http_sources_write(sources, feed->of, feed->n_names, v->folder, what, sink);
}

/* Writes the answer of the document to a question in hexadecimal. */
static bool write_answer(const view_http *v, const char *hex, hpf_sink *sink)
{
    char question[MOST_NAME_BYTES + 1];
    size_t length;
    if (!v->document.answer || !read_hex(question, &length, hex) || memchr(question, 0, length)) {
        return false;
    }
    question[length] = '\0';
    return v->document.answer(v->document.context, question, sink);
}

static bool on_answered(void *context, http_place where, const char *what, hpf_sink *sink)
{
    view_http *v = context;
    return where == HTTP_SOURCE ? write_source(v, what, sink) : write_answer(v, what, sink);
}

/* Returns whether data for servers contain a profile: growing ones, or the only one. */
static bool is_current(const view_http *v, const watched *profile)
{
    return profile->state == WATCHED_GROWING || v->n_feeds == 1;
}

static bool write_metrics(view_http *v, hpf_sink *sink)
{
    http_metrics metrics = {NULL, 0};
    hpf_error err;
    hpf_status status = HPF_OK;
    while (v->n_bands < v->n_feeds &&
           HPF__ARRAY_PUSH(v->bands, v->n_bands, v->bands_capacity, (http_metrics_bands){0})) {
    }
    for (size_t i = 0; i < v->n_bands && status == HPF_OK; i++) {
        const watched *of = v->feeds[i]->of;
        status = is_current(v, of) ? http_metrics_add(&metrics, of, &v->bands[i], &err)
                                   : http_metrics_add_end(&metrics, of, &err);
    }
    http_metrics_finish(&metrics, sink);
    return status == HPF_OK;
}

/* Writes the heap of the latest samples of files. */
static bool write_heap(const view_http *v, hpf_sink *sink)
{
    http_pprof heap = {.stacks = NULL};
    hpf_error err;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < v->n_feeds && status == HPF_OK; i++) {
        if (is_current(v, v->feeds[i]->of)) {
            status = http_pprof_add(&heap, v->feeds[i]->of, &err);
        }
    }
    status = status == HPF_OK ? http_pprof_write(&heap, sink, &err) : status;
    http_pprof_finish(&heap);
    return status == HPF_OK;
}

/* Returns the program of the first profile. */
static hpf_str program_of(const view_http *v)
{
    hpf_survey *survey;
    hpf_error err;
    return v->n_feeds > 0 && watched_survey(&survey, v->feeds[0]->of, 0, &err) == HPF_OK
               ? hpf_job_program(hpf_survey_header(survey, HPF_HEADER_JOB))
               : HPF_STR("");
}

/* Adds what the programs, or the stacks of profiles, have cost until now. */
static void add_costs(const view_http *v, http_place where, http_costs *costs)
{
    if (v->collector) {
        http_costs_add_programs(costs, v->collector);
    }
    for (size_t i = 0; i < v->n_feeds && !v->collector; i++) {
        http_costs_add_profile(costs, v->feeds[i]->of, where);
    }
}

static bool write_costs(const view_http *v, http_place where, http_costs *costs, hpf_sink *sink)
{
    hpf_error err;
    add_costs(v, where, costs);
    return http_costs_write(costs, program_of(v), where, sink, &err) == HPF_OK;
}

static bool on_scraped(void *context, http_place where, http_costs *measured, hpf_sink *sink)
{
    return where == HTTP_METRICS ? write_metrics(context, sink)
           : measured            ? write_costs(context, where, measured, sink)
                                 : write_heap(context, sink);
}

/* Returns whether there are costs for a place; sets `*can_grow` if they may increase. */
static bool has_costs(const view_http *v, http_place where, bool *can_grow)
{
    bool has = v->collector && (where != HTTP_PROFILE || hpp_collector_tick_ns(v->collector) > 0);
    *can_grow = v->collector != NULL;
    for (size_t i = 0; i < v->n_feeds && !v->collector; i++) {
        const watched *profile = v->feeds[i]->of;
        has |= http_costs_are_in(profile, where);
        *can_grow |= profile->state == WATCHED_GROWING && !hpf_live_has_end(profile->live);
    }
    return has;
}

static const char *on_refused(void *context, uint32_t process_id)
{
    const view_http *v = context;
    return v->collector ? http_costs_refused(v->collector, process_id)
                        : "pid chooses a process of census run or attach: these are files\n";
}

/* A profile that is complete has only costs so far. */
static http_costs *on_measured(void *context, http_place where, uint32_t process_id,
                               unsigned *seconds)
{
    const view_http *v = context;
    bool can_grow;
    http_costs *costs = has_costs(v, where, &can_grow) ? http_costs_create(process_id) : NULL;
    if (where != HTTP_PROFILE || (*seconds == 0 && !can_grow)) {
        *seconds = 0;
    } else {
        *seconds = *seconds > 0 ? *seconds : DEFAULT_SECONDS;
    }
    if (costs && *seconds > 0) {
        add_costs(v, where, costs);
        http_costs_begin(costs);
    }
    return costs;
}

/* Stops preparing messages when there have been no viewers for a while. */
static void on_rest(void *context, uint32_t epoll_events)
{
    view_http *v = context;
    (void)epoll_events;
    if (!v->was_joined && http_server_n_viewers(v->server) == 0) {
        v->is_followed = false;
        loop_arm(v->rest_timer, 0, 0);
        fall_behind(v);
    }
    v->was_joined = false;
}

/* ---- the watch ---- */

static http_feed *find(const view *base, const watched *profile)
{
    const view_http *v = (const view_http *)base;
    return profile->number < v->n_feeds ? v->feeds[profile->number] : NULL;
}

static bool add_profile(view_http *v, const watched *profile)
{
    http_feed *feed = malloc(sizeof *feed);
    if (!feed || !HPF__ARRAY_PUSH(v->feeds, v->n_feeds, v->feeds_capacity, feed)) {
        free(feed);
        return false;
    }
    http_feed_init(feed, profile, v->si_units);
    return true;
}

static void began(view *base, const watched *profile)
{
    view_http *v = (view_http *)base;
    http_feed *feed = find(base, profile);
    if (feed) {
        http_feed_restart(feed);
    } else if (!add_profile(v, profile)) {
        diag_say("%s: out of memory: not shown in browsers", profile->name);
        return;
    }
    want_batch(v);
}

static void grew(view *base, const watched *profile)
{
    view_http *v = (view_http *)base;
    http_feed *feed = find(base, profile);
    if (feed) {
        feed->has_new_lanes = v->has_lanes;
    }
    want_batch(v);
}

static void changed(view *base, const watched *profile)
{
    http_feed *feed = find(base, profile);
    if (feed) {
        http_feed_note_state(feed);
        feed->has_new_lanes = ((view_http *)base)->has_lanes;
        want_batch((view_http *)base);
    }
}

static http_feed *feed_of(void *context)
{
    const view_event_context *c = context;
    return find(c->view, c->of);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    http_feed *feed = feed_of(context);
    (void)err;
    if (feed) {
        http_feed_add_name(feed, name, text);
    }
    return HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    http_feed *feed = feed_of(context);
    (void)err;
    if (feed) {
        http_feed_add_sample(feed, sample);
    }
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    http_feed *feed = feed_of(context);
    (void)err;
    if (feed) {
        http_feed_add_mark(feed, time, label);
    }
    return HPF_OK;
}

static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    http_feed *feed = feed_of(context);
    (void)err;
    if (feed) {
        http_feed_add_line(feed, name, point);
    }
    return HPF_OK;
}

static const hpf_events events = {
    .name = on_name,
    .sample = on_sample,
    .mark = on_mark,
    .quantity = on_line,
};

/* ---- begin and end ---- */

static void destroy(view_http *v, double linger_s)
{
    http_server_destroy(v->server, linger_s);
    http_listener_close(&v->listener);
    http_browser_close(&v->browser);
    loop_remove(v->loop, v->batch_timer);
    loop_remove(v->loop, v->rest_timer);
    for (size_t i = 0; i < v->n_feeds; i++) {
        http_feed_finish(v->feeds[i]);
        free(v->feeds[i]);
    }
    for (size_t i = 0; i < v->n_sources; i++) {
        http_sources_finish(&v->sources[i]);
    }
    free(v->sources);
    hpf_text_folder_destroy(v->folder);
    for (size_t i = 0; i < v->n_bands; i++) {
        http_metrics_bands_finish(&v->bands[i]);
    }
    free(v->feeds);
    free(v->bands);
    http_ring_finish(&v->channel.ring);
    hpf_sink_destroy(v->page);
    free(v);
}

static void finish(view *base)
{
    view_http *v = (view_http *)base;
    if (v->is_followed) {
        v->next_snapshot_s = 0;
        send_batch(v);
        hpf_sink *message = http_channel_open(&v->channel, "bye");
        if (message) {
            hpf_sink_text(message, "{}");
        }
        http_channel_send(&v->channel, message);
    }
    destroy(v, LINGER_S);
}

/* Copies the policy of the page, and adds what only a header can set. */
static void take_policy(view_http *v, hpf_str page)
{
    static const char mark[] = "http-equiv=\"Content-Security-Policy\" content=\"";
    const char *end = page.data + page.length;
    const char *text = hpf_str_find(page, mark);
    text = text ? text + sizeof mark - 1 : end;
    const char *quote = memchr(text, '"', (size_t)(end - text));
    snprintf(v->policy, sizeof v->policy, "%.*s; frame-ancestors 'none'",
             quote ? (int)(quote - text) : 0, text);
}

static hpf_status make_page(view_http *v, const view_http_options *options, hpf_error *err)
{
    hpf_status status = HPF_OK;
    v->page = hpf_sink_to_memory();
    if (!v->page) {
        return hpf_error_set_memory(err);
    }
    if (options->document.page.length > 0) {
        v->document = options->document;
        hpf_sink_str(v->page, options->document.page);
    } else {
        status =
            hpr_html_write_live("events", v->folder ? "source" : NULL, options->page, v->page, err);
    }
    status = status ? status : hpf_sink_finish(v->page, err);
    if (!status) {
        take_policy(v, hpf_sink_bytes(v->page));
    }
    return status;
}

static hpf_status make_secrets(view_http *v, const char *token_file, hpf_error *err)
{
    if (!http_make_secret(v->channel.instance, (sizeof v->channel.instance - 1) / 2) ||
        (!token_file && !http_make_secret(v->guard.token, HTTP_TOKEN_BYTES))) {
        return hpf_error_set_os(err, errno, "cannot get random numbers");
    }
    return token_file ? http_token_from_file(v->guard.token, token_file, err) : HPF_OK;
}

static hpf_status start_server(view_http *v, hpf_error *err)
{
    const http_server_options options = {
        .guard = &v->guard,
        .listener = &v->listener,
        .page = hpf_sink_bytes(v->page),
        .page_policy = v->policy,
        .ring = &v->channel.ring,
        .instance = v->channel.instance,
        .joined = on_joined,
        .commanded = on_commanded,
        .answered = on_answered,
        .refused = on_refused,
        .measured = on_measured,
        .scraped = on_scraped,
        .context = v,
        .most_viewers = MOST_VIEWERS,
        .heartbeat_s = HEARTBEAT_S,
        .patience_s = PATIENCE_S,
    };
    v->batch_timer = loop_add_timer(v->loop, on_batch, v);
    v->rest_timer = loop_add_timer(v->loop, on_rest, v);
    if (v->batch_timer < 0 || v->rest_timer < 0) {
        return hpf_error_set_os(err, errno, "cannot create a timer");
    }
    return http_server_create(&v->server, v->loop, &options, err);
}

static hpf_status start(view_http *v, const view_http_options *options, hpf_error *err)
{
    hpf_status status = http_listen(&v->listener, options->where, err);
    if (status == HPF_OK) {
        strcpy(v->guard.name, v->listener.host);
        v->guard.has_all_addresses = v->listener.is_every_address;
        status = make_secrets(v, options->token_file, err);
    }
    if (!status && options->has_source) {
        status = hpf_text_folder_create(&v->folder, options->source, err);
    }
    status = status ? status : make_page(v, options, err);
    return status ? status : start_server(v, err);
}

/* Prints the URL, and opens it, or says how another machine reaches it. */
static void announce(view_http *v, const view_http_options *options)
{
    char path[HTTP_TOKEN_LENGTH + 64];
    char url[512];
    snprintf(path, sizeof path, "/%s/%s", v->guard.token,
             options->fragment ? options->fragment : "");
    http_listener_url(&v->listener, path, url, sizeof url);
    if (v->listener.path[0]) {
        diag_say("watch at %s through the socket %s", url, v->listener.path);
    } else {
        diag_say("watch at %s", url);
    }
    if (!v->listener.is_loopback) {
        diag_say("anyone who knows this URL can see the profile from other machines; the "
                 "connection is not encrypted");
    }
    if (options->opens_browser && v->listener.port && http_browser_is_possible()) {
        http_browser_open(&v->browser, url);
    } else if (options->opens_browser && v->listener.port && v->listener.is_loopback) {
        char tunnel[512];
        http_browser_tunnel(tunnel, sizeof tunnel, v->listener.port);
        diag_say("no display: to open it on your own machine, first run there: %s", tunnel);
    }
}

view *view_http_create(loop *l, const view_http_options *options)
{
    view_http *v = calloc(1, sizeof *v);
    hpf_error err;
    if (!v) {
        diag_say("out of memory");
        return NULL;
    }
    v->base = (view){
        .began = began, .events = &events, .grew = grew, .changed = changed, .finish = finish};
    v->loop = l;
    v->has_lanes = options->has_lanes;
    v->si_units = options->page->si_units;
    v->batch_s = options->batch_s > 0 ? options->batch_s : BATCH_S;
    v->listener.fd = v->batch_timer = v->rest_timer = -1;
    if (start(v, options, &err) != HPF_OK) {
        diag_error("http", &err);
        destroy(v, 0);
        return NULL;
    }
    announce(v, options);
    return &v->base;
}

void view_http_attach(view *v, const hpp_collector *collector)
{
    ((view_http *)v)->collector = collector;
}

size_t view_http_n_viewers(const view *v)
{
    return http_server_n_viewers(((const view_http *)v)->server);
}
