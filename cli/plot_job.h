/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A picture being made: profiles read, a chart laid out, files written.
 */
#ifndef CENSUS_PLOT_JOB_H
#define CENSUS_PLOT_JOB_H

#include "input.h"
#include "plot_setup.h"

typedef struct plot_job {
    plot_setup setup;
    const char *output; /* NULL: standard output */
    /* While it runs. */
    hpf_eventlog_gc collections; /* of --gc */
    input *inputs;
    size_t n_inputs;  /* that are open */
    char **names;     /* of the profiles on an interactive page */
    hpr_chart *chart; /* of one profile; of several, NULL */
    hpr_page *page;   /* the other way round */
} plot_job;

/* Draws the profiles at `paths`, one or more, as the other members say. Returns an exit status,
 * after a message if that is no success. */
int plot_job_run(plot_job *j, char *const *paths, size_t n);

#endif
