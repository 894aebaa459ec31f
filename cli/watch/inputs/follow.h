/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Follows a growing file by its name. The file may not exist yet, be truncated, be replaced, be
 * removed and reappear. It is read, never mapped.
 *
 * Changes are noticed by inotify, and by checking once a second, because network file systems send
 * no notifications.
 *
 * The file is restarted if it is shorter than the bytes read, or if the first 4096 or last 512
 * bytes read have changed. Another file under the name (by device and inode) is read after the old
 * one has been read to its end. While there is no file under the name, the old one is still read.
 *
 * Threads: only the thread of the loop.
 */
#ifndef CENSUS_WATCH_FOLLOW_H
#define CENSUS_WATCH_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "watch/loop/loop.h"

typedef struct follow follow;

typedef enum open_writers { WRITERS_SOME, WRITERS_NONE, WRITERS_UNKNOWN } open_writers;

/* Result of a check. */
typedef enum follow_found {
    FOLLOW_NOTHING, /* there is no file and there was none */
    FOLLOW_NEWS,    /* bytes were read */
    FOLLOW_SAME,    /* no new bytes */
    FOLLOW_GONE,    /* no new bytes, and there is no file under the name any more */
    FOLLOW_CLOSED,  /* the file cannot be read: see follow_error */
} follow_found;

/* Callbacks, in this order. */
typedef struct follow_listener {
    /* The next byte is the first one of a file. */
    void (*begins)(void *context);
    void (*bytes)(void *context, const char *bytes, size_t n_bytes);
    /* Called after each check; at least once a second. */
    void (*looked)(void *context, follow_found found);
} follow_listener;

/* Follows `path`; `path` and `context` are borrowed. `is_notified`: the writer calls follow_look,
 * and inotify is not used. The loop makes the first check. Returns NULL without memory or
 * descriptors. */
follow *follow_create(loop *l, const char *path, bool is_notified, const follow_listener *listener,
                      void *context);
void follow_destroy(follow *f);

/* Checks now, and reads all there is. */
void follow_look(follow *f);

/* Reads the file again from its start, in the loop. */
void follow_again(follow *f);

/* Returns the errno of FOLLOW_CLOSED. */
int follow_error(const follow *f);

/* Returns whether a process has the file open for writing. UNKNOWN for files of other users, unless
 * we are root, for files on network file systems, and without a file. */
open_writers follow_writers(const follow *f);

#endif
