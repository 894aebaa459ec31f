/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A connection to a program that may not listen yet, and may go and come back: `unix:PATH` or
 * `tcp:HOST:PORT`. It is tried once a second; of several addresses of a host, one after the other.
 *
 * Threads: one thread, that of the loop.
 */
#ifndef CENSUS_WATCH_DIAL_H
#define CENSUS_WATCH_DIAL_H

#include <stdbool.h>

#include "loop.h"

typedef struct dial dial;

typedef struct dial_listener {
    /* The connection stands; the descriptor is the listener's. Nothing is tried any more until
     * dial_again. */
    void (*connected)(void *context, int fd);
    /* It does not, and why: the text lasts for the call. It is tried again. */
    void (*refused)(void *context, const char *why);
} dial_listener;

/* Whether `word` is of that kind. */
bool dial_is_address(const char *word);

/* Begins to try. `word` and `context` are borrowed. NULL with a message in `complaint` for an
 * address that is none, a host that does not exist, and without memory. */
dial *dial_create(loop *l, const char *word, const dial_listener *listener, void *context,
                  char *complaint, size_t complaint_bytes);
void dial_destroy(dial *d);

/* The connection has ended: tries again. */
void dial_again(dial *d);

#endif
