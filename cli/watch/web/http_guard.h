/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Who may ask the http view for what. There are three places: the page, the events that it reads,
 * and the commands that it sends. All lie below a secret, and a request shows that it knows the
 * secret by naming them. No file is ever opened by a name that came in a request.
 *
 * The Host of a request must be one of ours: a page of the web whose name is made to point at this
 * machine (DNS rebinding) sends its own name. The port is not compared: forwarded ports have other
 * numbers, and say nothing of who asks. A command is not taken from pages of other origins, either.
 */
#ifndef CENSUS_WATCH_HTTP_GUARD_H
#define CENSUS_WATCH_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "http_token.h"

enum { HTTP_MOST_HEADERS = 100 };

/* What is secret, and which hosts are ours: localhost, the addresses of the loopback, and: */
typedef struct http_guard {
    char token[HTTP_TOKEN_LENGTH + 1];
    char name[256];         /* as it stands in a URL, an IPv6 address in brackets; "" for none */
    bool has_all_addresses; /* any address, which nobody can make point elsewhere */
} http_guard;

/* What counts of a request; texts are terminated, and absent ones NULL. */
typedef struct http_request {
    const char *method;
    const char *path; /* decoded, without the query */
    const char *host;
    size_t n_hosts;     /* how many there are */
    const char *origin; /* of the page that asks; programs that are no browsers send none */
    size_t n_origins;
    size_t n_headers;
    bool has_body;
} http_request;

typedef enum http_place {
    HTTP_NOWHERE,
    HTTP_PAGE,    /* /TOKEN/ */
    HTTP_EVENTS,  /* /TOKEN/events */
    HTTP_CONTROL, /* /TOKEN/control/COMMAND; only this one takes POST, and nothing else */
} http_place;

/* The place that a path names. Takes equally long for all wrong tokens. */
http_place http_guard_place(const http_guard *guard, const char *path);

/* What stands behind `control/` in a path whose place is HTTP_CONTROL. */
const char *http_guard_command(const char *path);

bool http_guard_knows_host(const http_guard *guard, const char *host);

/* The status of the answer: 200 and where it is, 400, 403, 404, 405 or 431. */
unsigned http_guard_judge(const http_guard *guard, const http_request *request, http_place *where);

#endif
