/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What stands out in a profile: each finding with its evidence, and a command that shows more. A
 * profile in which nothing stands out has none.
 */
#ifndef CENSUS_FINDINGS_H
#define CENSUS_FINDINGS_H

#include "hpfile/sink.h"

#include "input.h"

typedef struct finding {
    const char *kind;  /* "growth", "short peak", "unused memory", "unreached", "one holder",
                          "resident memory", "churn", "small blocks" */
    hpf_sink *text;    /* the evidence, as a sentence without full stop */
    hpf_sink *command; /* or NULL */
} finding;

enum { MOST_FINDINGS = 8 };

typedef struct findings {
    finding all[MOST_FINDINGS];
    size_t n;
} findings;

/* Searches a surveyed input. `is_window`: the survey is of a part of it, which the commands show,
 * too. `exact`: print all digits. Errors: MEMORY; those of reading single samples again. Call
 * findings_finish in any case. */
HPF_MUST_USE hpf_status findings_find(findings *out, const input *in, bool is_window, bool exact,
                                      hpf_error *err);
void findings_finish(findings *f);

#endif
