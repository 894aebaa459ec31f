/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Forwards the events and states of each profile to all views.
 */
#include "hpfile/live.h"
#include "watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/format.h"
#include "hprender/units.h"
#include "hpfile/survey.h"
#include "input.h"
#include "resident.h"

/* ---- Calls from the file of a profile -------------------------------------------------------- */

/* What a profile that was read as it grew leaves out: whole stacks, with the lines of calls. They
 * are in its file, which is read again when the profile has ended. */
struct file_calls {
    char *path;
    bool was_read;
    hpf_source *source;
    const hpf_format *format;
    hpf_survey *survey; /* or NULL */
    hpf_survey *resident[HPR_N_RESIDENT];
};

/* Returns NULL without memory. */
static file_calls *file_calls_create(const char *path)
{
    file_calls *calls = calloc(1, sizeof *calls);
    if (calls && !(calls->path = strdup(path))) {
        free(calls);
        return NULL;
    }
    return calls;
}

/* The file has grown, or is another one. */
static void file_calls_forget(file_calls *calls)
{
    resident_free(calls->resident);
    hpf_survey_destroy(calls->survey);
    hpf_source_destroy(calls->source);
    calls->survey = NULL;
    calls->source = NULL;
    calls->was_read = false;
}

/* Accepts NULL. */
static void file_calls_destroy(file_calls *calls)
{
    if (calls) {
        file_calls_forget(calls);
        free(calls->path);
        free(calls);
    }
}

/* Surveys the file. Errors: those of source and survey. */
static hpf_status read_file(file_calls *calls, const hpf_live_options *live)
{
    const hpf_source_options keeping = {.size = sizeof keeping,
                                        .keep = true,
                                        .temporary_dir = input_temporary_dir(),
                                        .process = live->process};
    const hpf_survey_options options = {.size = sizeof options,
                                        .format = &hpf_format_eventlog,
                                        .max_drawn = live->max_drawn,
                                        .max_name_bytes = live->max_name_bytes,
                                        .has_log_profile = live->has_log_profile,
                                        .log_profile = live->log_profile,
                                        .uses_mutator_clock = live->uses_mutator_clock,
                                        .by_stack = true,
                                        .by_line = true,
                                        .view = live->view,
                                        .keeps_stacks = true,
                                        .is_wanted = live->is_wanted,
                                        .is_wanted_context = live->is_wanted_context,
                                        .symbolise = live->symbolise,
                                        .symbolise_context = live->symbolise_context};
    hpf_status status = hpf_source_open(&calls->source, calls->path, &keeping, NULL);
    status = status ? status : hpf_format_detect(&calls->format, calls->source, NULL);
    if (status || calls->format != &hpf_format_eventlog) { /* others have whole stacks already */
        return status;
    }
    status = hpf_survey_create(&calls->survey, calls->source, &options, NULL);
    return status ? status : resident_read(calls->resident, calls->source, calls->survey, NULL);
}

/* Returns a survey of the file with these options of its live profile, borrowed until the file
 * grows. NULL if it cannot be read, or has nothing that the live profile leaves out. Only the first
 * call reads the file. */
static hpf_survey *file_calls_survey(file_calls *calls, const hpf_live_options *options)
{
    if (!calls->was_read && options->value.length == 0) {
        hpf_status status = read_file(calls, options);
        bool chooses = options->view || options->is_wanted;
        if (status) {
            file_calls_forget(calls);
        } else if (calls->survey && !(chooses || hpf_survey_has_types(calls->survey) ||
                                      hpf_survey_hides_frames(calls->survey))) {
            hpf_survey_destroy(calls->survey);
            calls->survey = NULL;
        }
    }
    calls->was_read = true;
    return calls->survey;
}

/* Returns HPR_N_RESIDENT surveys of the resident set in the file that was read, or NULL for each.
 */
static hpf_survey *const *file_calls_resident(const file_calls *calls)
{
    return calls->resident;
}

/* Returns the file that was read, with its format; NULL if none was. */
static hpf_source *file_calls_source(const file_calls *calls, const hpf_format **format)
{
    *format = calls->format;
    return calls->source;
}

enum { N_MAGIC_BYTES = 6 };

/* A profile with its private state. */
typedef struct profile {
    watched seen; /* first: a `watched *` is a `profile *` */
    watch *of;
    char *name;
    /* The first bytes, to name the compression or the tool of an input instead of its first invalid
     * line. They are passed on when they show whether the input is compressed. */
    char first[HPF_FORMAT_HEAD_BYTES];
    size_t n_first;
    bool is_sidecar_broken;
    bool is_finished;     /* its reader has finished */
    bool has_annotations; /* marks or quantities were read since views were notified */
    double units_per_s;   /* from the sample unit of the profile */
    watch_command_sender *send_command;
    void *command_context;
    char process[12];                       /* of a recording; "": the default */
    watch_allocated_reader *read_allocated; /* or NULL */
    void *allocated_context;
} profile;

struct watch {
    hpf_live_options options;
    view **views;
    size_t n_views, views_capacity;
    profile **profiles;
    size_t n_profiles, profiles_capacity;
    bool is_ending; /* no more messages: views are finished next */
};

static profile *profile_of(watched *seen)
{
    return (profile *)seen;
}

/* ---- notifying views ---- */

/* Calls a function of all views that have it. */
#define CALL_VIEWS(p, function)                                                                    \
    for (size_t i = 0; i < (p)->of->n_views; i++) {                                                \
        view *to = (p)->of->views[i];                                                              \
        if (to->function) {                                                                        \
            to->function(to, &(p)->seen);                                                          \
        }                                                                                          \
    }

/* Sends an event to all views, by the name of its function. */
#define NOTIFY(p, event, ...)                                                                      \
    for (size_t i = 0; i < (p)->of->n_views; i++) {                                                \
        view_event_context to = {(p)->of->views[i], &(p)->seen};                                   \
        hpf_error ignored;                                                                         \
        if (to.view->events && to.view->events->event) {                                           \
            (void)to.view->events->event(&to, __VA_ARGS__, &ignored);                              \
        }                                                                                          \
    }

static hpf_status notify_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    profile *p = context;
    (void)err;
    if (which == HPF_HEADER_SAMPLE_UNIT) {
        p->units_per_s = hpr_units_per_second(text);
    }
    NOTIFY(p, header, which, text)
    return HPF_OK;
}

static hpf_status notify_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    profile *p = context;
    (void)err;
    NOTIFY(p, name, name, text)
    return HPF_OK;
}

static hpf_status notify_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    profile *p = context;
    (void)err;
    NOTIFY(p, sample, sample)
    return HPF_OK;
}

static hpf_status notify_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    profile *p = context;
    (void)err;
    p->has_annotations = true;
    NOTIFY(p, mark, time, label)
    return HPF_OK;
}

static hpf_status notify_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    profile *p = context;
    (void)err;
    p->has_annotations = true;
    NOTIFY(p, quantity, name, point)
    return HPF_OK;
}

static const hpf_events to_views = {
    .header = notify_header,
    .name = notify_name,
    .sample = notify_sample,
    .mark = notify_mark,
    .quantity = notify_line,
};

/* ---- states ---- */

/* Sets state and message; `message` may be the current one. */
static void say(profile *p, watched_state state, const char *message)
{
    char text[sizeof p->seen.message];
    snprintf(text, sizeof text, "%s", message);
    bool is_news = p->seen.state != state || strcmp(p->seen.message, text) != 0;
    p->seen.state = state;
    memcpy(p->seen.message, text, sizeof text);
    if (is_news) {
        CALL_VIEWS(p, changed)
    }
}

void watch_set_state(watched *seen, watched_state state, const char *format, ...)
{
    char message[sizeof seen->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    say(profile_of(seen), state, message);
}

static void fail(profile *p, const hpf_error *err)
{
    if (err->line > 0) {
        watch_set_state(&p->seen, WATCHED_FAILED, "line %u, column %u: %s", (unsigned)err->line,
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

/* Updates the caveat. A failed profile has a message instead. */
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
        CALL_VIEWS(p, changed)
    }
}

/* ---- profiles ---- */

static hpf_live_options options_of(const profile *p)
{
    hpf_live_options options = p->of->options;
    options.process = *p->process ? p->process : options.process;
    return options;
}

static hpf_live *create_live(profile *p)
{
    hpf_live_options options = options_of(p);
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
        file_calls_destroy(p->seen.calls);
        free(p->name);
        free(p);
    }
}

void watch_choose_process(watched *seen, uint32_t process)
{
    profile *p = profile_of(seen);
    snprintf(p->process, sizeof p->process, "%.*u", process > 0, (unsigned)process);
}

static profile *create_profile(watch *w, const char *name, uint32_t process)
{
    profile *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->of = w;
    p->units_per_s = 1;
    p->name = strdup(name);
    watch_choose_process(&p->seen, process);
    p->seen.number = (uint32_t)w->n_profiles;
    p->seen.name = p->name;
    p->seen.live = create_live(p);
    if (!p->name || !p->seen.live) {
        destroy_profile(p);
        return NULL;
    }
    return p;
}

watched *watch_add_profile(watch *w, const char *name, uint32_t process)
{
    profile *p = create_profile(w, name, process);
    if (!p || !HPF__ARRAY_PUSH(w->profiles, w->n_profiles, w->profiles_capacity, p)) {
        destroy_profile(p);
        return NULL;
    }
    CALL_VIEWS(p, began)
    return &p->seen;
}

static void forget_calls(watched *seen)
{
    if (seen->calls) {
        file_calls_forget(seen->calls);
    }
}

void watch_restart_profile(watched *seen)
{
    profile *p = profile_of(seen);
    hpf_live *live = create_live(p);
    if (!live) {
        watch_set_state(seen, WATCHED_FAILED, "out of memory");
        return;
    }
    hpf_live_destroy(seen->live);
    forget_calls(seen);
    seen->live = live;
    seen->epoch++;
    seen->last_sample_s = 0;
    p->n_first = 0;
    p->is_sidecar_broken = false;
    p->is_finished = false;
    p->units_per_s = 1;
    *seen->caveat = '\0';
    CALL_VIEWS(p, began)
    say(p, WATCHED_WAITING, "restarted");
}

/* ---- bytes ---- */

/* Returns the compression of the input, or NULL. */
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

/* Logs may contain marks and quantities long after the samples they belong to. */
static void feed_live(profile *p, const char *bytes, size_t n_bytes)
{
    hpf_error err;
    uint64_t n_before = hpf_live_n_samples(p->seen.live);
    hpf_status status = hpf_live_feed(p->seen.live, bytes, n_bytes, &err);
    uint64_t n_now = hpf_live_n_samples(p->seen.live);
    if (n_now > n_before) {
        p->seen.last_sample_s = clock_now_s();
    }
    if (n_now > n_before || (n_now > 0 && p->has_annotations)) {
        p->has_annotations = false;
        CALL_VIEWS(p, grew)
    }
    if (status != HPF_OK) {
        fail(p, &err);
    }
    /* After the end of a log without samples, the caveat that says why is kept. */
    if (status != HPF_OK || n_now > 0 || !hpf_live_has_end(p->seen.live)) {
        update_caveat(p);
    }
}

/* Returns whether the whole lines among the first bytes belong to another kind of file, and sets
 * `err` to the message that says so. */
static bool is_foreign(const profile *p, hpf_error *err)
{
    hpf_source *source;
    const hpf_format *format;
    hpf_str head = {p->first, p->n_first};
    while (p->n_first < sizeof p->first && head.length > 0 && head.data[head.length - 1] != '\n') {
        head.length--;
    }
    if (head.length == 0 || compression_of(p) ||
        hpf_source_from_memory(&source, head, NULL, err) != HPF_OK) {
        return false;
    }
    hpf_status status = hpf_format_detect(&format, source, err);
    hpf_source_destroy(source);
    if (status == HPF_OK && !format->is_streamed) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "a profile in the format %s cannot be followed: give census "
                               "the finished file",
                               format->name);
    }
    return status == HPF_ERR_UNSUPPORTED;
}

/* Passes the first bytes to the reader. */
static void release_first(profile *p)
{
    const char *compression = compression_of(p);
    if (compression) {
        watch_set_state(&p->seen, WATCHED_FAILED,
                        "compressed with %s: a growing profile must not be compressed (census plot "
                        "reads compressed files)",
                        compression);
    } else {
        feed_live(p, p->first, p->n_first);
    }
}

void watch_feed(watched *seen, const char *bytes, size_t n_bytes)
{
    profile *p = profile_of(seen);
    if (n_bytes > 0 && seen->state == WATCHED_WAITING) {
        say(p, WATCHED_GROWING, "");
    }
    size_t n_before = p->n_first, room = sizeof p->first - n_before;
    size_t n_kept = n_bytes < room ? n_bytes : room;
    memcpy(p->first + n_before, bytes, n_kept);
    p->n_first += n_kept;
    hpf_error err;
    if (n_kept > 0 && seen->state == WATCHED_GROWING && is_foreign(p, &err)) {
        say(p, WATCHED_FAILED, err.message);
    }
    if (n_before < N_MAGIC_BYTES) {
        bytes += n_kept;
        n_bytes -= n_kept;
        if (p->n_first >= N_MAGIC_BYTES && seen->state == WATCHED_GROWING) {
            release_first(p);
        }
    }
    if (n_bytes > 0 && seen->state == WATCHED_GROWING) {
        feed_live(p, bytes, n_bytes);
    }
}

hpf_status watch_read(watched *seen, hpf_source *source, const hpf_format *format, hpf_error *err)
{
    hpf_str piece;
    hpf_status status = HPF_OK;
    if (format->is_streamed) {
        while ((status = hpf_source_next(source, &piece, err)) == HPF_OK) {
            watch_feed(seen, piece.data, piece.length);
        }
        return status == HPF_END ? HPF_OK : status;
    }
    say(profile_of(seen), WATCHED_GROWING, ""); /* until there is a warning */
    status = hpf_live_read(seen->live, source, format, err);
    if (status == HPF_OK) {
        seen->last_sample_s = clock_now_s();
        CALL_VIEWS(profile_of(seen), grew)
    }
    return status;
}

void watch_feed_sidecar(watched *seen, const char *bytes, size_t n_bytes)
{
    profile *p = profile_of(seen);
    hpf_error err;
    if (!p->is_sidecar_broken &&
        hpf_live_feed_sidecar(seen->live, bytes, n_bytes, &err) != HPF_OK) {
        p->is_sidecar_broken = true;
        watch_set_state(seen, seen->state, "sidecar file: %s", err.message);
    } else if (!p->is_sidecar_broken && n_bytes > 0) {
        CALL_VIEWS(p, grew)
    }
}

void watch_end_profile(watched *seen)
{
    profile *p = profile_of(seen);
    hpf_error err;
    if (p->n_first < N_MAGIC_BYTES && seen->state == WATCHED_GROWING) {
        release_first(p);
    }
    if (seen->state != WATCHED_GROWING && seen->state != WATCHED_WAITING) {
        return;
    }
    if (hpf_live_is_whole(seen->live)) {
        if (hpf_live_check_view(seen->live, &err) == HPF_OK) {
            say(p, WATCHED_ENDED, seen->message);
        } else {
            fail(p, &err);
        }
        return;
    }
    p->is_finished = true;
    uint64_t n_before = hpf_live_n_samples(seen->live);
    hpf_status status = hpf_live_finish(seen->live, &err);
    if (hpf_live_n_samples(seen->live) > n_before) {
        seen->last_sample_s = clock_now_s();
        CALL_VIEWS(p, grew)
    }
    if (status != HPF_OK) {
        fail(p, &err);
    } else {
        say(p, WATCHED_ENDED, seen->message);
    }
    update_caveat(p);
}

/* ---- commands ---- */

void watch_set_command_sender(watched *seen, watch_command_sender *send, void *context)
{
    profile *p = profile_of(seen);
    bool can_control = send != NULL;
    p->send_command = send;
    p->command_context = context;
    if (seen->can_control != can_control) {
        seen->can_control = can_control;
        CALL_VIEWS(p, changed)
    }
}

bool watched_send_command(const watched *seen, socket_command command)
{
    const profile *p = (const profile *)seen;
    return p->send_command && p->send_command(p->command_context, command);
}

bool watch_resume_profile(watched *seen)
{
    profile *p = profile_of(seen);
    if (!p->is_finished) {
        forget_calls(seen);
        say(p, WATCHED_GROWING, seen->message);
    }
    return !p->is_finished;
}

/* ---- surveys ---- */

hpf_status watched_survey(hpf_survey **out, const watched *seen, double window_s, hpf_error *err)
{
    const profile *p = (const profile *)seen;
    if (hpf_live_check_view(seen->live, err) != HPF_OK) {
        return HPF_MORE;
    }
    return window_s > 0 ? hpf_live_survey_last(out, seen->live, window_s * p->units_per_s, err)
                        : hpf_live_survey(out, seen->live, err);
}

void watch_set_allocated(watched *seen, watch_allocated_reader *read, void *context)
{
    profile *p = profile_of(seen);
    p->read_allocated = read;
    p->allocated_context = context;
}

hpf_survey *watched_allocated(const watched *seen)
{
    const profile *p = (const profile *)seen;
    return p->read_allocated ? p->read_allocated(p->allocated_context) : NULL;
}

bool watch_set_file(watched *seen, const char *path)
{
    seen->calls = file_calls_create(path);
    return seen->calls != NULL;
}

hpf_survey *watched_calls(const watched *seen)
{
    if (!seen->calls || seen->state != WATCHED_ENDED) {
        return NULL;
    }
    const hpf_live_options options = options_of((const profile *)seen);
    return file_calls_survey(seen->calls, &options);
}

hpf_survey *const *watched_resident(const watched *seen)
{
    watched_calls(seen);
    hpf_survey *const *all = seen->calls ? file_calls_resident(seen->calls) : NULL;
    return seen->state == WATCHED_ENDED && all && all[0] ? all : NULL;
}

hpf_source *watched_file(const watched *seen, const hpf_format **format)
{
    watched_calls(seen);
    return seen->calls && seen->state == WATCHED_ENDED ? file_calls_source(seen->calls, format)
                                                       : NULL;
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

/* A reader may keep the last statement until it sees the next byte. At the end it counts, as in a
 * file of the same bytes. */
static void end_profiles(watch *w)
{
    w->is_ending = true;
    for (size_t i = 0; i < w->n_profiles; i++) {
        watched *seen = &w->profiles[i]->seen;
        if (hpf_live_n_samples(seen->live) > 0) {
            watch_end_profile(seen);
        }
    }
}

void watch_destroy(watch *w)
{
    if (!w) {
        return;
    }
    end_profiles(w);
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

/* Notifies a new view of earlier events. */
static void notify_so_far(view *v, const watched *seen)
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
    if (!HPF__ARRAY_PUSH(w->views, w->n_views, w->views_capacity, v)) {
        return false;
    }
    for (size_t i = 0; i < w->n_profiles; i++) {
        notify_so_far(v, &w->profiles[i]->seen);
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
