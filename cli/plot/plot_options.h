/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The options of `census plot`: their table, the chart that they describe, and which of them
 * exclude each other.
 */
#ifndef CENSUS_PLOT_OPTIONS_H
#define CENSUS_PLOT_OPTIONS_H

#include "hprender/page.h"

#include "input.h"
#include "options/opt.h"
#include "options/stack_options.h"
#include "time_window.h"

typedef struct plot_values {
    const char *output;   /* NULL: from the name of the input */
    const char *format;   /* NULL: from the name of the output, else PDF */
    const char *font;     /* family or file; NULL: the default */
    int n_bands;          /* -1: the default */
    double trace_percent; /* -1: the default */
    time_window window;
    const char *match, *exclude; /* regular expressions, or NULL */
    stack_options stacks;
    const char *group; /* argument of --group-by, or NULL */
    int x;             /* index into x_names */
    bool normalise, lines, steps;
    int order; /* an hpr_order */
    bool reverse;
    double width_pt, height_pt; /* 0: the default */
    double dpi;                 /* 0: default of the back end */
    double text_pt;             /* 0: the default */
    int preset;                 /* index into figure_preset_names */
    const char *colours;        /* a file of colours, or NULL */
    const char *overlay;        /* names, "all" or "none"; NULL: the ones that fit */
    bool gc;                    /* draw garbage collections */
    bool lanes;                 /* draw what the run-time system did below the plot */
    bool mark_censuses;
    int profile; /* number in an event log; -1: the first */
    input_options input;
    const char *source; /* folder of the program's text, or NULL */
    const char *sets;   /* report with retainer sets; NULL: the profile's own, if any */
    bool latex, print;
    int theme;  /* hpr_theme */
    int legend; /* hpr_legend */
    bool no_title, no_marks, si_units;
    bool same_scale;
    const char *where; /* of heap snapshots, or NULL */
} plot_values;

/* The choices of --legend. */
extern const char *const plot_legend_names[];

/* Returns the defaults. */
plot_values plot_options_default(void);

/* Returns the options, parsed into plot_values. */
const opt *plot_options_table(void);

/* Returns the `n_own` options of a command, at most PLOT_MOST_OWN_OPTIONS, and then those of
 * pictures that also apply to growing profiles: all, or without those that only a picture has. The
 * values of the command must start with plot_values. The table is overwritten by the next call. */
enum { PLOT_MOST_OWN_OPTIONS = 16 };
const opt *plot_options_live(const opt *own, size_t n_own, bool is_picture);

/* Returns a message about options that cannot be used with a growing profile, or NULL. */
const char *plot_options_check_live(const plot_values *values);

/* Fills the options of a chart, or of a page of several profiles. Returns false if the argument of
 * --group-by is invalid. */
bool plot_options_chart(hpr_options *options, const plot_values *values, size_t n_profiles);

/* Checks that the options can be used with a page of a heap snapshot. Returns false with a message.
 */
bool plot_options_check_snapshot(const plot_values *values, opt_complaint *complaint);

/* Checks that the options can be used with the format, the number of profiles, and with each other.
 * Returns false with a message. */
bool plot_options_check(const plot_values *values, const hpr_backend *backend, size_t n_profiles,
                        opt_complaint *complaint);

#endif
