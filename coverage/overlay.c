/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading overlays, and applying them to the boxes of a module.
 */
#include "coverage/overlay.h"

#include "coverage/mix.h"
#include "coverage/haskell_text.h"

/* ---- Reading ---- */

#define MOST_BLOCKS 1000

/* Where a module or a function begins, whose block is open. */
typedef struct reader {
    hpc_haskell lex;
    hpc_overlay *out;
    size_t open[MOST_BLOCKS]; /* ticks of kind INSIDE */
    size_t n_open;
} reader;

static hpf_status read_number(hpc_haskell *h, uint32_t *out, const char *what)
{
    uint64_t value = 0;
    hpf_status status = hpc_haskell_whole(h, HPC_MIX_MOST, what, &value);
    *out = (uint32_t)value;
    return status;
}

/* Reads "at position 1:2-3:4", after its first word. */
static hpf_status read_position(hpc_haskell *h, hpc_tick *tick)
{
    uint32_t *const numbers[] = {&tick->span.first_line, &tick->span.first_column,
                                 &tick->span.last_line, &tick->span.last_column};
    static const char *const after[] = {":", "-", ":"};
    hpf_status status = hpc_haskell_expect(h, "position");
    tick->has_span = true;
    for (int i = 0; i < 4 && status == HPF_OK; i++) {
        status = read_number(h, numbers[i], i % 2 ? "a column" : "a line");
        if (status == HPF_OK && i < 3) {
            status = hpc_haskell_expect(h, after[i]);
        }
    }
    return status;
}

/* Reads what ends a tick: its place, a category in brackets, which has no meaning, and ";". */
static hpf_status read_tick_end(hpc_haskell *h, hpc_tick *tick)
{
    hpf_status status = HPF_OK;
    if (hpc_haskell_take(h, "on")) {
        status = hpc_haskell_expect(h, "line");
        status = status == HPF_OK ? read_number(h, &tick->line, "a line") : status;
        if (status == HPF_OK && tick->line == 0) {
            status = hpc_haskell_fail(h, h->at - 1, HPF_ERR_RANGE, "lines count from 1");
        }
    } else if (hpc_haskell_take(h, "at")) {
        status = read_position(h, tick);
    }
    if (status == HPF_OK && hpc_haskell_peek(h) == '[') {
        const char *close = memchr(h->text.data + h->at, ']', h->text.length - h->at);
        if (!close) {
            return hpc_haskell_fail(h, h->at, HPF_ERR_SYNTAX, "the category has no ']'");
        }
        h->at = (size_t)(close - h->text.data) + 1;
    }
    return status == HPF_OK ? hpc_haskell_expect(h, ";") : status;
}

static hpf_status push_tick(reader *r, hpc_tick tick)
{
    tick.end = r->out->n_ticks + 1;
    return HPF__ARRAY_PUSH(r->out->ticks, r->out->n_ticks, r->out->ticks_capacity, tick)
               ? HPF_OK
               : hpf_error_set_memory(r->lex.err);
}

/* Reads a tick, after its first word. */
static hpf_status read_tick(reader *r, bool is_global)
{
    hpc_haskell *h = &r->lex;
    hpc_tick tick = {.kind = HPC_TICK_EXPRESSION};
    hpf_status status = HPF_OK;
    if (!is_global && hpc_haskell_take(h, "function")) {
        tick.kind = HPC_TICK_FUNCTION;
        status = hpc_haskell_string(h, "the name of a function", &tick.text);
    } else if (hpc_haskell_peek(h) == '"') {
        status = hpc_haskell_string(h, "an expression", &tick.text);
    }
    status = status == HPF_OK ? read_tick_end(h, &tick) : status;
    return status == HPF_OK ? push_tick(r, tick) : status;
}

/* Reads "inside "name" {", after its first word. */
static hpf_status open_function(reader *r)
{
    hpc_tick tick = {.kind = HPC_TICK_INSIDE};
    hpf_status status = hpc_haskell_string(&r->lex, "the name of a function", &tick.text);
    status = status == HPF_OK ? hpc_haskell_expect(&r->lex, "{") : status;
    if (status == HPF_OK && r->n_open == MOST_BLOCKS) {
        return hpc_haskell_fail(&r->lex, r->lex.at - 1, HPF_ERR_LIMIT,
                                "blocks are more than %d deep", MOST_BLOCKS);
    }
    status = status == HPF_OK ? push_tick(r, tick) : status;
    if (status == HPF_OK) {
        r->open[r->n_open++] = r->out->n_ticks - 1;
    }
    return status;
}

/* Reads a module, after its first word. */
static hpf_status read_module(reader *r)
{
    hpc_overlay *out = r->out;
    hpc_overlay_module module = {.first = out->n_ticks};
    hpf_status status = hpc_haskell_string(&r->lex, "the name of a module", &module.name);
    status = status == HPF_OK ? hpc_haskell_expect(&r->lex, "{") : status;
    for (bool is_open = true; is_open && status == HPF_OK;) {
        if (hpc_haskell_take(&r->lex, "tick")) {
            status = read_tick(r, false);
        } else if (hpc_haskell_take(&r->lex, "inside")) {
            status = open_function(r);
        } else if (!hpc_haskell_take(&r->lex, "}")) {
            status = hpc_haskell_expected(&r->lex, "'tick', 'inside' or '}'");
        } else if (r->n_open > 0) {
            out->ticks[r->open[--r->n_open]].end = out->n_ticks;
        } else {
            is_open = false;
        }
    }
    module.end = out->n_ticks;
    if (status == HPF_OK &&
        !HPF__ARRAY_PUSH(out->modules, out->n_modules, out->modules_capacity, module)) {
        status = hpf_error_set_memory(r->lex.err);
    }
    return status;
}

static hpf_status read_overlay(reader *r)
{
    hpc_overlay *out = r->out;
    hpc_overlay_module global = {.first = out->n_ticks, .is_global = true};
    hpf_status status = HPF_OK;
    while (status == HPF_OK && hpc_haskell_take(&r->lex, "tick")) {
        status = read_tick(r, true);
    }
    global.end = out->n_ticks;
    if (status == HPF_OK &&
        !HPF__ARRAY_PUSH(out->modules, out->n_modules, out->modules_capacity, global)) {
        status = hpf_error_set_memory(r->lex.err);
    }
    while (status == HPF_OK && hpc_haskell_take(&r->lex, "module")) {
        status = read_module(r);
    }
    if (status == HPF_OK && (hpc_haskell_peek(&r->lex), r->lex.at < r->lex.text.length)) {
        status = hpc_haskell_expected(&r->lex, "'module'");
    }
    return status;
}

hpf_status hpc_overlay_read(hpc_overlay *overlay, hpf_str text, hpf_error *err)
{
    overlay->arena = overlay->arena ? overlay->arena : hpf_arena_create();
    if (!overlay->arena) {
        return hpf_error_set_memory(err);
    }
    reader r = {.lex = {.text = text, .arena = overlay->arena, .err = err}, .out = overlay};
    hpf_status status = read_overlay(&r);
    hpc_haskell_finish(&r.lex);
    return status;
}

void hpc_overlay_finish(hpc_overlay *overlay)
{
    hpf_arena_destroy(overlay->arena);
    free(overlay->ticks);
    free(overlay->modules);
    *overlay = (hpc_overlay){0};
}

/* ---- Applying ---- */

/* An overlay and the module to which it is applied. */
typedef struct match {
    const hpc_overlay *overlay;
    const hpc_mix *mix;
    const hpc_module_text *text;
    const hpc_box **functions; /* declarations at the top level */
    size_t n_functions;
    bool *is_named;   /* by box: the overlay names it */
    hpf__buffer part; /* text of a box */
    hpf_error *err;
} match;

/* Returns whether a span is inside a function of the module. */
static bool is_inside(const match *m, hpc_span span, hpf_str function)
{
    for (size_t i = 0; i < m->n_functions; i++) {
        const hpc_box *box = m->functions[i];
        if (hpf_str_equal(box->names[0], function) && hpc_span_is_inside(span, box->span)) {
            return true;
        }
    }
    return false;
}

static bool is_at(const hpc_tick *tick, hpc_span s)
{
    return (tick->line == 0 || (tick->line == s.first_line && tick->line == s.last_line)) &&
           (!tick->has_span || memcmp(&tick->span, &s, sizeof s) == 0);
}

/* Stores whether the ticks [first, end) name a box. */
static hpf_status is_ticked(match *m, size_t first, size_t end, const hpc_box *box, bool *is)
{
    bool is_expression = box->kind == HPC_BOX_EXPRESSION || box->kind == HPC_BOX_ALTERNATIVE;
    for (size_t i = first; i < end && !*is;) {
        const hpc_tick *tick = &m->overlay->ticks[i];
        bool enters = tick->kind == HPC_TICK_INSIDE && is_inside(m, box->span, tick->text);
        i = enters ? i + 1 : tick->end;
        if (tick->kind == HPC_TICK_INSIDE || !is_at(tick, box->span)) {
            continue;
        }
        if (tick->kind == HPC_TICK_FUNCTION) {
            *is = is_inside(m, box->span, tick->text);
        } else if (is_expression && tick->text.data) {
            hpf_status status = hpc_module_text_part(m->text, box->span, &m->part, m->err);
            if (status != HPF_OK) {
                return status;
            }
            *is = hpf_str_equal(hpf__buffer_str(&m->part), tick->text);
        } else {
            *is = is_expression;
        }
    }
    return HPF_OK;
}

/* Finds the declarations of the module, and the boxes that the overlay names. */
static hpf_status find_named(match *m, hpf_str module, hpf_arena *arena)
{
    m->functions = hpf_arena_array(arena, m->mix->n_boxes, sizeof *m->functions);
    m->is_named = hpf_arena_array(arena, m->mix->n_boxes, sizeof *m->is_named);
    if (!m->functions || !m->is_named) {
        return hpf_error_set_memory(m->err);
    }
    for (size_t i = 0; i < m->mix->n_boxes; i++) {
        const hpc_box *box = &m->mix->boxes[i];
        if (box->kind == HPC_BOX_TOP_LEVEL && box->n_names == 1) {
            m->functions[m->n_functions++] = box;
        }
    }
    for (size_t i = 0; i < m->mix->n_boxes; i++) {
        for (size_t k = 0; k < m->overlay->n_modules; k++) {
            const hpc_overlay_module *part = &m->overlay->modules[k];
            if (part->is_global || hpf_str_equal(part->name, module)) {
                hpf_status status =
                    is_ticked(m, part->first, part->end, &m->mix->boxes[i], &m->is_named[i]);
                if (status != HPF_OK) {
                    return status;
                }
            }
        }
    }
    return HPF_OK;
}

/* A node that waits, and whether a box around it is named. */
typedef struct step {
    const hpc_box_node *node;
    bool is_marked;
} step;

/* Sets the counts of all boxes that have the span of a named box, or are inside one. Of a box in
 * several nodes, the last node counts. */
static hpf_status mark_inside(const hpc_box_node *root, const bool *is_named, uint64_t *counts,
                              hpf_error *err)
{
    step *steps = NULL;
    size_t n = 0, capacity = 0;
    bool has_memory = !root || HPF__ARRAY_PUSH(steps, n, capacity, ((step){root, false}));
    while (n > 0 && has_memory) {
        step at = steps[--n];
        bool is_marked = at.is_marked;
        for (const hpc_box_link *link = at.node->boxes; link; link = link->next) {
            is_marked = is_marked || is_named[link->box];
        }
        for (const hpc_box_link *link = at.node->boxes; link; link = link->next) {
            counts[link->box] = is_marked;
        }
        step next = {at.node->next, at.is_marked}, child = {at.node->children, is_marked};
        has_memory = (!next.node || HPF__ARRAY_PUSH(steps, n, capacity, next)) &&
                     (!child.node || HPF__ARRAY_PUSH(steps, n, capacity, child));
    }
    free(steps);
    return has_memory ? HPF_OK : hpf_error_set_memory(err);
}

hpf_status hpc_overlay_apply(const hpc_overlay *overlay, hpf_str module, const hpc_mix *mix,
                             const hpc_module_text *text, uint64_t *counts, hpf_error *err)
{
    match m = {.overlay = overlay, .mix = mix, .text = text, .err = err};
    hpf_arena *arena = hpf_arena_create();
    hpc_box_node *root;
    hpf_status status = arena ? find_named(&m, module, arena) : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        status = hpc_box_tree_build(&root, mix, mix->n_boxes, arena, err);
    }
    if (status == HPF_OK) {
        status = mark_inside(root, m.is_named, counts, err);
    }
    hpf__buffer_finish(&m.part);
    hpf_arena_destroy(arena);
    return status;
}
