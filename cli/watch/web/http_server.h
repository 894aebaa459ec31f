/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The HTTP server: the page, and for each viewer a stream of events from one ring. It runs in an
 * event loop and never blocks.
 */
#ifndef CENSUS_WATCH_HTTP_SERVER_H
#define CENSUS_WATCH_HTTP_SERVER_H

#include "hpfile/sink.h"

#include "http_guard.h"
#include "http_listen.h"
#include "http_pprof.h"
#include "http_ring.h"
#include "watch/loop/loop.h"

typedef struct http_server http_server;

/* Pointers are borrowed for the life of the server. */
typedef struct http_server_options {
    const http_guard *guard;
    const http_listener *listener;
    hpf_str page;            /* empty: `scraped` writes it at each request */
    const char *page_policy; /* its Content-Security-Policy */
    const http_ring *ring;   /* NULL: there are no viewers, commands and files */
    const char *instance;    /* prefix of event ids */
    /* A viewer connects, with all messages up to `number` if `is_resumed`, else with none. Must
     * ensure that the ring has a base or continues from there. */
    void (*joined)(void *context, bool is_resumed, uint64_t number);
    /* Handles a command. Returns the HTTP status. */
    unsigned (*commanded)(void *context, const char *command);
    /* Writes the lines of a file PROFILE/FILE, or the answer to a question. Returns false if there
     * can be none. */
    bool (*answered)(void *context, http_place where, const char *what, hpf_sink *sink);
    /* Returns why there is no data of a process alone; NULL if there is. */
    const char *(*refused)(void *context, uint32_t process_id);
    /* Begins the measurement of a place of /debug/pprof; NULL: there can be none. `process_id` is
     * 0, or the only process. `*seconds` is how long the request wants it to last, 0: it does not
     * say that; set to 0 if it is over. */
    http_costs *(*measured)(void *context, http_place where, uint32_t process_id,
                            unsigned *seconds);
    /* Writes the data of a place, by its measurement if there is one. Returns false without data.
     */
    bool (*scraped)(void *context, http_place where, http_costs *measured, hpf_sink *sink);
    void *context;
    size_t most_viewers;
    double heartbeat_s; /* interval of heartbeats */
    double patience_s;  /* shortest time without progress after which a connection is closed */
} http_server_options;

/* Starts the server. Errors: IO, MEMORY. */
HPF_MUST_USE hpf_status http_server_create(http_server **out, loop *l,
                                           const http_server_options *options, hpf_error *err);

/* Waits up to `linger_s` seconds for viewers to receive the ring, then stops. Accepts NULL. */
void http_server_destroy(http_server *server, double linger_s);

size_t http_server_n_viewers(const http_server *server);

/* Notifies viewers of new messages in the ring. */
void http_server_wake(http_server *server);

#endif
