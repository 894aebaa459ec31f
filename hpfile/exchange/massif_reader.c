/* SPDX-License-Identifier: BSD-2-Clause
 *
 * massif.out of Valgrind (docs/formats/massif.md), line by line. Samples are the snapshots with a
 * tree and those without a heap; the totals of all snapshots are a quantity.
 */
#include "exchange/massif.h"

#include <stdlib.h>

#include "event/call_stacks.h"
#include "exchange/valgrind_frame.h"

/* A node whose children are being read. */
typedef struct node {
    uint64_t left_bytes; /* that no child has had */
    uint64_t n_left;     /* children that are still to come */
} node;

typedef struct snapshot {
    double time;
    uint64_t heap, extra, stacks;
    hpf__location place; /* of the time */
} snapshot;

typedef struct massif {
    hpf__lines lines;
    hpf_error *err;
    hpf__call_stacks stacks;
    hpf__intern texts; /* of nodes */
    node *nodes;       /* from the root to the last one read */
    size_t n_nodes, nodes_capacity;
    bool is_ms;
    bool has_tree;
    snapshot *bare; /* snapshots without a tree, which may be emitted later */
    size_t n_bare, bare_capacity;
} massif;

/* Reads the next line that is not a comment; HPF_END after the last one. */
static hpf_status next(massif *m)
{
    hpf_status status;
    do {
        status = hpf__lines_next(&m->lines);
    } while (status == HPF_OK && hpf_str_begins(m->lines.text, "#"));
    return status;
}

/* The end of the input where a line is expected is an error. */
static hpf_status next_of(massif *m, const char *what)
{
    hpf_status status = next(m);
    if (status == HPF_END) {
        return hpf__location_error(m->lines.place, m->err, HPF_ERR_SYNTAX,
                                   "expected %s, found the end of the input", what);
    }
    return status;
}

static hpf_status read_number(massif *m, const char *key, uint64_t *value)
{
    hpf_status status = next_of(m, key);
    hpf_str rest = m->lines.text;
    bool is_it = status == HPF_OK && hpf__take_word(&rest, key) &&
                 hpf__take_whole(&rest, 10, value) && rest.length == 0;
    return status != HPF_OK || is_it ? status : hpf__lines_expected(&m->lines, key);
}

/* ---- The tree ---- */

/* Gives the bytes of the last nodes that no child has to their stacks, and removes the nodes that
 * have had all of their children. */
static hpf_status close_nodes(massif *m)
{
    hpf_status status = HPF_OK;
    while (status == HPF_OK && m->n_nodes > 0 && m->nodes[m->n_nodes - 1].n_left == 0) {
        m->n_nodes--;
        m->stacks.n_frames = m->n_nodes;
        status = hpf__call_stacks_cost(&m->stacks, m->nodes[m->n_nodes].left_bytes, m->err);
        if (m->n_nodes > 0) {
            m->nodes[m->n_nodes - 1].n_left--;
        }
    }
    return status;
}

/* Places below massif's threshold differ in number from snapshot to snapshot; they are one frame.
 */
static hpf_frame frame_of(hpf_str text)
{
    hpf_str rest = text;
    uint64_t n_places;
    bool is_rest = hpf__take_word(&rest, "in ") && hpf__take_whole(&rest, 10, &n_places) &&
                   hpf_str_begins(rest, " place");
    return is_rest ? (hpf_frame){.label = HPF_STR("below massif's threshold")}
                   : hpf__valgrind_frame(text);
}

/* "  n3: 5000 0x109164: inner (t.c:3)": as many blanks as the node has ancestors. */
static hpf_status read_node(massif *m)
{
    hpf_status status = next_of(m, "a node of the tree");
    hpf_str text = m->lines.text;
    node new = {0};
    uint32_t number = 0;
    bool is_new;
    size_t depth = 0;
    while (status == HPF_OK && depth < text.length && text.data[depth] == ' ') {
        depth++;
    }
    if (status != HPF_OK) {
        return status;
    }
    text = hpf_str_from(text, depth);
    if (depth != m->n_nodes || !hpf__take_word(&text, "n") ||
        !hpf__take_whole(&text, 10, &new.n_left) || !hpf__take_word(&text, ": ") ||
        !hpf__take_whole(&text, 10, &new.left_bytes) || !hpf__take_word(&text, " ")) {
        return hpf__lines_expected(
            &m->lines, "a node of the tree, \"nCHILDREN: BYTES PLACE\" after its depth in blanks");
    }
    if (depth > 0 && new.left_bytes > m->nodes[depth - 1].left_bytes) {
        return hpf__location_error(m->lines.place, m->err, HPF_ERR_RANGE,
                                   "the parts of a node are larger than the node");
    }
    m->stacks.n_frames = depth > 0 ? depth - 1 : 0;
    if (hpf__intern_add(&m->texts, hpf__call_stacks_text(text), &number, &is_new) != HPF_OK ||
        !hpf__call_stacks_push(&m->stacks, frame_of(m->texts.names[number])) ||
        !HPF__ARRAY_PUSH(m->nodes, m->n_nodes, m->nodes_capacity, new)) {
        return hpf_error_set_memory(m->err);
    }
    if (depth > 0) {
        m->nodes[depth - 1].left_bytes -= new.left_bytes;
    }
    return close_nodes(m);
}

/* ---- Snapshots ---- */

static hpf_status add_plain(massif *m, hpf_str name, uint64_t amount)
{
    hpf_cost cost = {.whole = amount};
    hpf_status status =
        amount > 0 ? hpf__emitter_name(&m->stacks.emit, name, &cost.name, m->err) : HPF_END;
    return status == HPF_OK ? hpf__emitter_cost(&m->stacks.emit, &cost, m->err)
                            : (status == HPF_END ? HPF_OK : status);
}

/* Emits a snapshot whose heap is in the emitter. */
static hpf_status emit(massif *m, const snapshot *s)
{
    hpf_status status = add_plain(m, HPF_STR("extra heap"), s->extra);
    status = status == HPF_OK ? add_plain(m, HPF_STR("stacks"), s->stacks) : status;
    return status == HPF_OK ? hpf__emitter_sample(&m->stacks.emit, s->time, s->place, m->err)
                            : status;
}

/* Emits snapshots without a tree: in a file with trees the ones that have no heap, else all. */
static hpf_status emit_bare(massif *m)
{
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < m->n_bare && status == HPF_OK; i++) {
        const snapshot *s = &m->bare[i];
        if (!m->has_tree || s->heap == 0) {
            status = add_plain(m, HPF_STR("useful heap"), s->heap);
            status = status == HPF_OK ? emit(m, s) : status;
        }
    }
    m->n_bare = 0;
    return status;
}

static hpf_status read_tree(massif *m, const snapshot *s)
{
    m->has_tree = true;
    hpf_status status = emit_bare(m);
    status = status == HPF_OK ? read_node(m) : status;
    while (status == HPF_OK && m->n_nodes > 0) {
        status = read_node(m);
    }
    return status == HPF_OK ? emit(m, s) : status;
}

static hpf_status read_snapshot(massif *m)
{
    snapshot s = {0};
    uint64_t time = 0;
    hpf_status status = read_number(m, "time=", &time);
    s.place = m->lines.place;
    status = status == HPF_OK ? read_number(m, "mem_heap_B=", &s.heap) : status;
    status = status == HPF_OK ? read_number(m, "mem_heap_extra_B=", &s.extra) : status;
    status = status == HPF_OK ? read_number(m, "mem_stacks_B=", &s.stacks) : status;
    status = status == HPF_OK ? next_of(m, "heap_tree=") : status;
    if (status != HPF_OK) {
        return status;
    }
    s.time = m->is_ms ? (double)time / 1e3 : (double)time;
    const hpf_quantity_point total = {s.time, (double)s.heap + (double)s.extra + (double)s.stacks};
    hpf_str kind = m->lines.text;
    status = hpf__emitter_line(&m->stacks.emit, HPF_STR("total"), total, m->err);
    if (status != HPF_OK) {
        return status;
    }
    if (hpf_str_is(kind, "heap_tree=detailed") || hpf_str_is(kind, "heap_tree=peak")) {
        return read_tree(m, &s);
    }
    if (!hpf_str_is(kind, "heap_tree=empty")) {
        return hpf__lines_expected(&m->lines, "heap_tree=empty, =detailed or =peak");
    }
    if (!HPF__ARRAY_PUSH(m->bare, m->n_bare, m->bare_capacity, s)) {
        return hpf_error_set_memory(m->err);
    }
    return m->has_tree ? emit_bare(m) : HPF_OK;
}

/* ---- The file ---- */

static hpf_status read_head(massif *m)
{
    static const char *const units[] = {"i", "ms", "B"};
    static const hpf_str names[] = {{"instructions", 12}, {"seconds", 7}, {"bytes allocated", 15}};
    uint32_t command = 0;
    bool is_new;
    hpf_status status = next_of(m, "desc: ");
    if (status == HPF_OK && !hpf_str_begins(m->lines.text, "desc:")) {
        return hpf__lines_expected(&m->lines, "desc: ");
    }
    status = status == HPF_OK ? next_of(m, "cmd: ") : status;
    hpf_str rest = m->lines.text;
    if (status == HPF_OK && !hpf__take_word(&rest, "cmd: ")) {
        return hpf__lines_expected(&m->lines, "cmd: ");
    }
    if (status == HPF_OK && hpf__intern_add(&m->texts, rest, &command, &is_new) != HPF_OK) {
        return hpf_error_set_memory(m->err);
    }
    status = status == HPF_OK ? next_of(m, "time_unit: ") : status;
    rest = m->lines.text;
    if (status != HPF_OK || !hpf__take_word(&rest, "time_unit: ")) {
        return status != HPF_OK ? status : hpf__lines_expected(&m->lines, "time_unit: ");
    }
    size_t i = 0;
    while (i < 3 && !hpf_str_is(rest, units[i])) {
        i++;
    }
    if (i == 3) {
        return hpf__lines_expected(&m->lines, "time_unit: i, ms or B");
    }
    m->is_ms = i == 1;
    const hpf_str headers[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = m->texts.names[command], [HPF_HEADER_SAMPLE_UNIT] = names[i]};
    return hpf__call_stacks_headers(&m->stacks, headers, m->err);
}

static hpf_status read_file(massif *m)
{
    hpf_status status = read_head(m);
    while (status == HPF_OK && (status = next(m)) == HPF_OK) {
        status = hpf_str_begins(m->lines.text, "snapshot=")
                     ? read_snapshot(m)
                     : hpf__lines_expected(&m->lines, "snapshot=");
    }
    status = status == HPF_END ? HPF_OK : status;
    status = status == HPF_OK ? emit_bare(m) : status;
    if (status == HPF_OK && m->stacks.emit.n_samples == 0) {
        return hpf__location_error(m->lines.place, m->err, HPF_ERR_SYNTAX, "there is no snapshot");
    }
    return status;
}

hpf_status hpf__massif_read(hpf_source *source, const hpf_events *events, void *context,
                            const hpf_reader_options *options, hpf_error *err)
{
    massif m = {
        .lines.scan = hpf__cursor_of(source, options, err),
        .err = err,
        .stacks = {.emit = {.events = events, .context = context}, .source = source},
    };
    hpf_status status = read_file(&m);
    hpf__call_stacks_finish(&m.stacks);
    hpf__intern_finish(&m.texts);
    hpf__buffer_finish(&m.lines.bytes);
    free(m.nodes);
    free(m.bare);
    return status;
}

bool hpf__massif_is_format(hpf_str head)
{
    return hpf_str_begins(head, "desc: --") || hpf_str_begins(head, "desc: (none)");
}
