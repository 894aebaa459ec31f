/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From the names of a recording to tables of what they have in common.
 */
#ifndef CENSUS_EXPLAIN_TABLE_H
#define CENSUS_EXPLAIN_TABLE_H

#include "base/arena.h"
#include "hpfile/breakdown.h"
#include "prof/prof.h"

#include "input.h"
#include "retainers/savings.h"

/* With fewer samples, growth is not reported. */
enum { EXPLAIN_FEWEST_SAMPLES = 8 };

/* What a description or a closure type is an object of. */
typedef enum explain_class {
    EXPLAIN_DATA,
    EXPLAIN_EXPRESSION, /* a thunk; a description does not always tell it from a function */
    EXPLAIN_FUNCTION,
} explain_class;

/* Names of a recording that have something in common. */
typedef struct explain_part {
    hpf_str name;    /* a function, description, phase, or set of holders, without numbers */
    hpf_str set;     /* the same as the recording has it */
    hpf_str callers; /* of the largest name: "go < tally < main" */
    hpf_str place;   /* "map.hs:9:34-58"; empty if unknown */
    explain_class class;
    bool is_constant; /* it was allocated by a constant at the top level of the program */
    bool is_cut;      /* the recording has only the beginning of its stack, without own functions */
    double share;
    double amounts[5]; /* after a quarter, half, three quarters and 95 % of the time; at the peak */
    bool grows;        /* until the end, not only at first */
} explain_part;

typedef struct explain_table {
    const explain_part *parts; /* largest first */
    size_t n;
} explain_table;

/* The questions of the guide; each break-down answers one. */
typedef enum explain_question {
    EXPLAIN_MAKER,
    EXPLAIN_CONTENT,
    EXPLAIN_USE,
    EXPLAIN_HOLDER,
    EXPLAIN_N_QUESTIONS
} explain_question;

typedef struct explain_recording {
    input *in;
    hpf_breakdown by;
    explain_question question;
    hpf_str of;        /* "-hcbuild": only a part of the heap is recorded; empty: all of it */
    hpf_str of_centre; /* the cost centre of which it is, or empty */
    bool is_waste;     /* only what is not in use */
    explain_table table;
    const hpf_prof_file *report; /* places of cost centres, or NULL; borrowed */
} explain_recording;

/* What a table is by. */
typedef enum explain_key {
    EXPLAIN_BY_NAME,  /* the break-down of the recording */
    EXPLAIN_BY_MAKER, /* the function that allocated it, the innermost one of the program itself */
} explain_key;

/* Makes a table of a recording; `only`: of the names with this text by the break-down, or NULL.
 * A recording without stacks has no table by maker. Texts are borrowed from the survey or in
 * `arena`. Errors: MEMORY, those of reading samples again. */
HPF_MUST_USE hpf_status explain_table_make(explain_table *out, const explain_recording *r,
                                           explain_key key, const hpf_str *only, hpf_arena *arena,
                                           hpf_error *err);

/* Makes a table of what was kept without being used, by maker or by holder. Errors: MEMORY. */
HPF_MUST_USE hpf_status explain_table_of_savings(explain_table *out, const explain_recording *r,
                                                 const saving *savings, size_t n, hpf_arena *arena,
                                                 hpf_error *err);

/* Returns the place of a cost centre by the report of a recording, or an empty text. */
hpf_str explain_place(const explain_recording *r, hpf_str label);

#endif
