/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a module in lines, and the parts of it that boxes name. A column is a character.
 */
#ifndef HPF_MODULE_TEXT_H
#define HPF_MODULE_TEXT_H

#include "base/buffer.h"
#include "coverage/mix.h"

/* All zero is empty. */
typedef struct hpf__module_text {
    hpf_str text;   /* borrowed */
    size_t *starts; /* of the lines: offsets in the text */
    size_t n_lines, capacity;
} hpf__module_text;

/* Finds the lines of a text. Errors, with their place: SYNTAX, for bytes that are not UTF-8;
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf__module_text_init(hpf__module_text *out, hpf_str text,
                                                      hpf_error *err);
HPF_API void hpf__module_text_finish(hpf__module_text *text);

/* Stores what hpc takes for the text of a box in `out`: of several lines, one character of the last
 * line too many. Errors: RANGE, for a line that the text does not have; MEMORY. */
hpf_status hpf__module_text_part(const hpf__module_text *text, hpf__span span, hpf__buffer *out,
                                 hpf_error *err);

#endif
