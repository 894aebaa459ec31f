/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Connects to `unix:PATH` or `tcp:HOST:PORT`, where the server may not be listening yet. Tries once
 * a second; the addresses of a host are tried in turn.
 *
 * Threads: only the thread of the loop.
 */
#ifndef CENSUS_WATCH_CONNECTOR_H
#define CENSUS_WATCH_CONNECTOR_H

#include <stdbool.h>

#include "watch/loop/loop.h"

typedef struct connector connector;

typedef struct connector_listener {
    /* Connected; the listener owns the descriptor. Nothing is tried until connector_retry. */
    void (*connected)(void *context, int fd);
    /* Failed, and will be retried. The text lasts for the call. */
    void (*refused)(void *context, const char *why);
} connector_listener;

/* Returns whether `word` is such an address. */
bool connector_is_address(const char *word);

/* Starts to connect. `word` and `context` are borrowed. Returns NULL with a message in `complaint`
 * for an invalid address, an unknown host, or without memory. */
connector *connector_create(loop *l, const char *word, const connector_listener *listener,
                            void *context, char *complaint, size_t complaint_bytes);
void connector_destroy(connector *c);

/* Connects again after the end of a connection. */
void connector_retry(connector *c);

#endif
