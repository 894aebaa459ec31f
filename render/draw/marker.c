/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Regular polygons, turned, all of about the same area.
 */
#include "draw/marker.h"

#include <math.h>

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

void hpr__marker(hpr__builder *ink, hpr_point at, unsigned marker, hpr_colour colour,
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
    hpr__builder_polygon(ink, corners, (size_t)n, hpr__paint_fill(is_hollow ? paper : colour),
                         hpr__paint_stroke(colour, EDGE_PT));
}
