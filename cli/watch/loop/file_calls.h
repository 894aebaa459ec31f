/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a profile that was read as it grew leaves out: whole stacks, with the lines of calls. They
 * are in its file, which is read again when the profile has ended.
 */
#ifndef CENSUS_WATCH_FILE_CALLS_H
#define CENSUS_WATCH_FILE_CALLS_H

#include "hpfile/live.h"

typedef struct file_calls file_calls;

/* Returns NULL without memory. */
file_calls *file_calls_create(const char *path);
void file_calls_destroy(file_calls *calls); /* accepts NULL */

/* Returns a survey of the file with these options of its live profile, borrowed until the file
 * grows. NULL if it cannot be read, or has nothing that the live profile leaves out. Only the first
 * call reads the file. */
hpf_survey *file_calls_survey(file_calls *calls, const hpf_live_options *options);

/* Returns HPR_N_RESIDENT surveys of the resident set in the file that was read, or NULL for each.
 */
hpf_survey *const *file_calls_resident(const file_calls *calls);

/* Returns the file that was read, with its format; NULL if none was. */
hpf_source *file_calls_source(const file_calls *calls, const hpf_format **format);

/* The file has grown, or is another one. */
void file_calls_forget(file_calls *calls);

#endif
