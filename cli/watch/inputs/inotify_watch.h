/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Notice of changes around a file, by inotify: in its folder, under its name, and to the file that
 * is open. Where the system gives none, there is none, and nothing fails.
 *
 * Threads: one thread, that of the loop.
 */
#ifndef CENSUS_WATCH_INOTIFY_WATCH_H
#define CENSUS_WATCH_INOTIFY_WATCH_H

#include "watch/loop/loop.h"

typedef struct inotify_watch inotify_watch;

/* Calls `came` once for each batch of changes. `path` is copied, `context` borrowed; without a path
 * there is never any inotify_watch. NULL when there is no memory. */
inotify_watch *inotify_watch_create(loop *l, const char *path, void (*came)(void *context),
                                    void *context);
void inotify_watch_destroy(inotify_watch *w);

/* Looks after the folder, which may not have been there, or may be another by now. */
void inotify_watch_folder(inotify_watch *w);

/* The file that is open, whatever it is called now; -1: none. */
void inotify_watch_file(inotify_watch *w, int fd);

#endif
