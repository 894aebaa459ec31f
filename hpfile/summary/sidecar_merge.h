/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Merges a sidecar (event/sidecar.h) into an accumulator: quantities, and labels for marks that
 * have none. A label that comes before its mark waits for it.
 */
#ifndef HPF_SIDECAR_MERGE_H
#define HPF_SIDECAR_MERGE_H

#include "summary/accumulator.h"

typedef struct hpf__sidecar_merge {
    hpf__accumulator *accumulator;
    size_t next_mark;  /* the first that the next label may belong to */
    hpf_mark *waiting; /* labels after the last mark */
    size_t n_waiting, capacity;
} hpf__sidecar_merge;

/* Accepts lines and marks; the context is the hpf__sidecar_merge. */
extern const hpf_events hpf__sidecar_merge_events;

/* Adds waiting labels to marks that have come since. */
void hpf__sidecar_merge_catch_up(hpf__sidecar_merge *merge);
void hpf__sidecar_merge_finish(hpf__sidecar_merge *merge);

#endif
