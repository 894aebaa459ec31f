/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The recording of a run: one file with the event logs of all processes.
 *
 * Threads: the thread that writes profiles, after hpp__recording_open.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_RECORDING_H
#define HPP_NATIVE_COLLECTOR_PROFILE_RECORDING_H

#include "hpfile/recording_writer.h"

/* All zero: not open. */
typedef struct hpp__recording {
    const char *path; /* borrowed */
    int fd;
    hpf_recording_writer *writer;
    uint32_t *process_ids; /* by number - 1 */
    size_t n_processes, capacity;
} hpp__recording;

/* Opens an empty file. Errors: IO, MEMORY. */
hpf_status hpp__recording_open(hpp__recording *recording, const char *path, hpf_error *err);
void hpp__recording_close(hpp__recording *recording);

/* Writes the row of a process that begins. `parent_id` is the process id of its parent; `words` are
 * its command. Stores its number. Errors: IO, MEMORY. */
hpf_status hpp__recording_begin(hpp__recording *recording, uint32_t process_id, uint32_t parent_id,
                                double start_s, const hpf_str *words, size_t n_words,
                                hpf_str command, uint32_t *number, hpf_error *err);

/* Returns whether the file still has a name in its folder. */
bool hpp__recording_has_name(const hpp__recording *recording);

#endif
