/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From the names of a recording to tables of what they have in common.
 */
#ifndef HPF_EXPLAIN_TABLE_H
#define HPF_EXPLAIN_TABLE_H

#include "base/arena.h"
#include "hpfile/explain.h"

/* What a table is by. */
typedef enum hpf__explain_key {
    HPF__EXPLAIN_BY_NAME,  /* the break-down of the recording */
    HPF__EXPLAIN_BY_MAKER, /* the function that allocated it, the innermost one of the program
                              itself */
} hpf__explain_key;

/* Makes a table of a recording; `only`: of the names with this text by the break-down, or NULL. A
 * recording without stacks has no table by maker. Texts are borrowed from the survey or in `arena`.
 * Errors: MEMORY, from reading samples again. */
HPF_MUST_USE hpf_status hpf__explain_table_make(hpf_explain_table *out,
                                                const hpf_explain_recording *r,
                                                hpf__explain_key key, const hpf_str *only,
                                                hpf_arena *arena, hpf_error *err);

/* Makes a table of what was kept without being used, by maker or by holder. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpf__explain_table_of_savings(hpf_explain_table *out,
                                                      const hpf_explain_recording *r,
                                                      const hpf_saving *savings, size_t n,
                                                      hpf_arena *arena, hpf_error *err);

/* Returns the place of a cost centre by the report of a recording, or an empty text. */
hpf_str hpf__explain_place(const hpf_explain_recording *r, hpf_str label);

#endif
