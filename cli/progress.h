/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A line on the terminal while reading takes long; nothing anywhere else.
 */
#ifndef CENSUS_PROGRESS_H
#define CENSUS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool is_terminal; /* standard error is one */
    bool is_shown;    /* a line stands there */
    double due_s;     /* the monotonic clock's time of the next line */
} progress;

progress progress_begin(void);

/* To be called now and then; prints at most ten times a second, and not before a second has passed.
 * `name` is of what is read. `total_bytes` 0: unknown. */
void progress_show(progress *line, const char *name, uint64_t done_bytes, uint64_t total_bytes);

/* Wipes the line, at the end or because something else is to be printed. */
void progress_wipe(progress *line);

#endif
