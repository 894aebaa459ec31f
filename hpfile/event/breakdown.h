/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Flags of break-downs.
 */
#ifndef HPF_BREAKDOWN_H
#define HPF_BREAKDOWN_H

#include "hpfile/breakdown.h"

/* Returns the flag ("-hc"), or NULL for NONE. */
HPF_API const char *hpf_breakdown_flag(hpf_breakdown breakdown);

/* Returns the break-down of a letter, or NONE. */
HPF_API hpf_breakdown hpf_breakdown_of_letter(char letter);

/* Returns the break-down that the run-time flags in a JOB select, or NONE. `-hc` is a break-down,
 * `-hcfoo` only a restriction; the last one counts. */
HPF_API hpf_breakdown hpf_breakdown_of_job(hpf_str job);

#endif
