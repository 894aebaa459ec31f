/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The dominator tree of a snapshot, for people: objects of one name that are dominated by the same
 * group are one group, so a million nodes of a list are a line. What an object of a group dominates
 * and has the group's name belongs to the group. The root is a group by itself.
 *
 * Exact for each group: retained_bytes is self_bytes, and retained_bytes of the children, and
 * rest_bytes.
 *
 * Memory: 88 bytes for each group of the whole tree, and 4 for each node, until the small ones are
 * dropped.
 */
#ifndef HPFILE_DOMINATOR_TREE_H
#define HPFILE_DOMINATOR_TREE_H

#include "hpfile/dominators.h"

HPF_BEGIN_DECLS

/* What is deeper is one group below each group of this depth, without a name. */
#define HPF_DOMINATOR_TREE_DEPTH 100u

typedef struct hpf_dominator_group {
    uint32_t name;    /* a number of the snapshot's texts; HPF_SNAPSHOT_NONE: too deep */
    uint32_t parent;  /* index; of the root, which is the first group, 0 */
    uint32_t depth;   /* of the root 0 */
    uint32_t largest; /* the node that retains most */
    uint32_t n_objects, n_retained;
    uint64_t self_bytes, retained_bytes;
    uint32_t first_child, n_children; /* indices; the largest first */
    uint32_t n_rest;                  /* further children, which are dropped */
    uint32_t n_rest_objects;          /* that these retain */
    uint64_t rest_bytes;
    /* Of a comparison, in the snapshot before; `largest` of a group that is in one of both only is
     * HPF_SNAPSHOT_NONE in the other. */
    uint32_t largest_before, n_before;
    uint64_t before_bytes, rest_before_bytes; /* retained, and by further children */
} hpf_dominator_group;

typedef struct hpf_dominator_tree {
    hpf_dominator_group *groups;
    uint32_t n_groups;
} hpf_dominator_tree;

/* Makes the tree of the groups that retain at least `least_share` of all bytes, at most
 * `most_groups` of them (the largest, of equal ones the first), and the root. Errors: MEMORY. */
HPF_API hpf_status hpf_dominator_tree_init(hpf_dominator_tree *tree, const hpf_snapshot *snapshot,
                                           const hpf_dominators *dominators, double least_share,
                                           uint32_t most_groups, hpf_error *err);

/* Makes the tree of two snapshots that have the texts of the first (hpf_heapsnapshot_read): groups
 * of both, those that have grown most first; for what is left out, the larger amount counts.
 * Without `before` the same as hpf_dominator_tree_init. Errors: MEMORY. */
HPF_API hpf_status hpf_dominator_tree_compare(hpf_dominator_tree *tree,
                                              const hpf_snapshot_side *before,
                                              const hpf_snapshot_side *after, double least_share,
                                              uint32_t most_groups, hpf_error *err);

/* Makes the tree below one group, which is its root. `path` has the names of the groups that lead
 * to it, `n_path` numbers of the snapshot's texts, from the root on. Takes 5 bytes for each node
 * meanwhile. Errors: ARGUMENT, if there is no such group, or if it is deeper than the tree;
 * MEMORY. */
HPF_API hpf_status hpf_dominator_tree_below(hpf_dominator_tree *tree, const hpf_snapshot *snapshot,
                                            const hpf_dominators *dominators, const uint32_t *path,
                                            uint32_t n_path, uint32_t most_groups, hpf_error *err);
HPF_API void hpf_dominator_tree_finish(hpf_dominator_tree *tree);

/* Makes the tree of the shortest ways from the root to the nodes for which `is_wanted`, by node, is
 * not 0: nodes of one name after the same ones are a group, and amounts are those of wanted nodes
 * only. Groups are left out as above, and all that lead to no bytes. Errors: MEMORY. */
HPF_API hpf_status hpf_path_tree_init(hpf_dominator_tree *tree, const hpf_snapshot *snapshot,
                                      const uint8_t *is_wanted, double least_share,
                                      uint32_t most_groups, hpf_error *err);

/* Returns by node the node before it on a shortest path from the root, for what holds it: of the
 * root itself 0. To be freed. Errors: NULL without memory. */
HPF_API uint32_t *hpf_snapshot_holders(const hpf_snapshot *snapshot);

/* Most steps of a way, but for a gap in its middle. */
enum { HPF_SNAPSHOT_MOST_STEPS = 40 };

/* Nodes of one name in a row, on the way from the root to a node. */
typedef struct hpf_snapshot_step {
    uint32_t node;    /* the last of them */
    uint32_t n_nodes; /* 0: a gap; `node` is the number of steps that are left out */
} hpf_snapshot_step;

/* Returns the way from the root to `node`, which is the last step; to be freed. `holders` is that
 * of hpf_snapshot_holders. NULL without memory. */
HPF_API hpf_snapshot_step *hpf_snapshot_path(const hpf_snapshot *snapshot, const uint32_t *holders,
                                             uint32_t node, size_t *n_steps);

HPF_END_DECLS
#endif
