/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Charts of both looks: their life, their texts, and the assignment of names to bands.
 */
#include "base/arena.h"
#include "chart/chart.h"

#include <stdlib.h>

#include "base/utf8.h"

hpf_status hpr__chart_bytes(hpr__chart *chart, hpf_str bytes, hpf_str *out, hpf_error *err)
{
    uint32_t number;
    bool is_new;

    if (hpf__intern_add(&chart->texts, bytes, &number, &is_new) != HPF_OK) {
        return hpf_error_set_memory(err);
    }
    *out = chart->texts.names[number];
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
    hpf_utf8_printable(text, (hpf_str){spaced, bytes.length}, "");
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
    chart->public.rate_bytes = hpf_survey_rate_bytes(survey);
    chart->public.spread = hpf_survey_spread_of_all(survey);
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
        hpf__intern_finish(&whole->texts);
        hpf_arena_destroy(whole->arena);
        free(whole);
    }
}

hpf_status hpr__assignment_init(hpr__assignment *assignment, hpf_arena *arena, uint32_t n_names,
                                const hpr__assignment_parts *parts, hpf_error *err)
{
    bool has_other = parts->n_folded > 0;
    uint32_t n_bands = parts->n_drawn + has_other;
    uint32_t first_drawn = has_other && !parts->other_on_top;
    uint32_t other_band = parts->other_on_top ? parts->n_drawn : 0;

    *assignment = (hpr__assignment){
        .names = hpf_arena_array(arena, n_bands, sizeof *assignment->names),
        .band_of_name = hpf_arena_array(arena, n_names, sizeof *assignment->band_of_name),
        .n_bands = n_bands,
        .other_names = parts->n_folded,
        .dropped_names = n_names - parts->n_drawn - parts->n_folded,
    };
    if (!assignment->names || !assignment->band_of_name) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n_names; i++) {
        assignment->band_of_name[i] = HPF_NO_BAND;
    }
    for (uint32_t i = 0; i < parts->n_drawn; i++) {
        assignment->names[first_drawn + i] = parts->drawn[i];
        assignment->band_of_name[parts->drawn[i]] = first_drawn + i;
    }
    for (uint32_t i = 0; i < parts->n_folded; i++) {
        assignment->band_of_name[parts->folded[i]] = other_band;
    }
    if (has_other) {
        assignment->names[other_band] = HPR__OTHER_BAND;
    }
    return HPF_OK;
}
