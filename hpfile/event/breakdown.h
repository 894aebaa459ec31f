/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Flags of break-downs.
 */
#ifndef HPF_BREAKDOWN_H
#define HPF_BREAKDOWN_H

#include "hpfile/breakdown.h"

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

#endif
