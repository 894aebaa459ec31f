/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Recordings of heaptrack (docs/formats/heaptrack.md): definitions, and an event for each
 * allocation. A raw recording has addresses of code and of blocks; its interpreter replaces them by
 * functions and by kinds of allocations. The first pass finds the peak and the end, the second one
 * emits about MOST_SAMPLES samples, with the peak among them.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/names.h"
#include "base/words.h"
#include "event/call_stacks.h"
#include "event/format_row.h"

#define MOST_SAMPLES 1000

/* The first version of heaptrack whose raw addresses are within the call, not after it. */
#define VERSION_OF_CALLS 0x10300

typedef struct frame {
    uint64_t function, file, line; /* numbers of texts, from 1; 0: unknown */
} frame;

/* An instruction: its frames are [first_frame, end_frame), inlined functions first. The address of
 * a raw one in a module counts from the start of the module's file, and is after the call. */
typedef struct instruction {
    uint64_t address, module;
    uint64_t code; /* raw: within the call, as the module has addresses */
    size_t first_frame, end_frame;
} instruction;

/* Raw: a part of a module, as it is mapped; `base` is where the first byte of the file would be. */
typedef struct segment {
    uint64_t begin, end, base, bias;
    uint64_t module; /* number of its text */
} segment;

/* Raw: the latest block at an address. */
typedef struct block {
    uint64_t address, n_bytes, trace;
    bool is_live;
} block;

typedef struct trace {
    uint64_t instruction, parent; /* from 1; 0: none */
    uint64_t amount;              /* of the chosen value */
    hpf_name name;
    bool has_name;
} trace;

/* Allocations of one size at one trace. */
typedef struct kind {
    uint64_t n_bytes, trace, n_live;
} kind;

/* Segments that are searched one by one before all are sorted again. */
enum { MOST_UNSORTED = 1024 };

typedef enum value { LIVE, ALLOCATED, ALLOCATIONS } value;

typedef struct heaptrack {
    hpf__lines lines;
    hpf_error *err;
    hpf__call_stacks stacks;
    value value;
    uint64_t program_version, version; /* of heaptrack, of the format */
    bool is_raw;
    bool emits;      /* second pass */
    hpf__buffer job; /* the command */
    hpf__intern unique;
    uint32_t *texts; /* number in `unique` */
    frame *frames;
    instruction *instructions;
    trace *traces; /* by number; 0 is the trace of allocations without a stack */
    kind *kinds;
    segment *segments; /* the first n_sorted by address */
    block *blocks;
    hpf__hash_table block_of; /* by address */
    uint64_t program;         /* raw: number of the text of its path */
    size_t n_texts, n_frames, n_instructions, n_traces, n_kinds, n_segments, n_sorted, n_blocks;
    size_t texts_capacity, frames_capacity, instructions_capacity, traces_capacity, kinds_capacity,
        segments_capacity, blocks_capacity;
    uint64_t time_ms, page_bytes;
    uint64_t live_bytes, n_events;
    uint64_t peak_bytes, peak_event, end_ms; /* found by the first pass */
    uint64_t due_ms;
} heaptrack;

/* Takes up to `n` hexadecimal numbers, each after a blank. Returns how many there are. */
static size_t take_numbers(hpf_str *text, uint64_t *numbers, size_t n)
{
    size_t i = 0;
    hpf_str rest = *text;
    while (i < n && hpf__take_word(&rest, " ") && hpf__take_whole(&rest, 16, &numbers[i])) {
        *text = rest;
        i++;
    }
    return i;
}

/* ---- Definitions ---- */

/* Takes a text after a blank. Version 3 writes its length before it; in version 2 it ends before
 * `end`, or with the line. */
static bool take_text(const heaptrack *h, hpf_str *rest, char end, hpf_str *text)
{
    uint64_t length = 0;
    if (h->version >= 3 && take_numbers(rest, &length, 1) != 1) {
        return false;
    }
    if (!hpf__take_word(rest, " ")) {
        return false;
    }
    while (h->version < 3 && length < rest->length && rest->data[length] != end) {
        length++;
    }
    if (length > rest->length) {
        return false;
    }
    *text = (hpf_str){rest->data, (size_t)length};
    *rest = hpf_str_from(*rest, (size_t)length);
    return true;
}

static hpf_status add_text(heaptrack *h, hpf_str text)
{
    uint32_t number = 0;
    bool is_new;
    return hpf__intern_add(&h->unique, hpf__call_stacks_text(text), &number, &is_new) == HPF_OK &&
                   HPF__ARRAY_PUSH(h->texts, h->n_texts, h->texts_capacity, number)
               ? HPF_OK
               : hpf_error_set_memory(h->err);
}

static hpf_status define_text(heaptrack *h, hpf_str rest)
{
    hpf_str text;
    if (!take_text(h, &rest, '\n', &text) || rest.length > 0) {
        return hpf__lines_expected(&h->lines, "s, the length of a text and the text");
    }
    return add_text(h, text);
}

static hpf_status define_instruction(heaptrack *h, hpf_str rest)
{
    uint64_t v[3] = {0};
    instruction new = {.first_frame = h->n_frames};
    if (take_numbers(&rest, v, 2) == 0) {
        return hpf__lines_expected(&h->lines, "i ADDRESS MODULE [FUNCTION FILE LINE]...");
    }
    new.address = v[0];
    new.module = v[1];
    for (size_t n; (n = take_numbers(&rest, v, 3)) > 0;) {
        const frame f = {v[0], n > 1 ? v[1] : 0, n > 2 ? v[2] : 0};
        if (!HPF__ARRAY_PUSH(h->frames, h->n_frames, h->frames_capacity, f)) {
            return hpf_error_set_memory(h->err);
        }
    }
    new.end_frame = h->n_frames;
    return HPF__ARRAY_PUSH(h->instructions, h->n_instructions, h->instructions_capacity, new)
               ? HPF_OK
               : hpf_error_set_memory(h->err);
}

/* Raw: the path of the program. */
static hpf_status define_program(heaptrack *h, hpf_str rest)
{
    hpf_str text;
    if (!take_text(h, &rest, '\n', &text)) {
        return hpf__lines_expected(&h->lines, "x and the path of the program");
    }
    h->is_raw = true;
    h->program = h->n_texts + 1;
    return add_text(h, text);
}

/* Raw: a module with its segments, "m PATH BIAS [ADDRESS BYTES]...". The path "x" is the program;
 * "-" says that the modules follow that are loaded from now on. */
static hpf_status define_module(heaptrack *h, hpf_str rest)
{
    hpf_str path;
    uint64_t bias, v[2];
    if (!take_text(h, &rest, ' ', &path)) {
        return hpf__lines_expected(&h->lines, "m PATH BIAS [ADDRESS BYTES]...");
    }
    h->is_raw = true;
    if (hpf_str_is(path, "-")) {
        h->n_segments = h->n_sorted = 0;
        return HPF_OK;
    }
    if (take_numbers(&rest, &bias, 1) != 1) {
        return hpf__lines_expected(&h->lines, "m PATH BIAS [ADDRESS BYTES]...");
    }
    bool is_program = hpf_str_is(path, "x") && h->program > 0;
    hpf_status status = is_program ? HPF_OK : add_text(h, path);
    /* Without a bias, the addresses of the file are fixed, and the first one is not 0. */
    uint64_t base = bias;
    for (bool is_first = true; status == HPF_OK && take_numbers(&rest, v, 2) == 2;
         is_first = false) {
        base = bias == 0 && is_first ? v[0] : base;
        const segment new = {.begin = bias + v[0],
                             .end = bias + v[0] + v[1],
                             .base = base,
                             .bias = bias,
                             .module = is_program ? h->program : h->n_texts};
        status = HPF__ARRAY_PUSH(h->segments, h->n_segments, h->segments_capacity, new)
                     ? HPF_OK
                     : hpf_error_set_memory(h->err);
    }
    return status;
}

static int compare_segments(const void *left, const void *right)
{
    const segment *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Raw: adds the instruction at an address, in the module that is there now. */
static hpf_status add_instruction(heaptrack *h, uint64_t address)
{
    instruction new = {.address = address};
    size_t next;
    if (h->n_segments - h->n_sorted > MOST_UNSORTED) {
        qsort(h->segments, h->n_segments, sizeof *h->segments, compare_segments);
        h->n_sorted = h->n_segments;
    }
    HPF__ARRAY_BISECT(next, h->n_sorted, i, h->segments[i].begin <= address);
    for (size_t i = next > 0 ? next - 1 : h->n_sorted; i < h->n_segments && new.module == 0;
         i = i < h->n_sorted ? h->n_sorted : i + 1) {
        const segment *s = &h->segments[i];
        if (address >= s->begin && address < s->end) {
            bool is_in_call = h->program_version >= VERSION_OF_CALLS;
            new.address = address - s->base + is_in_call;
            new.code = address - s->bias - !is_in_call;
            new.module = s->module;
        }
    }
    return HPF__ARRAY_PUSH(h->instructions, h->n_instructions, h->instructions_capacity, new)
               ? HPF_OK
               : hpf_error_set_memory(h->err);
}

static hpf_status define_trace(heaptrack *h, hpf_str rest)
{
    uint64_t v[2];
    bool is_there = take_numbers(&rest, v, 2) == 2 && v[1] < h->n_traces;
    if (!is_there || (!h->is_raw && v[0] > h->n_instructions)) {
        return hpf__lines_expected(&h->lines, "t INSTRUCTION PARENT, which were defined before");
    }
    if (h->is_raw) {
        hpf_status status = add_instruction(h, v[0]);
        if (status != HPF_OK) {
            return status;
        }
        v[0] = h->n_instructions;
    }
    const trace new = {.instruction = v[0], .parent = v[1]};
    return HPF__ARRAY_PUSH(h->traces, h->n_traces, h->traces_capacity, new)
               ? HPF_OK
               : hpf_error_set_memory(h->err);
}

static hpf_status define_kind(heaptrack *h, hpf_str rest)
{
    uint64_t v[2];
    if (take_numbers(&rest, v, 2) != 2 || v[1] >= h->n_traces) {
        return hpf__lines_expected(&h->lines, "a BYTES TRACE, which was defined before");
    }
    const kind new = {.n_bytes = v[0], .trace = v[1]};
    return HPF__ARRAY_PUSH(h->kinds, h->n_kinds, h->kinds_capacity, new)
               ? HPF_OK
               : hpf_error_set_memory(h->err);
}

/* ---- Samples ---- */

static hpf_str text_of(const heaptrack *h, uint64_t number)
{
    return number > 0 && number <= h->n_texts ? h->unique.names[h->texts[number - 1]]
                                              : (hpf_str){"", 0};
}

/* Adds the frames of an instruction to the stack. `*is_main`: the last one is main, whose callers
 * are left out, as heaptrack does. Returns false without memory. */
static bool push_instruction(heaptrack *h, const instruction *at, bool *is_main)
{
    static const frame unknown;
    hpf__call_stacks *stacks = &h->stacks;
    hpf_str module = text_of(h, at->module);
    bool has_frame = at->first_frame < at->end_frame, fits = true;
    for (size_t i = at->first_frame;
         i < at->end_frame + !has_frame && fits && !*is_main && !hpf__call_stacks_is_full(stacks);
         i++) {
        const frame *f = has_frame ? &h->frames[i] : &unknown;
        hpf_frame called = {.label = text_of(h, f->function), .module = module, .code = at->code};
        if (called.label.length == 0) {
            bool is_in_module = h->is_raw && at->module > 0;
            called.label =
                hpf__call_stacks_join(stacks, is_in_module ? hpf__base_name(module) : HPF_STR(""),
                                      "%s0x%" PRIx64, is_in_module ? "+" : "", at->address);
        }
        called.source = text_of(h, f->file);
        if (called.source.length > 0 && f->line > 0) {
            called.source = hpf__call_stacks_join(stacks, called.source, ":%" PRIu64, f->line);
        }
        fits = called.label.data && called.source.data && hpf__call_stacks_push(stacks, called);
        *is_main = hpf_str_is(called.label, "main");
    }
    return fits;
}

static hpf_status name_trace(heaptrack *h, trace *t)
{
    hpf__call_stacks *stacks = &h->stacks;
    bool is_main = false, fits = hpf__call_stacks_begin(stacks);
    const trace *at = t;
    while (at && fits && !is_main && !hpf__call_stacks_is_full(stacks)) {
        fits = at->instruction == 0 ||
               push_instruction(h, &h->instructions[at->instruction - 1], &is_main);
        at = at->parent > 0 ? &h->traces[at->parent] : NULL;
    }
    hpf_status status =
        fits ? hpf__call_stacks_name(stacks, stacks->frames, stacks->n_frames, &t->name, h->err)
             : hpf_error_set_memory(h->err);
    t->has_name = status == HPF_OK;
    return status;
}

static hpf_status emit_sample(heaptrack *h)
{
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < h->n_traces && status == HPF_OK; i++) {
        trace *t = &h->traces[i];
        if (t->amount > 0) {
            status = t->has_name ? HPF_OK : name_trace(h, t);
            const hpf_cost cost = {.name = t->name, .whole = t->amount};
            status = status == HPF_OK ? hpf__emitter_cost(&h->stacks.emit, &cost, h->err) : status;
        }
    }
    return status == HPF_OK ? hpf__emitter_sample(&h->stacks.emit, (double)h->time_ms / 1e3,
                                                  h->lines.place, h->err)
                            : status;
}

/* ---- Events ---- */

static hpf_status read_time(heaptrack *h, hpf_str rest)
{
    uint64_t time;
    if (take_numbers(&rest, &time, 1) != 1 || time < h->time_ms) {
        return hpf__lines_expected(&h->lines, "c and a time that does not go back");
    }
    h->time_ms = time;
    if (!h->emits || time < h->due_ms) {
        return HPF_OK;
    }
    h->due_ms = time + h->end_ms / MOST_SAMPLES + 1;
    return emit_sample(h);
}

static hpf_status read_resident(heaptrack *h, hpf_str rest)
{
    uint64_t pages;
    if (take_numbers(&rest, &pages, 1) != 1) {
        return hpf__lines_expected(&h->lines, "R and a number of pages");
    }
    const hpf_quantity_point point = {(double)h->time_ms / 1e3,
                                      (double)pages * (double)h->page_bytes};
    return h->emits ? hpf__emitter_line(&h->stacks.emit, HPF_STR("resident set"), point, h->err)
                    : HPF_OK;
}

static hpf_status allocate(heaptrack *h, uint64_t n_bytes, uint64_t trace_number)
{
    trace *t = &h->traces[trace_number];
    uint64_t more = h->value == ALLOCATIONS ? 1 : n_bytes;
    if (n_bytes > UINT64_MAX - h->live_bytes || more > UINT64_MAX - t->amount) {
        return hpf__location_error(h->lines.place, h->err, HPF_ERR_RANGE, "more than 2^64 bytes");
    }
    h->n_events++;
    h->live_bytes += n_bytes;
    t->amount += more;
    if (!h->emits && h->live_bytes > h->peak_bytes) {
        h->peak_bytes = h->live_bytes;
        h->peak_event = h->n_events;
    }
    return h->emits && h->n_events == h->peak_event ? emit_sample(h) : HPF_OK;
}

static void release(heaptrack *h, uint64_t n_bytes, uint64_t trace_number)
{
    h->n_events++;
    h->live_bytes -= n_bytes;
    h->traces[trace_number].amount -= h->value == LIVE ? n_bytes : 0;
}

/* "+ KIND" or "- KIND" */
static hpf_status read_kind(heaptrack *h, bool is_free, hpf_str rest)
{
    uint64_t number;
    if (take_numbers(&rest, &number, 1) != 1 || number >= h->n_kinds) {
        return hpf__lines_expected(&h->lines, "an allocation that was defined before");
    }
    kind *k = &h->kinds[number];
    if (!is_free) {
        k->n_live++;
        return allocate(h, k->n_bytes, k->trace);
    }
    if (k->n_live == 0) {
        return hpf__location_error(h->lines.place, h->err, HPF_ERR_RANGE,
                                   "more blocks are freed than were allocated");
    }
    k->n_live--;
    release(h, k->n_bytes, k->trace);
    return HPF_OK;
}

/* Returns the latest block at an address, or NULL. */
static block *block_at(const heaptrack *h, uint64_t address)
{
    hpf__hash_probe probe = {0};
    uint32_t index;
    do {
        index = hpf__hash_next(&h->block_of, hpf__hash_word(address), &probe);
    } while (index != HPF__HASH_NONE && h->blocks[index].address != address);
    return index == HPF__HASH_NONE ? NULL : &h->blocks[index];
}

/* Raw: "+ BYTES TRACE ADDRESS". A block whose end is not in the recording stays live, as in
 * heaptrack. */
static hpf_status read_raw_allocation(heaptrack *h, hpf_str rest)
{
    uint64_t v[3];
    if (take_numbers(&rest, v, 3) != 3 || v[1] >= h->n_traces) {
        return hpf__lines_expected(&h->lines,
                                   "+ BYTES TRACE ADDRESS, with a trace that was defined before");
    }
    const block new = {.address = v[2], .n_bytes = v[0], .trace = v[1], .is_live = true};
    block *known = block_at(h, v[2]);
    if (known) {
        *known = new;
    } else if (hpf__hash_reserve(&h->block_of) &&
               HPF__ARRAY_PUSH(h->blocks, h->n_blocks, h->blocks_capacity, new)) {
        hpf__hash_insert(&h->block_of, hpf__hash_word(v[2]), (uint32_t)(h->n_blocks - 1));
    } else {
        return hpf_error_set_memory(h->err);
    }
    return allocate(h, new.n_bytes, new.trace);
}

/* Raw: "- ADDRESS". The block may be from before the recording. */
static hpf_status read_raw_free(heaptrack *h, hpf_str rest)
{
    uint64_t address;
    if (take_numbers(&rest, &address, 1) != 1) {
        return hpf__lines_expected(&h->lines, "- ADDRESS");
    }
    block *known = block_at(h, address);
    if (known && known->is_live) {
        known->is_live = false;
        release(h, known->n_bytes, known->trace);
    }
    return HPF_OK;
}

/* ---- The recording ---- */

static hpf_status read_line(heaptrack *h)
{
    hpf_str rest = h->lines.text;
    char type = rest.length ? *rest.data : '#';
    uint64_t v[2];
    rest = rest.length ? hpf_str_from(rest, 1) : rest;
    switch (type) {
    case 's':
        return define_text(h, rest);
    case 'i':
        return define_instruction(h, rest);
    case 't':
        return define_trace(h, rest);
    case 'a':
        return define_kind(h, rest);
    case 'x':
        return define_program(h, rest);
    case 'm':
        return define_module(h, rest);
    case '+':
        return h->is_raw ? read_raw_allocation(h, rest) : read_kind(h, false, rest);
    case '-':
        return h->is_raw ? read_raw_free(h, rest) : read_kind(h, true, rest);
    case 'c':
        return read_time(h, rest);
    case 'R':
        return read_resident(h, rest);
    case 'I':
        h->page_bytes = take_numbers(&rest, v, 1) == 1 ? v[0] : 0;
        return HPF_OK;
    case 'X':
        rest = rest.length ? hpf_str_from(rest, 1) : rest;
        h->job.length = 0;
        return hpf__buffer_add(&h->job, rest) ? HPF_OK : hpf_error_set_memory(h->err);
    case 'v':
        if (take_numbers(&rest, v, 2) != 2 || v[1] < 2 || v[1] > 3) {
            return hpf__location_error(h->lines.place, h->err, HPF_ERR_VERSION,
                                       "expected version 2 or 3 of the format of heaptrack");
        }
        h->program_version = v[0];
        h->version = v[1];
        return HPF_OK;
    default: /* comments, suppressions, "attached" */
        return HPF_OK;
    }
}

static hpf_status read_pass(heaptrack *h)
{
    hpf_status status = HPF_OK;
    while (status == HPF_OK && (status = hpf__lines_next(&h->lines)) == HPF_OK) {
        status = read_line(h);
    }
    return status == HPF_END ? HPF_OK : status;
}

/* Begins a pass. Keeps only what the first one found. */
static hpf_status begin_pass(heaptrack *h, bool emits)
{
    const trace nowhere = {0};
    h->lines.scan = (hpf__cursor){.source = h->lines.scan.source,
                                  .err = h->err,
                                  .max_bytes = h->lines.scan.max_bytes,
                                  .line = 1};
    h->n_texts = h->n_frames = h->n_instructions = h->n_traces = h->n_kinds = 0;
    h->n_segments = h->n_sorted = h->n_blocks = 0;
    hpf__hash_finish(&h->block_of);
    h->emits = emits;
    h->end_ms = h->time_ms;
    h->time_ms = h->live_bytes = h->n_events = 0;
    return HPF__ARRAY_PUSH(h->traces, h->n_traces, h->traces_capacity, nowhere)
               ? HPF_OK
               : hpf_error_set_memory(h->err);
}

static hpf_status emit_headers(heaptrack *h)
{
    const hpf_str headers[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = {h->job.bytes, h->job.length},
        [HPF_HEADER_VALUE_UNIT] = h->value == ALLOCATIONS ? HPF_STR("count") : HPF_STR("bytes"),
    };
    return hpf__call_stacks_headers(&h->stacks, headers, h->err);
}

static hpf_status read(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err)
{
    static const char *const values[] = {"live", "allocated", "allocations", NULL};
    size_t chosen = LIVE;
    heaptrack h = {
        .lines.scan = hpf__cursor_of(source, options, err),
        .err = err,
        .stacks = {.emit = {.events = events, .context = context}, .source = source},
    };
    hpf_status status = hpf__choose_value(&chosen, values, options, err);
    h.value = (value)chosen;
    status = status == HPF_OK ? begin_pass(&h, false) : status;
    status = status == HPF_OK ? read_pass(&h) : status;
    status = status == HPF_OK ? hpf_source_rewind(source, err) : status;
    status = status == HPF_OK ? begin_pass(&h, true) : status;
    status = status == HPF_OK ? emit_headers(&h) : status;
    status = status == HPF_OK ? emit_sample(&h) : status; /* nothing, at 0 */
    status = status == HPF_OK ? read_pass(&h) : status;
    status = status == HPF_OK ? emit_sample(&h) : status;
    hpf__call_stacks_finish(&h.stacks);
    hpf__buffer_finish(&h.lines.bytes);
    hpf__buffer_finish(&h.job);
    hpf__intern_finish(&h.unique);
    free(h.texts);
    free(h.frames);
    free(h.instructions);
    free(h.traces);
    free(h.kinds);
    free(h.segments);
    free(h.blocks);
    hpf__hash_finish(&h.block_of);
    return status;
}

/* "v VERSION VERSION", and on the next lines the command. */
static bool is_format(hpf_str head)
{
    hpf_str first = hpf__take_until(&head, '\n');
    bool is_empty = first.length == 0 && hpf_str_begins(head, "# strings: ");
    return is_empty || (hpf_str_begins(first, "v ") &&
                        (hpf_str_begins(head, "X ") || hpf_str_begins(head, "x ") ||
                         hpf_str_begins(head, "m ")));
}

const hpf_format hpf_format_heaptrack = {
    .name = "heaptrack",
    .summary = "recording of heaptrack",
    .is_format = is_format,
    .read = read,
    .allocated = "allocated",
    .has_addresses = true,
};
