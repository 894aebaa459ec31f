/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `census plot -o report.html`: profiles as an interactive page.
 */
#ifndef CENSUS_PLOT_HTML_H
#define CENSUS_PLOT_HTML_H

#include "hprender/page.h"

#include "input.h"
#include "plot_options.h"

/* Samples of a profile that a page holds at most: one zooms into it, and each step is drawn in a
 * tenth of a second. */
#define PLOT_HTML_MOST_SAMPLES 10240

/* Stands for the format where back ends are chosen by name. It draws no chart: `write` is NULL. */
extern const hpr_backend plot_html;

/* An option that was given and that pages do not have, as a complaint; NULL: all are fine. */
const char *plot_html_misfit(const plot_values *values);

/* Writes the page of `n` profiles, called by `names`. Errors: as hpr_html_write. */
hpf_status plot_html_write(const input *inputs, char *const *names, size_t n,
                           const hpr_page_options *options, hpf_sink *sink, hpf_error *err);

#endif
