/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names as logs hold them: stacks of cost centres, info tables, labels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eventlog/eventlog_tags.h"
#include "eventlog/eventlog_writer_state.h"
#include "hpfile/str.h"

#define MAX_FRAMES 255u

/* The most that texts may have, so that a record is never too long. */
#define CENTRE_TEXT_BYTES 21800u
#define INFO_TEXT_BYTES   10900u
#define LABEL_BYTES       65500u

/* Info tables get addresses that no program has. */
#define FIRST_ADDRESS (UINT64_C(0xf) << 60)

static hpf_str keep(hpf_eventlog_writer *w, const hpf__buffer *bytes)
{
    hpf_str text = {bytes->bytes, bytes->length};
    hpf_str copy = {hpf_arena_text(w->arena, text), text.length};
    w->is_out_of_memory |= !copy.data;
    return copy;
}

/* Adds what is in scratch from `begin` on, and tells whether it was not there. */
static bool intern(hpf_eventlog_writer *w, hpf__intern *table, size_t begin, uint32_t *number)
{
    bool is_new = false;
    *number = 0;
    if (!w->is_out_of_memory) {
        hpf_str text = {w->scratch.bytes + begin, w->scratch.length - begin};
        w->is_out_of_memory = hpf__intern_add(table, text, number, &is_new) != HPF_OK;
    }
    return is_new;
}

/* --- stacks --- */

/* The number of a cost centre, which is defined if it is new. Those of different `twin` are never
 * the same. */
static uint32_t number_of_centre(hpf_eventlog_writer *w, const hpf_frame *frame, uint64_t twin)
{
    uint32_t number;
    w->scratch.length = 0;
    hpf__writer_put_number(w, &w->scratch, (uint64_t)w->centres.n_names + 1, 4);
    hpf__writer_put_string(w, &w->scratch, frame->label, CENTRE_TEXT_BYTES);
    hpf__writer_put_string(w, &w->scratch, frame->module, CENTRE_TEXT_BYTES);
    hpf__writer_put_string(w, &w->scratch, frame->source, CENTRE_TEXT_BYTES);
    hpf__writer_put_number(w, &w->scratch, frame->is_caf, 1);
    size_t length = w->scratch.length;
    hpf__writer_put_number(w, &w->scratch, twin, 8);
    bool is_new = intern(w, &w->centres, 4, &number);
    w->scratch.length = length;
    if (is_new) {
        hpf__writer_put_record(w, HPF__EVENT_HEAP_PROF_COST_CENTRE,
                               w->streams[HPF__OF_NONE].now_ns);
    }
    w->scratch.length = 0;
    return number + 1;
}

/* Leaves the stack in `stack`. Its innermost cost centre is the one of `twin`. */
static void put_stack(hpf_eventlog_writer *w, hpf__buffer *stack, const hpf_frame *frames,
                      size_t depth, uint64_t twin)
{
    stack->length = 0;
    hpf__writer_put_number(w, stack, depth, 1);
    for (size_t i = 0; i < depth; i++) {
        hpf__writer_put_number(w, stack, number_of_centre(w, &frames[i], i == 0 ? twin : 0), 4);
    }
}

/* Two names may have the same frames, as far as these are known: the later gets a cost centre of
 * its own. */
static hpf__log_key make_stack(hpf_eventlog_writer *w, hpf_name name, const hpf_frame *frames,
                               size_t depth)
{
    uint32_t known;
    hpf__buffer stack = {0};
    put_stack(w, &stack, frames, depth, 0);
    hpf__writer_put(w, &w->scratch, stack.bytes, stack.length);
    if (!intern(w, &w->stacks, 0, &known)) {
        put_stack(w, &stack, frames, depth, (uint64_t)name + 1);
    }
    w->scratch.length = 0;
    hpf__log_key made = {keep(w, &stack), true};
    hpf__buffer_finish(&stack);
    return made;
}

/* --- labels --- */

/* Two texts may have become one, for want of room or of UTF-8: the later gets a number in front. */
static hpf__log_key make_label(hpf_eventlog_writer *w, hpf_name name, hpf_str text)
{
    uint32_t known;
    char number[16] = "";
    bool is_own = false;
    for (unsigned long i = name; !is_own && !w->is_out_of_memory; i++) {
        w->scratch.length = 0;
        hpf__writer_put(w, &w->scratch, number, strlen(number));
        hpf__writer_put_string(w, &w->scratch, text, LABEL_BYTES);
        is_own = intern(w, &w->labels, 0, &known);
        snprintf(number, sizeof number, "(%lu)", i);
    }
    hpf__log_key made = {keep(w, &w->scratch), false};
    w->scratch.length = 0;
    return made;
}

/* --- info tables --- */

/* Tools read the closure type as a number. */
static hpf_str number_or_zero(hpf_str text)
{
    size_t i = 0;
    while (i < text.length && text.data[i] >= '0' && text.data[i] <= '9') {
        i++;
    }
    return i && i == text.length ? text : HPF_STR("0");
}

/* The label is the address, and a record tells what is there. */
static hpf__log_key make_info(hpf_eventlog_writer *w, hpf_name name, const hpf_frame *info)
{
    uint64_t address = FIRST_ADDRESS + name;
    const hpf_str texts[] = {info->table,  number_or_zero(info->closure_type),
                             info->type,   info->label,
                             info->module, info->source};
    char label[24];
    hpf__writer_put_number(w, &w->scratch, address, 8);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hpf__writer_put_string(w, &w->scratch, texts[i], INFO_TEXT_BYTES);
    }
    hpf__writer_put_record(w, HPF__EVENT_IPE, w->streams[HPF__OF_NONE].now_ns);
    int n = snprintf(label, sizeof label, "0x%llx", (unsigned long long)address);
    return make_label(w, name, (hpf_str){label, (size_t)n});
}

/* The empty stack has no frames; it is known by its name. */
hpf__log_key hpf__writer_make_key(hpf_eventlog_writer *w, hpf_name name, hpf_str text)
{
    static const hpf_frame no_frames[1];
    hpf_frame *frames = w->options.frames ? calloc(MAX_FRAMES, sizeof *frames) : NULL;
    size_t depth = 0;
    if (frames) {
        depth = w->options.frames(w->options.frames_context, name, frames, MAX_FRAMES);
        depth = depth < MAX_FRAMES ? depth : MAX_FRAMES;
    }
    bool is_main = w->options.breakdown == HPF_BREAKDOWN_COST_CENTRE && hpf_str_is(text, "MAIN");
    bool is_table = depth == 1 && w->options.breakdown == HPF_BREAKDOWN_INFO_TABLE;
    w->is_out_of_memory |= w->options.frames && !frames;
    hpf__log_key made = is_table           ? make_info(w, name, &frames[0])
                        : depth || is_main ? make_stack(w, name, frames ? frames : no_frames, depth)
                                           : make_label(w, name, text);
    free(frames);
    return made;
}
