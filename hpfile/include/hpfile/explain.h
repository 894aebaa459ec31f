/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What several recordings of one program say together, as the hints of GHC's user's guide ask for
 * it: who makes the memory, what it consists of, whether it is used, who holds it, up to the roots;
 * and what of the program to change.
 *
 * Shares are of the memory over time: of the area of a recording.
 */
#ifndef HPFILE_EXPLAIN_H
#define HPFILE_EXPLAIN_H

#include "hpfile/breakdown.h"
#include "hpfile/findings.h"

HPF_BEGIN_DECLS

/* With fewer samples, growth is not reported. */
enum { HPF_EXPLAIN_FEWEST_SAMPLES = 8 };

/* What a description or a closure type is an object of. */
typedef enum hpf_explain_object_kind {
    HPF_EXPLAIN_DATA,
    HPF_EXPLAIN_EXPRESSION, /* a thunk; a description does not always tell it from a function */
    HPF_EXPLAIN_FUNCTION,
} hpf_explain_object_kind;

/* Names of a recording that have something in common. */
typedef struct hpf_explain_part {
    hpf_str name;    /* a function, description, phase, or set of holders, without numbers */
    hpf_str set;     /* the same as the recording has it */
    hpf_str callers; /* of the largest name: "go < tally < main" */
    hpf_str place;   /* "map.hs:9:34-58"; empty if unknown */
    hpf_explain_object_kind kind;
    bool is_constant; /* it was allocated by a constant at the top level of the program */
    bool is_cut;      /* the recording has only the beginning of its stack, without own functions */
    double share;
    double amounts[5]; /* after a quarter, half, three quarters and 95 % of the time; at the peak */
    bool grows;        /* until the end, not only at first */
} hpf_explain_part;

typedef struct hpf_explain_table {
    const hpf_explain_part *parts; /* largest first */
    size_t n;
} hpf_explain_table;

/* The questions of the guide; each break-down answers one. */
typedef enum hpf_explain_question {
    HPF_EXPLAIN_MAKER,
    HPF_EXPLAIN_CONTENT,
    HPF_EXPLAIN_USE,
    HPF_EXPLAIN_HOLDER,
    HPF_EXPLAIN_N_QUESTIONS
} hpf_explain_question;

typedef struct hpf_explain_recording {
    const hpf_recording *in;
    hpf_breakdown by;
    hpf_explain_question question;
    hpf_str of;        /* "-hcbuild": only a part of the heap is recorded; empty: all of it */
    hpf_str of_centre; /* the cost centre of which it is, or empty */
    bool is_waste;     /* only what is not in use */
    bool has_closures; /* of a Haskell program as it is, by census run */
    hpf_explain_table table;
} hpf_explain_recording;

/* A step from a holder to the roots. */
typedef struct hpf_explain_step {
    hpf_str name, place;
    uint64_t n_objects, size_bytes; /* 0: unknown */
    bool is_root;
} hpf_explain_step;

typedef enum hpf_explain_advice_kind {
    HPF_EXPLAIN_EVALUATE, /* expressions wait for their evaluation */
    HPF_EXPLAIN_RELEASE,  /* one holder keeps half of the memory */
    HPF_EXPLAIN_STACK,    /* and this is the stack */
    HPF_EXPLAIN_CONSTANT, /* a constant keeps what was evaluated of it */
    HPF_EXPLAIN_LIST,     /* a list is there as a whole */
    HPF_EXPLAIN_LEAK,     /* nothing holds it */
    HPF_EXPLAIN_PEAK,     /* it makes a short peak, or most of another */
    HPF_EXPLAIN_GROWTH,   /* it grows until the end */
    HPF_EXPLAIN_DRAG,     /* it is kept after its last use */
    HPF_EXPLAIN_VOID,     /* it is never used */
    HPF_EXPLAIN_LAG,      /* it is made long before its first use */
    HPF_EXPLAIN_LARGEST,  /* it is just large */
} hpf_explain_advice_kind;

typedef struct hpf_explain_advice {
    hpf_explain_advice_kind kind;
    double share;
    const hpf_explain_part *what, *holder; /* NULL: the recordings do not connect it with one */
} hpf_explain_advice;

enum { HPF_EXPLAIN_MOST_ADVICE = 5, HPF_EXPLAIN_MOST_STEPS = 8 };

/* A question that the recordings leave open, and the run that answers it. */
typedef struct hpf_explain_gap {
    hpf_str question, command;
} hpf_explain_gap;

enum { HPF_EXPLAIN_MOST_GAPS = 5 };

typedef enum hpf_explain_language {
    HPF_EXPLAIN_HASKELL, /* also programs of a runtime that embeds the profiler */
    HPF_EXPLAIN_NATIVE,
    HPF_EXPLAIN_PYTHON,
    HPF_EXPLAIN_CLOSURES, /* Haskell programs as they are: makers are the code of closures */
} hpf_explain_language;

typedef struct hpf_explanation {
    hpf_str program; /* its command line, without options of the profiler */
    hpf_explain_language language;
    bool is_ghc; /* GHC's run-time system wrote the recordings, as far as these show */
    const hpf_explain_recording *main; /* whose peak and mean are reported */
    const hpf_explain_recording
        *answers[HPF_EXPLAIN_N_QUESTIONS]; /* of the whole heap, else of a part */
    const hpf_explain_recording *waste[HPF_EXPLAIN_N_QUESTIONS]; /* of what is not in use */
    /* By function: of everything; and, if recorded, of what nothing holds and of what the largest
     * holder holds. */
    hpf_explain_table makers, lost_makers, held_makers;
    bool tells_content;                             /* a recording tells data from expressions: */
    double expressions, data;                       /* shares of these */
    double phases[4];                               /* LAG, USE, DRAG, VOID */
    hpf_explain_step steps[HPF_EXPLAIN_MOST_STEPS]; /* from the largest holder to the roots */
    size_t n_steps;
    const hpf_explain_step *narrowest; /* with the fewest objects, nearest to the roots, or NULL */
    const hpf_explain_part *narrowest_content; /* what its objects are, or NULL */
    hpf_explain_advice advice[HPF_EXPLAIN_MOST_ADVICE];
    size_t n_advice;
    hpf_explain_gap gaps[HPF_EXPLAIN_MOST_GAPS];
    size_t n_gaps;
    hpf_findings findings; /* of `main` */
    bool has_short_peak;   /* among them */
    hpf_explain_recording *recordings;
    size_t n_recordings;
    struct hpf_arena *arena;
} hpf_explanation;

enum {
    HPF_EXPLAIN_LAG_PHASE,
    HPF_EXPLAIN_USE_PHASE,
    HPF_EXPLAIN_DRAG_PHASE,
    HPF_EXPLAIN_VOID_PHASE
};

/* Explains recordings, which are borrowed. Errors: ARGUMENT, if they are of different programs, or
 * if one has no such break-down; MEMORY; from reading samples again. Call hpf_explain_finish in any
 * case. */
HPF_API HPF_MUST_USE hpf_status hpf_explain_find(hpf_explanation *out,
                                                 const hpf_recording *recordings, size_t n,
                                                 hpf_error *err);
HPF_API void hpf_explain_finish(hpf_explanation *e);

HPF_END_DECLS
#endif
