/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot of a heap snapshot: an interactive page of its dominator tree; census diff of two.
 */
#ifndef CENSUS_PLOT_SNAPSHOT_H
#define CENSUS_PLOT_SNAPSHOT_H

#include "cmd.h"
#include "dominators/snapshot_file.h"
#include "hpfile/sink.h"
#include "plot_options.h"

/* Returns an exit status; failures print a message. */
int plot_snapshot(const cmd *self, const plot_values *values, const char *path);

/* Writes the page of a heap snapshot with a tree of at most HPR_HTML_MOST_GROUPS, of which `values`
 * has the theme and the units, without finishing the sink. `questions` is as in
 * hpr_html_dominators. Returns false after a message. */
bool plot_snapshot_write(hpf_sink *sink, const plot_values *values, const snapshot_file *file,
                         const char *path, const char *questions);

/* Writes the groups below the one to which a path leads, as data for the page: "/0/17/5" has the
 * numbers of the names of the groups from the root on. Returns false if there is no such group, or
 * without memory. */
bool plot_snapshot_write_below(hpf_sink *sink, const snapshot_file *file, const char *path);

/* Writes the page of two heap snapshots. Returns an exit status; failures print a message. */
int plot_snapshot_diff(const char *const *paths, const char *output, hpr_theme theme,
                       bool si_units);

#endif
