/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rules that limit the figures of a profile, or what changes between two. A rule says what breaks
 * it. For profiles: `peak > 100M`, `growth > 1M/s`, `band:REGEX.max > 10M`. For changes, with their
 * sign: `+5%`, `peak +10M`, `band:REGEX.mean +5%`. `band?:REGEX` is about bands that may be absent.
 */
#ifndef HPFILE_LIMIT_H
#define HPFILE_LIMIT_H

#include "hpfile/name_filter.h"
#include "hpfile/summary.h"
#include "hpfile/diff.h"

HPF_BEGIN_DECLS

typedef enum hpf_limit_kind { HPF_LIMIT_REPORT, HPF_LIMIT_DIFF } hpf_limit_kind;

/* What a rule of a report is about; rules of comparisons use hpf_diff_measure. */
typedef enum hpf_limit_figure {
    HPF_LIMIT_PEAK,
    HPF_LIMIT_MEAN,
    HPF_LIMIT_FINAL,
    HPF_LIMIT_GROWTH,
    HPF_LIMIT_MAX, /* of a band */
} hpf_limit_figure;

enum { HPF_LIMIT_ALL_MEASURES = -1 }; /* a rule of a comparison without a measure */

typedef enum hpf_limit_verdict {
    HPF_LIMIT_KEPT,
    HPF_LIMIT_BROKEN,
    HPF_LIMIT_NO_BAND, /* no band matches: the rule fails */
    HPF_LIMIT_UNKNOWN
} hpf_limit_verdict;

typedef struct hpf_limit {
    const char *text; /* borrowed */
    bool has_bands;   /* the rule is about each band that `bands` selects */
    hpf_name_filter bands;
    bool may_lack_bands; /* the rule is kept if no band matches */
    int figure;
    bool is_upper;     /* broken by larger values; else by smaller ones */
    bool breaks_equal; /* broken also by the limit itself */
    double limit;      /* with its sign, without its unit */
    int power;         /* of 1000 or 1024 */
    int base;          /* 1000 or 1024; 0: 1024 for bytes, 1000 for other units */
    bool is_percent;
    double
        per_seconds; /* of a growth: the time that the limit is for; 0: the unit of the profile */
} hpf_limit;

/* What a rule says of a profile, or of a change. */
typedef struct hpf_limit_result {
    hpf_limit_verdict verdict;
    const char *why;   /* UNKNOWN */
    uint32_t n_broken; /* BROKEN: bands; the rest is of the one that is farthest from the limit */
    hpf_str name;      /* borrowed; empty if the rule is not about bands */
    double value;      /* of its figure, or its change */
    hpf_diff_measure measure;       /* of a change */
    double before, change, percent; /* infinite: there was nothing before */
} hpf_limit_result;

/* Parses a rule, whose text is borrowed; hpf_limit_finish frees it. Errors: ARGUMENT, MEMORY; there
 * is nothing to finish then. */
HPF_API HPF_MUST_USE hpf_status hpf_limit_parse(hpf_limit *out, hpf_limit_kind kind,
                                                const char *text, hpf_error *err);
HPF_API void hpf_limit_finish(hpf_limit *r);

/* Return whether a profile, or the change from the survey `before`, breaks a rule. A band
 * is matched by its name in the profile and by that of the summary, which the result has. */
HPF_API hpf_limit_result hpf_limit_judge(hpf_limit *r, const hpf_survey *survey,
                                         const hpf_summary *sum);
HPF_API hpf_limit_result hpf_limit_judge_diff(hpf_limit *r, const hpf_survey *before,
                                              const hpf_diff *diff);

HPF_END_DECLS
#endif
