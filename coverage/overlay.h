/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Overlays: which boxes of a program are to count as evaluated, as text (docs/coverage.md). A draft
 * is an overlay of all that a program did not evaluate.
 */
#ifndef HPC_OVERLAY_H
#define HPC_OVERLAY_H

#include "coverage/module_text.h"
#include "coverage/tix.h"

typedef enum hpc_tick_kind {
    HPC_TICK_EXPRESSION, /* tick ["text"] [place]; */
    HPC_TICK_FUNCTION,   /* tick function "name" [place]; */
    HPC_TICK_INSIDE,     /* inside "name" { ... } */
} hpc_tick_kind;

typedef struct hpc_tick {
    hpc_tick_kind kind;
    hpf_str text;  /* of the expression, or the name; NULL: any expression */
    uint32_t line; /* "on line N": all of the box is on it; 0: anywhere */
    bool has_span; /* "at position 1:2-3:4": the box is exactly this */
    hpc_span span; /* with has_span */
    size_t end;    /* index after the last tick inside; for the others, after itself */
} hpc_tick;

/* A module of an overlay: its ticks, which are in a row. */
typedef struct hpc_overlay_module {
    hpf_str name;
    size_t first, end;
    bool is_global; /* ticks before all modules, for each of them */
} hpc_overlay_module;

/* All zero is empty. */
typedef struct hpc_overlay {
    hpf_arena *arena; /* owner of texts */
    hpc_tick *ticks;
    size_t n_ticks, ticks_capacity;
    hpc_overlay_module *modules;
    size_t n_modules, modules_capacity;
} hpc_overlay;

/* Reads a file and adds its contents. Errors: SYNTAX; RANGE; LIMIT, for blocks more than 1000 deep;
 * MEMORY. */
HPF_MUST_USE hpf_status hpc_overlay_read(hpc_overlay *overlay, hpf_str text, hpf_error *err);
void hpc_overlay_finish(hpc_overlay *overlay);

/* Sets the counts, one for each box of `mix`, to 1 for all boxes that the overlay names or that are
 * inside one of these, otherwise to 0. Errors: RANGE, for a box that the text does not have;
 * MEMORY. */
HPF_MUST_USE hpf_status hpc_overlay_apply(const hpc_overlay *overlay, hpf_str module,
                                          const hpc_mix *mix, const hpc_module_text *text,
                                          uint64_t *counts, hpf_error *err);

/* Writes the draft for a module. Errors: RANGE, for a box that the text does not have; UNSUPPORTED,
 * for one inside a declaration that an overlay cannot name; MEMORY. Those of the sink are its own.
 */
HPF_MUST_USE hpf_status hpc_draft_write(const hpc_tix_module *tix, const hpc_mix *mix,
                                        const hpc_module_text *text, hpf_sink *sink,
                                        hpf_error *err);

#endif
