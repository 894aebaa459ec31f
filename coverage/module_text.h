/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a module in lines, and the parts of it that boxes name. A column is a character.
 */
#ifndef HPC_MODULE_TEXT_H
#define HPC_MODULE_TEXT_H

#include "base/buffer.h"
#include "coverage/mix.h"

/* All zero is empty. */
typedef struct hpc_module_text {
    hpf_str text;   /* borrowed */
    size_t *starts; /* of the lines: offsets in the text */
    size_t n_lines, capacity;
} hpc_module_text;

/* Finds the lines of a text. Errors, with their place: SYNTAX, for bytes that are not UTF-8;
 * MEMORY. */
HPF_MUST_USE hpf_status hpc_module_text_init(hpc_module_text *out, hpf_str text, hpf_error *err);
void hpc_module_text_finish(hpc_module_text *text);

/* Stores what hpc takes for the text of a box in `out`: of several lines, one character of the last
 * line too many. Errors: RANGE, for a line that the text does not have; MEMORY. */
hpf_status hpc_module_text_part(const hpc_module_text *text, hpc_span span, hpf__buffer *out,
                                hpf_error *err);

#endif
