/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A finished profile in a file: one of another tool, or a compressed one. It is read once; changes
 * of the file are not followed.
 */
#ifndef CENSUS_WATCH_INPUT_FINISHED_H
#define CENSUS_WATCH_INPUT_FINISHED_H

#include "input.h"
#include "watch_input.h"

/* Returns whether an opened file is such a profile. */
bool input_is_finished(const input *file);

/* Reads the file, which the result then owns; it must live until the watch is destroyed, because
 * the profile borrows from it. Closes it and returns NULL after a message. */
watch_input *input_finished_create(input *file, const watch_input_options *options);

#endif
