/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A snapshot of a heap: its objects at one moment, and which object refers to which. Node 0 is the
 * root; what keeps objects alive is its children.
 *
 * Memory: 17 bytes for each object and 4 for each edge, and one copy of each name.
 */
#ifndef HPF_SNAPSHOT_H
#define HPF_SNAPSHOT_H

#include "base/intern.h"

/* Most nodes, and most edges. */
#define HPF__SNAPSHOT_MOST (UINT32_MAX - 1)

/* Not a node. */
#define HPF__SNAPSHOT_NONE UINT32_MAX

/* All zero is an empty snapshot. */
typedef struct hpf__snapshot {
    uint32_t n_nodes, n_edges;
    uint32_t *names;       /* by node: the number of its name */
    uint64_t *sizes;       /* by node, in bytes */
    uint8_t *is_object;    /* by node: it counts as an object; a root or a variable does not */
    uint32_t *first_edges; /* by node, and n_edges after the last */
    uint32_t *targets;     /* by edge: the node that it leads to */
    hpf__intern texts;     /* names by number */
    size_t names_capacity, sizes_capacity, is_object_capacity, first_edges_capacity,
        targets_capacity;
} hpf__snapshot;

/* Adds a node, without edges. Errors: MEMORY; LIMIT (HPF__SNAPSHOT_MOST). */
HPF_API hpf_status hpf__snapshot_add_node(hpf__snapshot *snapshot, hpf_str name,
                                          uint64_t size_bytes, bool is_object, hpf_error *err);

/* Adds an edge from the last node to `target`, which may be added later. Same errors. */
HPF_API hpf_status hpf__snapshot_add_edge(hpf__snapshot *snapshot, uint32_t target, hpf_error *err);

/* Makes all nodes reachable: if there are some that the root does not reach, adds a node
 * "(unreached)" below the root, and below it as few of them as it takes to reach all: those that no
 * other refers to, and one of each cycle of which this is true. Takes 16 bytes for each node
 * meanwhile. Errors: MEMORY; LIMIT. */
HPF_API hpf_status hpf__snapshot_connect(hpf__snapshot *snapshot, hpf_error *err);

HPF_API hpf_str hpf__snapshot_name(const hpf__snapshot *snapshot, uint32_t node);

HPF_API void hpf__snapshot_finish(hpf__snapshot *snapshot);

/* A walk over the nodes depth first, without recursion. */
typedef struct hpf__walk {
    const hpf__snapshot *snapshot;
    uint32_t *next_edges; /* by node that was reached: its edges before this one were followed */
    uint32_t *parents;    /* by node: that from which it was reached, NONE: not yet */
} hpf__walk;

/* Errors: MEMORY. */
HPF_API hpf_status hpf__walk_init(hpf__walk *walk, const hpf__snapshot *snapshot, hpf_error *err);
HPF_API void hpf__walk_finish(hpf__walk *walk);

static inline bool hpf__walk_has_reached(const hpf__walk *walk, uint32_t node)
{
    return walk->parents[node] != HPF__SNAPSHOT_NONE;
}

/* Reaches `start`, which is its own parent, and all that it leads to and was not reached before.
 * Writes them to `*entered` in the order in which they are reached, and to `*left` in the order in
 * which all below them have been reached; each is moved to its end, and may point to NULL. */
HPF_API void hpf__walk_from(hpf__walk *walk, uint32_t start, uint32_t **entered, uint32_t **left);

#endif
