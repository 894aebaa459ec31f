/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cost-centre stacks of the process, as they stand, as a time and allocation report.
 */
#ifndef HPP_REPORT_H
#define HPP_REPORT_H

#include "hpfile/prof.h"
#include "hpprof/options.h"

/* Writes the report. `prof` has all members set but the centres and stacks. Errors: MEMORY. */
hpf_status hpp__report_write(hpf_sink *sink, hpf_prof *prof, hpp_report kind, hpf_error *err);

/* Writes a report that is complete. Errors: MEMORY, ARGUMENT as prof.h has them. */
hpf_status hpp__report_write_kind(hpf_sink *sink, const hpf_prof *prof, hpp_report kind,
                                  hpf_error *err);

#endif
