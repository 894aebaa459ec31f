/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticks of collections.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hprender/render.h"
#include "log_build.h"
#include "made_up_font.h"

/* The example's samples are at 1.5 and 2.5 s. */
static hpr_chart *draw(const hpf_collection *collections, size_t n, hpr_scene **scene)
{
    const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    const hpr_options options = {.size = sizeof options,
                                 .look = HPR_LOOK_MODERN,
                                 .collections = collections,
                                 .n_collections = n};
    hpf_sink *log = hpf_sink_to_memory();
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpr_chart *chart = NULL;
    log_put_example(log);
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpr_chart_create(&chart, survey, &options, made_up_measurer, NULL), HPF_OK);
    cr_assert_eq(hpr_scene_create(scene, chart, &options, made_up_measurer, NULL), HPF_OK);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
    return chart;
}

Test(gc_ticks, collections_in_the_plot_have_ticks_and_near_ones_share)
{
    static const hpf_collection collections[] = {{1.4, true},     {1.5, false},     {2, false},
                                                 {2.00001, true}, {2.00002, false}, {2.6, false}};
    hpr_scene *scene = NULL;
    hpr_chart *chart = draw(collections, 6, &scene);
    cr_assert_eq(chart->n_collections, 2);
    cr_expect(chart->collections[0].n == 1 && !chart->collections[0].is_major);
    cr_expect_float_eq(chart->collections[0].x_pt, chart->plot_x_pt, 1e-6);
    cr_expect_eq(chart->collections[1].time, 2);
    cr_expect(chart->collections[1].n == 3 && chart->collections[1].is_major);
    cr_expect_float_eq(chart->collections[1].x_pt, chart->plot_x_pt + chart->plot_width_pt / 2,
                       1e-6);
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}

/* The highest band and its label end below the ticks. */
Test(gc_ticks, ticks_have_room_above_the_bands)
{
    static const hpf_collection collections[] = {{1.7, false}};
    hpr_scene *scene = NULL;
    hpr_chart *chart = draw(collections, 1, &scene);
    double free = chart->y.high - chart->peak_total;
    cr_expect_gt(free / chart->y.high * chart->plot_height_pt, 9 + 10);
    cr_expect_lt(free / chart->y.high * chart->plot_height_pt, 9 + 40);
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}

/* Returns the number of lines in the group of the ticks. */
static size_t count_ticks(const hpr_scene *scene)
{
    size_t n = 0;
    bool is_in_group = false;
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        bool is_theirs =
            item->kind == HPR_ITEM_GROUP_BEGIN && strncmp(item->text, "garbage", 7) == 0;
        is_in_group = (is_in_group || is_theirs) && item->kind != HPR_ITEM_GROUP_END;
        n += is_in_group && item->kind == HPR_ITEM_LINE;
    }
    return n;
}

Test(gc_ticks, ticks_are_drawn)
{
    static const hpf_collection collections[] = {{1.7, false}, {2.1, true}};
    hpr_scene *scene = NULL;
    hpr_chart *chart = draw(collections, 2, &scene);
    cr_expect_eq(count_ticks(scene), 2);
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
    chart = draw(NULL, 0, &scene);
    cr_expect_eq(count_ticks(scene), 0);
    cr_expect_null(chart->collections);
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}
