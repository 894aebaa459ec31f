/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether anybody has a file open for writing.
 */
#ifndef CENSUS_WATCH_OPEN_WRITERS_H
#define CENSUS_WATCH_OPEN_WRITERS_H

typedef enum open_writers { WRITERS_SOME, WRITERS_NONE, WRITERS_UNKNOWN } open_writers;

/* Of the file at `fd`, which is open for reading only. Unknown for the files of others, unless we
 * are root, and for those on other machines. */
open_writers open_writers_of(int fd);

#endif
