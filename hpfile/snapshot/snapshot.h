/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The names of a snapshot, and a walk over its nodes.
 */
#ifndef HPF_SNAPSHOT_H
#define HPF_SNAPSHOT_H

#include "base/intern.h"
#include "hpfile/snapshot.h"

/* Stores the number of a name. Returns false without memory. */
bool hpf__snapshot_text(hpf_snapshot *snapshot, hpf_str name, uint32_t *number);

/* A walk over the nodes depth first, without recursion. */
typedef struct hpf__walk {
    const hpf_snapshot *snapshot;
    uint32_t *next_edges; /* by node that was reached: its edges before this one were followed */
    uint32_t *parents;    /* by node: that from which it was reached, NONE: not yet */
} hpf__walk;

/* Errors: MEMORY. */
hpf_status hpf__walk_init(hpf__walk *walk, const hpf_snapshot *snapshot, hpf_error *err);
void hpf__walk_finish(hpf__walk *walk);

static inline bool hpf__walk_has_reached(const hpf__walk *walk, uint32_t node)
{
    return walk->parents[node] != HPF_SNAPSHOT_NONE;
}

/* Reaches `start`, which is its own parent, and all that it leads to and was not reached before.
 * Writes them to `*entered` in the order in which they are reached, and to `*left` in the order in
 * which all below them have been reached; each is moved to its end, and may point to NULL. */
void hpf__walk_from(hpf__walk *walk, uint32_t start, uint32_t **entered, uint32_t **left);

#endif
