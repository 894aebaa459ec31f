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

#ifdef __cplusplus
}
#endif
#endif
