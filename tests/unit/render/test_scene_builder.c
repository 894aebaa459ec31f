/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Items are in the scene in order and owned by it; errors are reported at the end.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "hprender/render.h"
#include "draw/scene_builder.h"

static const hpr_colour black = {0, 0, 0};
static const hpr__text_style plain = {.size_pt = 10};

static hpr_scene *finish(hpr__builder *builder)
{
    hpr_scene *scene = NULL;
    hpf_error err;
    cr_assert_eq(hpr__builder_finish(builder, &scene, &err), HPF_OK, "%s", err.message);
    return scene;
}

Test(scene_builder, items_are_in_order)
{
    hpr__builder *builder = hpr__builder_create(100, 50);
    hpr_point points[] = {{1, 2}, {3, 4}};
    hpr__builder_page(builder, NULL);
    hpr__builder_group_begin(builder, "band");
    hpr__builder_rect(builder, 10, 20, 30, 5, hpr__paint_fill(black), hpr__paint_none());
    hpr__builder_group_end(builder);
    hpr__builder_line(builder, points, 2, hpr__paint_stroke(black, 0.5));
    hpr__builder_text(builder, "here", 7, 8, &plain);
    hpr_scene *scene = finish(builder);

    const hpr_item_kind kinds[] = {HPR_ITEM_PAGE,      HPR_ITEM_GROUP_BEGIN, HPR_ITEM_POLYGON,
                                   HPR_ITEM_GROUP_END, HPR_ITEM_LINE,        HPR_ITEM_TEXT};
    cr_assert_eq(scene->n_items, sizeof kinds / sizeof kinds[0]);
    for (size_t i = 0; i < scene->n_items; i++) {
        cr_assert_eq(scene->items[i].kind, kinds[i]);
    }
    cr_assert_eq(scene->width_pt, 100);
    cr_assert_eq(scene->items[2].n_points, 4);
    cr_assert_eq(scene->items[2].points[2].x_pt, 40);
    cr_assert_eq(scene->items[2].points[2].y_pt, 25);
    cr_assert_eq(scene->items[4].stroke.width_pt, 0.5);
    cr_assert_str_eq(scene->items[5].text, "here");
    hpr_scene_destroy(scene);
}

Test(scene_builder, texts_and_points_are_copied)
{
    hpr__builder *builder = hpr__builder_create(100, 50);
    char text[] = "before";
    hpr_point points[] = {{1, 2}, {3, 4}, {5, 6}};
    hpr__builder_describe(builder, text, "", "");
    hpr__builder_page(builder, NULL);
    hpr__builder_text(builder, text, 0, 0, &plain);
    hpr__builder_polygon(builder, points, 3, hpr__paint_fill(black), hpr__paint_none());
    memset(text, 'x', sizeof text - 1);
    memset(points, 0, sizeof points);
    hpr_scene *scene = finish(builder);
    cr_assert_str_eq(scene->title, "before");
    cr_assert_str_eq(scene->items[1].text, "before");
    cr_assert_eq(scene->items[2].points[1].x_pt, 3);
    hpr_scene_destroy(scene);
}

Test(scene_builder, owned_points_are_not_copied)
{
    hpr__builder *builder = hpr__builder_create(100, 50);
    hpr__builder_page(builder, NULL);
    hpr_point *points = hpr__builder_points(builder, 1000);
    points[999].x_pt = 7;
    hpr__builder_polygon_owned(builder, points, 1000, hpr__paint_fill(black), hpr__paint_none());
    hpr_scene *scene = finish(builder);
    cr_assert_eq(scene->items[1].points, points);
    cr_assert_eq(scene->items[1].points[999].x_pt, 7);
    hpr_scene_destroy(scene);
}

Test(scene_builder, invisible_items_are_not_added)
{
    hpr__builder *builder = hpr__builder_create(100, 50);
    hpr__builder_page(builder, NULL);
    hpr__builder_text(builder, "", 0, 0, &plain);
    hpr__builder_rect(builder, 0, 0, 1, 1, hpr__paint_none(), hpr__paint_none());
    hpr__builder_line(builder, NULL, 0, hpr__paint_stroke(black, 1));
    hpr_scene *scene = finish(builder);
    cr_assert_eq(scene->n_items, 1);
    hpr_scene_destroy(scene);
}

Test(scene_builder, texts_become_valid_utf8)
{
    hpr__builder *builder = hpr__builder_create(100, 50);
    hpr__builder_page(builder, NULL);
    hpr__builder_text(builder, "a\xFFz\n", 0, 0, &plain);
    hpr_scene *scene = finish(builder);
    cr_assert_str_eq(scene->items[1].text, "a\xEF\xBF\xBDz\xEF\xBF\xBD");
    hpr_scene_destroy(scene);
}

Test(scene_builder, many_items)
{
    hpr__builder *builder = hpr__builder_create(100, 50);
    hpr__builder_page(builder, NULL);
    char text[32];
    for (int i = 0; i < 10000; i++) {
        snprintf(text, sizeof text, "%d", i);
        hpr__builder_text(builder, text, i, 0, &plain);
    }
    hpr_scene *scene = finish(builder);
    cr_assert_eq(scene->n_items, 10001);
    cr_assert_str_eq(scene->items[10000].text, "9999");
    hpr_scene_destroy(scene);
}

Test(scene_builder, paper_belongs_to_its_page)
{
    hpr__builder *builder = hpr__builder_create(100, 50);
    const hpr_paper paper = {595, 842, {0, 1, -1, 0, 500, 72}};
    hpr__builder_page(builder, &paper);
    hpr__builder_page(builder, NULL);
    hpr_scene *scene = finish(builder);
    cr_assert_eq(scene->items[0].paper.width_pt, 595);
    cr_assert_eq(scene->items[0].paper.matrix[4], 500);
    cr_assert_eq(scene->items[1].paper.width_pt, 0);
    hpr_scene_destroy(scene);
}

Test(scene_builder, drawing_begins_with_a_page)
{
    hpr_scene *scene = NULL;
    hpf_error err;
    cr_assert_eq(hpr__builder_finish(hpr__builder_create(1, 1), &scene, &err), HPF_ERR_ARGUMENT);
    cr_assert_null(scene);

    hpr__builder *builder = hpr__builder_create(1, 1);
    hpr__builder_text(builder, "too early", 0, 0, &plain);
    hpr__builder_page(builder, NULL);
    cr_assert_eq(hpr__builder_finish(builder, &scene, &err), HPF_ERR_ARGUMENT);
}

Test(scene_builder, too_many_points_are_out_of_memory)
{
    hpr__builder *builder = hpr__builder_create(1, 1);
    hpr__builder_page(builder, NULL);
    cr_assert_null(hpr__builder_points(builder, SIZE_MAX / 2));
    hpr_scene *scene = NULL;
    hpf_error err;
    cr_assert_eq(hpr__builder_finish(builder, &scene, &err), HPF_ERR_MEMORY);
    cr_assert_null(scene);
}

Test(scene_builder, null_builder_is_out_of_memory)
{
    hpr__builder_page(NULL, NULL);
    hpr__builder_describe(NULL, "t", "", "");
    hpr__builder_group_begin(NULL, "g");
    hpr__builder_text(NULL, "t", 0, 0, &plain);
    hpr__builder_rect(NULL, 0, 0, 1, 1, hpr__paint_fill(black), hpr__paint_none());
    hpr_scene *scene = NULL;
    cr_assert_eq(hpr__builder_finish(NULL, &scene, NULL), HPF_ERR_MEMORY);
}
