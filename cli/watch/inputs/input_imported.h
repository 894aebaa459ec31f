/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A finished profile of another tool, in a file. It is read once; changes of the file are not
 * followed.
 */
#ifndef CENSUS_WATCH_INPUT_IMPORTED_H
#define CENSUS_WATCH_INPUT_IMPORTED_H

#include "watch_input.h"

/* The file has a format that input_is_imported accepts. Its profile borrows from the input, which
 * must live until the watch is destroyed. Returns NULL after a message. */
watch_input *input_imported_create(const char *path, const watch_input_options *options);

#endif
