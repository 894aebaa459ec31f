/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples to snapshots of massif.out (docs/formats/massif.md), each with its whole tree.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "event/call_stacks.h"
#include "exchange/massif.h"
#include "hpfile/stacks.h"
#include "hpfile/sink.h"

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

/* ---- The tree ---- */

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

/* Writes a node, whose parents have the frames before `depth`, and its children. */
static bool write_node(massif_writer *w, group node, size_t depth)
{
    bool fits = true;
    size_t first = w->n_groups;
    size_t n = find_groups(w, node, depth, &fits);
    for (size_t i = 0; i < depth; i++) {
        hpf_sink_text(w->base.sink, " ");
    }
    hpf_sink_printf(w->base.sink, "n%zu: %" PRIu64 " ", n, node.amount);
    if (depth == 0) {
        hpf_sink_text(w->base.sink,
                      "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n");
    } else {
        write_frame(w, frame_at(&w->entries[node.begin], depth - 1));
    }
    for (size_t i = 0; i < n && fits; i++) {
        fits = write_node(w, w->groups[first + i], depth + 1);
    }
    w->n_groups = first;
    return fits;
}

/* ---- Snapshots ---- */

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
    .is_format = hpf__massif_is_format,
    .read = hpf__massif_read,
    .writer = &writer,
    .is_lossy = true,
};
