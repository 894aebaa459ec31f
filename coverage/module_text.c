/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of a text, and parts of them.
 */
#include "coverage/module_text.h"

#include "base/utf8.h"
#include "coverage/haskell_text.h"

hpf_status hpc_module_text_init(hpc_module_text *out, hpf_str text, hpf_error *err)
{
    *out = (hpc_module_text){.text = text};
    for (size_t at = 0; at < text.length;) {
        bool is_start = at == 0 || text.data[at - 1] == '\n';
        if (is_start && !HPF__ARRAY_PUSH(out->starts, out->n_lines, out->capacity, at)) {
            hpc_module_text_finish(out);
            return hpf_error_set_memory(err);
        }
        size_t length = hpf_utf8_next(hpf_str_from(text, at), NULL);
        if (length == 0) {
            const hpc_haskell place = {.text = text, .err = err};
            hpc_module_text_finish(out);
            return hpc_haskell_fail(&place, at, HPF_ERR_SYNTAX, "expected UTF-8");
        }
        at += length;
    }
    return HPF_OK;
}

void hpc_module_text_finish(hpc_module_text *text)
{
    free(text->starts);
    *text = (hpc_module_text){.starts = NULL};
}

/* Returns a line, from 1, without its line feed. */
static hpf_str line_of(const hpc_module_text *t, size_t line)
{
    size_t start = t->starts[line - 1];
    size_t end = line < t->n_lines ? t->starts[line] : t->text.length;
    end -= end > start && t->text.data[end - 1] == '\n';
    return (hpf_str){t->text.data + start, end - start};
}

hpf_status hpc_module_text_part(const hpc_module_text *t, hpc_span span, hpf__buffer *out,
                                hpf_error *err)
{
    out->length = 0;
    if (span.first_line == 0 || span.last_line < span.first_line || span.last_line > t->n_lines) {
        return hpf_error_set(err, HPF_ERR_RANGE,
                             "the text has %zu lines, but a box goes from line %lu to line %lu: "
                             "was the text changed?",
                             t->n_lines, (unsigned long)span.first_line,
                             (unsigned long)span.last_line);
    }
    size_t before = span.first_column > 0 ? span.first_column - 1 : 0;
    for (size_t line = span.first_line; line <= span.last_line; line++) {
        hpf_str part = line_of(t, line);
        if (line == span.first_line) {
            part = hpf_str_from(part, hpf_utf8_bytes(part, before));
        }
        if (span.first_line == span.last_line) {
            size_t n = span.last_column + 1 > span.first_column
                           ? (size_t)span.last_column + 1 - span.first_column
                           : 0;
            part.length = hpf_utf8_bytes(part, n);
        } else if (line == span.last_line) {
            part.length = hpf_utf8_bytes(part, (size_t)span.last_column + 1);
        }
        if ((line > span.first_line && !hpf__buffer_append(out, "\n", 1)) ||
            !hpf__buffer_add(out, part)) {
            return hpf_error_set_memory(err);
        }
    }
    return HPF_OK;
}
