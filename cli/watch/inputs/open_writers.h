/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out whether a process has a file open for writing.
 */
#ifndef CENSUS_WATCH_OPEN_WRITERS_H
#define CENSUS_WATCH_OPEN_WRITERS_H

typedef enum open_writers { WRITERS_SOME, WRITERS_NONE, WRITERS_UNKNOWN } open_writers;

/* Checks the file at `fd`, which is open for reading only. Returns UNKNOWN for files of other
 * users, unless we are root, and for files on network file systems. */
open_writers open_writers_of(int fd);

#endif
