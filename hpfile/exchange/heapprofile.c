/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sampling heap profiles of V8, .heapprofile (docs/formats/heapprofile.md): a tree of calls.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "event/call_stacks.h"
#include "event/format_row.h"
#include "io/json_lex.h"

/* The deepest tree; V8 records stacks of 128 functions. */
#define MOST_DEPTH 2000

/* A function that was called. Texts are numbers in `texts`. */
typedef struct node {
    size_t parent;
    uint32_t function, url;
    uint64_t line, column; /* from 1; 0: unknown */
    hpf_cost size;
} node;

typedef struct tree {
    hpf__json_lex lex;
    hpf_error *err;
    hpf__call_stacks stacks;
    hpf__intern texts; /* the first is empty */
    node *nodes;       /* parents before children; the first is the root */
    size_t n_nodes, nodes_capacity;
    size_t current; /* whose members are being read */
    size_t depth;
} tree;

static hpf_status read_text(tree *t, uint32_t *number)
{
    bool is_new;
    hpf_status status = hpf__json_expect(&t->lex, HPF__JSON_STRING, "a text");
    return status != HPF_OK || hpf__intern_add(&t->texts, hpf__call_stacks_text(t->lex.text),
                                               number, &is_new) == HPF_OK
               ? status
               : hpf_error_set_memory(t->err);
}

/* V8 counts from 0; -1 is unknown. */
static hpf_status read_place(tree *t, uint64_t *number)
{
    hpf_cost cost = {0};
    hpf_status status = hpf__json_expect(&t->lex, HPF__JSON_NUMBER, "a number");
    if (status == HPF_OK && !hpf_str_begins(t->lex.text, "-")) {
        status = hpf__amount_parse(&cost, t->lex.text, t->lex.place, t->err);
        *number = cost.is_real || cost.whole >= UINT32_MAX ? 0 : cost.whole + 1;
    }
    return status;
}

static hpf_status read_call_member(void *context, hpf_str key)
{
    tree *t = context;
    node *n = &t->nodes[t->current];
    return hpf_str_is(key, "functionName")   ? read_text(t, &n->function)
           : hpf_str_is(key, "url")          ? read_text(t, &n->url)
           : hpf_str_is(key, "lineNumber")   ? read_place(t, &n->line)
           : hpf_str_is(key, "columnNumber") ? read_place(t, &n->column)
                                             : hpf__json_pass(&t->lex);
}

static hpf_status read_node(void *context);

static hpf_status read_node_member(void *context, hpf_str key)
{
    tree *t = context;
    if (hpf_str_is(key, "callFrame")) {
        return hpf__json_object(&t->lex, read_call_member, t);
    }
    if (hpf_str_is(key, "selfSize")) {
        return hpf__json_amount(&t->lex, &t->nodes[t->current].size);
    }
    return hpf_str_is(key, "children") ? hpf__json_objects(&t->lex, read_node, t)
                                       : hpf__json_pass(&t->lex);
}

/* Reads a child of the current node. */
static hpf_status read_node(void *context)
{
    tree *t = context;
    size_t parent = t->current;
    const node new = {.parent = parent};
    if (t->depth == MOST_DEPTH) {
        return hpf__location_error(t->lex.place, t->err, HPF_ERR_LIMIT,
                                   "calls are nested more than %d deep", MOST_DEPTH);
    }
    if (!HPF__ARRAY_PUSH(t->nodes, t->n_nodes, t->nodes_capacity, new)) {
        return hpf_error_set_memory(t->err);
    }
    t->current = t->n_nodes - 1;
    t->depth++;
    hpf_status status = hpf__json_members(&t->lex, read_node_member, t);
    t->depth--;
    t->current = parent;
    return status;
}

static hpf_status read_member(void *context, hpf_str key)
{
    tree *t = context;
    if (!hpf_str_is(key, "head")) {
        return hpf__json_pass(&t->lex);
    }
    hpf_status status = hpf__json_expect(&t->lex, HPF__JSON_OPEN_OBJECT, "'{'");
    return status == HPF_OK ? read_node(t) : status;
}

/* The root is a frame only of itself. */
static hpf_status add_node(tree *t, size_t index)
{
    hpf__call_stacks *stacks = &t->stacks;
    hpf_cost cost = t->nodes[index].size;
    bool fits = hpf__call_stacks_begin(stacks);
    for (size_t i = index;
         fits && (i > 0 || stacks->n_frames == 0) && !hpf__call_stacks_is_full(stacks);
         i = t->nodes[i].parent) {
        const node *n = &t->nodes[i];
        hpf_str name = t->texts.names[n->function], url = t->texts.names[n->url];
        hpf_str place = url.length > 0 && n->line > 0
                            ? hpf__call_stacks_join(stacks, url, ":%" PRIu64 ":%" PRIu64, n->line,
                                                    n->column ? n->column : 1)
                            : url;
        fits = place.data &&
               hpf__call_stacks_push(
                   stacks, (hpf_frame){.label = name.length ? name : HPF_STR("(anonymous)"),
                                       .source = place});
    }
    hpf_status status =
        fits ? hpf__call_stacks_name(stacks, stacks->frames, stacks->n_frames, &cost.name, t->err)
             : hpf_error_set_memory(t->err);
    return status == HPF_OK ? hpf__emitter_cost(&t->stacks.emit, &cost, t->err) : status;
}

static hpf_status emit(tree *t)
{
    static const hpf_str headers[HPF_N_HEADERS] = {[HPF_HEADER_JOB] = {"V8 heap", 7}};
    hpf_status status = hpf__call_stacks_headers(&t->stacks, headers, t->err);
    for (size_t i = 0; i < t->n_nodes && status == HPF_OK; i++) {
        status = hpf_cost_amount(&t->nodes[i].size) > 0 ? add_node(t, i) : HPF_OK;
    }
    return status == HPF_OK ? hpf__emitter_sample(&t->stacks.emit, 0, t->lex.place, t->err)
                            : status;
}

static hpf_status read(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err)
{
    static const char *const values[] = {"live", NULL};
    size_t chosen;
    uint32_t empty;
    bool is_new;
    tree t = {
        .lex = {.scan = hpf__cursor_of(source, options, err)},
        .err = err,
        .stacks = {.emit = {.events = events, .context = context}, .source = source},
    };
    hpf_status status = hpf__choose_value(&chosen, values, options, err);
    if (status == HPF_OK && hpf__intern_add(&t.texts, HPF_STR(""), &empty, &is_new) != HPF_OK) {
        status = hpf_error_set_memory(err);
    }
    status = status == HPF_OK ? hpf__json_document(&t.lex, read_member, &t) : status;
    status = status == HPF_OK ? emit(&t) : status;
    hpf__call_stacks_finish(&t.stacks);
    hpf__json_lex_finish(&t.lex);
    hpf__intern_finish(&t.texts);
    free(t.nodes);
    return status;
}

static bool is_format(hpf_str head)
{
    hpf_str text = hpf__head_text(head);
    hpf_str member = hpf__head_text(hpf_str_begins(text, "{") ? hpf_str_from(text, 1) : text);
    return hpf_str_begins(text, "{") && hpf_str_begins(member, "\"head\"");
}

const hpf_format hpf_format_heapprofile = {
    .name = "heapprofile",
    .summary = "sampling heap profile of V8 (node --heap-prof, Chrome)",
    .is_format = is_format,
    .read = read,
    .is_moment = true,
};
