/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two profiles compared, as a table: one function for each format.
 */
#ifndef CENSUS_DIFF_TABLE_H
#define CENSUS_DIFF_TABLE_H

#include "hpfile/diff.h"
#include "hpfile/sink.h"

#include "input.h"

/* What every layout writes about. */
typedef struct diff_table {
    const input *inputs; /* the old one, the new one */
    const hpf_diff *diff;
    uint32_t n_rows; /* so many of them; the rest is one row */
    bool exact;      /* all digits */
} diff_table;

void diff_table_text(hpf_sink *sink, const diff_table *t);
void diff_table_json(hpf_sink *sink, const diff_table *t);
void diff_table_csv(hpf_sink *sink, const diff_table *t);
void diff_table_markdown(hpf_sink *sink, const diff_table *t);

#endif
