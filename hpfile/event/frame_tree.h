/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Call stacks that share their callers: a stack is a node, its caller the parent of the node.
 */
#ifndef HPF_FRAME_TREE_H
#define HPF_FRAME_TREE_H

#include "base/intern.h"
#include "hpfile/frame.h"

/* The parent of outermost frames. */
#define HPF__NO_FRAMES UINT32_MAX

typedef struct hpf__frame_node {
    uint32_t parent, frame;
} hpf__frame_node;

#define HPF__RECENT_TEXTS 64

/* All zero is an empty tree. Of frames it keeps labels, modules and places. */
typedef struct hpf__frame_tree {
    hpf__intern texts, frames; /* of frames: the numbers of their four texts */
    size_t n_text_bytes;
    uint32_t recent[HPF__RECENT_TEXTS]; /* numbers of texts, by the addresses that they came from */
    hpf__frame_node *nodes;
    size_t n_nodes, capacity;
    hpf__hash_table node_of;
} hpf__frame_tree;

/* Stores the node of a stack, innermost frame first; equal stacks have one node. A stack without
 * frames is HPF__NO_FRAMES. Errors: MEMORY, LIMIT. */
hpf_status hpf__frame_tree_add(hpf__frame_tree *tree, const hpf_frame *frames, size_t n_frames,
                               uint32_t *node);

/* Fills at most `room` frames of a stack, and returns how many there are. */
size_t hpf__frame_tree_get(const hpf__frame_tree *tree, uint32_t node, hpf_frame *frames,
                           size_t room);

void hpf__frame_tree_finish(hpf__frame_tree *tree);

#endif
