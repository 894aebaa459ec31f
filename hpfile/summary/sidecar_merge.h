/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is told beside a profile (sidecar.h), worked into its accumulator: lines, and labels for
 * marks that have none. Labels may come before their marks: they wait.
 */
#ifndef HPF_BESIDE_H
#define HPF_BESIDE_H

#include "summary/accumulator.h"

typedef struct hpf__sidecar_merge {
    hpf__accumulator *accumulator;
    size_t next_mark;  /* the first that the next label may belong to */
    hpf_mark *waiting; /* labels behind the last mark there is */
    size_t n_waiting, capacity;
} hpf__sidecar_merge;

/* Accepts lines and marks; the context is the hpf__sidecar_merge. */
extern const hpf_events hpf__sidecar_merge_events;

/* Marks have come since: labels that waited for them are put to them. */
void hpf__sidecar_merge_catch_up(hpf__sidecar_merge *beside);
void hpf__sidecar_merge_finish(hpf__sidecar_merge *beside);

#endif
