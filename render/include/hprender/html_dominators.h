/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The page of a heap snapshot: its dominator tree as a flame graph and a table, with the way of
 * references to each group. docs/formats/page.md documents the data.
 */
#ifndef HPRENDER_HTML_DOMINATORS_H
#define HPRENDER_HTML_DOMINATORS_H

#include "hprender/render.h"
#include "hpfile/sink.h"
#include "hpfile/dominator_tree.h"

HPF_BEGIN_DECLS

/* Most groups that a page shows. */
enum { HPR_HTML_MOST_GROUPS = 10000 };

typedef struct hpr_html_dominators {
    const hpf_snapshot *snapshot;
    const hpf_dominators *dominators;
    const hpf_dominator_tree *tree;
    const char *file; /* name to show */
    hpr_theme theme;
    bool si_units;
    const char
        *questions;    /* relative URL below which a server answers questions; NULL: none does */
    const char *where; /* of ways (hpf_path_tree_init): the question whose matches these lead to;
                          else NULL */
    /* Of a comparison (hpf_dominator_tree_compare): what was before; NULL: nothing is compared. */
    const hpf_snapshot_side *before;
    const char *before_file;
} hpr_html_dominators;

/* Writes a self-contained page. Flushes the sink, but does not finish it. Errors: from the sink;
 * MEMORY. */
HPF_API hpf_status hpr_html_dominators_write(const hpr_html_dominators *page, hpf_sink *sink,
                                             hpf_error *err);

/* Writes groups alone, as data for a page: those of a tree below a group
 * (hpf_dominator_tree_below). Same errors. */
HPF_API hpf_status hpr_html_dominators_write_groups(const hpr_html_dominators *page, hpf_sink *sink,
                                                    hpf_error *err);

HPF_END_DECLS
#endif
