/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the socket that the server listens on: an address of this machine, or a path.
 */
#ifndef CENSUS_WATCH_HTTP_LISTEN_H
#define CENSUS_WATCH_HTTP_LISTEN_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "hpfile/error.h"

typedef struct http_listener {
    int fd;                /* non-blocking */
    bool is_loopback;      /* only this machine can connect, as for a path */
    bool is_every_address; /* listens on all addresses */
    char host[256];        /* as in a URL; the name of the machine for all addresses */
    unsigned port;         /* 0: a path */
    char path[108];        /* path of the socket, or "" */
    dev_t device;
    ino_t inode;
} http_listener;

/* Listens on `where`: ADDR:PORT, [ADDR]:PORT, ADDR, :PORT, PORT, or unix:PATH. Without an address,
 * and for NULL or "", the address is 127.0.0.1; without a port, or with port 0, the system chooses
 * one. A socket at PATH that is not in use is replaced; the new one is accessible only to its
 * owner. Errors: ARGUMENT for an invalid `where`, IO. */
HPF_MUST_USE hpf_status http_listen(http_listener *out, const char *where, hpf_error *err);

/* Closes the socket, and removes its path unless it was replaced. */
void http_listener_close(http_listener *listener);

/* Writes the URL of `path`, which starts with "/", cut at `room` bytes with the NUL. */
void http_listener_url(const http_listener *listener, const char *path, char *out, size_t room);

#endif
