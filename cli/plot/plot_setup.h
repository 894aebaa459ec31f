/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The options of a picture, checked, with the files that they name read. Any number of charts can
 * be drawn with it.
 */
#ifndef CENSUS_PLOT_SETUP_H
#define CENSUS_PLOT_SETUP_H

#include "hprender/page.h"

#include "cmd.h"
#include "hpfile/name_filter.h"
#include "name_list.h"
#include "plot_options.h"
#include "hprender/backend.h"

/* Prints the formats for --help. */
void plot_formats_print(FILE *to);

/* Returns the back end of --format or of the output, PDF without either. Returns NULL after a
 * message. */
const hpr_backend *plot_format_choose(const cmd *self, const plot_values *values);

typedef struct plot_setup {
    const plot_values *values;
    const hpr_backend *backend;
    hpr_options options; /* they point into the lists */
    hpf_name_filter filter;
    hpf_stack_view *view; /* or NULL */
    name_list overlay;    /* from --overlay; set by overlay_choose */
    colour_list colours;
    hpr_fonts *fonts; /* NULL until plot_setup_open_fonts */
} plot_setup;

/* Checks the options for a picture of `n_profiles`. Returns EXIT_DONE, or an exit status after a
 * message. Call plot_setup_finish in any case. `values` is borrowed. */
int plot_setup_init(plot_setup *out, const cmd *self, const plot_values *values, size_t n_profiles);
void plot_setup_finish(plot_setup *s);

/* Returns false after a message. */
bool plot_setup_open_fonts(plot_setup *s);

/* Returns whether `surveys` have no cost to draw: no sample with a name that is wanted, in the
 * window. Then writes why to `why`.*/
enum { PLOT_WHY_BYTES = 500 };
bool plot_setup_is_empty(const plot_setup *s, hpf_survey *const *surveys, size_t n,
                         char why[PLOT_WHY_BYTES]);

/* Names in samples, and how many of them --group-by leaves alone. */
typedef struct plot_ungrouped {
    uint32_t n, n_names;
} plot_ungrouped;

plot_ungrouped plot_setup_count_ungrouped(const plot_setup *s, hpf_survey *const *surveys,
                                          size_t n);
/* Prints a warning, unless there are none. */
void plot_warn_of_ungrouped(plot_ungrouped names);

/* Returns whether only some names are shown, or parts of stacks. */
bool plot_setup_chooses(const plot_setup *s);

/* Returns the name filter for surveys, with `&s->filter` as the context; NULL without a filter. */
typedef bool plot_name_filter(void *context, hpf_str job, hpf_str name);
plot_name_filter *plot_setup_filter(const plot_setup *s);

#endif
