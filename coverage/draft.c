/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writing an overlay of all that a program did not evaluate: of nested parts only the outermost
 * one, except that parts of a function that was called are in a block of their own.
 */
#include "coverage/mix.h"
#include "coverage/haskell_text.h"
#include "coverage/overlay.h"
#include "hpfile/sink.h"

/* A function that was called. Its first line is written when something in it was not evaluated. */
typedef struct block {
    const hpc_box *box;
    bool is_open;
} block;

typedef struct draft {
    const hpc_tix_module *tix;
    const hpc_mix *mix;
    const hpc_module_text *text;
    const hpc_box_node **steps; /* lists that wait; NULL: the end of the innermost block */
    size_t n_steps, steps_capacity;
    block *blocks;
    size_t n_blocks, blocks_capacity;
    hpf__buffer part;
    hpf_sink *sink;
    hpf_error *err;
} draft;

static void indent(const draft *d, size_t level)
{
    for (size_t i = 0; i <= level; i++) {
        hpf_sink_text(d->sink, "  ");
    }
}

static hpf_status open_blocks(const draft *d)
{
    for (size_t i = 0; i < d->n_blocks; i++) {
        const hpc_box *box = d->blocks[i].box;
        if (d->blocks[i].is_open) {
            continue;
        }
        if (box->n_names != 1) {
            return hpf_error_set(d->err, HPF_ERR_UNSUPPORTED,
                                 "line %lu has a declaration with %zu names, which an overlay "
                                 "cannot name",
                                 (unsigned long)box->span.first_line, box->n_names);
        }
        indent(d, i);
        hpf_sink_text(d->sink, "inside \"");
        hpf_sink_str(d->sink, box->names[0]);
        hpf_sink_text(d->sink, "\" {\n");
        d->blocks[i].is_open = true;
    }
    return HPF_OK;
}

static void close_block(draft *d)
{
    if (d->blocks[--d->n_blocks].is_open) {
        indent(d, d->n_blocks);
        hpf_sink_text(d->sink, "}\n");
    }
}

/* Writes the line for an expression or a declaration that was not evaluated. */
static hpf_status write_tick(draft *d, const hpc_box *box)
{
    bool is_declaration = box->kind == HPC_BOX_TOP_LEVEL || box->kind == HPC_BOX_LOCAL;
    const hpc_span s = box->span;
    hpf_status status = open_blocks(d);
    if (status == HPF_OK && !is_declaration) {
        status = hpc_module_text_part(d->text, s, &d->part, d->err);
    }
    if (status != HPF_OK) {
        return status;
    }
    hpf_str part = {d->part.bytes, d->part.length};
    indent(d, d->n_blocks);
    if (is_declaration) {
        hpf_sink_text(d->sink, "tick function \"");
        if (box->n_names > 0) {
            hpf_sink_str(d->sink, box->names[box->n_names - 1]);
        }
        hpf_sink_printf(d->sink, "\" on line %lu;\n", (unsigned long)s.first_line);
    } else if (s.first_line != s.last_line) {
        hpf_sink_printf(d->sink, "tick at position %lu:%lu-%lu:%lu;\n", (unsigned long)s.first_line,
                        (unsigned long)s.first_column, (unsigned long)s.last_line,
                        (unsigned long)s.last_column);
    } else {
        hpf_sink_text(d->sink, "tick ");
        hpc_haskell_show(d->sink, part);
        hpf_sink_printf(d->sink, " on line %lu;\n", (unsigned long)s.first_line);
    }
    return HPF_OK;
}

/* Handles a node: the first box that decides, or else what is inside the node. */
static hpf_status visit(draft *d, const hpc_box_node *node)
{
    for (const hpc_box_link *link = node->boxes; link; link = link->next) {
        const hpc_box *box = &d->mix->boxes[link->box];
        bool is_ticked = d->tix->counts[link->box] > 0;
        if (!is_ticked && !hpc_box_is_condition(box)) {
            return write_tick(d, box);
        }
        if (is_ticked && box->kind == HPC_BOX_TOP_LEVEL) {
            block made = {box, false};
            bool is_pushed = HPF__ARRAY_PUSH(d->blocks, d->n_blocks, d->blocks_capacity, made) &&
                             HPF__ARRAY_PUSH(d->steps, d->n_steps, d->steps_capacity, NULL);
            if (!is_pushed) {
                return hpf_error_set_memory(d->err);
            }
            break;
        }
    }
    return !node->children ||
                   HPF__ARRAY_PUSH(d->steps, d->n_steps, d->steps_capacity, node->children)
               ? HPF_OK
               : hpf_error_set_memory(d->err);
}

static hpf_status walk(draft *d, const hpc_box_node *root)
{
    hpf_status status = HPF_OK;
    if (root && !HPF__ARRAY_PUSH(d->steps, d->n_steps, d->steps_capacity, root)) {
        status = hpf_error_set_memory(d->err);
    }
    while (d->n_steps > 0 && status == HPF_OK) {
        const hpc_box_node *node = d->steps[--d->n_steps];
        if (!node) {
            close_block(d);
        } else if (node->next &&
                   !HPF__ARRAY_PUSH(d->steps, d->n_steps, d->steps_capacity, node->next)) {
            status = hpf_error_set_memory(d->err);
        } else {
            status = visit(d, node);
        }
    }
    return status;
}

/* Writes the name of a module in quotes, with ":" for the "/" after a package. */
static hpf_status write_name(const draft *d, hpf_arena *arena)
{
    char *name = hpf_arena_text(arena, d->tix->name);
    if (!name) {
        return hpf_error_set_memory(d->err);
    }
    char *slash = memchr(name, '/', d->tix->name.length);
    if (slash) {
        *slash = ':';
    }
    hpc_haskell_show(d->sink, (hpf_str){name, d->tix->name.length});
    return HPF_OK;
}

hpf_status hpc_draft_write(const hpc_tix_module *tix, const hpc_mix *mix,
                           const hpc_module_text *text, hpf_sink *sink, hpf_error *err)
{
    draft d = {.tix = tix, .mix = mix, .text = text, .sink = sink, .err = err};
    size_t n_boxes = mix->n_boxes < tix->n_counts ? mix->n_boxes : tix->n_counts;
    hpc_box_node *root = NULL;
    hpf_arena *arena = hpf_arena_create();
    hpf_status status =
        arena ? hpc_box_tree_build(&root, mix, n_boxes, arena, err) : hpf_error_set_memory(err);
    hpf_sink_text(sink, "module ");
    status = status == HPF_OK ? write_name(&d, arena) : status;
    hpf_sink_text(sink, " {\n");
    status = status == HPF_OK ? walk(&d, root) : status;
    hpf_sink_text(sink, "}\n");
    free(d.steps);
    free(d.blocks);
    hpf__buffer_finish(&d.part);
    hpf_arena_destroy(arena);
    return status;
}
