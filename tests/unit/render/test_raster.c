/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coverage of pixels: exact areas, the whole area, and what is left to others.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "raster.h"

#define SIDE 40

static uint32_t pixels[SIDE][SIDE];
static hpr__raster *raster;

static void begin(void)
{
    memset(pixels, 0xFF, sizeof pixels);
    raster = hpr__raster_create((unsigned char *)pixels, SIDE, SIDE, sizeof pixels[0]);
}

static void end(void)
{
    hpr__raster_destroy(raster);
}

TestSuite(raster, .init = begin, .fini = end);

static const hpr_paint black = {.on = true};

static void fill(const hpr_point *points, size_t n)
{
    const hpr_item item = {
        .kind = HPR_ITEM_POLYGON, .points = points, .n_points = n, .fill = black};
    hpr__raster_draw(raster, &item, 1, 0);
}

/* How black a pixel is, 0 to 1. */
static double ink(unsigned x, unsigned y)
{
    return 1 - (pixels[y][x] & 0xFF) / 255.0;
}

static double all_ink(void)
{
    double sum = 0;
    for (unsigned y = 0; y < SIDE; y++) {
        for (unsigned x = 0; x < SIDE; x++) {
            sum += ink(x, y);
        }
    }
    return sum;
}

Test(raster, parts_of_pixels)
{
    const hpr_point box[] = {{1.25, 1}, {3, 1}, {3, 2.5}, {2, 2.5}, {1.25, 2.5}};
    fill(box, 5);
    cr_assert_float_eq(ink(1, 1), 0.75, 0.01);
    cr_assert_float_eq(ink(2, 1), 1, 0.001);
    cr_assert_float_eq(ink(1, 2), 0.375, 0.01);
    cr_assert_float_eq(ink(2, 2), 0.5, 0.01);
    cr_assert_float_eq(ink(3, 1), 0, 0.001);
    cr_assert_float_eq(ink(0, 1), 0, 0.001);
}

/* Slopes of all kinds, in both senses of rotation: the ink adds up to the area. */
Test(raster, ink_is_area)
{
    hpr_point points[9];
    for (int turn = 0; turn < 50; turn++) {
        double area = 0;
        for (int i = 0; i < 9; i++) {
            double angle = (turn % 2 ? -1 : 1) * (i * 0.69813 + turn * 0.1);
            points[i] = (hpr_point){20 + (12 + i) * cos(angle), 20 + (12 + i) * sin(angle)};
        }
        for (int i = 0; i < 9; i++) {
            hpr_point a = points[i];
            hpr_point b = points[(i + 1) % 9];
            area += (a.x_pt * b.y_pt - b.x_pt * a.y_pt) / 2;
        }
        memset(pixels, 0xFF, sizeof pixels);
        fill(points, 9);
        cr_assert_float_eq(all_ink(), fabs(area), 0.3, "turn %d", turn);
    }
}

Test(raster, shapes_do_not_leave_traces_for_the_next)
{
    const hpr_point far[] = {{30, 30}, {39, 30}, {40, 40}, {35, 40}, {30, 40}};
    const hpr_point near[] = {{1, 1}, {3, 1}, {3, 3}, {2, 3}, {1, 3}};
    fill(far, 5);
    memset(pixels, 0xFF, sizeof pixels);
    fill(near, 5);
    cr_assert_float_eq(all_ink(), 4, 0.01);
}

Test(raster, lines_have_their_width)
{
    const hpr_point points[] = {{5, 10}, {10, 10}, {20, 10}, {25, 10}, {35, 10}};
    const hpr_item item = {.kind = HPR_ITEM_LINE,
                           .points = points,
                           .n_points = 5,
                           .stroke = {.on = true, .width_pt = 1}};
    hpr__raster_draw(raster, &item, 1, 0);
    cr_assert_float_eq(all_ink(), 30, 0.3);
    cr_assert_float_eq(ink(15, 9), 0.5, 0.01);
    cr_assert_float_eq(ink(15, 10), 0.5, 0.01);
}

Test(raster, colours_mix)
{
    const hpr_point box[] = {{1.5, 1}, {3, 1}, {3, 2}, {2, 2}, {1.5, 2}};
    const hpr_item item = {.kind = HPR_ITEM_POLYGON,
                           .points = box,
                           .n_points = 5,
                           .fill = {.on = true, .colour = {1, 0, 0.5}}};
    hpr__raster_draw(raster, &item, 1, 0);
    cr_assert_eq(pixels[1][2] & 0xFFFFFF, 0xFF0080);
    cr_assert_eq(pixels[1][1] & 0xFFFFFF, 0xFF80C0);
}

Test(raster, scale_and_place)
{
    const hpr_point box[] = {{1, 1}, {2, 1}, {2, 2}, {1.5, 2}, {1, 2}};
    const hpr_item item = {.kind = HPR_ITEM_POLYGON, .points = box, .n_points = 5, .fill = black};
    hpr__raster_draw(raster, &item, 3, 10);
    cr_assert_float_eq(all_ink(), 9, 0.01);
    cr_assert_float_eq(ink(3, 13), 1, 0.001);
    cr_assert_float_eq(ink(5, 15), 1, 0.001);
}

/* The quarter of a box, and of its line, that is on the picture. */
Test(raster, what_lies_outside_is_cut_off)
{
    const hpr_point box[] = {{-10, -10}, {10, -10}, {10, 10}, {0, 10}, {-10, 10}};
    const hpr_point far[] = {{1e12, 1e12}, {-1e12, 30}, {-1e12, 1e12}, {0, 1e300}, {-1e300, 5}};
    fill(box, 5);
    cr_assert_float_eq(all_ink(), 100, 0.1);
    memset(pixels, 0xFF, sizeof pixels);
    const hpr_point corner[] = {{30, 30}, {50, 30}, {50, 50}, {30, 50}};
    fill(corner, 4);
    cr_assert_float_eq(all_ink(), 100, 0.1);
    fill(far, 5);
}

Test(raster, what_is_no_number_draws_nothing_there)
{
    const hpr_point points[] = {{1, 1}, {NAN, 2}, {2, NAN}, {INFINITY, 3}, {1, -INFINITY}};
    const hpr_item item = {.kind = HPR_ITEM_POLYGON,
                           .points = points,
                           .n_points = 5,
                           .fill = black,
                           .stroke = {.on = true, .width_pt = 1, .dash_pt = 1}};
    hpr__raster_draw(raster, &item, 1, 0);
    cr_assert_float_eq(ink(39, 39), 0, 0.001);
}

static double stroke(const hpr_point *points, size_t n, hpr_item_kind kind, hpr_paint paint)
{
    const hpr_item item = {.kind = kind, .points = points, .n_points = n, .stroke = paint};
    paint.on = true;
    hpr__raster_draw(raster, &item, 1, 0);
    return all_ink();
}

Test(raster, boxes_have_sharp_corners)
{
    const hpr_point box[] = {{10, 10}, {30, 10}, {30, 30}, {10, 30}};
    const hpr_paint line = {.on = true, .width_pt = 4};
    cr_assert_float_eq(stroke(box, 4, HPR_ITEM_POLYGON, line), 24 * 24 - 16 * 16, 0.5);
    cr_assert_float_eq(ink(8, 8), 1, 0.001);
}

Test(raster, wide_lines_have_round_joins)
{
    const hpr_point bend[] = {{10, 30}, {30, 30}, {30, 10}};
    const hpr_paint line = {.on = true, .width_pt = 8};
    /* Two bars that share a quarter of a disc's square, and the quarter of the disc outside. */
    cr_assert_float_eq(stroke(bend, 3, HPR_ITEM_LINE, line), 2 * 160 - 16 + 4 * 3.1416, 1);
    cr_assert_float_eq(ink(33, 33), 0, 0.3);
    cr_assert_float_eq(ink(31, 31), 1, 0.01);
}

Test(raster, dashes_run_on_around_corners)
{
    const hpr_point bend[] = {{5, 10}, {12, 10}, {12, 35}};
    const hpr_paint line = {.on = true, .width_pt = 2, .dash_pt = 4};
    cr_assert_float_eq(stroke(bend, 3, HPR_ITEM_LINE, line), 2 * 16, 0.6);
    cr_assert_float_eq(ink(6, 10), 1, 0.01);
    cr_assert_float_eq(ink(10, 10), 0, 0.01);
    cr_assert_float_eq(ink(12, 12), 1, 0.01);
    cr_assert_float_eq(ink(12, 16), 0, 0.01);
}
