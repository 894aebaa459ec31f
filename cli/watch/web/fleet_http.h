/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The address of `census attach --all`: /metrics and /debug/pprof of many processes that come and
 * go, and a page that lists them.
 */
#ifndef CENSUS_WATCH_FLEET_HTTP_H
#define CENSUS_WATCH_FLEET_HTTP_H

#include "hpprof/collector.h"

#include "watch/loop/loop.h"

typedef struct fleet_http fleet_http;

/* A process, as the page and labels name it. */
typedef struct fleet_process {
    uint32_t process_id;
    const char *program, *command;
    const char *refused; /* why it is not profiled; NULL: it is */
} fleet_process;

/* Pointers are borrowed for the life of the address. */
typedef struct fleet_http_options {
    const char *where;      /* see http_listen.h; NULL: the loopback address */
    const char *token_file; /* NULL: a new secret each time */
    const char *pattern;    /* that chooses the processes */
    /* Stores a process; `index` counts from 0. Returns false after the last one. */
    bool (*process)(void *context, size_t index, fleet_process *out);
    void *context;
} fleet_http_options;

/* Starts the server and prints its URL on standard error. Returns NULL after a message. */
fleet_http *fleet_http_create(loop *l, const fleet_http_options *options);
/* Accepts NULL. */
void fleet_http_destroy(fleet_http *f);

/* Sets the collector, which must live as long. */
void fleet_http_attach(fleet_http *f, const hpp_collector *collector);

/* Keeps who killed a process that has ended, of the last ones that were killed. */
void fleet_http_ended(fleet_http *f, const char *program, const hpp_process_figures *figures);

/* Stores the address as "HOST:PORT"; it must not be a path. */
void fleet_http_address(const fleet_http *f, char *out, size_t room);

#endif
