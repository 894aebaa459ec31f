/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Hatches: strokes stay inside their polygon and cover it evenly.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "draw/shapes.h"
#include "hprender/render.h"

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
