/* SPDX-License-Identifier: BSD-2-Clause
 *
 * By what a heap profile of GHC's run-time system divides the heap.
 */
#ifndef HPFILE_BREAKDOWN_H
#define HPFILE_BREAKDOWN_H

#include "hpfile/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are those of HEAP_PROF_BEGIN in event logs. */
typedef enum hpf_breakdown {
    HPF_BREAKDOWN_NONE,
    HPF_BREAKDOWN_COST_CENTRE,
    HPF_BREAKDOWN_MODULE,
    HPF_BREAKDOWN_CLOSURE_DESCR,
    HPF_BREAKDOWN_TYPE,
    HPF_BREAKDOWN_RETAINER,
    HPF_BREAKDOWN_BIOGRAPHY,
    HPF_BREAKDOWN_CLOSURE_TYPE,
    HPF_BREAKDOWN_INFO_TABLE,
    HPF_BREAKDOWN_ERA,
    HPF_N_BREAKDOWNS
} hpf_breakdown;

/* The flag that asks for a breakdown ("-hc"), its letter, and what it is in words ("cost-centre
 * stack"). NULL and 0 for NONE and for numbers that are not known. */
HPF_API const char *hpf_breakdown_flag(hpf_breakdown breakdown);
HPF_API char hpf_breakdown_letter(hpf_breakdown breakdown);
HPF_API const char *hpf_breakdown_name(hpf_breakdown breakdown);

/* What the run-time flags in a JOB ask for, or NONE. `-hc` is a breakdown, `-hcfoo` only restricts
 * another one; the last counts. */
HPF_API hpf_breakdown hpf_breakdown_of_job(hpf_str job);

#ifdef __cplusplus
}
#endif
#endif
