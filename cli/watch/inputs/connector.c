/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Host names are resolved once, before anything is shown, because that may take seconds during
 * which views could not be updated.
 */
#include "connector.h"

#include "base/descriptor.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { TRY_EVERY_S = 1, PATIENCE_S = 10 /* for a host that does not answer */ };

struct connector {
    loop *l;
    const connector_listener *listener;
    void *context;
    struct sockaddr_un local;
    struct addrinfo *found; /* of a host; NULL: use `local` */
    struct addrinfo *next;  /* next address to try */
    int timer;
    int fd; /* socket that is connecting; -1: none */
};

static const char unix_word[] = "unix:", tcp_word[] = "tcp:";

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

bool connector_is_address(const char *word)
{
    return begins_with(word, unix_word) || begins_with(word, tcp_word);
}

/* ---- trying ---- */

static void stop_trying(connector *c)
{
    loop_remove(c->l, c->fd);
    hpf__close(c->fd);
    c->fd = -1;
}

/* Tries the next address of the host at once, or all again after a pause. */
static void refuse(connector *c, int why)
{
    stop_trying(c);
    c->next = c->next ? c->next->ai_next : NULL;
    if (c->next) {
        loop_arm(c->timer, 1e-9, 0);
        return;
    }
    c->next = c->found;
    loop_arm(c->timer, TRY_EVERY_S, 0);
    c->listener->refused(c->context, strerror(why));
}

static void settle(void *context, uint32_t epoll_events)
{
    connector *c = context;
    int error = 0;
    socklen_t n_bytes = sizeof error;
    (void)epoll_events;
    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &n_bytes) != 0) {
        error = errno;
    }
    if (error) {
        refuse(c, error);
        return;
    }
    int fd = c->fd;
    loop_remove(c->l, fd);
    loop_arm(c->timer, 0, 0);
    c->fd = -1;
    c->next = c->found;
    c->listener->connected(c->context, fd);
}

static int open_socket(const connector *c)
{
    int family = c->next ? c->next->ai_family : AF_UNIX;
    int yes = 1;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && c->next) {
        (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    }
    return fd;
}

static int start_connecting(const connector *c)
{
    return c->next ? connect(c->fd, c->next->ai_addr, c->next->ai_addrlen)
                   : connect(c->fd, (const struct sockaddr *)&c->local, sizeof c->local);
}

/* Called by the timer: starts an attempt, or ends one that took too long. */
static void try(void *context, uint32_t epoll_events)
{
    connector *c = context;
    (void)epoll_events;
    if (c->fd >= 0) {
        refuse(c, ETIMEDOUT);
        return;
    }
    c->fd = open_socket(c);
    if (c->fd < 0 || (start_connecting(c) != 0 && errno != EINPROGRESS) ||
        !loop_add(c->l, c->fd, EPOLLOUT, settle, c)) {
        refuse(c, errno);
        return;
    }
    loop_arm(c->timer, PATIENCE_S, 0);
}

void connector_retry(connector *c)
{
    loop_arm(c->timer, TRY_EVERY_S, 0);
}

/* ---- addresses ---- */

static bool read_path(connector *c, const char *path, char *complaint, size_t room)
{
    c->local.sun_family = AF_UNIX;
    if (!*path || strlen(path) >= sizeof c->local.sun_path) {
        snprintf(complaint, room, "expected unix:PATH with a path of 1 to %zu bytes",
                 sizeof c->local.sun_path - 1);
        return false;
    }
    memcpy(c->local.sun_path, path, strlen(path) + 1);
    return true;
}

/* Splits "HOST:PORT" or "[HOST]:PORT" in place. */
static bool cut_host(char *text, char **host, char **port)
{
    char *colon = strrchr(text, ':');
    if (!colon || colon == text || !colon[1]) {
        return false;
    }
    *colon = '\0';
    *port = colon + 1;
    *host = text;
    if (*text == '[' && colon[-1] == ']') {
        colon[-1] = '\0';
        *host = text + 1;
    }
    return **host != '\0';
}

static bool find_host(connector *c, const char *address, char *complaint, size_t room)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    char text[300];
    char *host, *port;
    snprintf(text, sizeof text, "%s", address);
    if (!cut_host(text, &host, &port)) {
        snprintf(complaint, room, "expected tcp:HOST:PORT or tcp:[HOST]:PORT");
        return false;
    }
    int error = getaddrinfo(host, port, &wanted, &c->found);
    if (error) {
        snprintf(complaint, room, "%s, port %s: %s", host, port, gai_strerror(error));
        return false;
    }
    c->next = c->found;
    return true;
}

connector *connector_create(loop *l, const char *word, const connector_listener *listener,
                            void *context, char *complaint, size_t complaint_bytes)
{
    connector *c = calloc(1, sizeof *c);
    snprintf(complaint, complaint_bytes, "out of memory");
    if (!c) {
        return NULL;
    }
    *c = (connector){.l = l, .listener = listener, .context = context, .fd = -1};
    c->timer = loop_add_timer(l, try, c);
    bool is_valid = begins_with(word, unix_word)
                        ? read_path(c, word + sizeof unix_word - 1, complaint, complaint_bytes)
                        : find_host(c, word + sizeof tcp_word - 1, complaint, complaint_bytes);
    if (c->timer < 0 || !is_valid) {
        connector_destroy(c);
        return NULL;
    }
    loop_arm(c->timer, 1e-9, 0);
    return c;
}

void connector_destroy(connector *c)
{
    if (!c) {
        return;
    }
    stop_trying(c);
    loop_remove(c->l, c->timer);
    if (c->found) {
        freeaddrinfo(c->found);
    }
    free(c);
}
