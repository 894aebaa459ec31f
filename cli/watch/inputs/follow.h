/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A file that grows, followed by its name: it may not be there yet, be cut, be replaced by another,
 * go away and come back. It is read, never mapped.
 *
 * News come by inotify where the system has it, and once a second by looking: a file on another
 * machine changes without a word.
 *
 * The same file begins anew when it is shorter than what was read, or when what was read is no
 * longer in it: the first 4096 and the last 512 bytes of that are compared. Another file under the
 * name (by device and inode) follows when the one before has been read to its end; while there is
 * none under the name, the one that was there is read on.
 *
 * Threads: one thread, that of the loop.
 */
#ifndef CENSUS_WATCH_FOLLOW_H
#define CENSUS_WATCH_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "watch/loop/loop.h"
#include "open_writers.h"

typedef struct follow follow;

/* What the last look found. */
typedef enum follow_found {
    FOLLOW_NOTHING, /* there is no such file, and there was none */
    FOLLOW_NEWS,    /* bytes came */
    FOLLOW_SAME,    /* no more than before */
    FOLLOW_GONE,    /* the same, and there is no file under the name any more */
    FOLLOW_CLOSED,  /* there is one that we may not, or cannot, read: follow_error says why */
} follow_found;

/* Who is told, in this order. */
typedef struct follow_listener {
    /* The next byte is the first one of a file, of the first one too. */
    void (*begins)(void *context);
    void (*bytes)(void *context, const char *bytes, size_t n_bytes);
    /* After each look; at least once a second. */
    void (*looked)(void *context, follow_found found);
} follow_listener;

/* `path` and `context` are borrowed. With `is_notified`, whoever writes the file calls follow_look,
 * and no other news are needed. The first look is taken by the loop, not here. NULL when there is
 * no memory or no descriptor. */
follow *follow_create(loop *l, const char *path, bool is_notified, const follow_listener *listener,
                      void *context);
void follow_destroy(follow *f);

/* Looks at once, and until all is read. */
void follow_look(follow *f);

/* Reads the file from its beginning again; the loop does, not this. */
void follow_again(follow *f);

/* The errno of FOLLOW_CLOSED. */
int follow_error(const follow *f);

/* Who has the file open for writing; unknown while there is none. */
open_writers follow_writers(const follow *f);

#endif
