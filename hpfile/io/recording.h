/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a recording says about its processes, as it is read.
 */
#ifndef HPF_RECORDING_H
#define HPF_RECORDING_H

#include "hpfile/recording.h"
#include "io/recording_chunks.h"

/* Creates a list without processes. Returns NULL when there is no memory. */
hpf_recording *hpf__recording_create(void);
void hpf__recording_destroy(hpf_recording *recording);

/* Notes a part of a recording. Errors: SYNTAX, MEMORY. */
HPF_MUST_USE hpf_status hpf__recording_note(hpf_recording *recording, const hpf__chunk_part *part,
                                            hpf_error *err);

/* Chooses a process that has a log: by its number, its process id, its name or a part of it that
 * is not a number; the
 * one with the largest peak of several, and of all if `which` is NULL; none for "all". Errors:
 * ARGUMENT, SYNTAX if there is none. */
HPF_MUST_USE hpf_status hpf__recording_choose(hpf_recording *recording, const char *which,
                                              hpf_error *err);

/* Returns whether `which` is the sum of all processes. */
bool hpf__recording_is_all(const char *which);

/* Sets the error of a choice in another input, and returns its status. */
hpf_status hpf__recording_fail_other(hpf_error *err);

#endif
