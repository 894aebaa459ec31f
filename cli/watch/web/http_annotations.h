/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Marks and points of quantities for viewers. They are collected until they are sent, so that
 * points of a quantity are sent together.
 */
#ifndef CENSUS_WATCH_HTTP_ANNOTATIONS_H
#define CENSUS_WATCH_HTTP_ANNOTATIONS_H

#include "base/arena.h"

#include "http_ring.h"

typedef struct http_annotation http_annotation;

/* All zero: empty. */
typedef struct http_annotations {
    http_annotation *points;
    size_t n_points, capacity;
    hpf_arena *arena; /* holds the labels */
} http_annotations;

void http_annotations_finish(http_annotations *annotations);
void http_annotations_clear(http_annotations *annotations);

/* Returns false if there are too many to send one by one, or without memory. The name of a quantity
 * is borrowed. */
bool http_annotations_add_mark(http_annotations *annotations, double time, hpf_str label);
bool http_annotations_add_line(http_annotations *annotations, hpf_str name,
                               hpf_quantity_point point);

/* Sends and clears the annotations of the profile `id`. */
void http_annotations_flush(http_annotations *annotations, uint32_t id, http_channel *to);

#endif
