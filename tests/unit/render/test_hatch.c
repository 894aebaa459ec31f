/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Hatches: strokes stay inside their polygon and cover it evenly; bands that touch differ.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/shapes.h"
#include "hprender/render.h"
#include "style/fill.h"

static hpr_scene *hatched(const hpr_point *points, size_t n, double angle_deg, double gap_pt)
{
    hpr__builder *builder = hpr__builder_create(200, 200);
    hpr_scene *scene = NULL;
    hpf_error err;
    hpr__builder_page(builder, NULL);
    hpr__hatch(builder, points, n, angle_deg, gap_pt,
               hpr__paint_stroke((hpr_colour){0, 0, 0}, 0.3));
    cr_assert_eq(hpr__builder_finish(builder, &scene, &err), HPF_OK);
    return scene;
}

static double total_length(const hpr_scene *scene)
{
    double length = 0;
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        if (item->kind == HPR_ITEM_LINE) {
            cr_assert_eq(item->n_points, 2);
            length += hypot(item->points[1].x_pt - item->points[0].x_pt,
                            item->points[1].y_pt - item->points[0].y_pt);
        }
    }
    return length;
}

/* Checks that the total length of the lines is the area divided by the gap. */
static void check_cover(const hpr_point *points, size_t n, double area)
{
    static const double angles_deg[] = {0, 45, 90, 135, 30};
    for (size_t i = 0; i < sizeof angles_deg / sizeof *angles_deg; i++) {
        hpr_scene *scene = hatched(points, n, angles_deg[i], 0.5);
        double length = total_length(scene);
        cr_expect(fabs(length * 0.5 / area - 1) < 0.02, "%g degrees: %g", angles_deg[i], length);
        hpr_scene_destroy(scene);
    }
}

Test(hatch, covers_a_polygon_but_not_its_holes)
{
    const hpr_point box[] = {{10, 10}, {110, 10}, {110, 60}, {10, 60}};
    const hpr_point notched[] = {{10, 10}, {110, 10}, {110, 60}, {60, 20}, {10, 60}};
    check_cover(box, 4, 5000);
    check_cover(notched, 5, 5000 - 0.5 * 100 * 40);
}

Test(hatch, nothing_to_draw)
{
    const hpr_point flat[] = {{10, 10}, {110, 10}, {110, 10}, {10, 10}};
    hpr_scene *scene = hatched(flat, 4, 45, 3);
    cr_expect_eq(total_length(scene), 0);
    hpr_scene_destroy(scene);
}

/* Dashes are on one grid for any start of the polygon, and no line is outside of it. */
Test(hatch, dashes_are_aligned_and_staggered)
{
    const hpr_point slanted[] = {{10.3, 10}, {110, 10}, {110, 60}, {40.9, 60}};
    hpr__builder *builder = hpr__builder_create(200, 200);
    hpr_scene *scene = NULL;
    hpr_paint paint = hpr__paint_stroke((hpr_colour){0, 0, 0}, 1);
    paint.dash_pt = 1;
    hpr__builder_page(builder, NULL);
    hpr__hatch(builder, slanted, 4, 0, 2, paint);
    cr_assert_eq(hpr__builder_finish(builder, &scene, NULL), HPF_OK);
    int n_lines = 0;
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        if (item->kind == HPR_ITEM_LINE) {
            long begin = lround(item->points[0].x_pt), row = lround(item->points[0].y_pt / 2);
            cr_expect_float_eq(item->points[0].x_pt, begin, 1e-9);
            cr_expect_eq(begin % 2, row % 2);
            cr_expect_geq(begin, 10);
            n_lines++;
        }
    }
    cr_expect_eq(n_lines, 25);
    hpr_scene_destroy(scene);
}

/* Returns whether a reader of a page in black and white sees that two fills are different: by
 * direction, crossing, dots, by 1.5 times the distance or twice the width of lines, or by grey. */
static bool is_visibly_different(const hpr_fill *x, const hpr_fill *y)
{
    if (fabs(x->colour.red - y->colour.red) >= 0.14 ||
        (x->hatch_gap_pt == 0) != (y->hatch_gap_pt == 0)) {
        return true;
    }
    return x->hatch_gap_pt > 0 &&
           (x->hatch_deg != y->hatch_deg || x->hatch_is_crossed != y->hatch_is_crossed ||
            (x->hatch_dash_pt > 0) != (y->hatch_dash_pt > 0) ||
            fmax(x->hatch_gap_pt, y->hatch_gap_pt) >=
                1.5 * fmin(x->hatch_gap_pt, y->hatch_gap_pt) ||
            fmax(x->hatch_line_pt, y->hatch_line_pt) >=
                2 * fmin(x->hatch_line_pt, y->hatch_line_pt));
}

static bool has_direction(const hpr_fill *fill, double deg)
{
    return fill->hatch_gap_pt > 0 && fill->hatch_dash_pt == 0 &&
           (fill->hatch_deg == deg || (fill->hatch_is_crossed && fill->hatch_deg + 90 == deg) ||
            (fill->hatch_is_crossed && fill->hatch_deg - 90 == deg));
}

static bool share_direction(const hpr_fill *x, const hpr_fill *y)
{
    bool is_shared = false;
    for (double deg = 0; deg < 180; deg += 45) {
        is_shared |= has_direction(x, deg) && has_direction(y, deg);
    }
    return is_shared;
}

/* The default number of bands of `census plot`, and OTHER, with any names. */
Test(print_fill, all_bands_of_a_picture_differ)
{
    enum { N = 16, N_PICTURES = 50 };
    static char names[N][32];
    for (int picture = 0; picture < N_PICTURES; picture++) {
        hpr__swatch swatches[N] = {{.weight = 1}};
        hpr_fill fills[N];
        for (int i = 0; i < N; i++) {
            snprintf(names[i], sizeof names[i], "(%d)name%d", i, picture * 1000 + i * i);
            swatches[i].name = (hpf_str){names[i], strlen(names[i])};
            swatches[i].is_other = i == N - 1;
        }
        hpr__print_style_choose(fills, swatches, N);
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < i; k++) {
                cr_expect(is_visibly_different(&fills[i], &fills[k]), "%d: %d and %d", picture, i,
                          k);
            }
        }
    }
}

Test(print_fill, bands_that_touch_never_share_an_angle)
{
    enum { N = 60 };
    static char names[N][16];
    hpr__swatch swatches[N] = {{.weight = 1}};
    hpr_fill fills[N];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "(%d)name%d", i, i * i);
        swatches[i].name = (hpf_str){names[i], strlen(names[i])};
        swatches[i].is_other = i == N - 1;
    }
    hpr__print_style_choose(fills, swatches, N);
    for (int i = 1; i < N; i++) {
        cr_expect_not(share_direction(&fills[i], &fills[i - 1]), "%d", i);
        cr_expect(is_visibly_different(&fills[i], &fills[i - 1]), "%d", i);
        cr_expect(fills[i].is_gray);
    }
}

Test(print_fill, bands_that_touch_in_any_of_several_stacks_differ)
{
    enum { N = 60 };
    static char names[N][16];
    hpr__swatch swatches[N] = {{.weight = 1}};
    hpr_fill fills[N];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "name%d", i * i);
        swatches[i].name = (hpf_str){names[i], strlen(names[i])};
        swatches[i].absent = i % 2; /* bit 0: every other band is missing */
    }
    hpr__print_style_choose(fills, swatches, N);
    for (int i = 2; i < N; i++) {
        cr_expect_not(share_direction(&fills[i], &fills[i - 1]), "%d", i);
        cr_expect(i % 2 == 1 || !share_direction(&fills[i], &fills[i - 2]), "%d", i);
    }
}
