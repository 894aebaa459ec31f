/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The page of a heap snapshot: its dominator tree as a flame graph and a table, with the way of
 * references to each group. docs/formats/page.md documents the data.
 */
#ifndef HPR_HTML_DOMINATORS_H
#define HPR_HTML_DOMINATORS_H

#include "hprender/render.h"
#include "hpfile/sink.h"
#include "snapshot/dominator_tree.h"

/* Most groups that a page shows. */
enum { HPR__HTML_MOST_GROUPS = 2000 };

typedef struct hpr__html_dominators {
    const hpf__snapshot *snapshot;
    const hpf__dominators *dominators;
    const hpf__dominator_tree *tree;
    const char *file; /* name to show */
    hpr_theme theme;
    bool si_units;
} hpr__html_dominators;

/* Writes a self-contained page. Flushes the sink, but does not finish it. Errors: those of the
 * sink; MEMORY. */
HPF_API hpf_status hpr__html_dominators_write(const hpr__html_dominators *page, hpf_sink *sink,
                                              hpf_error *err);

#endif
