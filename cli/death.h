/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Says why a process has ended, if it was killed by SIGKILL, or failed near a limit of its memory.
 */
#ifndef CENSUS_DEATH_H
#define CENSUS_DEATH_H

#include "hpfile/recording.h"

typedef struct death_text {
    char text[900]; /* "": there is nothing to say */
} death_text;

/* Returns one sentence. Of the process, its end, code, bytes that were left, and memory are used;
 * `margin` is that of the bytes, 0 if they are exact. */
death_text death_explain(const hpf_process *process, double margin);

/* Returns the name of a limit as operators know it, such as "memory.max"; and a short name of who
 * killed a process, such as "memory.max" or "other"; NULL if that is not known. */
const char *death_limit_name(hpf_memory_limit limit);
const char *death_killer_name(const hpf_process *process);

#endif
