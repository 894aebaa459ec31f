/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The server of the http view: the page, and for each viewer a stream of events out of one ring.
 * It is a guest in a loop: it never waits, least of all for a viewer who does not read.
 */
#ifndef CENSUS_WATCH_HTTP_SERVER_H
#define CENSUS_WATCH_HTTP_SERVER_H

#include "http_guard.h"
#include "http_listen.h"
#include "http_ring.h"
#include "watch/loop/loop.h"

typedef struct http_server http_server;

/* Everything that is pointed to is borrowed for the server's life. */
typedef struct http_server_options {
    const http_guard *guard;
    const http_listener *listener;
    hpf_str page;
    const char *page_policy; /* its Content-Security-Policy */
    const http_ring *ring;
    const char *instance; /* what ids of events begin with */
    /* A viewer comes, who knows all messages up to `number` if `is_resumed`, and else none. When
     * this returns the ring must have a base, or go on from there. */
    void (*joined)(void *context, bool is_resumed, uint64_t number);
    /* A command that somebody sends who may, as it stands in the path. The status of the answer. */
    unsigned (*commanded)(void *context, const char *command);
    void *context;
    size_t most_viewers;
    double heartbeat_s; /* how often something is sent in any case */
    double patience_s;  /* how long nothing need move until a connection is dropped, at least */
} http_server_options;

/* UNSUPPORTED when libmicrohttpd is not there. */
HPF_MUST_USE hpf_status http_server_create(http_server **out, loop *l,
                                           const http_server_options *options, hpf_error *err);

/* Gives viewers `linger_s` seconds to take what is in the ring, then ends. Accepts NULL. */
void http_server_destroy(http_server *server, double linger_s);

size_t http_server_n_viewers(const http_server *server);

/* There is something new in the ring. */
void http_server_wake(http_server *server);

#endif
