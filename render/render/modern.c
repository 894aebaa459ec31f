/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The modern look, step by step.
 */
#include "chart.h"
#include "modern_layout.h"
#include "modern_order.h"
#include "modern_select.h"
#include "palette.h"
#include "stack.h"

static hpf_status colour_bands(hpr__chart *chart, bool is_dark, hpf_error *err)
{
    uint32_t n = chart->public.n_bands;
    hpr__swatch *swatches = hpf_arena_array(chart->arena, n, sizeof *swatches);
    hpr_colour *colours = hpf_arena_array(chart->arena, n, sizeof *colours);
    if (!swatches || !colours) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        const hpr_band *band = &chart->bands[i];
        swatches[i] = (hpr__swatch){band->name, band->is_other, band->trapezium};
    }
    if (!hpr__palette_choose(colours, swatches, n, is_dark, chart->arena)) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        chart->bands[i].fill = (hpr_fill){.is_gray = false, .colour = colours[i]};
    }
    return HPF_OK;
}

hpf_status hpr__chart_modern(hpr__chart *chart, hpf_survey *survey, const hpr_options *options,
                             hpr_measurer measurer, hpf_error *err)
{
    hpr__plan plan;
    hpf_status status = hpr__modern_select(&plan, chart->arena, survey, options, err);
    if (!status) {
        status = hpr__stack_fetch(chart, survey, &plan, err);
    }
    if (!status) {
        status = hpr__modern_order(chart, &plan, options, err);
    }
    if (status) {
        return status;
    }
    hpr__stack_cumulate(chart);
    status = colour_bands(chart, options->dark, err);
    return status ? status : hpr__modern_layout(chart, survey, options, measurer, err);
}
