/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of a survey: points in any order, thinned by time when they become too many.
 */
#ifndef HPF_LINES_H
#define HPF_LINES_H

#include "hpfile/arena.h"
#include "hpfile/overview.h"

#define HPF__LINE_MAX_POINTS 16384

typedef struct hpf__line {
    hpf_str name;
    hpf_line_point *points;
    size_t n_points, capacity;
} hpf__line;

typedef struct hpf__lines {
    hpf__line *all;
    size_t n_lines, capacity;
    hpf_line *settled; /* what hpf__lines_settle made */
} hpf__lines;

/* False when there is no memory. A name that is new is copied into the arena. */
bool hpf__lines_add(hpf__lines *lines, hpf_arena *arena, hpf_str name, hpf_line_point point);

/* The copy of the name of a line that was added. */
hpf_str hpf__lines_name(const hpf__lines *lines, hpf_str name);

/* Sorts all points; the lines are then in `settled`. False when there is no memory. */
bool hpf__lines_settle(hpf__lines *lines);
void hpf__lines_finish(hpf__lines *lines);

#endif
