/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The syntax of a rule.
 */
#ifndef CENSUS_GATE_RULE_H
#define CENSUS_GATE_RULE_H

#include "plot/name_filter.h"

#include "options/opt.h"

typedef enum gate_kind { GATE_REPORT, GATE_DIFF } gate_kind;

/* What a rule of a report is about; rules of comparisons use hpf_diff_measure. */
typedef enum gate_figure {
    GATE_PEAK,
    GATE_MEAN,
    GATE_FINAL,
    GATE_GROWTH,
    GATE_MAX, /* of a band */
} gate_figure;

enum { GATE_ALL_MEASURES = -1 }; /* a rule of a comparison without a measure */

typedef enum gate_verdict { GATE_KEPT, GATE_BROKEN, GATE_NO_BAND, GATE_UNKNOWN } gate_verdict;

typedef struct gate_rule {
    const char *text; /* borrowed from argv */
    bool has_bands;   /* the rule is about each band that `bands` selects */
    name_filter bands;
    int figure;
    bool is_upper;     /* broken by larger values; else by smaller ones */
    bool breaks_equal; /* broken also by the limit itself */
    double limit;      /* with its sign, without its unit */
    int power;         /* of 1000 or 1024 */
    int base;          /* 1000 or 1024; 0: 1024 for bytes, 1000 for other units */
    bool is_percent;
    double
        per_seconds; /* of a growth: the time that the limit is for; 0: the unit of the profile */
    gate_verdict verdict;
    char message[512]; /* unless kept */
} gate_rule;

/* Parses a rule; gate_rule_finish frees it. */
bool gate_rule_parse(gate_rule *out, gate_kind kind, const char *text, opt_complaint *complaint);
void gate_rule_finish(gate_rule *r);

#endif
