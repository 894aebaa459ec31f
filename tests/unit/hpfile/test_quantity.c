/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Quantities of a survey: points in any order come out by time, and what is left of too many keeps
 * the extremes and the end.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "hpfile/sink.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"
#include "rng.h"

#define PROFILE                                                                                    \
    "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"                                 \
    "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\n"

static hpf_source *source, *sidecar;
static hpf_sink *rows;
static hpf_survey *survey;

static void set_up(void)
{
    sidecar = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, HPF_STR(PROFILE), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    rows = hpf_sink_to_memory();
    hpf_sink_text(rows, "time\twhat\tvalue\n");
}

static void tear_down(void)
{
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_source_destroy(sidecar);
    hpf_sink_destroy(rows);
}

TestSuite(quantity, .init = set_up, .fini = tear_down);

static void add(const char *name, int time, int value)
{
    hpf_sink_printf(rows, "%d\t%s\t%d\n", time, name, value);
}

/* Adds the rows to the survey, which then has `n` quantities. */
static const hpf_quantity *quantities(size_t n)
{
    hpf_error err = {0};
    cr_assert_eq(hpf_source_from_memory(&sidecar, hpf_sink_bytes(rows), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_add_sidecar(survey, sidecar, &err), HPF_OK, "%s", err.message);
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert_eq(o->n_quantities, n);
    return o->quantities;
}

Test(quantity, points_are_sorted_by_time_and_equal_names_are_one_quantity)
{
    add("heap size", 2, 20);
    add("live bytes", 1, 5);
    add("heap size", 1, 10);
    const hpf_quantity *all = quantities(2);
    cr_expect(hpf_str_is(all[0].name, "heap size"));
    cr_assert_eq(all[0].n_points, 2);
    cr_expect_eq(all[0].points[0].time, 1);
    cr_expect_eq(all[0].points[0].value, 10);
    cr_expect_eq(all[0].points[1].value, 20);
    cr_expect(hpf_str_is(all[1].name, "live bytes"));
    cr_expect_eq(all[1].n_points, 1);
}

/* Expects sorted points, fewer than were added but at least 4000, that cover these times and
 * values. */
static void expect_cover(const hpf_quantity *quantity, double first, double last, double low,
                         double high)
{
    double least = INFINITY;
    double most = -INFINITY;
    cr_expect_geq(quantity->n_points, 4000);
    cr_expect_leq(quantity->n_points, 16384);
    for (size_t i = 0; i < quantity->n_points; i++) {
        cr_expect(i == 0 || quantity->points[i - 1].time <= quantity->points[i].time);
        least = fmin(least, quantity->points[i].value);
        most = fmax(most, quantity->points[i].value);
    }
    cr_expect_leq(quantity->points[0].time, first + (last - first) / 1000);
    cr_expect_eq(quantity->points[quantity->n_points - 1].time, last);
    cr_expect_eq(least, low);
    cr_expect_eq(most, high);
}

Test(quantity, many_points_keep_their_extremes_and_their_end)
{
    rng chance = {7};
    double low = INFINITY;
    double high = -INFINITY;
    for (int i = 0; i < 300000; i++) {
        int value = (int)rng_below(&chance, 1000000000);
        /* Two capabilities: blocks of a thousand points, each block of one half in time before one
         * of the other half. */
        int time = i / 2000 * 2000 + i % 1000 * 2 + i / 1000 % 2;
        low = fmin(low, value);
        high = fmax(high, value);
        add("size", time, value);
    }
    expect_cover(quantities(1), 0, 299999, low, high);
}

/* Also where points are left out just then. */
Test(quantity, a_peak_near_the_end_and_the_last_point_stay)
{
    for (int n = 16383; n <= 16386; n++) {
        for (int peak = n - 4; peak < n; peak++) {
            for (int i = 0; i < n; i++) {
                add("size", i, i == peak ? 500 : i == n - 1 ? 50 : i % 2 * 100);
            }
            const hpf_quantity *all = quantities(1);
            double most = 0;
            for (size_t i = 0; i < all[0].n_points; i++) {
                most = fmax(most, all[0].points[i].value);
            }
            cr_expect_eq(most, 500, "at %d of %d", peak, n);
            cr_expect_eq(all[0].points[all[0].n_points - 1].time, n - 1, "of %d", n);
            tear_down();
            set_up();
        }
    }
}

/* The extremes of each stretch of time stay, whichever of them comes first. */
Test(quantity, every_peak_and_dip_stays)
{
    for (int i = 0; i < 100000; i++) {
        add("size", i, i % 1000 == 300 ? 100000 : i % 1000 == 301 ? 0 : 50000);
    }
    const hpf_quantity *q = quantities(1);
    int n_found = 0;
    for (size_t i = 0; i < q->n_points; i++) {
        n_found += q->points[i].value != 50000;
    }
    cr_expect_eq(n_found, 200);
}

Test(quantity, many_points_of_one_time)
{
    for (int i = 0; i < 50000; i++) {
        add("size", 3, i);
    }
    const hpf_quantity *q = quantities(1);
    cr_expect_leq(q->n_points, 16384);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < q->n_points; i++) {
        cr_expect_eq(q->points[i].time, 3);
        low = fmin(low, q->points[i].value);
        high = fmax(high, q->points[i].value);
    }
    cr_expect_eq(low, 0);
    cr_expect_eq(high, 49999);
}
