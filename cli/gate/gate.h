/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rules that a profile must keep, for automatic tests: --fail-if of census report and census diff.
 */
#ifndef CENSUS_GATE_H
#define CENSUS_GATE_H

#include "hpfile/limit.h"

#include "input.h"
#include "options/opt.h"

/* Members of the options of a command. */
typedef struct gate_options {
    opt_list rules;
    const char *junit; /* path of a report for test servers, or NULL */
    bool github;       /* print broken rules as annotations of GitHub */
} gate_options;

/* Their rows; `base` is the offset of a gate_options, `rule` the help of --fail-if. */
#define GATE_OPTIONS(base, rule)                                                                   \
    OPT(0, "fail-if", OPT_LIST, (base) + offsetof(gate_options, rules), "RULE", rule),             \
        OPT(0, "junit", OPT_TEXT, (base) + offsetof(gate_options, junit), "FILE",                  \
            "with --fail-if: write the result of each rule to FILE, as JUnit XML"),                \
        OPT(0, "github", OPT_FLAG, (base) + offsetof(gate_options, github), NULL,                  \
            "with --fail-if: print broken rules as annotations of GitHub Actions")

typedef struct gate gate;

/* Parses the rules; without rules, `*out` is NULL, which all functions accept. Returns false if
 * one is invalid. */
bool gate_create(gate **out, hpf_limit_kind kind, const gate_options *options,
                 opt_complaint *complaint);

/* Find out which rules the profile, or the change from inputs[0] to inputs[1], breaks. */
void gate_judge_report(gate *g, const input *in);
void gate_judge_diff(gate *g, const input *inputs, const hpf_diff *diff);

/* Prints a line for each broken rule and writes the JUnit report, if `status` of the command is
 * EXIT_DONE. Destroys the gate. Returns the new status: EXIT_BROKEN if a rule is broken. */
int gate_close(gate *g, int status);

#endif
