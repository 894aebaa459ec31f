/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `census plot -o report.html`: interactive pages.
 */
#ifndef CENSUS_PLOT_HTML_H
#define CENSUS_PLOT_HTML_H

#include "hprender/page.h"

#include "input.h"
#include "plot_options.h"

/* Most samples of a profile on a page; more would make zooming slow. */
#define PLOT_HTML_MOST_SAMPLES 10240

/* The page as a format. It draws no chart: `write` is NULL. */
extern const hpr_backend plot_html;

/* Returns a message about an option that cannot be used with a page, or NULL. */
const char *plot_html_conflict(const plot_values *values);

/* Writes the page of `n` profiles with the given names. Errors: as hpr_html_write. */
hpf_status plot_html_write(const input *inputs, char *const *names, size_t n,
                           const hpr_page_options *options, hpf_sink *sink, hpf_error *err);

#endif
