/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Hatch: each edge of the polygon crosses some lines of a grid; the sorted crossings of one line
 * are the ends of its strokes. Markers: regular polygons, all of about the same area.
 */
#include "draw/shapes.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

#define DEGREE 0.017453292519943295

/* A crossing with line k of the grid, which is at distance k * gap_pt along the normal. */
typedef struct crossing {
    int64_t line;
    double along;
} crossing;

typedef struct grid {
    double dx, dy; /* direction of the lines, y downwards */
    double gap_pt;
    crossing *crossings;
    size_t n, capacity;
} grid;

static double along(const grid *g, hpr_point p)
{
    return p.x_pt * g->dx + p.y_pt * g->dy;
}

/* Returns the distance along the normal, in gaps. */
static double across(const grid *g, hpr_point p)
{
    return (p.y_pt * g->dx - p.x_pt * g->dy) / g->gap_pt;
}

/* Adds the crossings of an edge, which has its lower end but not its upper one: a line through a
 * corner crosses once. Returns false without memory. */
static bool cross_edge(grid *g, hpr_point a, hpr_point b)
{
    double from = across(g, a);
    double to = across(g, b);
    if (from > to) {
        return cross_edge(g, b, a);
    }
    for (double line = ceil(from); line < to; line++) {
        double share = (line - from) / (to - from);
        double where = along(g, a) + share * (along(g, b) - along(g, a));
        crossing here = {(int64_t)line, where};
        if (!HPF__ARRAY_PUSH(g->crossings, g->n, g->capacity, here)) {
            return false;
        }
    }
    return true;
}

static int compare_crossings(const void *a, const void *b)
{
    const crossing *x = a;
    const crossing *y = b;
    if (x->line != y->line) {
        return x->line < y->line ? -1 : 1;
    }
    return x->along < y->along ? -1 : x->along > y->along;
}

static hpr_point place_of(const grid *g, const crossing *c)
{
    double distance = (double)c->line * g->gap_pt;
    return (hpr_point){c->along * g->dx - distance * g->dy, c->along * g->dy + distance * g->dx};
}

void hpr__hatch(hpr__builder *builder, const hpr_point *points, size_t n, double angle_deg,
                double gap_pt, hpr_paint paint)
{
    grid g = {.dx = cos(angle_deg * DEGREE), .dy = -sin(angle_deg * DEGREE), .gap_pt = gap_pt};
    bool is_whole = points != NULL;
    for (size_t i = 0; is_whole && i < n; i++) {
        is_whole = cross_edge(&g, points[i], points[(i + 1) % n]);
    }
    if (is_whole && g.n > 0) {
        qsort(g.crossings, g.n, sizeof *g.crossings, compare_crossings);
    }
    for (size_t i = 0; is_whole && i + 1 < g.n; i += 2) {
        hpr_point ends[2] = {place_of(&g, &g.crossings[i]), place_of(&g, &g.crossings[i + 1])};
        hpr__builder_line(builder, ends, 2, paint);
    }
    free(g.crossings);
}

#define EDGE_PT 0.6

enum { N_SHAPES = HPR__N_MARKERS / 2, MOST_CORNERS = 12 };

static const struct {
    int n_corners;
    double radius_pt, turn_deg; /* of the first corner, clockwise from the right */
} shapes[N_SHAPES] = {
    {MOST_CORNERS, 1.9, 0}, /* circle */
    {4, 2.3, 45},           /* square */
    {3, 2.6, -90},          /* triangle */
    {4, 2.7, 0},            /* diamond */
    {3, 2.6, 90},           /* triangle upside down */
};

void hpr__marker(hpr__builder *builder, hpr_point at, unsigned marker, hpr_colour colour,
                 hpr_colour paper)
{
    unsigned shape = (marker - 1) % N_SHAPES;
    bool is_hollow = (marker - 1) / N_SHAPES % 2 != 0;
    int n = shapes[shape].n_corners;
    hpr_point corners[MOST_CORNERS];
    for (int i = 0; i < n; i++) {
        double angle = (shapes[shape].turn_deg / 360 + (double)i / n) * 6.283185307179586;
        corners[i].x_pt = at.x_pt + shapes[shape].radius_pt * cos(angle);
        corners[i].y_pt = at.y_pt + shapes[shape].radius_pt * sin(angle);
    }
    hpr__builder_polygon(builder, corners, (size_t)n, hpr__paint_fill(is_hollow ? paper : colour),
                         hpr__paint_stroke(colour, EDGE_PT));
}
