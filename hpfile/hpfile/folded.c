/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names to folded stacks: each is turned round in a buffer and looked up.
 */
#include "hpfile/folded.h"

#include <math.h>
#include <stdlib.h>

#include "buf.h"
#include "hpfile/str.h"
#include "intern.h"

struct hpf_folded {
    hpf__intern stacks;
    double *amounts; /* by stack */
    size_t amounts_capacity;
    hpf__buf line; /* the stack being put together */
};

hpf_folded *hpf_folded_create(void)
{
    return calloc(1, sizeof(hpf_folded));
}

void hpf_folded_destroy(hpf_folded *f)
{
    if (f) {
        hpf__intern_finish(&f->stacks);
        hpf__buf_finish(&f->line);
        free(f->amounts);
        free(f);
    }
}

/* The first frame of `stack`: up to a slash that is not its first byte. */
static size_t frame_length(hpf_str stack)
{
    const char *slash = stack.length > 1 ? memchr(stack.data + 1, '/', stack.length - 1) : NULL;
    bool is_last = !slash || slash + 1 == stack.data + stack.length;
    return is_last ? stack.length : (size_t)(slash - stack.data);
}

/* A byte of a frame as it may stand in a line. */
static char plain(char c)
{
    return c == ';' ? ',' : (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
}

/* Writes a frame before what is written already; `*at` moves to its first byte. */
static void prepend(char **at, hpf_str frame)
{
    for (size_t i = frame.length; i > 0; i--) {
        *--*at = plain(frame.data[i - 1]);
    }
}

/* The stack that a name is, in the buffer; no data when there is no memory. */
static hpf_str fold(hpf_folded *f, hpf_str name)
{
    hpf_str rest = hpf_str_without_id(name);
    bool is_stack = rest.length < name.length;
    f->line.length = 0;
    if (!hpf__buf_reserve(&f->line, rest.length + 1)) {
        return (hpf_str){NULL, 0};
    }
    char *end = f->line.bytes + rest.length;
    char *at = end;
    while (rest.length > 0) {
        size_t length = is_stack ? frame_length(rest) : rest.length;
        size_t passed = length < rest.length ? length + 1 : length;
        prepend(&at, (hpf_str){rest.data, length});
        rest = (hpf_str){rest.data + passed, rest.length - passed};
        if (rest.length > 0) {
            *--at = ';';
        }
    }
    return (hpf_str){at, (size_t)(end - at)};
}

/* Adds to a stack; no data stands for no memory. */
static hpf_status count(hpf_folded *f, hpf_str stack, double amount, hpf_error *err)
{
    uint32_t number = 0;
    bool is_new = false;
    double *amounts =
        hpf__grow(f->amounts, &f->amounts_capacity, (size_t)f->stacks.n_names + 1, sizeof *amounts);
    f->amounts = amounts ? amounts : f->amounts;
    hpf_status status = stack.data && amounts ? hpf__intern_add(&f->stacks, stack, &number, &is_new)
                                              : HPF_ERR_MEMORY;
    if (status != HPF_OK) {
        return status == HPF_ERR_MEMORY ? hpf_error_set_memory(err)
                                        : hpf_error_set(err, status, "too many stacks");
    }
    amounts[number] = is_new ? amount : amounts[number] + amount;
    return HPF_OK;
}

hpf_status hpf_folded_add(hpf_folded *f, hpf_str name, double amount, hpf_error *err)
{
    return count(f, fold(f, name), amount, err);
}

static bool append(hpf__buf *line, hpf_str text)
{
    bool fits = hpf__buf_reserve(line, text.length);
    for (size_t i = 0; fits && i < text.length; i++) {
        line->bytes[line->length++] = plain(text.data[i]);
    }
    return fits;
}

hpf_status hpf_folded_add_stack(hpf_folded *f, const hpf_frame *frames, size_t n_frames,
                                double amount, hpf_error *err)
{
    bool fits = true;
    f->line.length = 0;
    for (size_t i = n_frames; i > 0 && fits; i--) {
        const hpf_frame *frame = &frames[i - 1];
        fits =
            (i == n_frames || hpf__buf_append(&f->line, ";", 1)) &&
            (!frame->is_caf || (append(&f->line, frame->module) && append(&f->line, HPF_STR("."))));
        fits = fits && append(&f->line, frame->label);
    }
    return count(f, (hpf_str){fits ? f->line.bytes : NULL, f->line.length}, amount, err);
}

typedef struct line {
    hpf_str stack;
    double amount;
} line;

static int compare_lines(const void *left, const void *right)
{
    const line *a = left;
    const line *b = right;
    return hpf_str_compare(a->stack, b->stack);
}

hpf_status hpf_folded_write(const hpf_folded *f, hpf_sink *sink, hpf_error *err)
{
    uint32_t n = f->stacks.n_names;
    line *lines = calloc((size_t)n + 1, sizeof *lines);
    if (!lines) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        lines[i] = (line){f->stacks.names[i], round(f->amounts[i])};
    }
    qsort(lines, n, sizeof *lines, compare_lines);
    for (uint32_t i = 0; i < n; i++) {
        if (lines[i].amount > 0) {
            hpf_sink_str(sink, lines[i].stack);
            hpf_sink_text(sink, " ");
            hpf_sink_fixed(sink, lines[i].amount, 0);
            hpf_sink_text(sink, "\n");
        }
    }
    free(lines);
    return hpf_sink_flush(sink, err);
}
