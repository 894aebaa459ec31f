/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which format a picture is written in.
 */
#ifndef CENSUS_PLOT_FORMAT_H
#define CENSUS_PLOT_FORMAT_H

#include "hprender/backend.h"

#include "cmd.h"
#include "plot_options.h"

/* The list of formats, for --help. */
void plot_formats_print(FILE *to);

/* The back end that the name of an output tells; NULL: none. */
const hpr_backend *plot_format_by_path(const char *path);

/* The back end that --format or the name of the output asks for, PDF without them; &plot_html for a
 * page. NULL after a message. */
const hpr_backend *plot_format_choose(const cmd *self, const plot_values *values);

#endif
