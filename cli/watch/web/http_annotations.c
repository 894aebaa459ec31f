/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeps both kinds in one array. docs/formats/page.md describes the data.
 */
#include "http_annotations.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"

enum { MOST_POINTS = 2048 };

/* A mark, or a point of a quantity; `text` is the label, or the name of the quantity. */
struct http_annotation {
    bool is_mark;
    bool is_sent;
    hpf_str text;
    double time, value;
};

void http_annotations_clear(http_annotations *annotations)
{
    hpf_arena_destroy(annotations->arena);
    annotations->arena = NULL;
    annotations->n_points = 0;
}

void http_annotations_finish(http_annotations *annotations)
{
    http_annotations_clear(annotations);
    free(annotations->points);
    *annotations = (http_annotations){.points = NULL};
}

static bool push(http_annotations *a, http_annotation point)
{
    return a->n_points < MOST_POINTS && HPF__ARRAY_PUSH(a->points, a->n_points, a->capacity, point);
}

bool http_annotations_add_mark(http_annotations *annotations, double time, hpf_str label)
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

bool http_annotations_add_line(http_annotations *annotations, hpf_str name,
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

void http_annotations_flush(http_annotations *annotations, uint32_t id, http_channel *to)
{
    for (size_t i = 0; i < annotations->n_points; i++) {
        if (!annotations->points[i].is_sent) {
            send_from(annotations, i, id, to);
        }
    }
    http_annotations_clear(annotations);
}
