/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A picture being made: profiles read, a chart laid out, files written.
 */
#ifndef CENSUS_PLOT_JOB_H
#define CENSUS_PLOT_JOB_H

#include "hprender/render.h"

#include "colour_list.h"
#include "input.h"
#include "name_filter.h"
#include "name_list.h"
#include "plot_options.h"

typedef struct plot_job {
    const plot_values *values;
    const hpr_backend *backend;
    hpr_options options;
    name_filter filter;
    const char *output; /* NULL: standard output */
    /* While it runs. */
    name_list order;   /* of --order-file */
    name_list overlay; /* of --overlay */
    colour_list colours;
    input in;
    hpr_fonts *fonts;
    hpr_chart *chart;
} plot_job;

/* Draws the profile at `path` as the other members say, after a message if that fails. Returns an
 * exit status. */
int plot_job_run(plot_job *j, const char *path);

#endif
