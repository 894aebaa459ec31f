/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The ink of a page: its charts, each in its place, and the legend.
 */
#include "hprender/page.h"

#include "backends.h"
#include "draw_modern.h"

hpf_status hpr_page_scene_create(hpr_scene **out, const hpr_page *page,
                                 const hpr_page_options *options, hpr_measurer measurer,
                                 hpf_error *err)
{
    hpr__drawing d = hpr__drawing_of(page->legend, &options->chart, measurer);
    d.ink = hpr__ink_create(page->width_pt, page->height_pt);
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
    return hpr__ink_finish(d.ink, out, err);
}

hpf_status hpr_page_write(const hpr_page *page, const hpr_page_options *options,
                          const hpr_backend *backend, const hpr_output *output, hpf_sink *sink,
                          hpf_error *err)
{
    hpr_page_options fitted = *options;
    hpr_scene *scene = NULL;
    if (!backend->is_graphical) {
        return backend->write_page
                   ? backend->write_page(page, output, sink, err)
                   : hpf_error_set(err, HPF_ERR_UNSUPPORTED, "%s has room for one profile only",
                                   backend->name);
    }
    hpr__options_fit(&fitted.chart, backend, output, page->width_pt, page->n_columns);
    hpf_status status = hpr_page_scene_create(&scene, page, &fitted,
                                              hpr_fonts_measurer_for(output->fonts, backend), err);
    if (!status) {
        status = backend->write(NULL, scene, output, sink, err);
    }
    hpr_scene_destroy(scene);
    return status;
}
