/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines over the bands: points in any order come out by time, and thinning keeps what is seen.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "base/arena.h"
#include "summary/quantity.h"
#include "rng.h"

typedef struct fixture {
    hpf_arena *arena;
    hpf__quantities lines;
} fixture;

static fixture begin(void)
{
    return (fixture){.arena = hpf_arena_create()};
}

static void end(fixture *f)
{
    hpf__quantities_finish(&f->lines);
    hpf_arena_destroy(f->arena);
}

static void add(fixture *f, hpf_str name, double time, double value)
{
    cr_assert(hpf__quantities_add(&f->lines, f->arena, name, (hpf_quantity_point){time, value}));
}

static const hpf_quantity *settle(fixture *f)
{
    cr_assert(hpf__quantities_settle(&f->lines));
    return f->lines.settled;
}

Test(quantity, points_come_out_by_time_and_equal_names_are_one_line)
{
    fixture f = begin();
    add(&f, HPF_STR("heap size"), 2, 20);
    add(&f, HPF_STR("live bytes"), 1, 5);
    add(&f, HPF_STR("heap size"), 1, 10);
    const hpf_quantity *lines = settle(&f);
    cr_expect_eq(f.lines.n, 2);
    cr_expect_eq(lines[0].n_points, 2);
    cr_expect_eq(lines[0].points[0].value, 10);
    cr_expect_eq(lines[0].points[1].value, 20);
    cr_expect_eq(lines[1].n_points, 1);
    end(&f);
}

static void expect_thin(const hpf_quantity *line, double first, double last, double low,
                        double high)
{
    double least = INFINITY;
    double most = -INFINITY;
    cr_expect_leq(line->n_points, HPF__QUANTITY_MAX_POINTS);
    for (size_t i = 0; i < line->n_points; i++) {
        cr_expect(i == 0 || line->points[i - 1].time <= line->points[i].time);
        least = line->points[i].value < least ? line->points[i].value : least;
        most = line->points[i].value > most ? line->points[i].value : most;
    }
    cr_expect_leq(line->points[0].time, first + (last - first) / 1000);
    cr_expect_eq(line->points[line->n_points - 1].time, last);
    cr_expect_eq(least, low);
    cr_expect_eq(most, high);
}

Test(quantity, a_million_points_keep_their_extremes_and_their_end)
{
    fixture f = begin();
    rng chance = {7};
    double low = INFINITY;
    double high = -INFINITY;
    for (int i = 0; i < 1000000; i++) {
        double value = (double)rng_below(&chance, 1000000000);
        /* Two capabilities: blocks of a thousand points, one half behind the other. */
        int time = i / 2000 * 2000 + i % 1000 * 2 + i / 1000 % 2;
        low = value < low ? value : low;
        high = value > high ? value : high;
        add(&f, HPF_STR("size"), time, value);
    }
    expect_thin(settle(&f), 0, 999999, low, high);
    end(&f);
}

Test(quantity, points_of_one_time_are_thinned_too)
{
    fixture f = begin();
    for (int i = 0; i < 50000; i++) {
        add(&f, HPF_STR("size"), 3, i);
    }
    expect_thin(settle(&f), 3, 3, 0, 49999);
    end(&f);
}
