/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps of the modern look.
 */
#include "base/arena.h"
#include "layout/layout.h"

#include "chart/order.h"
#include "chart/select.h"
#include "chart/stack.h"
#include "style/fill.h"

hpf_status hpr__modern_fill_bands(hpr__chart *chart, const uint64_t *absent,
                                  const hpr_options *options, hpf_error *err)
{
    uint32_t n = chart->public.n_bands;
    hpr__swatch *swatches = hpf_arena_array(chart->arena, n, sizeof *swatches);
    hpr_fill *fills = hpf_arena_array(chart->arena, n, sizeof *fills);
    const double **rows = hpf_arena_array(chart->arena, n, sizeof *rows);
    if (!swatches || !fills || !rows) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        const hpr_band *band = &chart->bands[i];
        double weight = chart->public.n_points == 1 ? band->sum : band->trapezium;
        rows[i] = band->values;
        swatches[i] =
            (hpr__swatch){band->name, band->is_other, weight, band->max, absent ? absent[i] : 0};
    }
    hpf_status status = hpr__fill_choose(fills, swatches, n, options, chart->arena, err);
    if (!status && options->as_lines) {
        hpr__line_style_uncover(fills, rows, n, chart->public.n_points);
    }
    for (uint32_t i = 0; i < n && !status; i++) {
        chart->bands[i].fill = fills[i];
    }
    return status;
}

hpf_status hpr__chart_modern(hpr__chart *chart, hpf_survey *survey, const hpr_options *options,
                             hpr_measurer measurer, hpf_error *err)
{
    hpr__assignment assignment;
    hpr_options fitted = *options;
    hpf_status status = HPF_OK;
    if (options->fit_bands) {
        status = hpr__fit_bands(&fitted, &chart->public.caption, chart->arena, survey, err);
    }
    status = status ? status : hpr__modern_select(&assignment, chart->arena, survey, &fitted, err);
    status = status ? status : hpr__stack_fetch(chart, survey, &assignment, options, err);
    status = status ? status : hpr__modern_order(chart, &assignment, options, err);
    status = status ? status : hpr__stack_pile_up(chart, err);
    status = status ? status : hpr__modern_fill_bands(chart, NULL, options, err);
    if (!status && options->as_steps) {
        status = hpr__stack_step(chart, err);
    }
    return status ? status : hpr__modern_layout(chart, survey, options, NULL, measurer, err);
}
