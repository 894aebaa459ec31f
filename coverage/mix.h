/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `.mix` files: the boxes of a module, parts of its text whose evaluations a program compiled with
 * -fhpc counts (docs/formats/mix.md). GHC writes one for each module; the `.tix` file has a count
 * for each box.
 */
#ifndef HPC_MIX_H
#define HPC_MIX_H

#include "base/arena.h"
#include "hpfile/sink.h"
#include "coverage/mix.h"

/* Most lines, columns and nested names. */
#define HPC_MIX_MOST INT32_MAX

/* Part of a text, from the first to the last character. Lines and columns count from 1. */
typedef struct hpc_span {
    uint32_t first_line, first_column, last_line, last_column;
} hpc_span;

typedef enum hpc_box_kind {
    HPC_BOX_EXPRESSION,
    HPC_BOX_ALTERNATIVE, /* an expression that is also the result of an equation or case */
    HPC_BOX_TOP_LEVEL,   /* a declaration */
    HPC_BOX_LOCAL,       /* a declaration inside another one */
    HPC_BOX_GUARD,       /* the three kinds of conditions: each has two boxes in a row, */
    HPC_BOX_CONDITION,   /* the first for True, the second for False */
    HPC_BOX_QUALIFIER,
} hpc_box_kind;

typedef struct hpc_box {
    hpc_span span;
    hpc_box_kind kind;
    bool is_true;   /* of a condition: the box for True */
    hpf_str *names; /* of a declaration, from the outermost one */
    size_t n_names;
} hpc_box;

/* All zero is empty. */
typedef struct hpc_mix {
    hpf_arena *arena;  /* owner of texts */
    hpf_str source;    /* path of the text, as GHC was given it */
    hpf_str time;      /* of its last change: "2026-11-22 17:43:47.664467098 UTC" */
    uint32_t hash;     /* of text, time and boxes */
    uint32_t tab_stop; /* columns between the stops of tabs */
    hpc_box *boxes;
    size_t n_boxes, capacity;
} hpc_mix;

/* Reads a file. Errors, after which `out` is empty: SYNTAX; RANGE; MEMORY. */
HPF_MUST_USE hpf_status hpc_mix_read(hpc_mix *out, hpf_str text, hpf_error *err);

/* Writes the file as GHC does, without a line feed; and one box as GHC does, without its place.
 * Errors are the sink's. */
void hpc_mix_write(const hpc_mix *mix, hpf_sink *sink);
void hpc_mix_write_box(const hpc_box *box, hpf_sink *sink);
void hpc_mix_finish(hpc_mix *mix);

/* Returns whether a condition is what a box counts. */
static inline bool hpc_box_is_condition(const hpc_box *box)
{
    return box->kind >= HPC_BOX_GUARD;
}

/* Returns whether all of `inner` is inside `outer`, or both are the same. */
static inline bool hpc_span_is_inside(hpc_span inner, hpc_span outer)
{
    bool starts = inner.first_line > outer.first_line || (inner.first_line == outer.first_line &&
                                                          inner.first_column >= outer.first_column);
    bool ends = inner.last_line < outer.last_line ||
                (inner.last_line == outer.last_line && inner.last_column <= outer.last_column);
    return starts && ends;
}

/* The boxes of a module as a tree: each node is a span of the text with the boxes that have this
 * span, and its children are inside it. The order of nodes is hpc's, from which the order of a
 * draft follows: a new span comes before the earlier ones. */

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
