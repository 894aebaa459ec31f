/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What commands share when they write.
 */
#ifndef CENSUS_OUTPUT_H
#define CENSUS_OUTPUT_H

#include "input.h"

#include "hpfile/sink.h"

/* Bytes of a profile as text for people: what is no UTF-8, and control characters, become U+FFFD.
 */
void output_name(hpf_sink *sink, hpf_str name);

/* The same as a cell of Markdown: as code, in which only backquotes and bars would do harm. */
void output_markdown_name(hpf_sink *sink, hpf_str name);

/* A sink on the file `path`; NULL and "-" are standard output. `*name` becomes what messages call
 * it. NULL after a message. */
hpf_sink *output_open(const char *path, const char **name);

/* Says why writing from `in` to `sink` failed: the output, the input, or neither. */
void output_explain(const input *in, hpf_sink *sink, const char *name, const hpf_error *err);

/* Finishes and destroys `sink`; NULL stands for one that could not be made. Says what went wrong,
 * naming it `name`. Returns an exit status. */
int output_close(hpf_sink *sink, const char *name);

#endif
