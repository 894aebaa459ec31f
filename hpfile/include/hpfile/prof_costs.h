/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The costs of a `.prof` report by cost centre, and of its stacks with all stacks that extend them.
 * Costs of GHC's own centres (GC, SYSTEM, ...) are no part of the totals, as in GHC's reports.
 */
#ifndef HPFILE_PROF_COSTS_H
#define HPFILE_PROF_COSTS_H

#include "hpfile/source.h"
#include "hpfile/prof.h"

HPF_BEGIN_DECLS

/* A cost centre with the costs of all its stacks, or a stack with its own costs. */
typedef struct hpf_prof_row {
    const hpf_prof_centre *centre;
    uint32_t index;
    uint32_t parent; /* of a stack */
    uint32_t depth;
    uint64_t entries, ticks, bytes;
    uint64_t inherited_ticks, inherited_bytes; /* of a stack: with all stacks that extend it */
    uint32_t first_child;                      /* index into `by_parent` */
    hpf_str name;                              /* not of a row of the tree */
} hpf_prof_row;

typedef struct hpf_prof_costs {
    hpf_prof_file *file;
    const hpf_prof *prof;
    hpf_prof_row *centres; /* by ticks, then bytes, decreasing */
    size_t n_centres;
    hpf_prof_row *stacks;     /* by number */
    hpf_prof_row **by_parent; /* children of a stack are adjacent, the most expensive first */
    hpf_prof_row **tree;      /* the stacks that are shown, parents before children */
    size_t n_tree;
    size_t n_used_stacks;
    char *indented; /* room for the name of a stack in a table */
    double s_per_tick;
} hpf_prof_costs;

/* Reads a report, and adds up its costs: of the `n_rows` most expensive centres, and of stacks with
 * 1 % of time or allocation; 0: of all. Errors: from hpf_prof_read; MEMORY. Call
 * hpf_prof_costs_finish in any case. */
HPF_API HPF_MUST_USE hpf_status hpf_prof_costs_read(hpf_prof_costs *out, hpf_source *source,
                                                    size_t n_rows, hpf_error *err);
HPF_API void hpf_prof_costs_finish(hpf_prof_costs *v);

/* Moves the rows that have costs to the front, the most expensive first, without rows of hidden
 * centres. Returns their number. */
HPF_API size_t hpf_prof_rows_sort(hpf_prof_row *rows, size_t n);

HPF_END_DECLS
#endif
