/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Mix "Main.hs" 2026-11-22 17:43:47.664467098 UTC 1761395246 8 [(16:21-16:24,ExpBox False),...]
 */
#include "coverage/mix.h"

#include <stdlib.h>

#include "base/lex.h"
#include "coverage/haskell_text.h"
#include "hpfile/sink.h"
#include "base/array.h"

/* ---- Reading ---- */

/* Reads a time. Its form is checked, not whether the day exists. */
static hpf_status read_time(hpc_haskell *h, hpf_str *time)
{
    static const char form[] = "0000-00-00 00:00:00";
    hpc_haskell_peek(h);
    size_t start = h->at;
    for (const char *at = form; *at; at++) {
        char c = h->at < h->text.length ? h->text.data[h->at] : '\0';
        if (*at == '0' ? !hpf__is_digit(c) : c != *at) {
            return hpc_haskell_expected(h, "a time as in '2026-11-22 17:43:47.5 UTC'");
        }
        h->at++;
    }
    if (h->at < h->text.length && h->text.data[h->at] == '.') {
        do {
            h->at++;
        } while (h->at < h->text.length && hpf__is_digit(h->text.data[h->at]));
    }
    hpf_status status = hpc_haskell_expect(h, "UTC");
    if (status == HPF_OK) {
        hpf_str text = {h->text.data + start, h->at - start};
        *time = hpf_arena_str(h->arena, text);
        status = time->data ? HPF_OK : hpf_error_set_memory(h->err);
    }
    return status;
}

static hpf_status read_place(hpc_haskell *h, uint32_t *line, uint32_t *column)
{
    uint64_t value = 0;
    hpf_status status = hpc_haskell_whole(h, HPC_MIX_MOST, "a line", &value);
    *line = (uint32_t)value;
    status = status == HPF_OK ? hpc_haskell_expect(h, ":") : status;
    status = status == HPF_OK ? hpc_haskell_whole(h, HPC_MIX_MOST, "a column", &value) : status;
    *column = (uint32_t)value;
    return status;
}

/* Reads "1:2-3:4", or "1:2" for one character. */
static hpf_status read_span(hpc_haskell *h, hpc_span *span)
{
    hpf_status status = read_place(h, &span->first_line, &span->first_column);
    span->last_line = span->first_line;
    span->last_column = span->first_column;
    if (status == HPF_OK && hpc_haskell_take(h, "-")) {
        status = read_place(h, &span->last_line, &span->last_column);
    }
    return status;
}

static hpf_status read_bool(hpc_haskell *h, bool *out)
{
    *out = hpc_haskell_take(h, "True");
    return *out || hpc_haskell_take(h, "False") ? HPF_OK : hpc_haskell_expected(h, "True or False");
}

/* Names of a declaration while they are read. */
typedef struct name_list {
    hpf_str *items;
    size_t n, capacity;
} name_list;

static hpf_status read_names(hpc_haskell *h, name_list *names, hpc_box *box)
{
    hpf_status status = hpc_haskell_expect(h, "[");
    bool is_more = status == HPF_OK && hpc_haskell_peek(h) != ']';
    names->n = 0;
    while (is_more) {
        hpf_str name;
        status = hpc_haskell_string(h, "the name of a declaration", &name);
        if (status == HPF_OK && !HPF__ARRAY_PUSH(names->items, names->n, names->capacity, name)) {
            status = hpf_error_set_memory(h->err);
        }
        is_more = status == HPF_OK && hpc_haskell_take(h, ",");
    }
    status = status == HPF_OK ? hpc_haskell_expect(h, "]") : status;
    if (status == HPF_OK) {
        box->names = hpf_arena_array(h->arena, names->n, sizeof *box->names);
        box->n_names = names->n;
        status = box->names ? HPF_OK : hpf_error_set_memory(h->err);
    }
    if (status == HPF_OK && names->n > 0) {
        memcpy(box->names, names->items, names->n * sizeof *names->items);
    }
    return status;
}

/* Reads what a box counts. */
static hpf_status read_label(hpc_haskell *h, name_list *names, hpc_box *box)
{
    static const char *const conditions[] = {"GuardBinBox", "CondBinBox", "QualBinBox", NULL};
    if (hpc_haskell_take(h, "ExpBox")) {
        bool is_alternative = false;
        hpf_status status = read_bool(h, &is_alternative);
        box->kind = is_alternative ? HPC_BOX_ALTERNATIVE : HPC_BOX_EXPRESSION;
        return status;
    }
    if (hpc_haskell_take(h, "TopLevelBox")) {
        box->kind = HPC_BOX_TOP_LEVEL;
        return read_names(h, names, box);
    }
    if (hpc_haskell_take(h, "LocalBox")) {
        box->kind = HPC_BOX_LOCAL;
        return read_names(h, names, box);
    }
    if (!hpc_haskell_take(h, "BinBox")) {
        return hpc_haskell_expected(h, "ExpBox, TopLevelBox, LocalBox or BinBox");
    }
    int which = 0;
    while (conditions[which] && !hpc_haskell_take(h, conditions[which])) {
        which++;
    }
    if (!conditions[which]) {
        return hpc_haskell_expected(h, "GuardBinBox, CondBinBox or QualBinBox");
    }
    box->kind = (hpc_box_kind)(HPC_BOX_GUARD + which);
    return read_bool(h, &box->is_true);
}

static hpf_status read_boxes(hpc_mix *mix, hpc_haskell *h, name_list *names)
{
    hpf_status status = hpc_haskell_expect(h, "[");
    bool is_more = status == HPF_OK && hpc_haskell_peek(h) != ']';
    while (is_more) {
        hpc_box box = {.kind = HPC_BOX_EXPRESSION};
        status = hpc_haskell_expect(h, "(");
        status = status == HPF_OK ? read_span(h, &box.span) : status;
        status = status == HPF_OK ? hpc_haskell_expect(h, ",") : status;
        status = status == HPF_OK ? read_label(h, names, &box) : status;
        status = status == HPF_OK ? hpc_haskell_expect(h, ")") : status;
        if (status == HPF_OK && !HPF__ARRAY_PUSH(mix->boxes, mix->n_boxes, mix->capacity, box)) {
            status = hpf_error_set_memory(h->err);
        }
        is_more = status == HPF_OK && hpc_haskell_take(h, ",");
    }
    if (status == HPF_OK && !hpc_haskell_take(h, "]")) {
        status = hpc_haskell_expected(h, "',' or ']' after a box");
    }
    if (status == HPF_OK && (hpc_haskell_peek(h), h->at < h->text.length)) {
        status = hpc_haskell_expected(h, "the end of the file");
    }
    return status;
}

hpf_status hpc_mix_read(hpc_mix *out, hpf_str text, hpf_error *err)
{
    *out = (hpc_mix){.arena = hpf_arena_create()};
    if (!out->arena) {
        return hpf_error_set_memory(err);
    }
    hpc_haskell h = {.text = text, .arena = out->arena, .err = err};
    name_list names = {NULL, 0, 0};
    uint64_t hash = 0, tab_stop = 0;
    hpf_status status = hpc_haskell_expect(&h, "Mix");
    status =
        status == HPF_OK ? hpc_haskell_string(&h, "the path of the text", &out->source) : status;
    status = status == HPF_OK ? read_time(&h, &out->time) : status;
    status = status == HPF_OK ? hpc_haskell_whole(&h, UINT64_MAX, "the hash", &hash) : status;
    status = status == HPF_OK
                 ? hpc_haskell_whole(&h, HPC_MIX_MOST, "the distance of tab stops", &tab_stop)
                 : status;
    status = status == HPF_OK ? read_boxes(out, &h, &names) : status;
    out->hash = (uint32_t)hash;
    out->tab_stop = (uint32_t)tab_stop;
    free(names.items);
    hpc_haskell_finish(&h);
    if (status != HPF_OK) {
        hpc_mix_finish(out);
    }
    return status;
}

void hpc_mix_finish(hpc_mix *mix)
{
    hpf_arena_destroy(mix->arena);
    free(mix->boxes);
    *mix = (hpc_mix){0};
}

/* ---- Writing ---- */

void hpc_mix_write_box(const hpc_box *box, hpf_sink *sink)
{
    static const char *const labels[] = {
        "ExpBox False",        "ExpBox True",        "TopLevelBox ",      "LocalBox ",
        "BinBox GuardBinBox ", "BinBox CondBinBox ", "BinBox QualBinBox "};
    hpf_sink_text(sink, labels[box->kind]);
    if (hpc_box_is_condition(box)) {
        hpf_sink_text(sink, box->is_true ? "True" : "False");
    } else if (box->kind == HPC_BOX_TOP_LEVEL || box->kind == HPC_BOX_LOCAL) {
        for (size_t i = 0; i < box->n_names; i++) {
            hpf_sink_text(sink, i > 0 ? "," : "[");
            hpc_haskell_show(sink, box->names[i]);
        }
        hpf_sink_text(sink, box->n_names > 0 ? "]" : "[]");
    }
}

void hpc_mix_write(const hpc_mix *mix, hpf_sink *sink)
{
    hpf_sink_text(sink, "Mix ");
    hpc_haskell_show(sink, mix->source);
    hpf_sink_text(sink, " ");
    hpf_sink_str(sink, mix->time);
    hpf_sink_printf(sink, " %lu %lu [", (unsigned long)mix->hash, (unsigned long)mix->tab_stop);
    for (size_t i = 0; i < mix->n_boxes; i++) {
        const hpc_span *s = &mix->boxes[i].span;
        hpf_sink_printf(sink, "%s(%lu:%lu-%lu:%lu,", i > 0 ? "," : "", (unsigned long)s->first_line,
                        (unsigned long)s->first_column, (unsigned long)s->last_line,
                        (unsigned long)s->last_column);
        hpc_mix_write_box(&mix->boxes[i], sink);
        hpf_sink_text(sink, ")");
    }
    hpf_sink_text(sink, "]");
}

/* Boxes are inserted from the last to the first. Spans nest as deeply as expressions do, which
 * may be thousands of levels in generated text: lists that wait are on a stack of our own. */

/* Lists of nodes into which a box is to be inserted. */
typedef struct list_stack {
    hpc_box_node ***items;
    size_t n, capacity;
} list_stack;

static bool push_box(hpc_box_node *node, uint32_t box, hpf_arena *arena)
{
    hpc_box_link *link = hpf_arena_alloc(arena, sizeof *link);
    if (link) {
        *link = (hpc_box_link){box, node->boxes};
        node->boxes = link;
    }
    return link != NULL;
}

static bool is_same(hpc_span a, hpc_span b)
{
    return hpc_span_is_inside(a, b) && hpc_span_is_inside(b, a);
}

/* Inserts a box into the nodes of a list that contain it. Returns their number, or -1 without
 * memory. */
static int insert_below(hpc_box_node *first, hpc_span span, uint32_t box, list_stack *waiting,
                        hpf_arena *arena)
{
    int n = 0;
    for (hpc_box_node *node = first; node; node = node->next) {
        if (!hpc_span_is_inside(span, node->span)) {
            continue;
        }
        n = 1;
        bool is_done =
            is_same(span, node->span)
                ? push_box(node, box, arena)
                : HPF__ARRAY_PUSH(waiting->items, waiting->n, waiting->capacity, &node->children);
        if (!is_done) {
            return -1;
        }
    }
    return n;
}

/* Makes a node at the start of a list, and moves the nodes that it contains below it. */
static bool insert_node(hpc_box_node **list, hpc_span span, uint32_t box, hpf_arena *arena)
{
    hpc_box_node *made = hpf_arena_alloc(arena, sizeof *made);
    if (!made || !push_box(made, box, arena)) {
        return false;
    }
    made->span = span;
    hpc_box_node **inside = &made->children, **outside = &made->next;
    for (hpc_box_node *node = *list, *next; node; node = next) {
        next = node->next;
        node->next = NULL;
        hpc_box_node ***to = hpc_span_is_inside(node->span, span) ? &inside : &outside;
        **to = node;
        *to = &node->next;
    }
    *list = made;
    return true;
}

hpf_status hpc_box_tree_build(hpc_box_node **root, const hpc_mix *mix, size_t n_boxes,
                              hpf_arena *arena, hpf_error *err)
{
    list_stack waiting = {NULL, 0, 0};
    bool has_memory = true;
    *root = NULL;
    for (size_t i = n_boxes; i > 0 && has_memory; i--) {
        hpc_span span = mix->boxes[i - 1].span;
        has_memory = HPF__ARRAY_PUSH(waiting.items, waiting.n, waiting.capacity, root);
        while (has_memory && waiting.n > 0) {
            hpc_box_node **list = waiting.items[--waiting.n];
            int n = insert_below(*list, span, (uint32_t)(i - 1), &waiting, arena);
            has_memory = n > 0 || (n == 0 && insert_node(list, span, (uint32_t)(i - 1), arena));
        }
    }
    free(waiting.items);
    return has_memory ? HPF_OK : hpf_error_set_memory(err);
}
