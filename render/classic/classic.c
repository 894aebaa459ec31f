/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The classic look: what hp2ps draws, as a chart.
 */
#include "chart/chart.h"
#include "classic/classic_layout.h"
#include "classic/classic_select.h"
#include "classic/classic_shade.h"
#include "chart/stack.h"

hpf_status hpr__chart_classic(hpr__chart *chart, hpf_survey *survey, const hpr_options *options,
                              hpf_error *err)
{
    hpr__assignment plan;
    hpf_status status = hpr__classic_plan(&plan, chart->arena, survey, options, err);

    if (!status) {
        status = hpr__stack_fetch(chart, survey, &plan, err);
    }
    if (!status) {
        hpr__stack_cumulate(chart);
        status = hpr__classic_shade(chart, &options->classic,
                                    hpr__classic_map_capacity(survey, options), err);
    }
    if (!status) {
        status = hpr__classic_layout(chart, survey, options, err);
    }
    return status;
}
