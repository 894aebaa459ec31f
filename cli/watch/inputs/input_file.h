/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile in a file, with its sidecar file.
 *
 * A profile has no end marker. It is complete when it has not grown for a second and no process has
 * it open for writing, if it has a sample or had a writer before. If the system cannot tell who has
 * it open (files of other users, network file systems), it is complete after 30 seconds without
 * growth, if options->once is set. A complete profile that grows again is resumed; it is restarted
 * only if it had ended inside a sample, or is an event log.
 */
#ifndef CENSUS_WATCH_INPUT_FILE_H
#define CENSUS_WATCH_INPUT_FILE_H

#include "watch_input.h"

/* Returns NULL after a message. */
watch_input *input_file_create(const char *path, const watch_input_options *options);

/* Ends the profile; its writer is in this process. Returns false if there is no file or it is
 * empty. */
bool input_file_end(watch_input *in);

/* Reads the log of another process of the recording, from its start. */
void input_file_choose(watch_input *in, uint32_t process);

#endif
