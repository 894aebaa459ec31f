/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot of a heap snapshot: an interactive page of its dominator tree.
 */
#ifndef CENSUS_PLOT_SNAPSHOT_H
#define CENSUS_PLOT_SNAPSHOT_H

#include "cmd.h"
#include "plot_options.h"

/* Returns an exit status; failures print a message. */
int plot_snapshot(const cmd *self, const plot_values *values, const char *path);

#endif
