/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What stands out in a profile: growth, a short peak, memory that is not used or not reachable, and
 * so on, each with its figures. A profile in which nothing stands out has no finding.
 *
 * Shares are of the memory over time: of the area of the profile.
 */
#ifndef HPFILE_FINDINGS_H
#define HPFILE_FINDINGS_H

#include "hpfile/format.h"
#include "hpfile/snapshot.h"
#include "hpfile/survey.h"
#include "hpfile/prof.h"

HPF_BEGIN_DECLS

typedef struct hpf_retainer_sets hpf_retainer_sets; /* private to the library */
typedef struct hpf_prof_file hpf_prof_file;

/* A surveyed profile, and what came with it; all is borrowed. */
typedef struct hpf_recording {
    const char *name; /* for messages */
    hpf_survey *survey;
    hpf_source *source; /* the profile, opened with `keep`; NULL: findings do not read it again */
    const hpf_format *format;
    const hpf_retainer_sets *sets; /* of its report, or NULL */
    const hpf_prof_file *report;   /* with the places of cost centres, or NULL */
    double from_time, to_time;     /* the survey is of this part; infinite: of all */
} hpf_recording;

typedef enum hpf_finding_kind {
    HPF_FINDING_GROWTH,
    HPF_FINDING_SHORT_PEAK,
    HPF_FINDING_BAND_GROWTH, /* of a part of a heap that does not grow as a whole */
    HPF_FINDING_UNUSED,
    HPF_FINDING_UNREACHED,
    HPF_FINDING_ONE_HOLDER,
    HPF_FINDING_RESIDENT,
    HPF_FINDING_PINNED, /* in place of RESIDENT, if the log says what the resident set is made of */
    HPF_FINDING_CHURN,
    HPF_FINDING_SMALL_BLOCKS,
    HPF_FINDING_WASTE,
    HPF_N_FINDING_KINDS
} hpf_finding_kind;

/* How much a name grew, borrowed from the survey. */
typedef struct hpf_finding_gain {
    hpf_str name;
    double amount;
} hpf_finding_gain;

enum { HPF_FINDING_MOST_GAINS = 3 };

/* Amounts and times are in the units of the profile. */
typedef struct hpf_finding {
    hpf_finding_kind kind;
    double from_time, to_time; /* when to look at; infinite: always */
    union {
        struct {
            double rate, r_squared; /* of the line through the totals; per unit of time */
            double from_time, to_time;
            hpf_str name; /* BAND_GROWTH */
        } growth;
        struct {
            double amount, time;
            double above_time, duration; /* above half of the peak, and of the profile */
        } peak;
        struct {
            double drag, never; /* shares: kept after the last use, and never used */
        } unused;
        struct {
            hpf_str name; /* of the retainer set, with its members if these are known */
            double share;
            double max; /* UNREACHED, which has no name: its largest amount */
        } held;
        struct {
            double time, kept, live;
        } resident;
        struct {
            double time, resident, live;
            double live_margin;  /* 0: all blocks were counted */
            double kept;         /* by allocators */
            double free;         /* pages without live blocks; unknown in a sample of the blocks */
            double range;        /* bytes of the ranges of addresses; 0: few are pinned */
            double bytes, share; /* in them: not live, and the share of what is */
            double most;         /* not live because of the site that pins most */
            char name[120];      /* of that site */
            const char *value;   /* the name of the amount in the format */
        } pinned;
        struct {
            double allocated, duration, live;
            double life; /* of a byte, on average */
        } churn;
        struct {
            double n, mean;
            const char *value; /* the name of their number in the format */
        } blocks;
        struct {
            double time, live, bytes, n_blocks;
            hpf_waste_kind kind;
            char type[120], site[120];
        } waste; /* the largest part */
    } of;
    hpf_finding_gain gains[HPF_FINDING_MOST_GAINS]; /* GROWTH, SHORT_PEAK: largest first */
    size_t n_gains;
} hpf_finding;

typedef struct hpf_findings {
    hpf_finding all[HPF_N_FINDING_KINDS];
    size_t n;
} hpf_findings;

/* Searches a profile. Errors: MEMORY; from reading samples or the source again. */
HPF_API HPF_MUST_USE hpf_status hpf_findings_find(hpf_findings *out, const hpf_recording *recording,
                                                  hpf_error *err);

enum { HPF_SAVING_LAG, HPF_SAVING_DRAG, HPF_SAVING_VOID, HPF_N_SAVING_PHASES };

/* What one producer made and one set retained without using it. Texts are borrowed from the survey.
 */
typedef struct hpf_saving {
    hpf_str pair, producer, retainers;
    double areas[HPF_N_SAVING_PHASES], area; /* amount x time */
} hpf_saving;

/* Lists the pairs of a profile by --savings, largest first; none if it is another profile. Sets
 * `*total` to their sum. Free `*out`. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_savings_find(hpf_saving **out, size_t *n, hpf_saving *total,
                                                 const hpf_survey *survey, hpf_error *err);

/* Returns the area of all live memory; 0 if the profile does not have it. */
HPF_API double hpf_survey_live_area(const hpf_survey *survey);

/* How long a phase of what one producer made lasted: in the unit of the profile's samples. Texts
 * are borrowed from the survey. */
typedef struct hpf_life_time {
    hpf_str phase, producer;
    double bytes, left, area;         /* in all; longer than the last duration; bytes x time */
    double half_s, most_s, longest_s; /* median, 90th percentile, maximum */
} hpf_life_time;

/* Lists the phases of a `.lives.hp` file (docs/embedding.md), which has at each duration the bytes
 * whose phase lasted as long; largest area first. Free `*out`, also after an error. Errors:
 * UNSUPPORTED for another profile; MEMORY; from the input. */
HPF_API HPF_MUST_USE hpf_status hpf_life_times_find(hpf_life_time **out, size_t *n,
                                                    hpf_survey *survey, hpf_error *err);

/* The way from a retainer to the roots: to the largest set of retainers that held it, and so on. */

/* What held the retainers, and which of them were listed. */
typedef struct hpf_chain {
    const hpf_prof_holding *holdings;
    size_t n_holdings;
    hpf_str *listed; /* retainers */
    size_t n_listed;
} hpf_chain;

/* The holdings of one retainer. */
typedef struct hpf_held {
    uint64_t size_bytes, n_objects; /* of all */
    bool is_root;
    size_t n_sets;                /* that lead on: to a retainer that is not listed yet */
    const hpf_prof_holding *best; /* the largest of these */
} hpf_held;

HPF_API hpf_held hpf_chain_holdings_of(const hpf_chain *c, hpf_str retainer);
HPF_API bool hpf_chain_has_listed(const hpf_chain *c, hpf_str retainer);

HPF_END_DECLS
#endif
