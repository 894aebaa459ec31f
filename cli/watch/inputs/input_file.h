/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile in a file, with the file of lines beside it, if there is one.
 *
 * A profile has no mark at its end. It is taken for complete when for a second it has not grown
 * and no process has it open for writing, provided that it holds a sample or was seen to have a
 * writer before. Where the system cannot tell who has it open (a file of another user, one that
 * another machine may write to), it is taken for complete after 30 seconds without growth, if the
 * watch is for one profile only (options->once); and everywhere after options->idle_s, if that is
 * given. One that grows after all goes on; it begins anew only if it had ended in the middle of a
 * sample, and as an event log.
 */
#ifndef CENSUS_WATCH_INPUT_FILE_H
#define CENSUS_WATCH_INPUT_FILE_H

#include "watch_input.h"

/* NULL after a message. */
watch_input *input_file_create(const char *path, const watch_input_options *options);

/* Its writer, who is in this process, says that it is complete. False: there is nothing in it, or
 * no such file, yet. */
bool input_file_end(watch_input *in);

#endif
