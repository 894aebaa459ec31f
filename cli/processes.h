/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The processes of a recording.
 */
#ifndef CENSUS_PROCESSES_H
#define CENSUS_PROCESSES_H

#include "base/json.h"
#include "hpfile/recording.h"
#include "hpfile/sink.h"

#include "input.h"

/* Returns how many processes have a profile. */
size_t processes_n_profiles(const hpf_recording *recording);

/* Write the processes of an input, and which of them is read; nothing if it is no recording.
 * `rate_bytes`: of a sample of the blocks, or 0. Errors: MEMORY. */
HPF_MUST_USE hpf_status processes_write_text(const input *in, double rate_bytes, bool exact,
                                             hpf_sink *sink, hpf_error *err);
HPF_MUST_USE hpf_status processes_write_json(const input *in, hpf_json *json, hpf_error *err);

#endif
