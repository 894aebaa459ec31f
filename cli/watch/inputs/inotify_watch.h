/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Notifications about a file by inotify: about its name in the directory, and about the open file.
 * If inotify is not available, there are no notifications.
 *
 * Threads: only the thread of the loop.
 */
#ifndef CENSUS_WATCH_INOTIFY_WATCH_H
#define CENSUS_WATCH_INOTIFY_WATCH_H

#include "watch/loop/loop.h"

typedef struct inotify_watch inotify_watch;

/* Calls `came` once for each batch of changes. `path` is copied, `context` is borrowed; without a
 * path there are no notifications. Returns NULL without memory. */
inotify_watch *inotify_watch_create(loop *l, const char *path, void (*came)(void *context),
                                    void *context);
void inotify_watch_destroy(inotify_watch *w);

/* Watches the directory again, which may have been created or replaced. */
void inotify_watch_folder(inotify_watch *w);

/* Watches the open file under any name; -1: none. */
void inotify_watch_file(inotify_watch *w, int fd);

#endif
