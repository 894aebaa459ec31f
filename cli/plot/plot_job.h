/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Draws a picture: reads profiles, lays out a chart, and writes files.
 */
#ifndef CENSUS_PLOT_JOB_H
#define CENSUS_PLOT_JOB_H

#include "base/arena.h"
#include "hpfile/eventlog_activity.h"

#include "input.h"
#include "plot_setup.h"

typedef struct plot_job {
    plot_setup setup;
    const char *output; /* NULL: standard output */
    /* Used while running. */
    hpf_eventlog_gc collections;     /* for --gc */
    hpf_eventlog_activity *activity; /* for --lanes; or NULL */
    input *inputs;
    size_t n_inputs;        /* number of open inputs */
    bool shows_stacks;      /* an interactive page, of all frames that the input has */
    hpf_survey **surveys;   /* of the inputs */
    input *allocations;     /* for interactive pages: what their stacks have allocated */
    hpf_survey **allocated; /* surveys of these, or NULL */
    hpf_survey **resident;  /* for interactive pages: HPR_N_RESIDENT of each, or NULL */
    hpf_str *findings;      /* for interactive pages: of each profile, as JSON */
    hpf_arena *texts;       /* of these */
    char **names;           /* names of the profiles on an interactive page */
    hpr_chart *chart;       /* chart of one profile, or NULL */
    hpr_page *page;         /* page of several profiles, or NULL */
} plot_job;

/* Draws one or more profiles. Returns an exit status; failures print a message. */
int plot_job_run(plot_job *j, char *const *paths, size_t n);

#endif
