/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Decides which requests are allowed. There are the page, its events, the text of the program,
 * answers to questions, and commands, all below a secret path, and data for servers, /metrics and
 * /debug/pprof/..., below the secret path or with the secret as a bearer token. No path of a file
 * is ever taken from a request: view_http.c.
 *
 * The Host of a request must be ours. A web page whose name is made to resolve to this machine (DNS
 * rebinding) sends its own name. The port is not compared, because forwarded ports differ. Commands
 * from pages of other origins are rejected as well.
 */
#ifndef CENSUS_WATCH_HTTP_GUARD_H
#define CENSUS_WATCH_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include "hpfile/error.h"

/* The secret in the URL of the browser view. */

enum {
    HTTP_TOKEN_BYTES = 16,
    HTTP_TOKEN_LENGTH = 2 * HTTP_TOKEN_BYTES, /* in lower-case hexadecimal digits */
};

/* Writes `n_bytes` random bytes, at most HTTP_TOKEN_BYTES, as hexadecimal digits and a NUL. Returns
 * false with errno. */
bool http_make_secret(char *out, size_t n_bytes);

/* Reads the token from the first line of the file `path`. If the file does not exist, creates it
 * with a new token, readable only by its owner. Errors: IO; ARGUMENT if the content is invalid or
 * others can read the file. */
HPF_MUST_USE hpf_status http_token_from_file(char out[HTTP_TOKEN_LENGTH + 1], const char *path,
                                             hpf_error *err);

enum { HTTP_MOST_HEADERS = 100 };

/* The secret, and the allowed hosts: localhost, loopback addresses, and these. */
typedef struct http_guard {
    char token[HTTP_TOKEN_LENGTH + 1];
    char name[256];         /* as in a URL, with brackets around IPv6 addresses; "" for none */
    bool has_all_addresses; /* allow any address: addresses cannot be rebound */
} http_guard;

/* The relevant parts of a request; texts are terminated, absent ones NULL. */
typedef struct http_request {
    const char *method;
    const char *path; /* without the query */
    const char *host;
    size_t n_hosts;     /* number of Host headers */
    const char *origin; /* origin of the page; only browsers send it */
    size_t n_origins;
    size_t n_headers;
    const char *authorization; /* "Bearer TOKEN" */
    bool has_body;
} http_request;

typedef enum http_place {
    HTTP_NOWHERE,
    HTTP_PAGE,   /* /TOKEN/ */
    HTTP_EVENTS, /* /TOKEN/events */
    /* Below /TOKEN, or with a bearer token: */
    HTTP_METRICS,  /* /metrics */
    HTTP_HEAP,     /* /debug/pprof/heap */
    HTTP_ALLOCS,   /* /debug/pprof/allocs */
    HTTP_PROFILE,  /* /debug/pprof/profile */
    HTTP_SOURCE,   /* /TOKEN/source/PROFILE/FILE */
    HTTP_QUESTION, /* /TOKEN/question/TEXT */
    HTTP_CONTROL,  /* /TOKEN/control/COMMAND; only this one takes POST, and nothing else */
} http_place;

/* Returns the text after `control/`, `source/` or `question/` in a path whose place is one of
 * these. */
const char *http_guard_rest(const char *path);

bool http_guard_knows_host(const http_guard *guard, const char *host);

/* Returns the status of the answer: 200 with the place, 400, 401, 403, 404, 405 or 431. */
unsigned http_guard_judge(const http_guard *guard, const http_request *request, http_place *where);

#endif
