/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The private side of a chart: its arena, its arrays while they can still be written, and the two
 * looks that fill it.
 *
 * The steps of a look: make a plan (plan.h) from the survey's totals; hpr__stack_fetch for the
 * series; hpr__stack_cumulate once the order is settled (stack.h); then scale and layout fill the
 * rest of the public struct.
 */
#ifndef HPR_CHART_H
#define HPR_CHART_H

#include "base/arena.h"
#include "hprender/render.h"

typedef struct hpr__chart {
    hpr_chart public; /* first, so that a pointer to it is a pointer to the whole */
    hpf_arena *arena;
    hpr_band *bands; /* public.bands */
    double *values;  /* n_bands rows of n_points: the bands' `values`, by position when fetched */
    double *upper;   /* the same for `upper` */
    double *totals;  /* public.totals */
} hpr__chart;

/* A copy of `bytes` in the chart's arena, with a NUL behind it. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__chart_bytes(hpr__chart *chart, hpf_str bytes, hpf_str *out,
                                         hpf_error *err);

/* `bytes` as UTF-8 that can be shown, in the chart's arena: blanks of all kinds become spaces,
 * other control characters and what is no UTF-8 become U+FFFD. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__chart_text(hpr__chart *chart, hpf_str bytes, const char **out,
                                        hpf_error *err);

/* An empty chart with an arena, to be destroyed by hpr_chart_destroy. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__chart_begin(hpr__chart **out, hpf_error *err);

/* Copies the headers of the profile. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__chart_headers(hpr__chart *chart, const hpf_survey *survey,
                                           hpf_error *err);

/* Select, order, limit, stack, scale and layout of the classic look (classic.c) and of the modern
 * one. On failure the chart is only fit to be destroyed. Errors: as hpr_chart_create. */
HPF_MUST_USE hpf_status hpr__chart_classic(hpr__chart *chart, hpf_survey *survey,
                                           const hpr_options *options, hpf_error *err);
HPF_MUST_USE hpf_status hpr__chart_modern(hpr__chart *chart, hpf_survey *survey,
                                          const hpr_options *options, hpr_measurer measurer,
                                          hpf_error *err);

#endif
