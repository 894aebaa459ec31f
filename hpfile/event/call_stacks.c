/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks are nodes of a tree of frames. What they need beyond the bytes of the input is limited: an
 * input may name a frame, or a stack, once, and use it in any number of stacks.
 */
#include "event/call_stacks.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/lex.h"
#include "base/utf8.h"
#include "hpfile/breakdown.h"
#include "hpfile/str.h"
#include "io/source.h"

#define NO_NAME UINT32_MAX

/* Most bytes of a text of a frame, and of all texts of a stack. */
enum { MOST_TEXT_BYTES = 1 << 14, MOST_STACK_BYTES = 1 << 20 };

/* Most frames of a stack; least, where the budget of the input is used up: the innermost one and
 * one for its callers. Most bytes of the name of a stack. */
enum { MOST_FRAMES = 1 << 16, LEAST_FRAMES = 2, MOST_NAME_BYTES = 1 << 14, LEAST_NAME_BYTES = 64 };

/* A text longer than this counts as several frames. */
enum { LONG_TEXT = 256 };

/* Budgets: the frames of all stacks, where long texts count as several (time), frames that are not
 * shared, the texts of frames, the texts of names (memory). What real profilers write stays below:
 * stacks of 60 frames, in lines of 10 bytes. */
enum { FIRST_FRAMES = 1 << 21, FIRST_NODES = 1 << 16, FIRST_TEXT_BYTES = 1 << 21 };
static const double FRAMES_PER_BYTE = 8, NODES_PER_BYTE = 0.25, TEXT_BYTES_PER_BYTE = 4;

static bool put_label(hpf__buffer *text, hpf_str label)
{
    label = label.length ? label : HPF_STR("(unknown)");
    size_t begin = text->length;
    if (!hpf__buffer_add(text, label)) {
        return false;
    }
    for (size_t i = begin; i < text->length; i++) {
        char *c = &text->bytes[i];
        bool is_before_digit = i + 1 < text->length && hpf__is_digit(c[1]);
        bool is_last = i + 1 == text->length;
        *c = (unsigned char)*c < ' ' || (*c == ' ' && (is_before_digit || is_last)) ? '_' : *c;
    }
    return true;
}

/* Returns an amount that grows with the bytes that were read; all there is without a source. */
static size_t budget(const hpf__call_stacks *s, size_t first, double per_byte)
{
    double n_bytes = s->source ? (double)(s->earlier_bytes + hpf__source_offset(s->source)) : 0;
    return s->source ? first + (size_t)(n_bytes * per_byte) : SIZE_MAX;
}

static size_t rest_of(size_t total, size_t used)
{
    return total > used ? total - used : 0;
}

/* Makes the text of a stack; callers that are too long for the budget become "...". */
static bool put_text(hpf__call_stacks *s, const hpf_frame *frames, size_t n_frames)
{
    char id[16];
    int length = snprintf(id, sizeof id, "(%u)", s->n_stacks + 1);
    size_t room = rest_of(budget(s, FIRST_TEXT_BYTES, TEXT_BYTES_PER_BYTE), s->n_text_bytes);
    room = room < LEAST_NAME_BYTES               ? LEAST_NAME_BYTES
           : room > MOST_NAME_BYTES && s->source ? MOST_NAME_BYTES
                                                 : room;
    s->text.length = 0;
    bool fits = hpf__buffer_append(&s->text, id, (size_t)length);
    for (size_t i = 0; i < n_frames && fits; i++) {
        hpf_str label = frames[i].label;
        size_t left = rest_of(room, s->text.length);
        bool is_cut = label.length > left;
        label.length = is_cut ? i == 0 ? left : 0 : label.length;
        fits =
            (i == 0 || hpf__buffer_append(&s->text, "/", 1)) &&
            (is_cut && i > 0 ? hpf__buffer_append(&s->text, "...", 3) : put_label(&s->text, label));
        i = is_cut ? n_frames : i;
    }
    s->n_text_bytes += s->text.length;
    return fits;
}

/* Returns the number of frames from which on a stack is cut, at least 2. */
static size_t room_of(const hpf__call_stacks *s)
{
    size_t passed = rest_of(budget(s, FIRST_FRAMES, FRAMES_PER_BYTE), s->n_passed);
    size_t nodes = rest_of(budget(s, FIRST_NODES, NODES_PER_BYTE), s->tree.n_nodes);
    size_t room = passed < nodes ? passed : nodes;
    return room < LEAST_FRAMES               ? LEAST_FRAMES
           : room > MOST_FRAMES && s->source ? MOST_FRAMES
                                             : room;
}

hpf_str hpf__call_stacks_text(hpf_str text)
{
    return (hpf_str){text.data, hpf_utf8_cut(text, MOST_TEXT_BYTES)};
}

/* Replaces the outer frames that there is no room for by one frame that says so. */
static bool cut_frames(hpf__call_stacks *s, const hpf_frame **frames, size_t *n_frames)
{
    size_t room = room_of(s);
    size_t left = rest_of(budget(s, FIRST_FRAMES, FRAMES_PER_BYTE), s->n_passed), used = 0;
    size_t n_bytes = 0;
    bool has_texts = s->tree.n_text_bytes <= budget(s, FIRST_TEXT_BYTES, TEXT_BYTES_PER_BYTE);
    room = has_texts ? room : 1;
    for (size_t i = 0; i < *n_frames && i < room; i++) {
        const hpf_frame *f = &(*frames)[i];
        size_t more = f->label.length + f->module.length + f->source.length;
        used += 1 + more / LONG_TEXT;
        n_bytes += more;
        bool is_full = used > left || (n_bytes > MOST_STACK_BYTES && s->source);
        room = is_full && i >= LEAST_FRAMES ? i : room;
    }
    s->n_passed += used > *n_frames ? used : *n_frames;
    if (*n_frames > room || !has_texts) {
        if (!HPF__ARRAY_RESERVE(s->cut, s->cut_capacity, room)) {
            return false;
        }
        memcpy(s->cut, *frames, (room - 1) * sizeof **frames);
        s->cut[room - 1] = (hpf_frame){.label = HPF_STR("(callers left out)")};
        *frames = s->cut;
        *n_frames = room;
    }
    return true;
}

hpf_status hpf__call_stacks_name(hpf__call_stacks *s, const hpf_frame *frames, size_t n_frames,
                                 hpf_name *name, hpf_error *err)
{
    static const hpf_frame unknown;
    uint32_t node = HPF__NO_FRAMES;
    if (n_frames == 0) {
        frames = &unknown;
        n_frames = 1;
    }
    hpf_status status = cut_frames(s, &frames, &n_frames)
                            ? hpf__frame_tree_add(&s->tree, frames, n_frames, &node)
                            : HPF_ERR_MEMORY;
    if (status == HPF_ERR_LIMIT) {
        return hpf_error_set(err, status, "more than 2^30 stacks");
    }
    size_t n_known = s->n_names;
    if (status != HPF_OK || !HPF__ARRAY_RESERVE(s->names, s->names_capacity, s->tree.n_nodes)) {
        return hpf_error_set_memory(err);
    }
    for (; s->n_names < s->tree.n_nodes; s->n_names++) {
        s->names[s->n_names] = NO_NAME;
    }
    s->node = node;
    if (node < n_known && s->names[node] != NO_NAME) {
        *name = s->names[node];
        return HPF_OK;
    }
    if (!put_text(s, frames, n_frames)) {
        return hpf_error_set_memory(err);
    }
    s->n_stacks++;
    const hpf_events *to = s->emit.events;
    status = hpf__emitter_name(&s->emit, hpf__buffer_str(&s->text), name, err);
    s->names[node] = status == HPF_OK ? *name : NO_NAME;
    return status == HPF_OK && to->frames
               ? to->frames(s->emit.context, *name, frames, n_frames, err)
               : status;
}

hpf_status hpf__call_stacks_cost(hpf__call_stacks *s, uint64_t amount, hpf_error *err)
{
    hpf_cost cost = {.whole = amount};
    if (amount == 0) {
        return HPF_OK;
    }
    hpf_status status = hpf__call_stacks_name(s, s->frames, s->n_frames, &cost.name, err);
    return status == HPF_OK ? hpf__emitter_cost(&s->emit, &cost, err) : status;
}

hpf_status hpf__choose_value(size_t *chosen, const char *const *values,
                             const hpf_reader_options *options, hpf_error *err)
{
    char names[160] = "";
    hpf_str wanted = options ? options->value : (hpf_str){"", 0};
    for (*chosen = 0; wanted.length && values[*chosen]; ++*chosen) {
        if (hpf_str_is(wanted, values[*chosen])) {
            return HPF_OK;
        }
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", values[*chosen]);
    }
    return wanted.length ? hpf_error_set(err, HPF_ERR_ARGUMENT, "\"%.*s\" is none of %s",
                                         (int)wanted.length, wanted.data, names)
                         : HPF_OK;
}

bool hpf__call_stacks_begin(hpf__call_stacks *s)
{
    hpf_arena_destroy(s->texts);
    s->texts = hpf_arena_create();
    s->n_frames = 0;
    s->room = room_of(s);
    return s->texts;
}

bool hpf__call_stacks_push(hpf__call_stacks *s, hpf_frame frame)
{
    return HPF__ARRAY_PUSH(s->frames, s->n_frames, s->frames_capacity, frame);
}

hpf_str hpf__call_stacks_join(hpf__call_stacks *s, hpf_str text, const char *format, ...)
{
    char suffix[64];
    va_list args;
    va_start(args, format);
    size_t n = (size_t)vsnprintf(suffix, sizeof suffix, format, args);
    va_end(args);
    char *joined = hpf_arena_alloc(s->texts, text.length + n);
    if (joined) {
        memcpy(joined, text.length ? text.data : "", text.length);
        memcpy(joined + text.length, suffix, n);
    }
    return (hpf_str){joined, joined ? text.length + n : 0};
}

bool hpf__call_stacks_is_full(const hpf__call_stacks *s)
{
    return s->n_frames > s->room || hpf_arena_used_bytes(s->texts) > MOST_STACK_BYTES;
}

static hpf_status emit_job(hpf__emitter *emit, hpf_str command, hpf_error *err)
{
    hpf__buffer job = {0};
    command = command.length ? command : HPF_STR("(unknown)");
    const hpf_str by = HPF_STR(HPF_NATIVE_JOB_BY "call stack");
    bool fits = hpf__buffer_add(&job, command) && hpf__buffer_add(&job, by);
    hpf_status status = fits ? hpf__emitter_header(emit, HPF_HEADER_JOB, hpf__buffer_str(&job), err)
                             : hpf_error_set_memory(err);
    hpf__buffer_finish(&job);
    return status;
}

hpf_status hpf__call_stacks_headers(hpf__call_stacks *stacks, const hpf_str texts[HPF_N_HEADERS],
                                    hpf_error *err)
{
    hpf__emitter *emit = &stacks->emit;
    hpf_status status = emit_job(emit, texts[HPF_HEADER_JOB], err);
    for (int i = HPF_HEADER_DATE; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        status = texts[i].data ? hpf__emitter_header(emit, (hpf_header)i, texts[i], err)
                               : hpf__emitter_default_header(emit, (hpf_header)i, err);
    }
    return status;
}

hpf_str hpf__call_stacks_command(hpf_str job)
{
    const char *by = hpf_str_find(job, HPF_NATIVE_JOB_BY);
    return by ? (hpf_str){job.data, (size_t)(by - job.data)} : job;
}

void hpf__call_stacks_finish(hpf__call_stacks *s)
{
    hpf__emitter_finish(&s->emit);
    hpf__frame_tree_finish(&s->tree);
    free(s->cut);
    hpf__buffer_finish(&s->text);
    free(s->names);
    free(s->frames);
    hpf_arena_destroy(s->texts);
}
