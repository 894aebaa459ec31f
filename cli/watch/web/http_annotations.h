/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What stands annotations the samples of a profile, on its way to viewers: marks, and points of
 * lines. They are kept until they are sent, so that the points of a line go together.
 */
#ifndef CENSUS_WATCH_HTTP_ANNOTATIONS_H
#define CENSUS_WATCH_HTTP_ANNOTATIONS_H

#include "hpfile/arena.h"

#include "http_ring.h"

typedef struct http_annotation http_annotation;

/* All zero is empty. */
typedef struct http_annotations {
    http_annotation *points;
    size_t n_points, capacity;
    hpf_arena *arena; /* of labels */
} http_annotations;

void http_annotations_finish(http_annotations *annotations);
void http_annotations_clear(http_annotations *annotations);

/* False when there are too many to be feed one by one, or no memory. The name of a line stays the
 * caller's, and where it is. */
bool http_annotations_add_mark(http_annotations *annotations, double time, hpf_str label);
bool http_annotations_add_line(http_annotations *annotations, hpf_str name, hpf_line_point point);

/* Sends what there is, as the profile `id`, and forgets it. */
void http_annotations_flush(http_annotations *annotations, uint32_t id, http_channel *to);

#endif
