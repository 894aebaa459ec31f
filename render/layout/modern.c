/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The modern look, step by step.
 */
#include "base/arena.h"
#include "layout/modern.h"

#include "hpfile/str.h"

#include "style/line_style.h"
#include "layout/layout.h"
#include "chart/order.h"
#include "chart/select.h"
#include "style/print_style.h"
#include "chart/stack.h"

const hpr_colour *hpr__pinned_colour(const hpr_options *options, hpf_str name)
{
    for (size_t i = 0; i < options->n_pins; i++) {
        hpf_str pin = options->pins[i].name;
        if (hpf_str_equal(pin, name) || hpf_str_equal(pin, hpf_str_without_id(name)) ||
            hpf_str_equal(hpf_str_without_id(pin), name)) {
            return &options->pins[i].colour;
        }
    }
    return NULL;
}

hpf_status hpr__modern_fill(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                            const hpr_options *options, hpf_arena *arena, hpf_error *err)
{
    if (options->as_lines) {
        return hpr__line_style_choose(fills, swatches, n, options->theme, arena)
                   ? HPF_OK
                   : hpf_error_set_memory(err);
    }
    if (options->theme == HPR_THEME_PRINT) {
        hpr__print_style_choose(fills, swatches, n);
        return HPF_OK;
    }
    hpr_colour *colours = hpf_arena_array(arena, n, sizeof *colours);
    if (!colours ||
        !hpr__palette_choose(colours, swatches, n, options->theme == HPR_THEME_DARK, arena)) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        fills[i] = (hpr_fill){.colour = colours[i]};
    }
    return HPF_OK;
}

/* The area; amounts of a single sample have none. */
static double weight_of(const hpr__chart *chart, const hpr_band *band)
{
    return chart->public.n_points == 1 ? band->sum : band->trapezium;
}

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
        rows[i] = band->values;
        swatches[i] =
            (hpr__swatch){band->name, band->is_other, weight_of(chart, band),
                          hpr__pinned_colour(options, band->name), absent ? absent[i] : 0};
    }
    hpf_status status = hpr__modern_fill(fills, swatches, n, options, chart->arena, err);
    if (!status && options->as_lines) {
        hpr__line_style_uncover(fills, rows, n, chart->public.n_points);
    }
    for (uint32_t i = 0; i < n && !status; i++) {
        chart->bands[i].fill = fills[i];
    }
    return status;
}

/* Totals before percents: they stay amounts, whatever the bands are shown as. */
hpf_status hpr__modern_fetch(hpr__chart *chart, hpf_survey *survey, const hpr__assignment *plan,
                             const hpr_options *options, hpf_error *err)
{
    hpf_status status = hpr__stack_fetch(chart, survey, plan, err);
    if (!status && options->by_sample) {
        status = hpr__stack_count_samples(chart, survey, err);
    }
    if (status) {
        return status;
    }
    chart->public.is_lines = options->as_lines;
    hpr__stack_cumulate(chart);
    if (options->normalise) {
        hpr__stack_normalise(chart);
    }
    return HPF_OK;
}

hpf_status hpr__chart_modern(hpr__chart *chart, hpf_survey *survey, const hpr_options *options,
                             hpr_measurer measurer, hpf_error *err)
{
    hpr__assignment plan;
    hpf_status status = hpr__modern_select(&plan, chart->arena, survey, options, err);
    if (!status) {
        status = hpr__modern_fetch(chart, survey, &plan, options, err);
    }
    if (!status) {
        status = hpr__modern_order(chart, &plan, options, err);
    }
    if (!status) {
        status = hpr__stack_pile_up(chart, err);
    }
    if (!status) {
        status = hpr__modern_fill_bands(chart, NULL, options, err);
    }
    return status ? status : hpr__modern_layout(chart, survey, options, NULL, measurer, err);
}
