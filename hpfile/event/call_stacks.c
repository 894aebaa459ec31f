/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks are interned by the bytes of their frames.
 */
#include "event/call_stacks.h"

#include <stdio.h>

#include "base/lex.h"
#include "event/breakdown.h"

static bool put_key(hpf__buffer *key, hpf_str text)
{
    return hpf__buffer_append(key, &text.length, sizeof text.length) &&
           hpf__buffer_append(key, text.data, text.length);
}

static bool put_label(hpf__buffer *text, hpf_str label)
{
    label = label.length ? label : HPF_STR("(unknown)");
    size_t begin = text->length;
    if (!hpf__buffer_append(text, label.data, label.length)) {
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

static bool put_text(hpf__buffer *text, uint32_t number, const hpf_frame *frames, size_t n_frames)
{
    char id[16];
    int length = snprintf(id, sizeof id, "(%u)", number + 1);
    text->length = 0;
    bool fits = hpf__buffer_append(text, id, (size_t)length);
    for (size_t i = 0; i < n_frames && fits; i++) {
        fits = (i == 0 || hpf__buffer_append(text, "/", 1)) && put_label(text, frames[i].label);
    }
    return fits;
}

hpf_status hpf__call_stacks_name(hpf__call_stacks *s, const hpf_frame *frames, size_t n_frames,
                                 hpf_name *name, hpf_error *err)
{
    static const hpf_frame unknown;
    uint32_t number = 0;
    bool is_new = false, fits = true;
    if (n_frames == 0) {
        frames = &unknown;
        n_frames = 1;
    }
    s->key.length = 0;
    for (size_t i = 0; i < n_frames && fits; i++) {
        fits = put_key(&s->key, frames[i].label) && put_key(&s->key, frames[i].module) &&
               put_key(&s->key, frames[i].source);
    }
    hpf_status status =
        fits ? hpf__intern_add(&s->keys, (hpf_str){s->key.bytes, s->key.length}, &number, &is_new)
             : HPF_ERR_MEMORY;
    if (status == HPF_ERR_LIMIT) {
        return hpf_error_set(err, status, "more than 2^30 stacks");
    }
    if (status == HPF_OK && !is_new) {
        *name = s->names[number];
        return HPF_OK;
    }
    if (status != HPF_OK || !HPF__ARRAY_RESERVE(s->names, s->names_capacity, number + 1) ||
        !put_text(&s->text, number, frames, n_frames)) {
        return hpf_error_set_memory(err);
    }
    const hpf_events *to = s->emit->events;
    hpf_str text = {s->text.bytes, s->text.length};
    status = hpf__emitter_name(s->emit, text, name, err);
    s->names[number] = *name;
    return status == HPF_OK && to->frames
               ? to->frames(s->emit->context, *name, frames, n_frames, err)
               : status;
}

hpf_status hpf__call_stacks_cost(hpf__call_stacks *s, const hpf_frame *frames, size_t n_frames,
                                 uint64_t amount, hpf_error *err)
{
    hpf_cost cost = {.whole = amount};
    if (amount == 0) {
        return HPF_OK;
    }
    hpf_status status = hpf__call_stacks_name(s, frames, n_frames, &cost.name, err);
    return status == HPF_OK ? hpf__emitter_cost(s->emit, &cost, err) : status;
}

hpf_status hpf__choose_value(size_t *chosen, const char *const *values,
                             const hpf_reader_options *options, hpf_error *err)
{
    char names[100] = "";
    hpf_str wanted = options ? options->value : (hpf_str){"", 0};
    for (*chosen = 0; wanted.length && values[*chosen]; ++*chosen) {
        if (hpf_str_is(wanted, values[*chosen])) {
            return HPF_OK;
        }
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", values[*chosen]);
    }
    return wanted.length
               ? hpf_error_set(err, HPF_ERR_ARGUMENT, "no amount \"%.*s\": the profile has %s",
                               (int)wanted.length, wanted.data, names)
               : HPF_OK;
}

hpf_status hpf__call_stacks_job(hpf__emitter *emit, hpf_str command, hpf_error *err)
{
    hpf__buffer job = {0};
    command = command.length ? command : HPF_STR("(unknown)");
    const hpf_str by = HPF_STR(HPF_NATIVE_JOB_BY "call stack");
    bool fits = hpf__buffer_append(&job, command.data, command.length) &&
                hpf__buffer_append(&job, by.data, by.length);
    hpf_status status =
        fits ? hpf__emitter_header(emit, HPF_HEADER_JOB, (hpf_str){job.bytes, job.length}, err)
             : hpf_error_set_memory(err);
    hpf__buffer_finish(&job);
    return status;
}

hpf_str hpf__call_stacks_command(hpf_str job)
{
    const hpf_str by = HPF_STR(HPF_NATIVE_JOB_BY);
    for (size_t i = 0; i + by.length <= job.length; i++) {
        if (memcmp(job.data + i, by.data, by.length) == 0) {
            return (hpf_str){job.data, i};
        }
    }
    return job;
}

void hpf__call_stacks_finish(hpf__call_stacks *s)
{
    hpf__intern_finish(&s->keys);
    hpf__buffer_finish(&s->key);
    hpf__buffer_finish(&s->text);
    free(s->names);
}
