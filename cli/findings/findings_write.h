/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Findings in words: each with its evidence, and a command that shows more.
 */
#ifndef CENSUS_FINDINGS_WRITE_H
#define CENSUS_FINDINGS_WRITE_H

#include "base/json.h"
#include "hpfile/findings.h"
#include "hpfile/sink.h"

#include "input.h"

/* Returns an input for hpf_findings_find. `is_window`: the survey is of a part of it. */
hpf_recording finding_recording(const input *in, bool is_window);

/* Returns what a finding is called: "short peak". */
const char *finding_name(const hpf_finding *f);

/* Writes the evidence, as a sentence without full stop. `exact`: with all digits. */
void finding_write(hpf_sink *to, const hpf_finding *f, hpf_survey *survey, bool exact);

/* Writes the findings of a profile as one line of JSON, an array, for its page, and flushes the
 * sink: for each the kind, the evidence without names, the time to look at, and the names with
 * their amounts. Errors: as hpf_findings_find; of the sink. */
HPF_MUST_USE hpf_status findings_write_line(hpf_sink *to, const hpf_recording *recording,
                                            hpf_error *err);

/* Writes the command that shows more. */
void finding_write_command(hpf_sink *to, const hpf_finding *f, const input *in);

#endif
