/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Totals of modules: how many boxes of each kind were evaluated, as text or XML, as hpc writes
 * them.
 */
#ifndef HPC_REPORT_H
#define HPC_REPORT_H

#include "coverage/mix.h"
#include "coverage/tix.h"

/* Kinds of boxes that are counted. Expressions include alternatives. */
enum { HPC_EXPRESSIONS, HPC_ALTERNATIVES, HPC_LOCAL, HPC_TOP_LEVEL, HPC_N_TALLIES };
enum { HPC_GUARDS, HPC_CONDITIONS, HPC_QUALIFIERS, HPC_N_CONDITIONS };

/* Boxes of a kind, and how many of them were evaluated. */
typedef struct hpc_tally {
    size_t n_boxes, n_ticked;
} hpc_tally;

/* Conditions of a kind, by outcome. */
typedef struct hpc_condition_tally {
    size_t n_boxes, n_true, n_false, n_both; /* only True, only False */
} hpc_condition_tally;

/* A declaration that was not evaluated: the names that lead to it. */
typedef struct hpc_unused {
    hpf_str *names;
    size_t n_names;
} hpc_unused;

/* All zero is empty. */
typedef struct hpc_totals {
    hpf_arena *arena; /* owner of the names */
    hpc_tally tallies[HPC_N_TALLIES];
    hpc_condition_tally conditions[HPC_N_CONDITIONS];
    hpc_unused *unused;
    size_t n_unused, capacity;
} hpc_totals;

/* Counts a box that is not a condition. */
void hpc_tally_box(hpc_tally tallies[HPC_N_TALLIES], const hpc_box *box, bool is_ticked);

/* Adds the boxes of a module. `is_qualified`: the names of declarations begin with its name.
 * Errors: ARGUMENT, for half of a condition; MEMORY. */
HPF_MUST_USE hpf_status hpc_totals_add(hpc_totals *t, const hpc_mix *mix, const hpc_tix_module *tix,
                                       bool is_qualified, hpf_error *err);
void hpc_totals_finish(hpc_totals *t);

/* Write the totals of a module, or with NULL of the program; as text, `has_declarations` adds the
 * declarations that were not evaluated. */
void hpc_totals_write_text(hpc_totals *t, const hpf_str *module, bool has_declarations,
                           hpf_sink *sink);
void hpc_totals_write_xml(const hpc_totals *t, const hpf_str *module, hpf_sink *sink);

/* Writes a line for each box of a module: its count, its place and what it is. */
void hpc_boxes_write(const hpc_tix_module *tix, const hpc_mix *mix, hpf_sink *sink);

#endif
