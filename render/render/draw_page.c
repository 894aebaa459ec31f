/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The ink of a page: its charts, each in its place, and the legend.
 */
#include "hprender/page.h"

#include "draw_modern.h"

static bool draw_panels(const hpr_page *page, hpr__ink *ink, const hpr_options *options,
                        hpr_measurer measurer)
{
    for (size_t i = 0; i < page->n_panels; i++) {
        const hpr_panel *panel = &page->panels[i];
        hpr__drawing d = hpr__drawing_of(panel->chart, options, measurer);
        d.ink = ink;
        d.corner.x_pt = panel->x_pt;
        d.corner.y_pt = page->height_pt - panel->y_pt - panel->chart->height_pt;
        if (!hpr__draw_chart(&d)) {
            return false;
        }
    }
    return true;
}

hpf_status hpr_page_scene_create(hpr_scene **out, const hpr_page *page,
                                 const hpr_page_options *options, hpr_measurer measurer,
                                 hpf_error *err)
{
    hpr__drawing d = hpr__drawing_of(page->legend, &options->chart, measurer);
    d.ink = hpr__ink_create(page->width_pt, page->height_pt);
    *out = NULL;
    hpr__draw_begin(&d, page->legend->title.job);
    if (!draw_panels(page, d.ink, &options->chart, measurer)) {
        hpr__ink_destroy(d.ink);
        return hpf_error_set_memory(err);
    }
    hpr__draw_labels(&d);
    return hpr__ink_finish(d.ink, out, err);
}

/* The curve of a panel that shares its page with others needs fewer points. */
static size_t most_points(const hpr_page *page, const hpr_backend *backend)
{
    return (backend->most_points + page->n_columns - 1) / page->n_columns;
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
    fitted.chart.most_points = most_points(page, backend);
    hpf_status status = hpr_page_scene_create(&scene, page, &fitted,
                                              hpr_fonts_measurer_for(output->fonts, backend), err);
    if (!status) {
        status = backend->write(NULL, scene, output, sink, err);
    }
    hpr_scene_destroy(scene);
    return status;
}
