/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses are found once, before anything is shown: asking for them may take seconds, and the
 * views must not stand still for that later.
 */
#include "dial.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { TRY_EVERY_S = 1, PATIENCE_S = 10 /* with a host that does not answer at all */ };

struct dial {
    loop *l;
    const dial_listener *listener;
    void *context;
    struct sockaddr_un local;
    struct addrinfo *found; /* of a host; NULL: `local` counts */
    struct addrinfo *next;  /* the one to be tried */
    int timer;
    int fd; /* of a connection that is being made; -1: none */
};

static const char unix_word[] = "unix:", tcp_word[] = "tcp:";

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

bool dial_is_address(const char *word)
{
    return begins_with(word, unix_word) || begins_with(word, tcp_word);
}

/* ---- trying ---- */

static void stop_trying(dial *d)
{
    loop_remove(d->l, d->fd);
    if (d->fd >= 0) {
        close(d->fd);
    }
    d->fd = -1;
}

/* A host's other addresses are tried at once, and then all again after a pause. */
static void refuse(dial *d, int why)
{
    stop_trying(d);
    d->next = d->next ? d->next->ai_next : NULL;
    if (d->next) {
        loop_arm(d->timer, 1e-9, 0);
        return;
    }
    d->next = d->found;
    loop_arm(d->timer, TRY_EVERY_S, 0);
    d->listener->refused(d->context, strerror(why));
}

static void settle(void *context, uint32_t epoll_events)
{
    dial *d = context;
    int error = 0;
    socklen_t n_bytes = sizeof error;
    (void)epoll_events;
    if (getsockopt(d->fd, SOL_SOCKET, SO_ERROR, &error, &n_bytes) != 0) {
        error = errno;
    }
    if (error) {
        refuse(d, error);
        return;
    }
    int fd = d->fd;
    loop_remove(d->l, fd);
    loop_arm(d->timer, 0, 0);
    d->fd = -1;
    d->next = d->found;
    d->listener->connected(d->context, fd);
}

static int open_socket(const dial *d)
{
    int family = d->next ? d->next->ai_family : AF_UNIX;
    int yes = 1;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && d->next) {
        (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    }
    return fd;
}

static int start_connecting(const dial *d)
{
    return d->next ? connect(d->fd, d->next->ai_addr, d->next->ai_addrlen)
                   : connect(d->fd, (const struct sockaddr *)&d->local, sizeof d->local);
}

/* The timer: it is time to try, or the try has taken too long. */
static void try(void *context, uint32_t epoll_events)
{
    dial *d = context;
    (void)epoll_events;
    if (d->fd >= 0) {
        refuse(d, ETIMEDOUT);
        return;
    }
    d->fd = open_socket(d);
    if (d->fd < 0 || (start_connecting(d) != 0 && errno != EINPROGRESS) ||
        !loop_add(d->l, d->fd, EPOLLOUT, settle, d)) {
        refuse(d, errno);
        return;
    }
    loop_arm(d->timer, PATIENCE_S, 0);
}

void dial_again(dial *d)
{
    loop_arm(d->timer, TRY_EVERY_S, 0);
}

/* ---- addresses ---- */

static bool read_path(dial *d, const char *path, char *complaint, size_t room)
{
    d->local.sun_family = AF_UNIX;
    if (!*path || strlen(path) >= sizeof d->local.sun_path) {
        snprintf(complaint, room, "an address is unix:PATH, of 1 to %zu bytes",
                 sizeof d->local.sun_path - 1);
        return false;
    }
    memcpy(d->local.sun_path, path, strlen(path) + 1);
    return true;
}

/* "HOST:PORT" or "[HOST]:PORT", cut up in place. */
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

static bool find_host(dial *d, const char *address, char *complaint, size_t room)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    char text[300];
    char *host, *port;
    snprintf(text, sizeof text, "%s", address);
    if (!cut_host(text, &host, &port)) {
        snprintf(complaint, room, "an address is tcp:HOST:PORT or tcp:[HOST]:PORT");
        return false;
    }
    int error = getaddrinfo(host, port, &wanted, &d->found);
    if (error) {
        snprintf(complaint, room, "%s, port %s: %s", host, port, gai_strerror(error));
        return false;
    }
    d->next = d->found;
    return true;
}

static bool read_address(dial *d, const char *word, char *complaint, size_t room)
{
    return begins_with(word, unix_word) ? read_path(d, word + sizeof unix_word - 1, complaint, room)
                                        : find_host(d, word + sizeof tcp_word - 1, complaint, room);
}

dial *dial_create(loop *l, const char *word, const dial_listener *listener, void *context,
                  char *complaint, size_t complaint_bytes)
{
    dial *d = calloc(1, sizeof *d);
    snprintf(complaint, complaint_bytes, "out of memory");
    if (!d) {
        return NULL;
    }
    *d = (dial){.l = l, .listener = listener, .context = context, .fd = -1};
    d->timer = loop_add_timer(l, try, d);
    if (d->timer < 0 || !read_address(d, word, complaint, complaint_bytes)) {
        dial_destroy(d);
        return NULL;
    }
    loop_arm(d->timer, 1e-9, 0);
    return d;
}

void dial_destroy(dial *d)
{
    if (!d) {
        return;
    }
    stop_trying(d);
    loop_remove(d->l, d->timer);
    if (d->found) {
        freeaddrinfo(d->found);
    }
    free(d);
}
