/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes of a run-time system below the plot.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hprender/render.h"
#include "made_up_font.h"

enum { N_CELLS = 4096 };

static double ones[N_CELLS], halves[N_CELLS], spike[N_CELLS], zeros[N_CELLS];

static void set_up(void)
{
    for (size_t i = 0; i < N_CELLS; i++) {
        ones[i] = 1;
        halves[i] = 0.5;
    }
    spike[N_CELLS / 2] = 0.001;
}

TestSuite(lanes, .init = set_up);

/* A profile from 0 to 8 s; the total is 1000, of which OTHER has `other`. */
static hpr_chart *draw(const hpf_activity *activity, unsigned other, double height_pt)
{
    char text[1000];
    const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    snprintf(text, sizeof text,
             "JOB \"p\"\nDATE \"\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"
             "BEGIN_SAMPLE 0\nlarge\t%u\nb\t%u\nc\t%u\nEND_SAMPLE 0\n"
             "BEGIN_SAMPLE 8\nlarge\t%u\nb\t%u\nc\t%u\nEND_SAMPLE 8\n",
             1000 - other, other / 2, other - other / 2, 1000 - other, other / 2,
             other - other / 2);
    const hpr_options options = {.size = sizeof options,
                                 .look = HPR_LOOK_MODERN,
                                 .n_bands = 1,
                                 .height_pt = height_pt,
                                 .activity = activity};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpr_chart *chart = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){text, strlen(text)}, &keep, NULL),
                 HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpr_chart_create(&chart, survey, &options, made_up_measurer, NULL), HPF_OK);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return chart;
}

static hpf_activity activity_of(void)
{
    return (hpf_activity){.begin_s = 0, .cell_s = 8.0 / N_CELLS, .n_cells = N_CELLS};
}

Test(lanes, only_what_has_records_has_a_lane)
{
    hpf_activity a = activity_of();
    hpr_chart *chart = draw(&a, 0, 0);
    cr_expect_eq(chart->n_lanes, 0);
    cr_expect_eq(chart->lanes_pt, 0);
    hpr_chart_destroy(chart);
    a.paused_s = spike;
    a.running_s = ones;
    a.n_processors = 512;
    chart = draw(&a, 0, 0);
    cr_assert_eq(chart->n_lanes, 2);
    cr_expect_str_eq(chart->lanes[0].name, "GC");
    cr_expect_str_eq(chart->lanes[1].name, "threads");
    hpr_chart_destroy(chart);
}

Test(lanes, lanes_are_between_the_plot_and_the_lower_edge)
{
    hpf_activity a = activity_of();
    a.allocated_bytes = ones;
    a.paused_s = zeros;
    a.sparks = ones;
    a.run_sparks = halves;
    hpr_chart *with = draw(&a, 0, 0);
    hpr_chart *without = draw(NULL, 0, 0);
    cr_assert_eq(with->n_lanes, 3);
    double lowest = with->lanes[2].y_pt;
    cr_expect_float_eq(lowest, with->plot_y_pt - with->lanes_pt, 1e-9);
    cr_expect_float_eq(lowest, without->plot_y_pt, 1e-9, "the x axis is where it was");
    cr_expect_lt(with->lanes[0].y_pt + with->lane_pt, with->plot_y_pt);
    cr_expect_float_eq(with->plot_height_pt + with->lanes_pt, without->plot_height_pt, 1e-9);
    for (size_t i = 0; i < 3; i++) {
        const hpr_lane *lane = &with->lanes[i];
        cr_expect_float_eq(lane->edges_pt[0], with->plot_x_pt, 1e-6);
        cr_expect_float_eq(lane->edges_pt[lane->n], with->plot_x_pt + with->plot_width_pt, 1e-6);
        cr_expect_float_eq(lane->times[lane->n], 8, 1e-9);
    }
    hpr_chart_destroy(with);
    hpr_chart_destroy(without);
}

/* 4096 bytes, or sparks, in 8 s are 512 a second. */
Test(lanes, amounts_and_notes_are_those_of_the_cells)
{
    hpf_activity a = activity_of();
    a.allocated_bytes = ones;
    a.paused_s = spike;
    a.paused_share = 0.001 / 8;
    a.running_s = halves;
    a.n_processors = 512;
    a.sparks = ones;
    a.run_sparks = halves;
    a.n_sparks = 5000; /* some of them before the first cell */
    a.n_run_sparks = 2048;
    hpr_chart *chart = draw(&a, 0, 0);
    static const double highs[] = {512, 1, 512, 512};
    static const char *const notes[] = {"max 512 B/s", "0.013 % of time", "mean 256 of 512",
                                        "2048 of 5000 run"};
    cr_assert_eq(chart->n_lanes, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(chart->lanes[i].note, notes[i]);
        cr_expect_float_eq(chart->lanes[i].high, highs[i], 1e-9);
    }
    const hpr_lane *gc = &chart->lanes[1], *sparks = &chart->lanes[3];
    double paused_s = 0;
    for (size_t i = 0; i < gc->n; i++) {
        paused_s += gc->amounts[i] * (gc->times[i + 1] - gc->times[i]);
        cr_assert_float_eq(sparks->amounts[i], 512, 1e-6);
        cr_assert_float_eq(sparks->parts[i], 256, 1e-6);
    }
    cr_expect_float_eq(paused_s, 0.001, 1e-9);
    cr_expect_null(gc->parts);
    hpr_chart_destroy(chart);
}

/* Sparks that were created before the first sample may run after it. */
Test(lanes, sparks_that_run_later_have_a_height)
{
    hpf_activity a = activity_of();
    a.sparks = zeros;
    a.run_sparks = halves;
    a.n_sparks = a.n_run_sparks = 2048;
    hpr_chart *chart = draw(&a, 0, 0);
    cr_assert_eq(chart->n_lanes, 1);
    cr_expect_float_eq(chart->lanes[0].high, 256, 1e-9);
    cr_expect_str_eq(chart->lanes[0].note, "2048 of 2048 run");
    hpr_chart_destroy(chart);
}

/* The smallest OTHER that is named without lanes is named with them. */
Test(lanes, names_of_bands_remain)
{
    hpf_activity a = activity_of();
    a.allocated_bytes = a.paused_s = a.running_s = a.sparks = a.run_sparks = ones;
    a.n_processors = 1;
    unsigned n_named = 0;
    for (unsigned other = 4; other < 40; other++) {
        hpr_chart *without = draw(NULL, other, 150);
        hpr_chart *with = draw(&a, other, 150);
        cr_assert_eq(with->n_bands, 2);
        cr_assert_eq(with->n_lanes, 4);
        for (uint32_t i = 0; i < 2; i++) {
            bool is_named = without->bands[i].label.place != HPR_LABEL_NONE;
            cr_expect_eq(with->bands[i].label.place != HPR_LABEL_NONE, is_named, "%u", other);
            n_named += without->bands[i].is_other && is_named;
        }
        hpr_chart_destroy(without);
        hpr_chart_destroy(with);
    }
    cr_expect(n_named > 0 && n_named < 36, "%u", n_named);
}

Test(lanes, messages_are_marks)
{
    static const hpf_mark messages[] = {{2, {"two", 3}}, {9, {"late", 4}}};
    hpf_activity a = activity_of();
    a.messages = messages;
    a.n_messages = 2;
    hpr_chart *chart = draw(&a, 0, 0);
    cr_assert_eq(chart->n_marks, 1);
    cr_expect_str_eq(chart->marks[0].label, "two");
    cr_expect_eq(chart->n_lanes, 0);
    hpr_chart_destroy(chart);
}

/* Each processor has a lane for its sparks, of the same scale; one alone has the sparks of all. */
Test(lanes, a_processor_has_its_sparks)
{
    static const hpf_processor_cell cells[N_CELLS];
    const hpf_processor processors[] = {{0, cells, ones, zeros, 4096, 0},
                                        {3, cells, zeros, halves, 0, 2048}};
    hpf_activity a = activity_of();
    a.sparks = ones;
    a.run_sparks = halves;
    a.n_sparks = 4096;
    a.n_run_sparks = 2048;
    a.processors = processors;
    static const char *const names[][4] = {{"sparks", "cap 0"},
                                           {"cap 0", "sparks 0", "cap 3", "sparks 3"}};
    static const char *const notes[][4] = {{"2048 of 4096 run", ""},
                                           {"", "0 run, 4096 created", "", "2048 run, 0 created"}};
    for (size_t n = 1; n <= 2; n++) {
        a.n_rows = n;
        hpr_chart *chart = draw(&a, 0, 0);
        cr_assert_eq(chart->n_lanes, 2 * n);
        for (size_t i = 0; i < 2 * n; i++) {
            cr_expect_str_eq(chart->lanes[i].name, names[n - 1][i]);
            cr_expect_str_eq(chart->lanes[i].note, notes[n - 1][i]);
        }
        cr_expect_float_eq(chart->lanes[2 * n - 1].high, n == 1 ? 1 : 512, 1e-9);
        hpr_chart_destroy(chart);
    }
}

/* Thread 0 runs half of the time of the first half, then thread 1 with a comma in its name; a
 * processor that only collects has no thread. */
Test(lanes, a_processor_has_its_threads_and_collections)
{
    static hpf_processor_cell busy[N_CELLS], idle[N_CELLS];
    const hpf_thread threads[] = {{7, {"parser", 6}, 4}, {9, {"a, \xff", 4}, 2}};
    const hpf_processor processors[] = {{.number = 0, .cells = busy}, {.number = 3, .cells = idle}};
    for (size_t i = 0; i < N_CELLS; i++) {
        busy[i] = (hpf_processor_cell){i < N_CELLS / 2 ? 0 : 1, 0.5, 0.25};
        idle[i] = (hpf_processor_cell){HPF_NO_THREAD, 0, 1};
    }
    hpf_activity a = activity_of();
    a.running_s = ones;
    a.paused_s = halves;
    a.processors = processors;
    a.n_rows = 2;
    a.threads = threads;
    a.n_threads = 2;
    hpr_chart *chart = draw(&a, 0, 0);
    cr_assert_eq(chart->n_lanes, 3, "instead of the lane of all threads");
    const hpr_lane *first = &chart->lanes[1], *second = &chart->lanes[2];
    cr_expect_str_eq(first->name, "cap 0");
    cr_expect_str_eq(second->name, "cap 3");
    cr_expect_str_eq(first->note, "parser, a, \xEF\xBF\xBD");
    cr_expect_eq(first->n_keys, 2);
    cr_expect_eq(second->n_keys, 0);
    cr_assert_lt(first->n, N_CELLS, "cells are joined to columns");
    for (size_t i = 0; i < first->n; i++) {
        bool is_early = first->times[i + 1]<4, is_late = first->times[i]> 4;
        cr_assert(is_early ? first->threads[i] == 0 : !is_late || first->threads[i] == 1);
        cr_assert_float_eq(first->amounts[i], 0.5, 1e-6);
        cr_assert_float_eq(first->parts[i], 0.25, 1e-6);
        cr_assert_float_eq(first->pauses[i] * a.cell_s, 0.5, 1e-6);
        cr_assert_eq(second->threads[i], HPF_NO_THREAD);
    }
    hpr_chart_destroy(chart);
}
