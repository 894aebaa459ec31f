/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the input that the command line names.
 */
#ifndef CENSUS_WATCH_INPUTS_H
#define CENSUS_WATCH_INPUTS_H

#include "watch_input.h"

/* Opens "-", `unix:PATH`, `tcp:HOST:PORT` or a path; a FIFO under the path is read as a stream, and
 * a file of another tool is imported. `word` and the contents of `options` are borrowed. Returns
 * NULL after a message. */
watch_input *watch_input_open(const char *word, const watch_input_options *options);

#endif
