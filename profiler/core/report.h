/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Time and allocation reports of the process's cost-centre stacks.
 */
#ifndef HPP_REPORT_H
#define HPP_REPORT_H

#include "hpfile/prof.h"
#include "hpprof/options.h"

/* Writes the report. All members of `prof` except centres and stacks are set. Errors: MEMORY. */
hpf_status hpp__report_write(hpf_sink *sink, hpf_prof *prof, hpp_report kind, hpf_error *err);

/* Writes a complete report. Errors: MEMORY, ARGUMENT as in prof.h. */
hpf_status hpp__report_write_kind(hpf_sink *sink, const hpf_prof *prof, hpp_report kind,
                                  hpf_error *err);

#endif
