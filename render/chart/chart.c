/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Life of a chart: what both looks share.
 */
#include "base/arena.h"
#include "chart/chart.h"

#include <stdlib.h>

hpf_status hpr__chart_bytes(hpr__chart *chart, hpf_str bytes, hpf_str *out, hpf_error *err)
{
    const char *copy = hpf_arena_text(chart->arena, bytes);

    if (!copy) {
        return hpf_error_set_memory(err);
    }
    *out = (hpf_str){copy, bytes.length};
    return HPF_OK;
}

hpf_status hpr__chart_text(hpr__chart *chart, hpf_str bytes, const char **out, hpf_error *err)
{
    char *spaced = hpf_arena_text(chart->arena, bytes);
    char *text = hpf_arena_array(chart->arena, bytes.length + 1, 3);

    if (!spaced || !text) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < bytes.length; i++) {
        if (spaced[i] >= '\t' && spaced[i] <= '\r') {
            spaced[i] = ' ';
        }
    }
    hpr_text_from_bytes(text, (hpf_str){spaced, bytes.length});
    *out = text;
    return HPF_OK;
}

hpf_status hpr__chart_headers(hpr__chart *chart, const hpf_survey *survey, hpf_error *err)
{
    for (int i = 0; i < HPF_N_HEADERS; i++) {
        hpf_str text = hpf_survey_header(survey, (hpf_header)i);

        if (hpr__chart_bytes(chart, text, &chart->public.headers[i], err)) {
            return HPF_ERR_MEMORY;
        }
    }
    return HPF_OK;
}

hpf_status hpr__chart_begin(hpr__chart **out, hpf_error *err)
{
    hpr__chart *chart = calloc(1, sizeof *chart);

    *out = NULL;
    if (!chart) {
        return hpf_error_set_memory(err);
    }
    chart->arena = hpf_arena_create();
    if (!chart->arena) {
        free(chart);
        return hpf_error_set_memory(err);
    }
    *out = chart;
    return HPF_OK;
}

void hpr_chart_destroy(hpr_chart *chart)
{
    hpr__chart *whole = (hpr__chart *)chart;

    if (whole) {
        hpf_arena_destroy(whole->arena);
        free(whole);
    }
}
