/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dominators of a snapshot: an object dominates all objects that only it, or what it leads to,
 * keeps alive. What it retains is what would be freed if it went: itself and all that it dominates.
 *
 * Source: Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", TOPLAS
 * 1(1), 1979, sections 3 and 4: the version with simple EVAL and LINK, O(m log n) for n nodes and m
 * edges. (The semi-NCA algorithm is a little faster on program flow, but quadratic on a long list
 * whose end leads to many objects that are also held from elsewhere, which heaps have.)
 *
 * Memory: 20 bytes for each node; meanwhile 28 more, and 4 for each edge.
 */
#ifndef HPFILE_DOMINATORS_H
#define HPFILE_DOMINATORS_H

#include "hpfile/snapshot.h"

HPF_BEGIN_DECLS

typedef struct hpf_dominators {
    uint32_t *order;          /* the nodes, dominators before what they dominate; node 0 first */
    uint32_t *dominators;     /* by node: the nearest node that dominates it; 0 of node 0 */
    uint64_t *retained_bytes; /* by node */
    uint32_t *n_retained;     /* by node: objects */
} hpf_dominators;

/* Computes the dominators of a snapshot all of whose nodes the root reaches
 * (hpf_snapshot_connect). Errors: MEMORY. */
HPF_API hpf_status hpf_dominators_init(hpf_dominators *dominators, const hpf_snapshot *snapshot,
                                       hpf_error *err);
HPF_API void hpf_dominators_finish(hpf_dominators *dominators);

/* A snapshot of two that are compared, and its dominators; all borrowed. */
typedef struct hpf_snapshot_side {
    const hpf_snapshot *snapshot;
    const hpf_dominators *dominators;
    const uint32_t *holders; /* hpf_dominators_holders, if they are needed */
} hpf_snapshot_side;

/* Returns by node what holds it: the nearest node of another name that dominates it; of the root,
 * and where there is none, 0. To be freed. NULL without memory. */
HPF_API uint32_t *hpf_dominators_holders(const hpf_dominators *dominators,
                                         const hpf_snapshot *snapshot);

HPF_END_DECLS
#endif
