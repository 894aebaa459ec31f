/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The ink of a page: its charts, each in its place, and the legend.
 */
#include "hprender/page.h"

#include "draw/draw_modern.h"

hpf_status hpr_page_scene_create(hpr_scene **out, const hpr_page *page,
                                 const hpr_page_options *options, hpr_measurer measurer,
                                 hpf_error *err)
{
    hpr__drawing d = hpr__drawing_of(page->legend, &options->chart, measurer);
    d.ink = hpr__builder_create(page->width_pt, page->height_pt);
    *out = NULL;
    hpr__draw_begin(&d, page->legend->title.job);
    for (size_t i = 0; i < page->n_panels; i++) {
        const hpr_panel *panel = &page->panels[i];
        hpr__drawing drawing = hpr__drawing_of(panel->chart, &options->chart, measurer);
        drawing.ink = d.ink;
        drawing.corner.x_pt = panel->x_pt;
        drawing.corner.y_pt = page->height_pt - panel->y_pt - panel->chart->height_pt;
        hpr__draw_chart(&drawing);
    }
    hpr__draw_labels(&d);
    return hpr__builder_finish(d.ink, out, err);
}
