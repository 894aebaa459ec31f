/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Spreading labels: apart, in range, and no further than needed.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "layout/label_space.h"

Test(label_spacing, keeps_labels_that_do_not_collide)
{
    hpr__label_slot items[] = {{.wanted = 10}, {.wanted = 30}, {.wanted = 55}};
    hpr__space_labels(items, 3, 10, 0, 100);
    for (int i = 0; i < 3; i++) {
        cr_assert_float_eq(items[i].at, items[i].wanted, 1e-12);
    }
}

Test(label_spacing, moves_colliding_labels_equally)
{
    hpr__label_slot items[] = {{.wanted = 50}, {.wanted = 50}, {.wanted = 50}};
    hpr__space_labels(items, 3, 10, 0, 100);
    cr_assert_float_eq(items[0].at, 40, 1e-12);
    cr_assert_float_eq(items[1].at, 50, 1e-12);
    cr_assert_float_eq(items[2].at, 60, 1e-12);
}

Test(label_spacing, stays_in_range_and_apart)
{
    unsigned state = 9;
    for (int round = 0; round < 500; round++) {
        hpr__label_slot items[30];
        size_t n = (size_t)round % 30;
        double wanted = -20;
        for (size_t i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            wanted += (double)(state >> 24) / 16;
            items[i].wanted = wanted;
        }
        hpr__space_labels(items, n, 7, 5, 5 + 7 * 30);
        for (size_t i = 0; i < n; i++) {
            cr_expect(items[i].at >= 5 - 1e-9 && items[i].at <= 5 + 7 * 30 + 1e-9);
            cr_expect(i == 0 || items[i].at - items[i - 1].at >= 7 - 1e-9);
        }
    }
}
