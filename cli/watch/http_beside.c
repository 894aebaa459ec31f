/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One array of both kinds. The data is described in docs/formats/page.md.
 */
#include "base/arena.h"
#include "http_beside.h"

#include <stdlib.h>

#include "io/json.h"

enum { MOST_POINTS = 2048 };

/* A mark, or a point of a line; `text` is the label, or the name of the line. */
struct http_beside_point {
    bool is_mark;
    bool is_sent;
    hpf_str text;
    double time, value;
};

void http_beside_clear(http_beside *beside)
{
    hpf_arena_destroy(beside->arena);
    beside->arena = NULL;
    beside->n_points = 0;
}

void http_beside_finish(http_beside *beside)
{
    http_beside_clear(beside);
    free(beside->points);
    *beside = (http_beside){.points = NULL};
}

static bool make_room(http_beside *beside)
{
    if (beside->n_points < beside->capacity) {
        return true;
    }
    size_t capacity = beside->capacity ? 2 * beside->capacity : 16;
    http_beside_point *points =
        capacity > MOST_POINTS ? NULL : realloc(beside->points, capacity * sizeof *points);
    if (points) {
        beside->points = points;
        beside->capacity = capacity;
    }
    return points != NULL;
}

bool http_beside_add_mark(http_beside *beside, double time, hpf_str label)
{
    if (!beside->arena) {
        beside->arena = hpf_arena_create();
    }
    const char *copy = beside->arena ? hpf_arena_text(beside->arena, label) : NULL;
    if (!copy || !make_room(beside)) {
        return false;
    }
    beside->points[beside->n_points++] =
        (http_beside_point){.is_mark = true, .text = {copy, label.length}, .time = time};
    return true;
}

bool http_beside_add_line(http_beside *beside, hpf_str name, hpf_quantity_point point)
{
    if (!make_room(beside)) {
        return false;
    }
    beside->points[beside->n_points++] =
        (http_beside_point){.text = name, .time = point.time, .value = point.value};
    return true;
}

static void put_mark(hpf_json *json, const http_beside_point *mark)
{
    hpf_json_number(json, "time", mark->time);
    hpf_json_bytes(json, "label", mark->text);
}

/* All points from `first` on that are of its line. */
static void put_line(hpf_json *json, http_beside *beside, size_t first)
{
    hpf_str name = beside->points[first].text;
    hpf_json_bytes(json, "name", name);
    hpf_json_array(json, "points");
    for (size_t i = first; i < beside->n_points; i++) {
        http_beside_point *point = &beside->points[i];
        if (!point->is_mark && point->text.data == name.data) {
            hpf_json_array(json, NULL);
            hpf_json_number(json, NULL, point->time);
            hpf_json_number(json, NULL, point->value);
            hpf_json_close(json);
            point->is_sent = true;
        }
    }
}

static void send_from(http_beside *beside, size_t first, uint32_t id, http_channel *to)
{
    const http_beside_point *point = &beside->points[first];
    hpf_sink *message = http_channel_open(to, point->is_mark ? "mark" : "line");
    if (!message) {
        return;
    }
    hpf_json json = hpf_json_begin_line(message);
    hpf_json_object(&json, NULL);
    hpf_json_whole(&json, "id", id);
    if (point->is_mark) {
        put_mark(&json, point);
    } else {
        put_line(&json, beside, first);
    }
    hpf_json_end(&json);
    http_channel_send(to, message);
}

void http_beside_flush(http_beside *beside, uint32_t id, http_channel *to)
{
    for (size_t i = 0; i < beside->n_points; i++) {
        if (!beside->points[i].is_sent) {
            send_from(beside, i, id, to);
        }
    }
    http_beside_clear(beside);
}
