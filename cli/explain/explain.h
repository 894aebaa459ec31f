/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What several recordings of one program say together, as the hints of GHC's user's guide ask for
 * it: who makes the memory, what it consists of, whether it is used, who holds it, up to the roots;
 * and what of the program to change. explain_write.h puts it into words.
 *
 * Shares are of the memory over time: of the area of a recording.
 */
#ifndef CENSUS_EXPLAIN_H
#define CENSUS_EXPLAIN_H

#include "explain/explain_table.h"
#include "findings/findings.h"

/* A step from a holder to the roots. */
typedef struct explain_step {
    hpf_str name, place;
    uint64_t n_objects, size_bytes; /* 0: unknown */
    bool is_root;
} explain_step;

typedef enum explain_advice_kind {
    EXPLAIN_EVALUATE, /* expressions wait for their evaluation */
    EXPLAIN_RELEASE,  /* one holder keeps half of the memory */
    EXPLAIN_STACK,    /* and this is the stack */
    EXPLAIN_CONSTANT, /* a constant keeps what was evaluated of it */
    EXPLAIN_LIST,     /* a list is there as a whole */
    EXPLAIN_LEAK,     /* nothing holds it */
    EXPLAIN_PEAK,     /* it makes a short peak */
    EXPLAIN_GROWTH,   /* it grows until the end */
    EXPLAIN_DRAG,     /* it is kept after its last use */
    EXPLAIN_VOID,     /* it is never used */
    EXPLAIN_LAG,      /* it is made long before its first use */
    EXPLAIN_LARGEST,  /* it is just large */
} explain_advice_kind;

typedef struct explain_advice {
    explain_advice_kind kind;
    double share;
    const explain_part *what, *holder; /* NULL: the recordings do not connect it with one */
} explain_advice;

enum { EXPLAIN_MOST_ADVICE = 5, EXPLAIN_MOST_STEPS = 8 };

/* A question that the recordings leave open, and the run that answers it. */
typedef struct explain_gap {
    hpf_str question, command;
} explain_gap;

enum { EXPLAIN_MOST_GAPS = 5 };

typedef enum explain_language {
    EXPLAIN_HASKELL, /* also programs of a runtime that embeds the profiler */
    EXPLAIN_NATIVE,
    EXPLAIN_PYTHON,
} explain_language;

typedef struct explanation {
    hpf_str program; /* its command line, without options of the profiler */
    explain_language language;
    bool is_ghc; /* GHC's run-time system wrote the recordings, as far as these show */
    const explain_recording *main;                         /* whose peak and mean are reported */
    const explain_recording *answers[EXPLAIN_N_QUESTIONS]; /* of the whole heap, else of a part */
    const explain_recording *waste[EXPLAIN_N_QUESTIONS];   /* of what is not in use */
    /* By function: of everything; and, if recorded, of what nothing holds and of what the largest
     * holder holds. */
    explain_table makers, lost_makers, held_makers;
    bool tells_content;                     /* a recording tells data from expressions: */
    double expressions, data;               /* shares of these */
    double phases[4];                       /* LAG, USE, DRAG, VOID */
    explain_step steps[EXPLAIN_MOST_STEPS]; /* from the largest holder to the roots */
    size_t n_steps;
    const explain_step *narrowest; /* with the fewest objects, nearest to the roots, or NULL */
    const explain_part *narrowest_content; /* what its objects are, or NULL */
    explain_advice advice[EXPLAIN_MOST_ADVICE];
    size_t n_advice;
    explain_gap gaps[EXPLAIN_MOST_GAPS];
    size_t n_gaps;
    findings findings; /* of `main` */
    explain_recording *recordings;
    size_t n_recordings;
    hpf_prof_file **reports;
    size_t n_reports;
    hpf_arena *arena;
} explanation;

enum { EXPLAIN_LAG_PHASE, EXPLAIN_USE_PHASE, EXPLAIN_DRAG_PHASE, EXPLAIN_VOID_PHASE };

/* Explains surveyed recordings, which are borrowed. Errors: ARGUMENT, if they are of different
 * programs, or if one has no such break-down; MEMORY; those of reading samples again. Call
 * explain_finish in any case. */
HPF_MUST_USE hpf_status explain_find(explanation *out, input *inputs, size_t n, hpf_error *err);
void explain_finish(explanation *e);

#endif
