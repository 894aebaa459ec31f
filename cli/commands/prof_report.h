/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report and census info for `.prof` files: totals, the most expensive cost centres, and the
 * tree of cost-centre stacks.
 */
#ifndef CENSUS_PROF_REPORT_H
#define CENSUS_PROF_REPORT_H

#include "hpfile/sink.h"

#include "input.h"
#include "table.h"

/* Writes the report of an opened input, without finishing the sink: the `n_rows` most expensive
 * cost centres (0: all), and in text and JSON also the stacks with at least 1 % of time or
 * allocation (with n_rows 0: all). */
hpf_status prof_report_write(const input *in, table_format format, size_t n_rows, bool exact,
                             hpf_sink *sink, hpf_error *err);

/* Writes the `n_rows` most expensive names (0: all) that a view shows of the stacks of an opened
 * input, in the same way. Stacks that GHC hides are left out. Errors: from reading and the view. */
hpf_status prof_report_write_view(const input *in, const hpf_stack_view *view, table_format format,
                                  size_t n_rows, bool exact, hpf_sink *sink, hpf_error *err);

/* Writes what the report contains, as text or JSON. */
hpf_status prof_info_write(const input *in, bool as_json, bool exact, hpf_sink *sink,
                           hpf_error *err);

#endif
