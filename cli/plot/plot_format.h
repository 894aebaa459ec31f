/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses the format of a picture.
 */
#ifndef CENSUS_PLOT_FORMAT_H
#define CENSUS_PLOT_FORMAT_H

#include "hprender/backend.h"

#include "cmd.h"
#include "plot_options.h"

/* Prints the formats for --help. */
void plot_formats_print(FILE *to);

/* Returns the back end of --format or of the output, PDF without either. Returns NULL after a
 * message. */
const hpr_backend *plot_format_choose(const cmd *self, const plot_values *values);

#endif
