/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Helpers of commands that write output.
 */
#ifndef CENSUS_OUTPUT_H
#define CENSUS_OUTPUT_H

#include "input.h"

#include "hpfile/sink.h"

/* Opens a sink for the file `path`; NULL and "-" are standard output. Sets `*name` to the name for
 * messages. Returns NULL after a message. */
hpf_sink *output_open(const char *path, const char **name);

/* Prints why writing from `in` to `sink` failed: an error of the output, of the input, or `err`. */
void output_explain(const input *in, hpf_sink *sink, const char *name, const hpf_error *err);

/* Finishes and destroys `sink`; NULL means that output_open has failed. Prints errors for `name`.
 * Returns an exit status. */
int output_close(hpf_sink *sink, const char *name);

#endif
