/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The edge of a band, simplified to what a page can show: so the size of a scene is bounded by the
 * page, not by the profile.
 *
 * First the plot is cut into columns. Of the points in a column only the first, the lowest, the
 * highest and the last stay. Then points on nearly straight stretches are removed by cone
 * intersection (Sklansky and Gonzalez, 1980): for each point that stays, keep the range of slopes
 * that pass all later points within the tolerance; when it becomes empty, the point before stays.
 */
#ifndef HPR_CURVE_H
#define HPR_CURVE_H

#include "draw/scene_builder.h"
#include "hprender/render.h"

typedef struct hpr__fineness {
    double column_pt;
    double tolerance_pt; /* upwards and downwards */
} hpr__fineness;

/* Returns the fineness for `options`: simplified curves are at most options->tolerance_pt from the
 * real ones, except that columns are wider with options->most_points. */
hpr__fineness hpr__fineness_of(const hpr_options *options, double plot_width_pt);

/* Writes the increasing indices of the points that stay to `shown`, which has room for `n`, and
 * returns their number. x_pt must not decrease. The ends, the lowest and the highest point, and the
 * `n_kept` points of `kept`, in any order, stay. */
size_t hpr__simplify_polyline(size_t *shown, const hpr_point *points, size_t n, const size_t *kept,
                              size_t n_kept, hpr__fineness fineness);

/* One curve is reused for all edges of a picture. */
typedef struct hpr__curve {
    hpr_point *points; /* filled in by the caller, from left to right */
    size_t n_points;
    size_t *shown; /* indices of the points that are drawn */
    size_t n_shown;
} hpr__curve;

/* Allocates `n_points` points. Without memory, returns false and marks `builder` as failed. */
bool hpr__curve_init(hpr__curve *out, hpr__builder *builder, size_t n_points);
void hpr__curve_finish(hpr__curve *curve);

/* Chooses the points that are drawn. The smallest and the largest of the `n` values of the bands
 * below and above the curve stay; NULL for no band. */
void hpr__curve_simplify(hpr__curve *curve, const double *below, const double *above, size_t n,
                         hpr__fineness fineness);

/* Returns the last point, an index of `shown`, of a stretch from point `begin`, not the last one,
 * along which a stroke of `width_pt` is equally crowded. Sets `crowding`: 0 if steep pieces cover
 * at most half of the width of the stretch; one more each time that the share doubles. */
enum { HPR__MOST_CROWDED = 4 };
size_t hpr__curve_stretch(const hpr__curve *curve, size_t begin, double width_pt,
                          unsigned *crowding);

/* Returns the curve->n_shown points that are drawn, owned by the scene; NULL without memory. */
hpr_point *hpr__curve_points(hpr__builder *builder, const hpr__curve *curve);

/* Returns the `*n` corners of the area between two curves, owned by the scene: along one and back
 * along the other; NULL without memory. */
hpr_point *hpr__curve_area(hpr__builder *builder, const hpr__curve *along, const hpr__curve *back,
                           size_t *n);

#endif
