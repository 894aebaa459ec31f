/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rounding and printing of coordinates, and corners that are left out.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "steps.h"

Test(steps, rounding)
{
    cr_assert_eq(hpr__steps_of(1.234), 123);
    cr_assert_eq(hpr__steps_of(1.236), 124);
    cr_assert_eq(hpr__steps_of(-1.236), -124);
    cr_assert_eq(hpr__steps_of(1e300), 1000000000);
    cr_assert_eq(hpr__steps_of(-INFINITY), -1000000000);
    cr_assert_eq(hpr__steps_of(NAN), -1000000000);
}

Test(steps, printing)
{
    static const int64_t values[] = {0, 7, -7, 10, 1000000000, -1000000000};
    static const char *const texts[] = {"0", "7", "-7", "10", "1000000000", "-1000000000"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char out[HPR__STEPS_BYTES];
        size_t length = hpr__steps_print(out, values[i]);
        cr_assert_eq(length, strlen(texts[i]));
        cr_assert_arr_eq(out, texts[i], length);
    }
}

static size_t corners(const hpr_point *points, size_t n, hpr__step *out)
{
    const hpr_item item = {.kind = HPR_ITEM_LINE, .points = points, .n_points = n};
    hpr__trace trace = hpr__trace_begin(&item);
    size_t n_out = 0;
    for (hpr__step corner; hpr__trace_next(&trace, &corner);) {
        out[n_out++] = corner;
    }
    return n_out;
}

Test(steps, what_changes_nothing_is_left_out)
{
    const hpr_point points[] = {{0, 0}, {1, 0}, {1, 0},  {2, 0}, {3, 0},
                                {3, 5}, {3, 9}, {4, 10}, {6, 12}};
    const hpr__step wanted[] = {{0, 0}, {300, 0}, {300, 900}, {600, 1200}};
    hpr__step got[9];
    cr_assert_eq(corners(points, 9, got), 4);
    cr_assert_arr_eq(got, wanted, sizeof wanted);
}

Test(steps, a_line_that_turns_back_keeps_its_end)
{
    const hpr_point points[] = {{0, 0}, {5, 0}, {2, 0}, {2, 0}};
    const hpr__step wanted[] = {{0, 0}, {500, 0}, {200, 0}};
    hpr__step got[4];
    cr_assert_eq(corners(points, 4, got), 3);
    cr_assert_arr_eq(got, wanted, sizeof wanted);
}

Test(steps, one_place_is_one_corner)
{
    const hpr_point points[] = {{1, 1}, {1.001, 1.001}, {1, 1}};
    hpr__step got[3];
    cr_assert_eq(corners(points, 3, got), 1);
    cr_assert_eq(corners(points, 0, got), 0);
}
