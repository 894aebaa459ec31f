/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The tables of census diff, one function for each format.
 */
#ifndef CENSUS_DIFF_TABLE_H
#define CENSUS_DIFF_TABLE_H

#include "hpfile/diff.h"
#include "hpfile/sink.h"

#include "input.h"

/* Shared by all formats. */
typedef struct diff_table {
    const input *inputs; /* A and B */
    const hpf_diff *diff;
    uint32_t n_rows; /* number of rows; the rest is one row */
    bool is_window;  /* the inputs are parts of profiles */
    bool exact;      /* print exact numbers */
} diff_table;

void diff_table_text(hpf_sink *sink, const diff_table *t);
void diff_table_json(hpf_sink *sink, const diff_table *t);
void diff_table_csv(hpf_sink *sink, const diff_table *t);

#endif
