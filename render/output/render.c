/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps from a survey to a document, one after the other, and the default options of each look.
 */
#include "hprender/page.h"
#include "hprender/render.h"

#include <string.h>

#include "base/options.h"
#include "classic/classic.h"
#include "draw/draw.h"
#include "hprender/backend.h"

void hpr_options_init(hpr_options *options, hpr_look look)
{
    bool is_classic = look == HPR_LOOK_CLASSIC;
    const hpr_options all = {
        .size = options->size,
        .look = look,
        .order = HPR_ORDER_DEFAULT,
        .n_bands = is_classic ? 20 : 15,
        .trace_percent = 1,
    };
    memcpy(options, &all, all.size < sizeof all ? all.size : sizeof all);
}

hpf_status hpr_chart_create(hpr_chart **out, hpf_survey *survey, const hpr_options *options,
                            hpr_measurer measurer, hpf_error *err)
{
    hpr__chart *chart;
    hpr_options own;
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    status = status ? status : hpr__chart_begin(&chart, err);
    if (status) {
        return status;
    }
    chart->public.look = own.look;
    status = hpr__chart_headers(chart, survey, err);
    if (!status) {
        status = own.look == HPR_LOOK_CLASSIC
                     ? hpr__chart_classic(chart, survey, &own, err)
                     : hpr__chart_modern(chart, survey, &own, measurer, err);
    }
    if (status) {
        hpr_chart_destroy(&chart->public);
        return status;
    }
    *out = &chart->public;
    return HPF_OK;
}

hpf_status hpr_scene_create(hpr_scene **out, const hpr_chart *chart, const hpr_options *options,
                            hpr_measurer measurer, hpf_error *err)
{
    hpr_options own;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    if (status) {
        return status;
    }
    if (chart->look == HPR_LOOK_CLASSIC) {
        return hpr__draw_classic(out, chart, &own, err);
    }
    return hpr__draw_modern(out, chart, &own, measurer, err);
}

/* Copies what a caller wants: the parts that it knows. */
static hpf_status copy_options(hpr_options *options, const hpr_options *given, hpr_output *output,
                               const hpr_output *given_output, hpf_error *err)
{
    hpf_status status = HPF__OPTIONS_COPY(options, given, err);
    return status ? status : HPF__OPTIONS_COPY(output, given_output, err);
}

/* Sets how finely curves are drawn to what `backend` can show of a picture of that width, with
 * `n_columns` charts in a row. */
static void fit_fineness(hpr_options *options, const hpr_backend *backend, const hpr_output *output,
                         double width_pt, size_t n_columns)
{
    options->tolerance_pt = backend->px_per_pt ? 0.5 / backend->px_per_pt(output, width_pt) : 0;
    options->most_points = (backend->most_points + n_columns - 1) / n_columns;
}

hpf_status hpr_write(const hpr_chart *chart, const hpr_options *options, const hpr_backend *backend,
                     const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    hpr_options fitted;
    hpr_output own;
    hpr_scene *scene = NULL;
    hpf_status status = copy_options(&fitted, options, &own, output, err);
    if (status) {
        return status;
    }
    if (!backend->write) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "%s shows profiles, not charts",
                             backend->name);
    }
    if (!backend->is_graphical) {
        return backend->write(chart, NULL, &own, sink, err);
    }
    fit_fineness(&fitted, backend, &own, chart->width_pt, 1);
    status =
        hpr_scene_create(&scene, chart, &fitted, hpr_fonts_measurer_for(own.fonts, backend), err);
    status = status ? status : backend->write(chart, scene, &own, sink, err);
    hpr_scene_destroy(scene);
    return status;
}

hpf_status hpr_render(hpf_survey *survey, const hpr_options *options, const hpr_backend *backend,
                      const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    hpr_chart *chart = NULL;
    hpr_output own;
    if (backend->write_profiles) {
        const char *const no_name = NULL;
        return backend->write_profiles(&survey, &no_name, 1, options, sink, err);
    }
    hpf_status status = HPF__OPTIONS_COPY(&own, output, err);
    status = status ? status
                    : hpr_chart_create(&chart, survey, options,
                                       hpr_fonts_measurer_for(own.fonts, backend), err);
    status = status ? status : hpr_write(chart, options, backend, output, sink, err);
    hpr_chart_destroy(chart);
    return status;
}

hpf_status hpr_page_write(const hpr_page *page, const hpr_options *options,
                          const hpr_backend *backend, const hpr_output *output, hpf_sink *sink,
                          hpf_error *err)
{
    hpr_options fitted;
    hpr_output own;
    hpr_scene *scene = NULL;
    hpf_status status = copy_options(&fitted, options, &own, output, err);
    if (status) {
        return status;
    }
    if (!backend->is_graphical) {
        return backend->write_page ? backend->write_page(page, &own, sink, err)
                                   : hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                                                   "%s can hold only one profile", backend->name);
    }
    fit_fineness(&fitted, backend, &own, page->width_pt, page->n_columns);
    status = hpr_page_scene_create(&scene, page, &fitted,
                                   hpr_fonts_measurer_for(own.fonts, backend), err);
    status = status ? status : backend->write(NULL, scene, &own, sink, err);
    hpr_scene_destroy(scene);
    return status;
}
