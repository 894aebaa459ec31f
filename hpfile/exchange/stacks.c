/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A frame is its name and its place in the source, a stack the numbers of its frames; both are
 * interned as bytes, of which the arena makes aligned copies.
 */
#include "hpfile/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "hpfile/str.h"
#include "base/intern.h"
#include "base/frame.h"
#include "base/words.h"

struct hpf_stacks {
    hpf__intern frames;    /* name, NUL, source */
    uint32_t *start_lines; /* by frame */
    size_t start_lines_capacity;
    hpf__intern stacks; /* 4 bytes for each frame, outermost first */
    hpf__buffer text;   /* the frame being put together */
    hpf__buffer path;   /* the stack being put together, outermost last */
};

hpf_stacks *hpf_stacks_create(void)
{
    return calloc(1, sizeof(hpf_stacks));
}

void hpf_stacks_destroy(hpf_stacks *s)
{
    if (s) {
        hpf__intern_finish(&s->frames);
        hpf__intern_finish(&s->stacks);
        free(s->start_lines);
        hpf__buffer_finish(&s->text);
        hpf__buffer_finish(&s->path);
        free(s);
    }
}

/* --- places --- */

/* Takes a decimal number and the byte before it, which must be `before`, off the end. */
static bool cut_number(hpf_str *text, char before, uint32_t *number)
{
    size_t at = text->length;
    uint64_t value = 0;
    uint64_t power = 1;
    while (at > 0 && text->data[at - 1] >= '0' && text->data[at - 1] <= '9' && power < 1000000000) {
        value += power * (uint64_t)(text->data[--at] - '0');
        power *= 10;
    }
    if (at == text->length || at == 0 || text->data[at - 1] != before || value > UINT32_MAX) {
        return false;
    }
    *number = (uint32_t)value;
    text->length = at - 1;
    return true;
}

/* "(14,1)-(26,19)" after a file's name */
static bool cut_lines(hpf_str *text, hpf_stack_frame *frame)
{
    uint32_t last;
    return hpf__drop_end(text, ")") && cut_number(text, ',', &last) &&
           cut_number(text, '(', &last) && hpf__drop_end(text, "-") && hpf__drop_end(text, ")") &&
           cut_number(text, ',', &frame->column) && cut_number(text, '(', &frame->line) &&
           hpf__drop_end(text, ":");
}

/* ":29:1-67", ":29:1" */
static bool cut_columns(hpf_str *text, hpf_stack_frame *frame)
{
    uint32_t last;
    hpf_str rest = *text;
    *text = cut_number(&rest, '-', &last) ? rest : *text;
    return cut_number(text, ':', &frame->column) && cut_number(text, ':', &frame->line);
}

/* ":29", as other tools than GHC write. */
static bool cut_line(hpf_str *text, hpf_stack_frame *frame)
{
    frame->column = 0;
    return cut_number(text, ':', &frame->line) && text->length > 0;
}

/* What GHC writes where it has no place begins with '<'. */
static void set_place(hpf_stack_frame *frame, hpf_str source)
{
    hpf_str text = source;
    hpf_str lines = source;
    hpf_str line = source;
    if (source.length == 0 || *source.data == '<') {
        return;
    }
    if (cut_lines(&lines, frame)) {
        frame->file = lines;
    } else if (cut_columns(&text, frame)) {
        frame->file = text;
    } else if (cut_line(&line, frame)) {
        frame->file = line;
    } else {
        frame->file = source;
        frame->line = frame->column = 0;
    }
}

/* --- putting stacks together, from the innermost frame --- */

/* Adds the frame in s->text, to which its source is appended. */
static hpf_status push_text(hpf_stacks *s, hpf_str source, hpf_str function_source)
{
    uint32_t number;
    bool is_new;
    if (!hpf__buffer_append(&s->text, "", 1) || !hpf__buffer_add(&s->text, source)) {
        return HPF_ERR_MEMORY;
    }
    hpf_str key = {s->text.bytes, s->text.length};
    hpf_status status = hpf__intern_add(&s->frames, key, &number, &is_new);
    if (status == HPF_OK &&
        (!HPF__ARRAY_RESERVE(s->start_lines, s->start_lines_capacity, number + (size_t)1) ||
         !hpf__buffer_append(&s->path, &number, sizeof number))) {
        return HPF_ERR_MEMORY;
    }
    if (status == HPF_OK && is_new) {
        hpf_stack_frame begin = {.line = 0};
        set_place(&begin, function_source);
        s->start_lines[number] = begin.line;
    }
    return status;
}

static hpf_status push_name(hpf_stacks *s, hpf_str name)
{
    s->text.length = 0;
    return hpf__buffer_add(&s->text, name) ? push_text(s, HPF_STR(""), HPF_STR(""))
                                           : HPF_ERR_MEMORY;
}

static hpf_status push_frame(hpf_stacks *s, const hpf_frame *frame)
{
    s->text.length = 0;
    return hpf__append_frame(&s->text, frame) ? push_text(s, frame->source, frame->function_source)
                                              : HPF_ERR_MEMORY;
}

static void turn_round(hpf__buffer *path)
{
    uint32_t *numbers = (uint32_t *)(void *)path->bytes;
    size_t n = path->length / sizeof *numbers;
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t kept = numbers[i];
        numbers[i] = numbers[n - 1 - i];
        numbers[n - 1 - i] = kept;
    }
}

/* `status` is the result of putting the path together. */
static hpf_status finish_stack(hpf_stacks *s, hpf_status status, uint32_t *stack, hpf_error *err)
{
    bool is_new;
    if (status == HPF_OK) {
        turn_round(&s->path);
        hpf_str key = {s->path.bytes, s->path.length};
        status = hpf__intern_add(&s->stacks, key, stack, &is_new);
    }
    if (status == HPF_ERR_LIMIT) {
        return hpf_error_set(err, status, "more than 2^30 stacks");
    }
    return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
}

hpf_status hpf_stacks_of_frames(hpf_stacks *s, const hpf_frame *frames, size_t n_frames,
                                uint32_t *stack, hpf_error *err)
{
    s->path.length = 0;
    hpf_status status = n_frames ? HPF_OK : push_name(s, HPF_STR("MAIN"));
    for (size_t i = 0; i < n_frames && status == HPF_OK; i++) {
        status = push_frame(s, &frames[i]);
    }
    return finish_stack(s, status, stack, err);
}

hpf_status hpf_stacks_of_name(hpf_stacks *s, hpf_str name, uint32_t *stack, hpf_error *err)
{
    size_t n = hpf__frames_of_name(name, NULL, 0);
    hpf_frame *frames = malloc(n * sizeof *frames);
    if (!frames) {
        return hpf_error_set_memory(err);
    }
    hpf__frames_of_name(name, frames, n);
    hpf_status status = hpf_stacks_of_frames(s, frames, n, stack, err);
    free(frames);
    return status;
}

/* --- reports --- */

static bool is_hidden(const hpf_prof *prof, uint32_t node)
{
    return prof->centres[prof->stacks[node].centre_index].is_hidden;
}

static hpf_status of_node(hpf_stacks *s, const hpf_prof *prof, uint32_t node, uint32_t *stack,
                          hpf_error *err)
{
    hpf_status status = HPF_OK;
    s->path.length = 0;
    do {
        const hpf_prof_centre *c = &prof->centres[prof->stacks[node].centre_index];
        hpf_frame frame = {
            .label = c->label, .module = c->module, .source = c->srcloc, .is_caf = c->is_caf};
        status = push_frame(s, &frame);
        node = prof->stacks[node].parent_index;
    } while (status == HPF_OK && node != HPF_PROF_NO_PARENT &&
             prof->stacks[node].parent_index != HPF_PROF_NO_PARENT);
    return finish_stack(s, status, stack, err);
}

hpf_status hpf_stacks_of_prof(hpf_stacks *s, const hpf_prof *prof, bool with_hidden,
                              uint32_t *numbers, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (uint32_t i = 0; i < prof->n_stacks && status == HPF_OK; i++) {
        numbers[i] = HPF_NO_STACK;
        if (with_hidden || !is_hidden(prof, i)) {
            status = of_node(s, prof, i, &numbers[i], err);
        }
    }
    return status;
}

/* --- what there is --- */

bool hpf_stack_amounts_add(hpf_stack_amounts *amounts, uint32_t stack, double amount)
{
    if (!HPF__ARRAY_RESERVE_ZEROED(amounts->of, amounts->n, stack + (size_t)1)) {
        return false;
    }
    amounts->of[stack] += amount;
    return true;
}

uint32_t hpf_stacks_n(const hpf_stacks *s)
{
    return s->stacks.n_names;
}

const uint32_t *hpf_stacks_frames(const hpf_stacks *s, uint32_t stack, size_t *n)
{
    hpf_str key = s->stacks.names[stack];
    *n = key.length / sizeof(uint32_t);
    return (const uint32_t *)(const void *)key.data;
}

uint32_t hpf_stacks_n_frames(const hpf_stacks *s)
{
    return s->frames.n_names;
}

/* --- frames --- */

hpf_stack_frame hpf_stacks_frame(const hpf_stacks *s, uint32_t frame)
{
    hpf_str key = s->frames.names[frame];
    const char *nul = key.data + key.length;
    while (nul > key.data && nul[-1] != '\0') {
        nul--;
    }
    size_t length = (size_t)(nul - key.data) - 1;
    hpf_stack_frame out = {.name = {key.data, length}, .start_line = s->start_lines[frame]};
    set_place(&out, (hpf_str){nul, key.length - length - 1});
    return out;
}

/* --- order --- */

/* What comparing two stacks needs of them. */
typedef struct ordered {
    const hpf_stacks *stacks;
    uint32_t stack;
} ordered;

static int compare_stacks(const void *left, const void *right)
{
    const ordered *a = left;
    const ordered *b = right;
    size_t n_a;
    size_t n_b;
    const uint32_t *in_a = hpf_stacks_frames(a->stacks, a->stack, &n_a);
    const uint32_t *in_b = hpf_stacks_frames(b->stacks, b->stack, &n_b);
    for (size_t i = 0; i < n_a && i < n_b; i++) {
        int order = in_a[i] == in_b[i] ? 0
                                       : hpf_str_compare(a->stacks->frames.names[in_a[i]],
                                                         a->stacks->frames.names[in_b[i]]);
        if (order) {
            return order;
        }
    }
    return (n_a > n_b) - (n_a < n_b);
}

hpf_status hpf_stacks_order(const hpf_stacks *s, uint32_t *order, hpf_error *err)
{
    uint32_t n = s->stacks.n_names;
    ordered *all = calloc((size_t)n + 1, sizeof *all);
    if (!all) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        all[i] = (ordered){s, i};
    }
    qsort(all, n, sizeof *all, compare_stacks);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = all[i].stack;
    }
    free(all);
    return HPF_OK;
}
