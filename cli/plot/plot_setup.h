/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The options of a picture made ready: looked into, with the files that they name read. With it any
 * number of charts can be laid out and written.
 */
#ifndef CENSUS_PLOT_SETUP_H
#define CENSUS_PLOT_SETUP_H

#include "hprender/page.h"

#include "cmd.h"
#include "colour_list.h"
#include "name_filter.h"
#include "name_list.h"
#include "plot_options.h"

typedef struct plot_setup {
    const plot_values *values;
    const hpr_backend *backend;
    hpr_page_options options; /* for one profile, only those of its chart count; they point into
                                 the lists */
    name_filter filter;
    name_list order;   /* of --order-file */
    name_list overlay; /* of --overlay; whoever knows the profiles chooses (overlay.h) */
    colour_list colours;
    hpr_fonts *fonts; /* NULL before plot_setup_open_fonts */
} plot_setup;

/* Looks into the options for a picture of `n_profiles`. Returns EXIT_DONE, or an exit status after
 * a message; finish it in any case. `values` is borrowed. */
int plot_setup_init(plot_setup *out, const cmd *self, const plot_values *values, size_t n_profiles);
void plot_setup_finish(plot_setup *s);

/* False after a message. */
bool plot_setup_open_fonts(plot_setup *s);

/* Which names count, for surveys, with `&s->filter` as the context; NULL: all do. */
typedef bool plot_name_filter(void *context, hpf_str name);
plot_name_filter *plot_setup_filter(const plot_setup *s);

#endif
