/* SPDX-License-Identifier: BSD-2-Clause
 *
 * massif.out, the file of Valgrind's heap profiler.
 */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "event/format_row.h"
#include "event/call_stacks.h"
#include "exchange/valgrind_frame.h"
#include "base/arena.h"
#include "base/array.h"
#include "hpfile/stacks.h"
#include "hpfile/sink.h"

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

static hpf_status massif_read(hpf_source *source, const hpf_events *events, void *context,
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

static bool massif_is_format(hpf_str head)
{
    return hpf_str_begins(head, "desc: --") || hpf_str_begins(head, "desc: (none)");
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The depth of a tree: the largest that massif's own option --depth accepts. */
#define MOST_DEPTH 200

/* An amount and its stack, outermost frame first. */
typedef struct entry {
    const uint32_t *frames;
    size_t n_frames;
    uint64_t amount;
} entry;

/* The entries [begin, end) of one frame. */
typedef struct group {
    size_t begin, end;
    uint64_t amount;
} group;

/* Names that are not stacks (see the reader). */
typedef enum role { STACK, EXTRA_HEAP, STACKS } role;

typedef struct named {
    uint32_t stack;
    role role;
} named;

typedef struct massif_writer {
    hpf_writer base;
    hpf_str job, time_unit;
    hpf_stacks *stacks;
    named *names;
    size_t names_capacity;
    hpf_frame *frames; /* of a name */
    size_t frames_capacity;
    entry *entries; /* of the sample */
    size_t n_entries, entries_capacity;
    group *groups; /* of the nodes from the root to the one being written */
    size_t n_groups, groups_capacity;
    double units_per_ms; /* 0: times are not in seconds */
    bool is_begun, has_peak;
    uint64_t n_snapshots;
} massif_writer;

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    massif_writer *w = context;
    hpf_str *kept = which == HPF_HEADER_JOB           ? &w->job
                    : which == HPF_HEADER_SAMPLE_UNIT ? &w->time_unit
                                                      : NULL;
    if (kept) {
        *kept = hpf_arena_str(w->base.arena, text);
    }
    return !kept || kept->data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    massif_writer *w = context;
    const hpf_writer_options *o = &w->base.options;
    size_t n = o->frames ? o->frames(o->frames_context, name, NULL, 0) : 0;
    if (!HPF__ARRAY_RESERVE(w->names, w->names_capacity, (size_t)name + 1) ||
        !HPF__ARRAY_RESERVE(w->frames, w->frames_capacity, n)) {
        return hpf_error_set_memory(err);
    }
    named *new = &w->names[name];
    new->role = hpf_str_is(text, "extra heap") ? EXTRA_HEAP
                : hpf_str_is(text, "stacks")   ? STACKS
                                               : STACK;
    if (n == 0) {
        return hpf_stacks_of_name(w->stacks, text, &new->stack, err);
    }
    o->frames(o->frames_context, name, w->frames, n);
    return hpf_stacks_of_frames(w->stacks, w->frames, n, &new->stack, err);
}

/* ---- The tree that is written ---- */

static uint32_t frame_at(const entry *e, size_t depth)
{
    return e->frames[e->n_frames - 1 - depth];
}

/* By the frames from the innermost one; a stack before longer ones. */
static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    size_t n = a->n_frames < b->n_frames ? a->n_frames : b->n_frames;
    for (size_t i = 0; i < n; i++) {
        uint32_t in_a = frame_at(a, i), in_b = frame_at(b, i);
        if (in_a != in_b) {
            return in_a < in_b ? -1 : 1;
        }
    }
    return (a->n_frames > b->n_frames) - (a->n_frames < b->n_frames);
}

/* The largest first. */
static int compare_groups(const void *left, const void *right)
{
    const group *a = left, *b = right;
    int order = (b->amount > a->amount) - (b->amount < a->amount);
    return order ? order : (a->begin > b->begin) - (a->begin < b->begin);
}

/* Appends the groups of the frames at `depth` of entries with the same frames before, and sorts
 * them. Returns how many there are. */
static size_t find_groups(massif_writer *w, group of, size_t depth, bool *fits)
{
    size_t first = w->n_groups;
    for (size_t i = of.begin; i < of.end && *fits && depth < MOST_DEPTH; i++) {
        const entry *e = &w->entries[i];
        if (e->n_frames <= depth) {
            continue;
        }
        bool is_new =
            w->n_groups == first ||
            frame_at(&w->entries[w->groups[w->n_groups - 1].begin], depth) != frame_at(e, depth);
        const group new = {.begin = i, .end = i};
        *fits = !is_new || HPF__ARRAY_PUSH(w->groups, w->n_groups, w->groups_capacity, new);
        if (*fits) {
            w->groups[w->n_groups - 1].end = i + 1;
            w->groups[w->n_groups - 1].amount += e->amount;
        }
    }
    if (w->n_groups > first) {
        qsort(w->groups + first, w->n_groups - first, sizeof *w->groups, compare_groups);
    }
    return w->n_groups - first;
}

static void write_text(hpf_sink *sink, hpf_str text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        hpf_sink_write(sink, (unsigned char)c < ' ' ? " " : &c, 1);
    }
}

static hpf_str command_of(const massif_writer *w)
{
    hpf_str command = hpf__call_stacks_command(w->job);
    return command.length ? command : HPF_STR("(none)");
}

/* "0x5: label (FILE:LINE)"; addresses are made up. */
static void write_frame(massif_writer *w, uint32_t number)
{
    hpf_stack_frame frame = hpf_stacks_frame(w->stacks, number);
    hpf_sink_printf(w->base.sink, "0x%" PRIX32 ": ", number + 1);
    write_text(w->base.sink, frame.name);
    hpf_sink_text(w->base.sink, frame.file.length ? " (" : " (in ");
    write_text(w->base.sink, frame.file.length ? frame.file : command_of(w));
    if (frame.file.length && frame.line) {
        hpf_sink_printf(w->base.sink, ":%" PRIu32, frame.line);
    }
    hpf_sink_text(w->base.sink, ")\n");
}

/* Writes a group as a node, whose parents have the frames before `depth`, and its children. */
static bool write_node(massif_writer *w, group of, size_t depth)
{
    bool fits = true;
    size_t first = w->n_groups;
    size_t n = find_groups(w, of, depth, &fits);
    for (size_t i = 0; i < depth; i++) {
        hpf_sink_text(w->base.sink, " ");
    }
    hpf_sink_printf(w->base.sink, "n%zu: %" PRIu64 " ", n, of.amount);
    if (depth == 0) {
        hpf_sink_text(w->base.sink,
                      "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n");
    } else {
        write_frame(w, frame_at(&w->entries[of.begin], depth - 1));
    }
    for (size_t i = 0; i < n && fits; i++) {
        fits = write_node(w, w->groups[first + i], depth + 1);
    }
    w->n_groups = first;
    return fits;
}

/* ---- Snapshots that are written ---- */

static void begin(massif_writer *w)
{
    bool is_bytes = hpf_str_is(w->time_unit, "bytes allocated");
    bool is_seconds = hpf_str_is(w->time_unit, "seconds") || hpf_str_is(w->time_unit, "s");
    double units = w->base.options.units_per_s;
    w->is_begun = true;
    w->units_per_ms = is_seconds || w->time_unit.length == 0 ? 1e-3 : units > 1 ? units / 1e3 : 0;
    const char *unit = w->units_per_ms > 0 ? "ms" : is_bytes ? "B" : "i";
    hpf_sink_printf(w->base.sink, "desc: --time-unit=%s\ncmd: ", unit);
    write_text(w->base.sink, command_of(w));
    hpf_sink_printf(w->base.sink, "\ntime_unit: %s\n", unit);
}

/* Adds a cost to `*total`. Returns false if the sum has more than 64 bits. */
static bool add(uint64_t *total, uint64_t amount)
{
    bool fits = amount <= UINT64_MAX - *total;
    *total += fits ? amount : 0;
    return fits;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    massif_writer *w = context;
    uint64_t sums[3] = {0}; /* by role */
    bool fits = true;
    if (!w->is_begun) {
        begin(w);
    }
    w->n_entries = 0;
    for (size_t i = 0; i < sample->n_costs && fits; i++) {
        const named *name = &w->names[sample->costs[i].name];
        double real = round(hpf_cost_amount(&sample->costs[i]));
        entry new = {.amount = sample->costs[i].is_real ? 0 : sample->costs[i].whole};
        if (sample->costs[i].is_real && real < 0x1p64) {
            new.amount = (uint64_t)real;
        }
        if ((sample->costs[i].is_real && real >= 0x1p64) || !add(&sums[name->role], new.amount)) {
            return hpf_error_set(err, HPF_ERR_RANGE,
                                 "the sample at %.9g has more than 2^64 bytes, which massif.out "
                                 "cannot hold",
                                 sample->time);
        }
        if (name->role == STACK && new.amount > 0) {
            new.frames = hpf_stacks_frames(w->stacks, name->stack, &new.n_frames);
            fits = HPF__ARRAY_PUSH(w->entries, w->n_entries, w->entries_capacity, new);
        }
    }
    HPF__ARRAY_SORT(w->entries, w->n_entries, compare_entries);
    double time = w->units_per_ms > 0 ? sample->time / w->units_per_ms : sample->time;
    bool is_peak =
        !w->has_peak && w->base.options.has_peak && sample->time == w->base.options.peak_time;
    w->has_peak |= is_peak;
    hpf_sink_printf(w->base.sink, "#-----------\nsnapshot=%" PRIu64 "\n#-----------\ntime=%.0f\n",
                    w->n_snapshots++, round(time));
    hpf_sink_printf(w->base.sink, "mem_heap_B=%" PRIu64 "\nmem_heap_extra_B=%" PRIu64, sums[STACK],
                    sums[EXTRA_HEAP]);
    hpf_sink_printf(w->base.sink, "\nmem_stacks_B=%" PRIu64 "\nheap_tree=%s\n", sums[STACKS],
                    w->n_entries == 0 ? "empty"
                    : is_peak         ? "peak"
                                      : "detailed");
    fits = fits && (w->n_entries == 0 || write_node(w, (group){0, w->n_entries, sums[STACK]}, 0));
    return fits ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    massif_writer *w = (massif_writer *)base;
    if (!w->is_begun) {
        begin(w);
    }
    return hpf_sink_flush(w->base.sink, err);
}

static void release(hpf_writer *base)
{
    massif_writer *w = (massif_writer *)base;
    hpf_stacks_destroy(w->stacks);
    free(w->names);
    free(w->frames);
    free(w->entries);
    free(w->groups);
}

static bool init(hpf_writer *base)
{
    massif_writer *w = (massif_writer *)base;
    w->stacks = hpf_stacks_create();
    return w->stacks != NULL;
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(massif_writer),
    .events = {.header = on_header, .name = on_name, .sample = on_sample},
    .init = init,
    .finish = finish,
    .release = release,
};

const hpf_format hpf_format_massif = {
    .name = "massif",
    .extension = "massif.out",
    .summary = "massif.out, for ms_print and massif-visualizer",
    .is_format = massif_is_format,
    .read = massif_read,
    .writer = &writer,
    .is_lossy = true,
};
