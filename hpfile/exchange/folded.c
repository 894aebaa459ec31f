/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks to lines: frames that differ only in their places read the same, so lines are looked up.
 */
#include "hpfile/sink.h"
#include "hpfile/folded.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "hpfile/str.h"
#include "base/intern.h"
#include "event/format_row.h"

typedef struct line {
    hpf_str stack;
    double amount;
} line;

typedef struct lines {
    hpf__intern texts;
    line *all; /* by the number of the text */
    hpf__buffer text;
} lines;

/* Returns a byte of a frame as it is written in a line. */
static char plain(char c)
{
    return c == ';' ? ',' : (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
}

static bool put_frame(hpf__buffer *text, hpf_str name)
{
    bool fits = hpf__buffer_reserve(text, name.length + 1);
    for (size_t i = 0; fits && i < name.length; i++) {
        text->bytes[text->length++] = plain(name.data[i]);
    }
    return fits;
}

static bool put_stack(hpf__buffer *text, const hpf_stacks *stacks, uint32_t stack)
{
    size_t n;
    const uint32_t *frames = hpf_stacks_frames(stacks, stack, &n);
    bool fits = true;
    text->length = 0;
    for (size_t i = 0; i < n && fits; i++) {
        fits = (i == 0 || hpf__buffer_append(text, ";", 1)) &&
               put_frame(text, hpf_stacks_frame(stacks, frames[i]).name);
    }
    return fits;
}

static hpf_status add_line(lines *l, const hpf_stacks *stacks, uint32_t stack, double amount)
{
    uint32_t number;
    bool is_new;
    if (!put_stack(&l->text, stacks, stack)) {
        return HPF_ERR_MEMORY;
    }
    hpf_str text = {l->text.bytes, l->text.length};
    hpf_status status = hpf__intern_add(&l->texts, text, &number, &is_new);
    if (status == HPF_OK) {
        l->all[number].stack = l->texts.names[number];
        l->all[number].amount += amount;
    }
    return status;
}

static int compare_lines(const void *left, const void *right)
{
    const line *a = left;
    const line *b = right;
    return hpf_str_compare(a->stack, b->stack);
}

static void write_lines(lines *l, hpf_sink *sink)
{
    qsort(l->all, l->texts.n_names, sizeof *l->all, compare_lines);
    for (uint32_t i = 0; i < l->texts.n_names; i++) {
        double amount = round(l->all[i].amount);
        if (amount > 0) {
            hpf_sink_str(sink, l->all[i].stack);
            hpf_sink_text(sink, " ");
            hpf_sink_fixed(sink, amount, 0);
            hpf_sink_text(sink, "\n");
        }
    }
}

hpf_status hpf_folded_write(const hpf_stacks *stacks, const double *amounts, hpf_sink *sink,
                            hpf_error *err)
{
    uint32_t n = hpf_stacks_n(stacks);
    lines l = {.all = calloc((size_t)n + 1, sizeof *l.all)};
    hpf_status status = l.all ? HPF_OK : HPF_ERR_MEMORY;
    for (uint32_t i = 0; i < n && status == HPF_OK; i++) {
        status = amounts[i] > 0 ? add_line(&l, stacks, i, amounts[i]) : HPF_OK;
    }
    if (status == HPF_OK) {
        write_lines(&l, sink);
    }
    hpf__intern_finish(&l.texts);
    hpf__buffer_finish(&l.text);
    free(l.all);
    return status == HPF_OK ? hpf_sink_flush(sink, err) : hpf_error_set_memory(err);
}

const hpf_format hpf_format_folded = {
    .name = "folded",
    .extension = "folded",
    .summary = "stacks at one moment, for flamegraph.pl and similar tools",
    .stacks = HPF_STACKS_FOLDED,
};
