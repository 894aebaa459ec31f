/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Break-downs: the property by which a heap profile divides the heap into bands.
 */
#ifndef HPFILE_BREAKDOWN_H
#define HPFILE_BREAKDOWN_H

#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

/* Up to HPF_N_BREAKDOWNS the numbers are the same as in HEAP_PROF_BEGIN of event logs. */
typedef enum hpf_breakdown {
    HPF_BREAKDOWN_NONE,
    HPF_BREAKDOWN_COST_CENTRE,   /* -hc: cost-centre stack or call stack of the producer */
    HPF_BREAKDOWN_MODULE,        /* -hm: module of the producer */
    HPF_BREAKDOWN_CLOSURE_DESCR, /* -hd: closure description */
    HPF_BREAKDOWN_TYPE,          /* -hy: type description */
    HPF_BREAKDOWN_RETAINER,      /* -hr: retainer set */
    HPF_BREAKDOWN_BIOGRAPHY,     /* -hb: lag, use, drag, void */
    HPF_BREAKDOWN_CLOSURE_TYPE,  /* -hT: closure type, or kind of object */
    HPF_BREAKDOWN_INFO_TABLE,    /* -hi: info table */
    HPF_BREAKDOWN_ERA,           /* -he: era of creation */
    HPF_N_BREAKDOWNS,
    HPF_BREAKDOWN_IN_STACK, /* -hC: restrictions only, a cost centre anywhere in the stack */
} hpf_breakdown;

/* Restrictions of a heap profile, in the order of HEAP_PROF_BEGIN in event logs. */
typedef enum hpf_restriction {
    HPF_RESTRICT_MODULE,
    HPF_RESTRICT_CLOSURE_DESCR,
    HPF_RESTRICT_TYPE,
    HPF_RESTRICT_COST_CENTRE,
    HPF_RESTRICT_COST_CENTRE_STACK,
    HPF_RESTRICT_RETAINER,
    HPF_RESTRICT_BIOGRAPHY,
    HPF_N_RESTRICTIONS
} hpf_restriction;

/* Returns the name of a break-down ("cost-centre stack"), and the letter after -h. NULL and 0 for
 * NONE. */
HPF_API const char *hpf_breakdown_name(hpf_breakdown breakdown);
HPF_API char hpf_breakdown_letter(hpf_breakdown breakdown);

/* Returns the flag ("-hc"), or NULL for NONE. */
HPF_API const char *hpf_breakdown_flag(hpf_breakdown breakdown);

/* Returns the name for programs that are not GHC's ("call stack"). NULL as above. */
HPF_API const char *hpf_breakdown_native_name(hpf_breakdown breakdown);

/* Separates a program from its native break-down in a JOB: "python3 p.py", then this, then "call
 * stack". */
#define HPF_NATIVE_JOB_BY " \xC2\xB7 by "

/* Returns the break-down of a letter, or NONE. R is r, and L is b. */
HPF_API hpf_breakdown hpf_breakdown_of_letter(char letter);

/* Returns the break-down that a JOB names, or that its run-time flags select, or NONE. `-hc`
 * is a break-down, `-hcfoo` only a restriction; the last one counts. Flags follow +RTS, or one flag
 * follows the name of the program. */
HPF_API hpf_breakdown hpf_breakdown_of_job(hpf_str job);

/* Returns what follows the last HPF_NATIVE_JOB_BY of a JOB, "call stack, -hmlib.so": a break-down,
 * and after a comma restrictions. Empty if there is none; borrowed from the job. */
HPF_API hpf_str hpf_native_part_of_job(hpf_str job);

/* Returns the field of HEAP_PROF_BEGIN for restrictions by `selector`, an hpf_restriction; -1:
 * event logs have none. */
HPF_API int hpf_restriction_of(hpf_breakdown selector);

/* Stores the restrictions that the flags of a JOB contain, "a,b" for `-hma,b` and `-hm{a,b}`; the
 * last one of each kind counts. Borrowed from the job. */
HPF_API void hpf_restrictions_of_job(hpf_str job, hpf_str restrictions[HPF_N_RESTRICTIONS]);

HPF_END_DECLS
#endif
