/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One call for all steps, and the options that users of a look expect.
 */
#include "hprender/render.h"

#include "draw.h"

hpr_options hpr_options_default(hpr_look look)
{
    bool classic = look == HPR_LOOK_CLASSIC;

    return (hpr_options){
        .look = look,
        .order = HPR_ORDER_DEFAULT,
        .n_bands = classic ? 20 : 15,
        .trace_percent = 1,
    };
}

hpf_status hpr_scene_create(hpr_scene **out, const hpr_chart *chart, const hpr_options *options,
                            hpr_measurer measurer, hpf_error *err)
{
    if (chart->look == HPR_LOOK_CLASSIC) {
        return hpr__draw_classic(out, chart, err);
    }
    return hpr__draw_modern(out, chart, options, measurer, err);
}

hpf_status hpr_render(hpf_survey *survey, const hpr_options *options, const hpr_backend *backend,
                      const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    hpr_measurer measurer = hpr_fonts_measurer(output->fonts);
    hpr_options fitted = *options;
    hpr_chart *chart = NULL;
    hpr_scene *scene = NULL;
    hpf_status status = hpr_chart_create(&chart, survey, options, measurer, err);

    fitted.most_points = backend->most_points;
    if (!status) {
        status = hpr_scene_create(&scene, chart, &fitted, measurer, err);
    }
    if (!status) {
        status = backend->write(chart, scene, output, sink, err);
    }
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
    return status;
}
