/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `.mix` files: the boxes of a module, parts of its text whose evaluations a program compiled with
 * -fhpc counts (docs/formats/mix.md). GHC writes one for each module; the `.tix` file has a count
 * for each box.
 */
#ifndef HPF_MIX_H
#define HPF_MIX_H

#include "base/arena.h"
#include "hpfile/sink.h"

/* Most lines, columns and nested names. */
#define HPF__MIX_MOST INT32_MAX

/* Part of a text, from the first to the last character. Lines and columns count from 1. */
typedef struct hpf__span {
    uint32_t first_line, first_column, last_line, last_column;
} hpf__span;

typedef enum hpf__box_kind {
    HPF__BOX_EXPRESSION,
    HPF__BOX_ALTERNATIVE, /* an expression that is also the result of an equation or case */
    HPF__BOX_TOP_LEVEL,   /* a declaration */
    HPF__BOX_LOCAL,       /* a declaration inside another one */
    HPF__BOX_GUARD,       /* the three kinds of conditions: each has two boxes in a row, */
    HPF__BOX_CONDITION,   /* the first for True, the second for False */
    HPF__BOX_QUALIFIER,
} hpf__box_kind;

typedef struct hpf__box {
    hpf__span span;
    hpf__box_kind kind;
    bool is_true;   /* of a condition: the box for True */
    hpf_str *names; /* of a declaration, from the outermost one */
    size_t n_names;
} hpf__box;

/* All zero is empty. */
typedef struct hpf__mix {
    hpf_arena *arena;  /* owner of texts */
    hpf_str source;    /* path of the text, as GHC was given it */
    hpf_str time;      /* of its last change: "2026-11-22 17:43:47.664467098 UTC" */
    uint32_t hash;     /* of text, time and boxes */
    uint32_t tab_stop; /* columns between the stops of tabs */
    hpf__box *boxes;
    size_t n_boxes, capacity;
} hpf__mix;

/* Reads a file. Errors, after which `out` is empty: SYNTAX; RANGE; MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf__mix_read(hpf__mix *out, hpf_str text, hpf_error *err);

/* Writes the file as GHC does, without a line feed; and one box as GHC does, without its place.
 * Errors are the sink's. */
HPF_API void hpf__mix_write(const hpf__mix *mix, hpf_sink *sink);
HPF_API void hpf__mix_write_box(const hpf__box *box, hpf_sink *sink);
HPF_API void hpf__mix_finish(hpf__mix *mix);

/* Returns whether a condition is what a box counts. */
static inline bool hpf__box_is_condition(const hpf__box *box)
{
    return box->kind >= HPF__BOX_GUARD;
}

/* Returns whether all of `inner` is inside `outer`, or both are the same. */
static inline bool hpf__span_is_inside(hpf__span inner, hpf__span outer)
{
    bool starts = inner.first_line > outer.first_line || (inner.first_line == outer.first_line &&
                                                          inner.first_column >= outer.first_column);
    bool ends = inner.last_line < outer.last_line ||
                (inner.last_line == outer.last_line && inner.last_column <= outer.last_column);
    return starts && ends;
}

#endif
