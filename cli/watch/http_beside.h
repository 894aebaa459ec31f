/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What stands beside the samples of a profile, on its way to viewers: marks, and points of lines.
 * They are kept until they are sent, so that the points of a line go together.
 */
#ifndef CENSUS_WATCH_HTTP_BESIDE_H
#define CENSUS_WATCH_HTTP_BESIDE_H

#include "base/arena.h"

#include "http_channel.h"

typedef struct http_beside_point http_beside_point;

/* All zero is empty. */
typedef struct http_beside {
    http_beside_point *points;
    size_t n_points, capacity;
    hpf_arena *arena; /* of labels */
} http_beside;

void http_beside_finish(http_beside *beside);
void http_beside_clear(http_beside *beside);

/* False when there are too many to be told one by one, or no memory. The name of a line stays the
 * caller's, and where it is. */
bool http_beside_add_mark(http_beside *beside, double time, hpf_str label);
bool http_beside_add_line(http_beside *beside, hpf_str name, hpf_quantity_point point);

/* Sends what there is, as the profile `id`, and forgets it. */
void http_beside_flush(http_beside *beside, uint32_t id, http_channel *to);

#endif
