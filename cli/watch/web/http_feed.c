/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples are converted to text when they arrive. docs/formats/page.md describes the data.
 */
#include "hpfile/sink.h"
#include "http_feed.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "hpfile/sidecar.h"
#include "base/json.h"
#include "hpfile/live.h"
#include "hprender/html.h"

#include "findings/findings_write.h"

/* ---- Marks and quantities -------------------------------------------------------------------- */

/* Keeps both kinds in one array. docs/formats/page.md describes the data. */

enum { MOST_POINTS = 2048 };

/* A mark, or a point of a quantity; `text` is the label, or the name of the quantity. */
struct http_annotation {
    bool is_mark;
    bool is_sent;
    hpf_str text;
    double time, value;
};

static void http_annotations_clear(http_annotations *annotations)
{
    hpf_arena_destroy(annotations->arena);
    annotations->arena = NULL;
    annotations->n_points = 0;
}

static void http_annotations_finish(http_annotations *annotations)
{
    http_annotations_clear(annotations);
    free(annotations->points);
    *annotations = (http_annotations){.points = NULL};
}

static bool push(http_annotations *a, http_annotation point)
{
    return a->n_points < MOST_POINTS && HPF__ARRAY_PUSH(a->points, a->n_points, a->capacity, point);
}

/* Returns false if there are too many to send one by one, or without memory. The name of a quantity
 * is borrowed. */
static bool http_annotations_add_mark(http_annotations *annotations, double time, hpf_str label)
{
    if (!annotations->arena) {
        annotations->arena = hpf_arena_create();
    }
    if (!annotations->arena) {
        return false;
    }
    hpf_str copy = hpf_arena_str(annotations->arena, label);
    return copy.data &&
           push(annotations, (http_annotation){.is_mark = true, .text = copy, .time = time});
}

static bool http_annotations_add_line(http_annotations *annotations, hpf_str name,
                                      hpf_quantity_point point)
{
    return push(annotations,
                (http_annotation){.text = name, .time = point.time, .value = point.value});
}

/* Writes all points of the quantity from index `first` on. */
static void put_line(hpf_json *json, http_annotations *annotations, size_t first)
{
    hpf_str name = annotations->points[first].text;
    hpf_json_bytes(json, "name", name);
    hpf_json_array(json, "points");
    for (size_t i = first; i < annotations->n_points; i++) {
        http_annotation *point = &annotations->points[i];
        if (!point->is_mark && point->text.data == name.data) {
            hpf_json_array(json, NULL);
            hpf_json_number(json, NULL, point->time);
            hpf_json_number(json, NULL, point->value);
            hpf_json_close(json);
            point->is_sent = true;
        }
    }
}

static void send_from(http_annotations *annotations, size_t first, uint32_t id, http_channel *to)
{
    const http_annotation *point = &annotations->points[first];
    hpf_sink *message = http_channel_open(to, point->is_mark ? "mark" : "line");
    if (!message) {
        return;
    }
    hpf_json json = hpf_json_begin_line(message);
    hpf_json_object(&json, NULL);
    hpf_json_whole(&json, "id", id);
    if (point->is_mark) {
        hpf_json_number(&json, "time", point->time);
        hpf_json_bytes(&json, "label", point->text);
    } else {
        put_line(&json, annotations, first);
    }
    hpf_json_end(&json);
    http_channel_send(to, message);
}

/* Sends and clears the annotations of the profile `id`. */
static void http_annotations_flush(http_annotations *annotations, uint32_t id, http_channel *to)
{
    for (size_t i = 0; i < annotations->n_points; i++) {
        if (!annotations->points[i].is_sent) {
            send_from(annotations, i, id, to);
        }
    }
    http_annotations_clear(annotations);
}

/* A place in the viewers' list, or one of these: */
#define IN_REST UINT32_MAX       /* no place */
#define UNUSED  (UINT32_MAX - 1) /* gets a place with its first sample */

enum {
    MOST_PLACES_AT_FIRST = 400, /* in a snapshot */
    MOST_PLACES = 600,
    MOST_WAITING_BYTES = 256 << 10, /* longer samples are sent as a snapshot */
};

#define LANES_EVERY_S 1.0

/* Share of a sample from which a name without a place requests one. */
#define LEAST_SHARE 0.01

struct http_feed_name {
    uint32_t place;
    uint64_t sample; /* sample of `amount` */
    double amount;
    double asked; /* amount of its last request for a place */
    hpf_str text; /* if the name is newer than the snapshot */
};

/* ---- life ---- */

void http_feed_init(http_feed *feed, const watched *of, bool si_units)
{
    *feed = (http_feed){.of = of,
                        .needs_snapshot = true,
                        .has_news = true,
                        .last_time = -INFINITY,
                        .si_units = si_units};
}

static void forget_waiting(http_feed *feed)
{
    hpf_sink_destroy(feed->samples);
    hpf_arena_destroy(feed->arena);
    feed->samples = NULL;
    feed->arena = NULL;
    feed->n_new_names = 0;
    http_annotations_clear(&feed->annotations);
}

void http_feed_invalidate(http_feed *feed)
{
    feed->needs_snapshot = true;
    forget_waiting(feed);
}

void http_feed_restart(http_feed *feed)
{
    http_feed_invalidate(feed);
    feed->has_news = true;
    feed->n_names = 0;
    feed->n_places = 0;
    feed->last_time = -INFINITY;
}

/* Returns whether the file of a profile says more than was seen as it grew. */
static bool has_file(const watched *profile)
{
    return watched_calls(profile) || watched_resident(profile);
}

void http_feed_note_state(http_feed *feed)
{
    feed->has_news = true;
    if (!feed->needs_snapshot && feed->has_file != has_file(feed->of)) {
        http_feed_invalidate(feed);
    }
}

void http_feed_finish(http_feed *feed)
{
    forget_waiting(feed);
    hpf_sink_destroy(feed->findings);
    free(feed->names);
    free(feed->touched);
    free(feed->new_names);
    http_annotations_finish(&feed->annotations);
}

static hpf_str keep_text(http_feed *feed, hpf_str text)
{
    if (!feed->arena) {
        feed->arena = hpf_arena_create();
    }
    const char *copy = feed->arena ? hpf_arena_text(feed->arena, text) : NULL;
    if (!copy) {
        http_feed_invalidate(feed);
        return (hpf_str){"", 0};
    }
    return (hpf_str){copy, text.length};
}

/* ---- names ---- */

static bool make_room_for_names(http_feed *feed, uint32_t n)
{
    return HPF__ARRAY_RESERVE(feed->names, feed->names_capacity, n) &&
           HPF__ARRAY_RESERVE(feed->touched, feed->touched_capacity, n);
}

void http_feed_add_name(http_feed *feed, hpf_name name, hpf_str text)
{
    if (feed->needs_snapshot) {
        return;
    }
    if (name != feed->n_names || !make_room_for_names(feed, name + 1)) {
        http_feed_invalidate(feed);
        return;
    }
    hpf_str kept = keep_text(feed, text);
    feed->names[feed->n_names++] = (http_feed_name){.place = UNUSED, .text = kept};
}

/* Appends a name to the viewers' list. */
static bool give_place(http_feed *feed, http_feed_name *name)
{
    if (feed->n_places >= MOST_PLACES) {
        feed->prefers_snapshot = true;
        return false;
    }
    if (!HPF__ARRAY_PUSH(feed->new_names, feed->n_new_names, feed->new_names_capacity,
                         (hpf_name)(name - feed->names))) {
        return false;
    }
    name->place = feed->n_places++;
    return true;
}

/* Requests a place. A name that was too small requests again when it has doubled. */
static void ask_for_place(http_feed *feed, http_feed_name *name, double total)
{
    if (name->amount >= LEAST_SHARE * total && name->amount > 2 * name->asked) {
        name->asked = name->amount;
        feed->prefers_snapshot = true;
    }
}

/* ---- samples ---- */

static void put_number(hpf_sink *sink, double number)
{
    if (isfinite(number)) {
        hpf_sink_shortest(sink, number);
    } else {
        hpf_sink_text(sink, "null");
    }
}

/* Adds up the amounts of each name. Stores the names in `touched` and their number in `n_touched`.
 * Returns false for an unknown name. */
static bool add_up(http_feed *feed, const hpf_sample *sample, size_t *n_touched, double *total)
{
    feed->n_samples++;
    *n_touched = 0;
    *total = 0;
    for (size_t i = 0; i < sample->n_costs; i++) {
        const hpf_cost *cost = &sample->costs[i];
        if (cost->name >= feed->n_names) {
            return false;
        }
        http_feed_name *name = &feed->names[cost->name];
        if (name->sample != feed->n_samples) {
            name->sample = feed->n_samples;
            name->amount = 0;
            feed->touched[(*n_touched)++] = cost->name;
        }
        name->amount += hpf_cost_amount(cost);
        *total += hpf_cost_amount(cost);
    }
    return true;
}

static void put_amounts(http_feed *feed, size_t n_touched, double total)
{
    const char *comma = "";
    for (size_t i = 0; i < n_touched; i++) {
        http_feed_name *name = &feed->names[feed->touched[i]];
        if (name->place == IN_REST || (name->place == UNUSED && !give_place(feed, name))) {
            ask_for_place(feed, name, total);
            continue;
        }
        hpf_sink_text(feed->samples, comma);
        hpf_sink_whole(feed->samples, name->place);
        hpf_sink_text(feed->samples, ",");
        put_number(feed->samples, name->amount);
        comma = ",";
    }
}

static void put_sample(http_feed *feed, double time, size_t n_touched, double total)
{
    if (hpf_sink_position(feed->samples) > 0) {
        hpf_sink_text(feed->samples, ",");
    }
    hpf_sink_text(feed->samples, "[");
    put_number(feed->samples, time);
    hpf_sink_text(feed->samples, ",");
    put_number(feed->samples, total);
    hpf_sink_text(feed->samples, ",[");
    put_amounts(feed, n_touched, total);
    hpf_sink_text(feed->samples, "]]");
}

void http_feed_add_sample(http_feed *feed, const hpf_sample *sample)
{
    size_t n_touched;
    double total;
    bool is_late = sample->time < feed->last_time;
    feed->last_time = sample->time;
    if (feed->needs_snapshot) {
        return;
    }
    if (!feed->samples) {
        feed->samples = hpf_sink_to_memory();
    }
    if (is_late || !feed->samples || hpf_sink_position(feed->samples) > MOST_WAITING_BYTES ||
        !add_up(feed, sample, &n_touched, &total)) {
        http_feed_invalidate(feed);
        return;
    }
    put_sample(feed, sample->time, n_touched, total);
}

static void put_new_names(http_feed *feed, hpf_sink *message)
{
    hpf_frame *frames = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < feed->n_new_names; i++) {
        hpf_name name = feed->new_names[i];
        size_t n = hpf_live_frames(feed->of->live, name, NULL, 0);
        if (n > 0 && HPF__ARRAY_RESERVE(frames, capacity, n)) {
            hpf_live_frames(feed->of->live, name, frames, n);
        } else {
            n = 0;
        }
        hpf_sink_text(message, i ? "," : "");
        hpr_html_name_json(feed->names[name].text, frames, n, message);
    }
    free(frames);
}

static void flush_samples(http_feed *feed, http_channel *to)
{
    hpf_sink *message = feed->samples ? http_channel_open(to, "samples") : NULL;
    if (message) {
        hpf_sink_printf(message, "{\"id\":%u,\"names\":[", (unsigned)feed->of->number);
        put_new_names(feed, message);
        hpf_sink_text(message, "],\"samples\":[");
        hpf_sink_str(message, hpf_sink_bytes(feed->samples));
        hpf_sink_text(message, "]}");
    }
    http_channel_send(to, message);
}

/* ---- pending events ---- */

void http_feed_add_mark(http_feed *feed, double time, hpf_str label)
{
    if (!feed->needs_snapshot && !http_annotations_add_mark(&feed->annotations, time, label)) {
        http_feed_invalidate(feed);
    }
}

void http_feed_add_line(http_feed *feed, hpf_str name, hpf_quantity_point point)
{
    /* The page has no axis for other units, and snapshots leave them out, too. */
    if (!feed->needs_snapshot && !hpf_quantity_has_own_unit(name) &&
        !http_annotations_add_line(&feed->annotations, name, point)) {
        http_feed_invalidate(feed);
    }
}

void http_feed_flush(http_feed *feed, http_channel *to)
{
    http_annotations_flush(&feed->annotations, feed->of->number, to);
    flush_samples(feed, to);
    hpf_sink_destroy(feed->samples);
    feed->samples = NULL;
    feed->n_new_names = 0;
}

/* ---- lanes ---- */

static hpf_survey *take_survey(const http_feed *feed)
{
    hpf_survey *survey = NULL;
    hpf_error err;
    return hpf_live_survey(&survey, feed->of->live, &err) == HPF_OK ? survey : NULL;
}

bool http_feed_flush_lanes(http_feed *feed, http_channel *to)
{
    if (!feed->has_new_lanes || feed->needs_snapshot) {
        return true;
    }
    if (feed->of->state != WATCHED_ENDED && clock_now_s() < feed->next_lanes_s) {
        return false;
    }
    hpf_survey *survey = take_survey(feed);
    const hpf_activity *activity = survey ? hpf_live_activity(feed->of->live, survey) : NULL;
    hpf_sink *message = activity ? http_channel_open(to, "lanes") : NULL;
    hpf_error err;
    feed->has_new_lanes = false;
    feed->next_lanes_s = clock_now_s() + LANES_EVERY_S;
    if (message) {
        hpf_sink_printf(message, "{\"id\":%u,\"lanes\":", (unsigned)feed->of->number);
        if (hpr_html_lanes_json(activity, feed->si_units, message, &err) != HPF_OK) {
            hpf_sink_destroy(message);
            return true;
        }
        hpf_sink_text(message, "}");
    }
    http_channel_send(to, message);
    return true;
}

/* ---- states ---- */

static const char *name_of_state(const watched *profile)
{
    static const char *const names[] = {
        [WATCHED_WAITING] = "waiting",
        [WATCHED_GROWING] = "growing",
        [WATCHED_ENDED] = "ended",
        [WATCHED_FAILED] = "failed",
    };
    return names[profile->state];
}

/* Puts what stands out. Without samples or memory that is nothing; while a profile grows, what only
 * its whole file shows is left out. The last findings are kept, since they read the file again. */
static void put_findings(http_feed *feed, hpf_json *json)
{
    hpf_survey *survey = take_survey(feed);
    hpf_recording recording = {.survey = survey, .from_time = -HUGE_VAL, .to_time = HUGE_VAL};
    hpf_error err;
    recording.source = watched_file(feed->of, &recording.format);
    if (feed->findings && !(recording.source && feed->has_last_findings)) {
        hpf_sink_destroy(feed->findings);
        feed->findings = NULL;
    }
    if (survey && !feed->findings) {
        feed->findings = hpf_sink_to_memory();
        feed->has_last_findings = recording.source != NULL;
        if (feed->findings && findings_write_line(feed->findings, &recording, &err) != HPF_OK) {
            hpf_sink_destroy(feed->findings);
            feed->findings = NULL;
        }
    }
    hpf_json_ready(json, "findings",
                   feed->findings ? hpf_sink_bytes(feed->findings) : HPF_STR("[]"));
}

static void put_state(http_feed *feed, hpf_sink *sink)
{
    const watched *of = feed->of;
    hpf_json json = hpf_json_begin_line(sink);
    hpf_json_object(&json, NULL);
    hpf_json_whole(&json, "id", of->number);
    hpf_json_text(&json, "name", of->name);
    hpf_json_text(&json, "state", name_of_state(of));
    hpf_json_text(&json, "message", of->message);
    hpf_json_text(&json, "caveat", of->caveat);
    hpf_json_bool(&json, "control", of->can_control);
    if (of->last_sample_s > 0) {
        hpf_json_number(&json, "age_s", clock_now_s() - of->last_sample_s);
    } else {
        hpf_json_text(&json, "age_s", NULL);
    }
    put_findings(feed, &json);
    hpf_json_end(&json);
}

void http_feed_flush_state(http_feed *feed, http_channel *to)
{
    hpf_sink *message = feed->has_news ? http_channel_open(to, "state") : NULL;
    if (message) {
        put_state(feed, message);
        feed->has_news = false;
    }
    http_channel_send(to, message);
}

/* ---- calls ---- */

/* Writes the numbers of the places of calls, from the outermost frame on, from 1; 0 for frames
 * without one. Adds new ones to `places`. */
static bool put_calls(hpf_json *json, const hpf_frame *frames, size_t n, hpf__intern *places)
{
    hpf_status status = HPF_OK;
    while (n-- > 0 && status == HPF_OK) {
        uint32_t number = 0;
        bool is_new, is_call = frames[n].function_source.length > 0 && frames[n].source.length > 0;
        if (is_call) {
            status = hpf__intern_add(places, frames[n].source, &number, &is_new);
        }
        hpf_json_whole(json, NULL, is_call ? number + 1 : 0);
    }
    return status == HPF_OK;
}

static bool has_calls(const hpf_frame *frames, size_t n)
{
    bool has = false;
    for (size_t i = 0; i < n && !has; i++) {
        has = frames[i].function_source.length > 0;
    }
    return has;
}

bool http_feed_put_calls(const http_feed *feed, hpf__intern *places, hpf_sink *sink)
{
    hpf_frame *frames = NULL;
    size_t capacity = 0;
    bool fits = true;
    hpf_json json = hpf_json_begin_line(sink);
    hpf_json_object(&json, NULL);
    hpf_json_array(&json, "calls");
    for (hpf_name name = 0; name < feed->n_names && fits; name++) {
        bool has_place = feed->names[name].place < UNUSED;
        size_t n = has_place ? hpf_live_frames(feed->of->live, name, NULL, 0) : 0;
        fits = HPF__ARRAY_RESERVE(frames, capacity, n);
        if (fits && n > 0) {
            hpf_live_calls(feed->of->live, name, frames, n);
        }
        if (fits && has_calls(frames, n)) {
            hpf_json_array(&json, NULL);
            hpf_json_whole(&json, NULL, feed->names[name].place);
            fits = put_calls(&json, frames, n, places);
            hpf_json_close(&json);
        }
    }
    free(frames);
    hpf_json_close(&json);
    hpf_json_array(&json, "places");
    for (uint32_t i = 0; i < places->n_names; i++) {
        hpf_json_bytes(&json, NULL, places->names[i]);
    }
    hpf_json_end(&json);
    return fits;
}

/* ---- snapshots ---- */

/* Stores the list of names in a snapshot. */
static bool note_places(http_feed *feed, const uint32_t *chosen, uint32_t n_names)
{
    if (!make_room_for_names(feed, n_names)) {
        return false;
    }
    feed->n_places = 0;
    for (uint32_t i = 0; i < n_names; i++) {
        double asked = i < feed->n_names ? feed->names[i].asked : 0;
        bool has_place = chosen[i] != UINT32_MAX;
        feed->names[i] = (http_feed_name){.place = has_place ? chosen[i] : IN_REST, .asked = asked};
        if (has_place && chosen[i] >= feed->n_places) {
            feed->n_places = chosen[i] + 1;
        }
    }
    feed->n_names = n_names;
    return true;
}

/* Writes a snapshot, and starts to collect events after it. */
static bool put_profile(http_feed *feed, hpf_survey *survey, size_t most_bytes, hpf_sink *sink)
{
    hpf_survey *calls = watched_calls(feed->of);
    const hpr_html_profile about = {
        .size = sizeof about,
        .id = feed->of->number,
        .epoch = feed->of->epoch,
        .file = feed->of->name,
        .state = name_of_state(feed->of),
        .activity = hpf_live_activity(feed->of->live, survey),
        .si_units = feed->si_units,
        .group = calls ? HPR_GROUP_STACK : HPR_GROUP_NONE,
        .most_bytes = most_bytes,
        .most_names = MOST_PLACES_AT_FIRST,
        .resident = watched_resident(feed->of),
    };
    uint32_t *chosen = NULL;
    hpf_error err;
    http_feed_invalidate(feed);
    bool is_sent =
        hpr_html_profile_json(calls ? calls : survey, &about, sink, &chosen, &err) == HPF_OK &&
        (calls || note_places(feed, chosen, hpf_survey_n_names(survey)));
    free(chosen);
    feed->needs_snapshot = !is_sent;
    feed->has_file = has_file(feed->of);
    feed->prefers_snapshot = false;
    feed->has_new_lanes = false;
    return is_sent;
}

bool http_feed_send_snapshot(http_feed *feed, size_t most_bytes, http_channel *to)
{
    hpf_survey *survey = take_survey(feed);
    hpf_sink *message = survey ? http_channel_open(to, "snapshot") : NULL;
    if (!message) {
        return false;
    }
    bool is_sent = put_profile(feed, survey, most_bytes, message);
    if (is_sent) {
        http_channel_send(to, message);
    } else {
        hpf_sink_destroy(message);
    }
    return is_sent;
}

bool http_feed_put_base(http_feed *feed, size_t most_bytes, const http_channel *to, hpf_sink *base,
                        uint64_t number)
{
    hpf_survey *survey = take_survey(feed);
    if (survey) {
        http_event_begin(base, to, "snapshot", 0);
        if (!put_profile(feed, survey, most_bytes, base)) {
            return false;
        }
        http_event_end(base);
    }
    http_event_begin(base, to, "state", number);
    put_state(feed, base);
    http_event_end(base);
    feed->has_news = false;
    return true;
}
