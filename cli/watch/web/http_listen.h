/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where the http view listens: an address of this machine, or a socket in the file system.
 */
#ifndef CENSUS_WATCH_HTTP_LISTEN_H
#define CENSUS_WATCH_HTTP_LISTEN_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "hpfile/error.h"

typedef struct http_listener {
    int fd;                /* does not block */
    bool is_loopback;      /* only this machine can reach it; so for sockets in the file system */
    bool is_every_address; /* of this machine */
    char host[256];        /* as it stands in a URL; for every address the machine's name */
    unsigned port;         /* 0: a socket in the file system */
    char path[108];        /* of which this is the path, else "" */
    dev_t device;
    ino_t inode;
} http_listener;

/* Listens. `where` is ADDR:PORT, [ADDR]:PORT, ADDR, :PORT, PORT, or unix:PATH; NULL or empty is the
 * same as 127.0.0.1, which is also the address when there is none. Port 0, and none, is one that
 * the system chooses. A socket at PATH that nobody listens at is replaced; the new one is for its
 * owner alone. Errors: ARGUMENT for what is no such text, IO. */
HPF_MUST_USE hpf_status http_listen(http_listener *out, const char *where, hpf_error *err);

/* Closes it; the file goes, unless another one stands in its place. */
void http_listener_close(http_listener *listener);

/* The URL of `path` (from "/" on), cut at `room` bytes with the NUL. */
void http_listener_url(const http_listener *listener, const char *path, char *out, size_t room);

#endif
