/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The boxes of a module as a tree: each node is a span of the text with the boxes that have this
 * span, and its children are inside it. The order of nodes is hpc's, from which the order of a
 * draft follows: a new span comes before the earlier ones.
 */
#ifndef HPC_BOX_TREE_H
#define HPC_BOX_TREE_H

#include "coverage/mix.h"

/* A box of a node. */
typedef struct hpc_box_link {
    uint32_t box; /* index in the .mix file */
    struct hpc_box_link *next;
} hpc_box_link;

typedef struct hpc_box_node {
    hpc_span span;
    hpc_box_link *boxes; /* in the order of the .mix file */
    struct hpc_box_node *children, *next;
} hpc_box_node;

/* Builds the tree of the first `n_boxes` boxes in an arena. A box whose span is inside several
 * overlapping ones belongs to each of them. Returns its first node in `*root`, NULL for none.
 * Errors: MEMORY. */
HPF_MUST_USE hpf_status hpc_box_tree_build(hpc_box_node **root, const hpc_mix *mix, size_t n_boxes,
                                           hpf_arena *arena, hpf_error *err);

#endif
