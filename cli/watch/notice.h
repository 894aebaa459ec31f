/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Notice of changes around a file, by inotify: in its folder, under its name, and to the file that
 * is open. Where the system gives none, there is none, and nothing fails.
 *
 * Threads: one thread, that of the loop.
 */
#ifndef CENSUS_WATCH_NOTICE_H
#define CENSUS_WATCH_NOTICE_H

#include "loop.h"

typedef struct notice notice;

/* Calls `came` once for each batch of changes. `path` is copied, `context` borrowed; without a path
 * there is never any notice. NULL when there is no memory. */
notice *notice_create(loop *l, const char *path, void (*came)(void *context), void *context);
void notice_destroy(notice *n);

/* Looks after the folder, which may not have been there, or may be another by now. */
void notice_folder(notice *n);

/* The file that is open, whatever it is called now; -1: none. */
void notice_file(notice *n, int fd);

#endif
