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

static bool fill(const hpr_point *points, size_t n)
{
    const hpr_item item = {
        .kind = HPR_ITEM_POLYGON, .points = points, .n_points = n, .fill = black};
    return hpr__raster_draw(raster, &item);
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
    cr_assert(fill(box, 5));
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
        cr_assert(fill(points, 9));
        cr_assert_float_eq(all_ink(), fabs(area), 0.3, "turn %d", turn);
    }
}

Test(raster, shapes_do_not_leave_traces_for_the_next)
{
    const hpr_point far[] = {{30, 30}, {39, 30}, {40, 40}, {35, 40}, {30, 40}};
    const hpr_point near[] = {{1, 1}, {3, 1}, {3, 3}, {2, 3}, {1, 3}};
    cr_assert(fill(far, 5));
    memset(pixels, 0xFF, sizeof pixels);
    cr_assert(fill(near, 5));
    cr_assert_float_eq(all_ink(), 4, 0.01);
}

Test(raster, lines_have_their_width)
{
    const hpr_point points[] = {{5, 10}, {10, 10}, {20, 10}, {25, 10}, {35, 10}};
    const hpr_item item = {.kind = HPR_ITEM_LINE,
                           .points = points,
                           .n_points = 5,
                           .stroke = {.on = true, .width_pt = 1}};
    cr_assert(hpr__raster_draw(raster, &item));
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
    cr_assert(hpr__raster_draw(raster, &item));
    cr_assert_eq(pixels[1][2] & 0xFFFFFF, 0xFF0080);
    cr_assert_eq(pixels[1][1] & 0xFFFFFF, 0xFF80C0);
}

Test(raster, scale_and_place)
{
    const hpr_point box[] = {{1, 1}, {2, 1}, {2, 2}, {1.5, 2}, {1, 2}};
    hpr__raster_place(raster, 3, 10);
    cr_assert(fill(box, 5));
    cr_assert_float_eq(all_ink(), 9, 0.01);
    cr_assert_float_eq(ink(3, 13), 1, 0.001);
    cr_assert_float_eq(ink(5, 15), 1, 0.001);
}

Test(raster, the_rest_is_left_to_others)
{
    const hpr_point box[] = {{1, 1}, {2, 1}, {2, 2}, {1.5, 2}, {1, 2}};
    const hpr_point outside[] = {{1, 1}, {2, 1}, {2, 2}, {1.5, 41}, {1, 2}};
    const hpr_point no_number[] = {{1, 1}, {2, 1}, {NAN, 2}, {1.5, 3}, {1, 2}};
    hpr_item item = {.kind = HPR_ITEM_LINE, .points = box, .n_points = 5};
    cr_assert_not(fill(box, 4));
    cr_assert_not(fill(outside, 5));
    cr_assert_not(fill(no_number, 5));
    item.stroke = (hpr_paint){.on = true, .width_pt = 1, .dash_pt = 2};
    cr_assert_not(hpr__raster_draw(raster, &item));
    item.stroke = (hpr_paint){.on = true, .width_pt = 3};
    cr_assert_not(hpr__raster_draw(raster, &item));
    item.kind = HPR_ITEM_TEXT;
    cr_assert_not(hpr__raster_draw(raster, &item));
    cr_assert_float_eq(all_ink(), 0, 0.001);
}
