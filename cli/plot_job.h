/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A picture being made: profiles read, a chart laid out, files written.
 */
#ifndef CENSUS_PLOT_JOB_H
#define CENSUS_PLOT_JOB_H

#include "hprender/page.h"

#include "colour_list.h"
#include "input.h"
#include "name_filter.h"
#include "name_list.h"
#include "plot_options.h"

typedef struct plot_job {
    const plot_values *values;
    const hpr_backend *backend;
    hpr_page_options options; /* for one profile, only those of its chart count */
    name_filter filter;
    const char *output; /* NULL: standard output */
    /* While it runs. */
    name_list order;   /* of --order-file */
    name_list overlay; /* of --overlay */
    colour_list colours;
    input *inputs;
    size_t n_inputs; /* that are open */
    hpr_fonts *fonts;
    hpr_chart *chart; /* of one profile; of several, NULL */
    hpr_page *page;   /* the other way round */
} plot_job;

/* Draws the profiles at `paths`, one or more, as the other members say. Returns an exit status,
 * after a message if that is no success. */
int plot_job_run(plot_job *j, char *const *paths, size_t n);

#endif
