/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A connection to a program that may not listen yet, and may go and come back: `unix:PATH` or
 * `tcp:HOST:PORT`. It is tried once a second; of several addresses of a host, one after the other.
 *
 * Threads: one thread, that of the loop.
 */
#ifndef CENSUS_WATCH_CONNECTOR_H
#define CENSUS_WATCH_CONNECTOR_H

#include <stdbool.h>

#include "watch/loop/loop.h"

typedef struct connector connector;

typedef struct connector_listener {
    /* The connection stands; the descriptor is the listener's. Nothing is tried any more until
     * connector_retry. */
    void (*connected)(void *context, int fd);
    /* It does not, and why: the text lasts for the call. It is tried again. */
    void (*refused)(void *context, const char *why);
} connector_listener;

/* Whether `word` is of that kind. */
bool connector_is_address(const char *word);

/* Begins to try. `word` and `context` are borrowed. NULL with a message in `complaint` for an
 * address that is none, a host that does not exist, and without memory. */
connector *connector_create(loop *l, const char *word, const connector_listener *listener,
                            void *context, char *complaint, size_t complaint_bytes);
void connector_destroy(connector *c);

/* The connection has ended: tries again. */
void connector_retry(connector *c);

#endif
