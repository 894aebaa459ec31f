/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report --dominators: the dominator tree of a heap snapshot as a table, and the way of
 * references that holds an object.
 */
#ifndef CENSUS_DOMINATORS_REPORT_H
#define CENSUS_DOMINATORS_REPORT_H

#include "table.h"

typedef struct dominators_options {
    const char *output; /* NULL: standard output */
    table_format format;
    size_t n_children;   /* most of each group; 0: all */
    uint32_t depth;      /* most levels below the root */
    bool exact;          /* print exact numbers */
    const char *holders; /* report what holds objects of this name instead; or NULL */
} dominators_options;

/* Returns an exit status; failures print a message. */
int dominators_report(const char *path, const dominators_options *options);

#endif
