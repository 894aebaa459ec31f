/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The options of `census plot`: what they are, what they say of the chart, and which do not go
 * together.
 */
#ifndef CENSUS_PLOT_OPTIONS_H
#define CENSUS_PLOT_OPTIONS_H

#include "hprender/page.h"

#include "opt.h"

typedef struct plot_values {
    const char *output;   /* NULL: named after the input */
    const char *format;   /* NULL: by the name of the output, else PDF */
    const char *font;     /* a family or a file; NULL: the default */
    int look;             /* hpr_look */
    int n_bands;          /* -1: as the look has it */
    double trace_percent; /* -1: as the look has it */
    bool combine;
    double from_time, to_time;   /* -HUGE_VAL, HUGE_VAL: all */
    const char *match, *exclude; /* regular expressions, or NULL */
    const char *group;           /* of --group-by, or NULL */
    int x;                       /* index into x_names */
    bool normalise, lines;
    int order; /* index into order_names */
    bool reverse;
    const char *order_file;     /* NULL: none */
    double width_pt, height_pt; /* 0: as the look has it */
    double dpi;                 /* 0: as the back end has it */
    double text_pt;             /* 0: as the look has it */
    int preset;                 /* index into figure_preset_names */
    const char *colours;        /* a file of colours, or NULL */
    const char *overlay;        /* names, "all" or "none"; NULL: those that fit */
    const char *overlay_from;   /* a file of lines; NULL: the one beside the profile, if any */
    bool gc;                    /* ticks of garbage collections */
    int profile;                /* of an event log; -1: the first */
    const char *sets;           /* a report with retainer sets; NULL: the one beside, if any */
    bool latex, print;
    int theme;  /* hpr_theme */
    int legend; /* hpr_legend */
    bool no_title, no_marks, si_units;
    bool same_scale;
} plot_values;

/* What stands where nothing was said. */
plot_values plot_options_default(void);

/* For opt_parse, into plot_values. */
extern const opt plot_options[];

/* Adds the rows of options that pictures of growing profiles have as well to a table of another
 * command, whose values begin with plot_values: behind `n_rows` that are there already, in room for
 * PLOT_MOST_OPTIONS, and with the row that ends a table. */
enum { PLOT_MOST_OPTIONS = 64 };
void plot_options_add_live(opt *table, size_t n_rows);

/* Which chart is asked for, or which page of several. False: there is no such --group-by. */
bool plot_options_chart(hpr_page_options *options, const plot_values *values, size_t n_profiles);

/* An option that was given and that the look, the format or the number of profiles does not have,
 * as a complaint; NULL: all go together. */
const char *plot_options_misfit(const plot_values *values, const hpr_backend *backend,
                                size_t n_profiles);

/* Returns whether --dpi applies to the format. */
bool plot_options_has_dpi(const hpr_backend *backend);

#endif
