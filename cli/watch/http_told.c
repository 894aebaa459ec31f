/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples become text when they come. The data is described in docs/formats/page.md.
 */
#include "base/arena.h"
#include "http_told.h"

#include <math.h>
#include <stdlib.h>

#include "io/json.h"
#include "hpfile/live.h"
#include "hprender/html.h"

/* A place in the viewers' list, or: */
#define IN_REST UINT32_MAX       /* the name has none */
#define UNUSED  (UINT32_MAX - 1) /* it gets one with its first sample */

enum {
    MOST_PLACES_AT_FIRST = 400, /* of a snapshot */
    MOST_PLACES = 600,
    MOST_WAITING_BYTES = 256 << 10, /* samples that are longer as text are told by a snapshot */
};

/* A name without a place is looked at when it has so much of a sample. */
#define LEAST_SHARE 0.01

struct http_told_name {
    uint32_t place;
    uint64_t sample; /* in which `amount` was counted */
    double amount;
    double asked; /* with which amount it has asked for a place */
    hpf_str text; /* if it is newer than the snapshot */
};

/* ---- begin and end ---- */

void http_told_init(http_told *told, const watched *of)
{
    *told = (http_told){.of = of, .is_behind = true, .has_news = true, .last_time = -INFINITY};
}

static void forget_waiting(http_told *told)
{
    hpf_sink_destroy(told->samples);
    hpf_arena_destroy(told->arena);
    told->samples = NULL;
    told->arena = NULL;
    told->n_new_names = 0;
    http_beside_clear(&told->beside);
}

void http_told_fall_behind(http_told *told)
{
    told->is_behind = true;
    forget_waiting(told);
}

void http_told_restart(http_told *told)
{
    http_told_fall_behind(told);
    told->has_news = true;
    told->n_names = 0;
    told->n_places = 0;
    told->last_time = -INFINITY;
}

void http_told_finish(http_told *told)
{
    forget_waiting(told);
    free(told->names);
    free(told->touched);
    free(told->new_names);
    http_beside_finish(&told->beside);
}

/* Room for `n` elements. NULL when there is no memory; then the old array stays. */
static void *grow(void *array, size_t n, size_t element_bytes)
{
    return n > SIZE_MAX / 2 / element_bytes ? NULL : realloc(array, n * element_bytes);
}

static hpf_str keep_text(http_told *told, hpf_str text)
{
    if (!told->arena) {
        told->arena = hpf_arena_create();
    }
    const char *copy = told->arena ? hpf_arena_text(told->arena, text) : NULL;
    if (!copy) {
        http_told_fall_behind(told);
        return (hpf_str){"", 0};
    }
    return (hpf_str){copy, text.length};
}

/* ---- names ---- */

static bool make_room_for_names(http_told *told, uint32_t n)
{
    if (n <= told->names_capacity) {
        return true;
    }
    size_t capacity = 2 * (size_t)n;
    http_told_name *names = grow(told->names, capacity, sizeof *names);
    told->names = names ? names : told->names;
    uint32_t *touched = grow(told->touched, capacity, sizeof *touched);
    told->touched = touched ? touched : told->touched;
    if (names && touched) {
        told->names_capacity = (uint32_t)capacity;
    }
    return names && touched;
}

void http_told_add_name(http_told *told, hpf_name name, hpf_str text)
{
    if (told->is_behind) {
        return;
    }
    if (name != told->n_names || !make_room_for_names(told, name + 1)) {
        http_told_fall_behind(told);
        return;
    }
    hpf_str kept = keep_text(told, text);
    told->names[told->n_names++] = (http_told_name){.place = UNUSED, .text = kept};
}

/* Lengthens the viewers' list. */
static bool give_place(http_told *told, http_told_name *name)
{
    if (told->n_places >= MOST_PLACES) {
        told->wants_snapshot = true;
        return false;
    }
    if (told->n_new_names == told->new_names_capacity) {
        size_t capacity = 2 * told->new_names_capacity + 16;
        hpf_str *names = grow(told->new_names, capacity, sizeof *names);
        if (!names) {
            return false;
        }
        told->new_names = names;
        told->new_names_capacity = capacity;
    }
    told->new_names[told->n_new_names++] = name->text;
    name->place = told->n_places++;
    return true;
}

/* One that has asked, and was found not large enough, asks again when it is twice as large. */
static void ask_for_place(http_told *told, http_told_name *name, double total)
{
    if (name->amount >= LEAST_SHARE * total && name->amount > 2 * name->asked) {
        name->asked = name->amount;
        told->wants_snapshot = true;
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

/* Adds up what each name has. Returns the number of names, in `touched`; false for a name that we
 * were not told. */
static bool add_up(http_told *told, const hpf_sample *sample, size_t *n_touched, double *total)
{
    told->n_samples++;
    *n_touched = 0;
    *total = 0;
    for (size_t i = 0; i < sample->n_costs; i++) {
        const hpf_cost *cost = &sample->costs[i];
        if (cost->name >= told->n_names) {
            return false;
        }
        http_told_name *name = &told->names[cost->name];
        if (name->sample != told->n_samples) {
            name->sample = told->n_samples;
            name->amount = 0;
            told->touched[(*n_touched)++] = cost->name;
        }
        name->amount += hpf_cost_amount(cost);
        *total += hpf_cost_amount(cost);
    }
    return true;
}

static void put_amounts(http_told *told, size_t n_touched, double total)
{
    const char *comma = "";
    for (size_t i = 0; i < n_touched; i++) {
        http_told_name *name = &told->names[told->touched[i]];
        if (name->place == IN_REST || (name->place == UNUSED && !give_place(told, name))) {
            ask_for_place(told, name, total);
            continue;
        }
        hpf_sink_text(told->samples, comma);
        hpf_sink_whole(told->samples, name->place);
        hpf_sink_text(told->samples, ",");
        put_number(told->samples, name->amount);
        comma = ",";
    }
}

static void put_sample(http_told *told, double time, size_t n_touched, double total)
{
    if (hpf_sink_position(told->samples) > 0) {
        hpf_sink_text(told->samples, ",");
    }
    hpf_sink_text(told->samples, "[");
    put_number(told->samples, time);
    hpf_sink_text(told->samples, ",");
    put_number(told->samples, total);
    hpf_sink_text(told->samples, ",[");
    put_amounts(told, n_touched, total);
    hpf_sink_text(told->samples, "]]");
}

void http_told_add_sample(http_told *told, const hpf_sample *sample)
{
    size_t n_touched;
    double total;
    bool is_late = sample->time < told->last_time;
    told->last_time = sample->time;
    if (told->is_behind) {
        return;
    }
    if (!told->samples) {
        told->samples = hpf_sink_to_memory();
    }
    if (is_late || !told->samples || hpf_sink_position(told->samples) > MOST_WAITING_BYTES ||
        !add_up(told, sample, &n_touched, &total)) {
        http_told_fall_behind(told);
        return;
    }
    put_sample(told, sample->time, n_touched, total);
}

static void flush_samples(http_told *told, http_channel *to)
{
    hpf_sink *message = told->samples ? http_channel_open(to, "samples") : NULL;
    if (message) {
        hpf_sink_printf(message, "{\"id\":%u,\"names\":", (unsigned)told->of->number);
        hpr_html_names_json(told->new_names, told->n_new_names, message);
        hpf_sink_text(message, ",\"samples\":[");
        hpf_sink_str(message, hpf_sink_bytes(told->samples));
        hpf_sink_text(message, "]}");
    }
    http_channel_send(to, message);
}

/* ---- all that waits ---- */

void http_told_add_mark(http_told *told, double time, hpf_str label)
{
    if (!told->is_behind && !http_beside_add_mark(&told->beside, time, label)) {
        http_told_fall_behind(told);
    }
}

void http_told_add_line(http_told *told, hpf_str name, hpf_quantity_point point)
{
    if (!told->is_behind && !http_beside_add_line(&told->beside, name, point)) {
        http_told_fall_behind(told);
    }
}

void http_told_flush(http_told *told, http_channel *to)
{
    http_beside_flush(&told->beside, told->of->number, to);
    flush_samples(told, to);
    hpf_sink_destroy(told->samples);
    told->samples = NULL;
    told->n_new_names = 0;
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

static void put_state(const http_told *told, hpf_sink *sink)
{
    const watched *of = told->of;
    hpf_json json = hpf_json_begin_line(sink);
    hpf_json_object(&json, NULL);
    hpf_json_whole(&json, "id", of->number);
    hpf_json_text(&json, "name", of->name);
    hpf_json_text(&json, "state", name_of_state(of));
    hpf_json_text(&json, "message", of->message);
    hpf_json_text(&json, "caveat", of->caveat);
    hpf_json_bool(&json, "control", of->can_control);
    if (of->last_sample_s > 0) {
        hpf_json_number(&json, "age_s", loop_now_s() - of->last_sample_s);
    } else {
        hpf_json_text(&json, "age_s", NULL);
    }
    hpf_json_end(&json);
}

void http_told_flush_state(http_told *told, http_channel *to)
{
    hpf_sink *message = told->has_news ? http_channel_open(to, "state") : NULL;
    if (message) {
        put_state(told, message);
        told->has_news = false;
    }
    http_channel_send(to, message);
}

/* ---- snapshots ---- */

/* Viewers have the list of names that `chosen` tells. */
static bool note_places(http_told *told, const uint32_t *chosen, uint32_t n_names)
{
    if (!make_room_for_names(told, n_names)) {
        return false;
    }
    told->n_places = 0;
    for (uint32_t i = 0; i < n_names; i++) {
        double asked = i < told->n_names ? told->names[i].asked : 0;
        bool has_place = chosen[i] != UINT32_MAX;
        told->names[i] = (http_told_name){.place = has_place ? chosen[i] : IN_REST, .asked = asked};
        if (has_place && chosen[i] >= told->n_places) {
            told->n_places = chosen[i] + 1;
        }
    }
    told->n_names = n_names;
    return true;
}

/* Writes the profile, and begins to tell what comes after it. */
static bool put_profile(http_told *told, hpf_survey *survey, size_t most_bytes, hpf_sink *sink)
{
    const hpr_html_profile about = {
        .id = told->of->number,
        .epoch = told->of->epoch,
        .file = told->of->name,
        .state = name_of_state(told->of),
    };
    const hpr_html_limits limits = {
        .most_bytes = most_bytes,
        .most_names = MOST_PLACES_AT_FIRST,
    };
    uint32_t *chosen = NULL;
    hpf_error err;
    http_told_fall_behind(told);
    bool is_told = hpr_html_profile_json(survey, &about, &limits, sink, &chosen, &err) == HPF_OK &&
                   note_places(told, chosen, hpf_survey_n_names(survey));
    free(chosen);
    told->is_behind = !is_told;
    told->wants_snapshot = false;
    return is_told;
}

static hpf_survey *take_survey(const http_told *told)
{
    hpf_survey *survey = NULL;
    hpf_error err;
    return hpf_live_snapshot(&survey, told->of->live, &err) == HPF_OK ? survey : NULL;
}

bool http_told_send_snapshot(http_told *told, size_t most_bytes, http_channel *to)
{
    hpf_survey *survey = take_survey(told);
    hpf_sink *message = survey ? http_channel_open(to, "snapshot") : NULL;
    if (!message) {
        return false;
    }
    bool is_told = put_profile(told, survey, most_bytes, message);
    if (is_told) {
        http_channel_send(to, message);
    } else {
        hpf_sink_destroy(message);
    }
    return is_told;
}

bool http_told_put_base(http_told *told, size_t most_bytes, const http_channel *to, hpf_sink *base,
                        uint64_t number)
{
    hpf_survey *survey = take_survey(told);
    if (survey) {
        http_event_begin(base, to, "snapshot", 0);
        if (!put_profile(told, survey, most_bytes, base)) {
            return false;
        }
        http_event_end(base);
    }
    http_event_begin(base, to, "state", number);
    put_state(told, base);
    http_event_end(base);
    told->has_news = false;
    return true;
}
