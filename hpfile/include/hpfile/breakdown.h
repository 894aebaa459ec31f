/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Break-downs: the property by which a heap profile divides the heap into bands.
 */
#ifndef HPFILE_BREAKDOWN_H
#define HPFILE_BREAKDOWN_H

#include "hpfile/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Up to HPF_N_BREAKDOWNS the numbers are those of HEAP_PROF_BEGIN in event logs. */
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

/* Returns the flag ("-hc") or the name ("cost-centre stack") of a break-down. NULL for NONE, for
 * IN_STACK and for unknown numbers. */
HPF_API const char *hpf_breakdown_flag(hpf_breakdown breakdown);
HPF_API const char *hpf_breakdown_name(hpf_breakdown breakdown);

/* Returns the letter after -h, or 0; and the break-down of a letter, or NONE. */
HPF_API char hpf_breakdown_letter(hpf_breakdown breakdown);
HPF_API hpf_breakdown hpf_breakdown_of_letter(char letter);

/* Returns the break-down that the run-time flags in a JOB select, or NONE. `-hc` is a break-down,
 * `-hcfoo` only a restriction; the last one counts. */
HPF_API hpf_breakdown hpf_breakdown_of_job(hpf_str job);

#ifdef __cplusplus
}
#endif
#endif
