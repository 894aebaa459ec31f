/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Overlays: which boxes of a program are to count as evaluated, as text (docs/coverage.md). A draft
 * is an overlay of all that a program did not evaluate.
 */
#ifndef HPF_OVERLAY_H
#define HPF_OVERLAY_H

#include "coverage/module_text.h"
#include "coverage/tix.h"

typedef enum hpf__tick_kind {
    HPF__TICK_EXPRESSION, /* tick ["text"] [place]; */
    HPF__TICK_FUNCTION,   /* tick function "name" [place]; */
    HPF__TICK_INSIDE,     /* inside "name" { ... } */
} hpf__tick_kind;

typedef struct hpf__tick {
    hpf__tick_kind kind;
    hpf_str text;   /* of the expression, or the name; NULL: any expression */
    uint32_t line;  /* "on line N": all of the box is on it; 0: anywhere */
    bool has_span;  /* "at position 1:2-3:4": the box is exactly this */
    hpf__span span; /* with has_span */
    size_t end;     /* index after the last tick inside; for the others, after itself */
} hpf__tick;

/* A module of an overlay: its ticks, which are in a row. */
typedef struct hpf__overlay_module {
    hpf_str name;
    size_t first, end;
    bool is_global; /* ticks before all modules, for each of them */
} hpf__overlay_module;

/* All zero is empty. */
typedef struct hpf__overlay {
    hpf_arena *arena; /* owner of texts */
    hpf__tick *ticks;
    size_t n_ticks, ticks_capacity;
    hpf__overlay_module *modules;
    size_t n_modules, modules_capacity;
} hpf__overlay;

/* Reads a file and adds its contents. Errors: SYNTAX; RANGE; LIMIT, for blocks more than 1000 deep;
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf__overlay_read(hpf__overlay *overlay, hpf_str text,
                                                  hpf_error *err);
HPF_API void hpf__overlay_finish(hpf__overlay *overlay);

/* Sets the counts, one for each box of `mix`, to 1 for all boxes that the overlay names or that are
 * inside one of these, otherwise to 0. Errors: RANGE, for a box that the text does not have;
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf__overlay_apply(const hpf__overlay *overlay, hpf_str module,
                                                   const hpf__mix *mix,
                                                   const hpf__module_text *text, uint64_t *counts,
                                                   hpf_error *err);

/* Writes the draft for a module. Errors: RANGE, for a box that the text does not have; UNSUPPORTED,
 * for one inside a declaration that an overlay cannot name; MEMORY. Those of the sink are its own.
 */
HPF_API HPF_MUST_USE hpf_status hpf__draft_write(const hpf__tix_module *tix, const hpf__mix *mix,
                                                 const hpf__module_text *text, hpf_sink *sink,
                                                 hpf_error *err);

#endif
