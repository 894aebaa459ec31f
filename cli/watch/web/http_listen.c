/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A socket at a path gets its mode before it is bound, so that other users can never connect.
 */
#include "http_listen.h"

#include "base/descriptor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 64 };

static const char unix_prefix[] = "unix:";

static int make_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Closes a socket without changing errno. Returns -1. */
static int give_up(int fd)
{
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

/* ---- paths ---- */

/* Returns whether `address` is a socket that is not in use. */
static bool is_stale(const struct sockaddr_un *address)
{
    struct stat st;
    if (lstat(address->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode)) {
        return false;
    }
    int fd = make_socket(AF_UNIX);
    bool is_refused = fd >= 0 &&
                      connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                      errno == ECONNREFUSED;
    hpf__close(fd);
    return is_refused;
}

static bool bind_path(int fd, const struct sockaddr_un *address)
{
    const struct sockaddr *a = (const struct sockaddr *)address;
    if (bind(fd, a, sizeof *address) == 0) {
        return true;
    }
    if (errno != EADDRINUSE) {
        return false;
    }
    bool can_replace = is_stale(address) && unlink(address->sun_path) == 0;
    errno = EADDRINUSE;
    return can_replace && bind(fd, a, sizeof *address) == 0;
}

static int open_path(const struct sockaddr_un *address)
{
    int fd = make_socket(AF_UNIX);
    if (fd < 0) {
        return -1;
    }
    if (fchmod(fd, S_IRUSR | S_IWUSR) != 0 || !bind_path(fd, address)) {
        return give_up(fd);
    }
    if (listen(fd, BACKLOG) != 0) {
        unlink(address->sun_path);
        return give_up(fd);
    }
    return fd;
}

static hpf_status listen_at_path(http_listener *out, const char *path, hpf_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof address.sun_path) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "the path of a socket must have 1 to %zu bytes",
                             sizeof address.sun_path - 1);
    }
    memcpy(address.sun_path, path, n + 1);
    memcpy(out->path, path, n + 1);
    strcpy(out->host, "localhost");
    out->is_loopback = true;
    out->fd = open_path(&address);
    struct stat st;
    if (out->fd < 0 || lstat(path, &st) != 0) {
        return hpf_error_set_os(err, errno, "cannot listen on %s", path);
    }
    out->device = st.st_dev;
    out->inode = st.st_ino;
    return HPF_OK;
}

/* ---- addresses ---- */

typedef struct host_port {
    char host[256]; /* without brackets */
    char port[8];
} host_port;

/* Returns the end of the address: a colon or the end of the text; NULL for a misplaced bracket. A
 * text with several colons and no bracket is an IPv6 address; digits alone are a port. */
static const char *end_of_host(const char *where)
{
    const char *colon = strchr(where, ':');
    if (where[0] == '[') {
        const char *bracket = strchr(where, ']');
        return bracket && (!bracket[1] || bracket[1] == ':') ? bracket + 1 : NULL;
    }
    if (colon) {
        return strchr(colon + 1, ':') ? where + strlen(where) : colon;
    }
    return where + (where[strspn(where, "0123456789")] ? strlen(where) : 0);
}

/* Splits ADDR:PORT. */
static bool split(const char *where, host_port *out)
{
    const char *end = end_of_host(where);
    if (!end) {
        return false;
    }
    size_t bracket = where[0] == '[';
    size_t n = (size_t)(end - where) - 2 * bracket;
    const char *port = end + (*end == ':');
    if (n >= sizeof out->host || strlen(port) > 5 || strspn(port, "0123456789") != strlen(port)) {
        return false;
    }
    memcpy(out->host, where + bracket, n);
    out->host[n] = '\0';
    strcpy(out->port, *port ? port : "0");
    return strtol(out->port, NULL, 10) <= 65535;
}

static int open_address(const struct addrinfo *at)
{
    int yes = 1;
    int fd = make_socket(at->ai_family);
    if (fd < 0) {
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, at->ai_addr, at->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
        return give_up(fd);
    }
    return fd;
}

/* Stores the address of the socket. */
static void look_up_address(http_listener *out)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } a = {.any = {0}};
    socklen_t size = sizeof a;
    getsockname(out->fd, &a.any, &size);
    if (a.any.sa_family == AF_INET6) {
        out->port = ntohs(a.six.sin6_port);
        out->is_loopback = IN6_IS_ADDR_LOOPBACK(&a.six.sin6_addr);
        out->is_every_address = IN6_IS_ADDR_UNSPECIFIED(&a.six.sin6_addr);
    } else {
        out->port = ntohs(a.four.sin_port);
        out->is_loopback = ntohl(a.four.sin_addr.s_addr) >> 24 == 127;
        out->is_every_address = a.four.sin_addr.s_addr == htonl(INADDR_ANY);
    }
}

static void name_host(http_listener *out, const char *host)
{
    char own[sizeof out->host - 2] = "";
    if (out->is_every_address && gethostname(own, sizeof own - 1) == 0 && own[0]) {
        host = own;
    }
    snprintf(out->host, sizeof out->host, strchr(host, ':') ? "[%s]" : "%s", host);
}

static hpf_status listen_at_address(http_listener *out, const host_port *at, hpf_error *err)
{
    const char *host = at->host[0] ? at->host : "127.0.0.1";
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    int failed = getaddrinfo(host, at->port, &hints, &found);
    if (failed) {
        return hpf_error_set(err, HPF_ERR_IO, "cannot listen on %s: %s", host,
                             gai_strerror(failed));
    }
    for (const struct addrinfo *a = found; a && out->fd < 0; a = a->ai_next) {
        out->fd = open_address(a);
    }
    int why = errno;
    freeaddrinfo(found);
    if (out->fd < 0) {
        return hpf_error_set_os(err, why, "cannot listen on %s, port %s", host, at->port);
    }
    look_up_address(out);
    name_host(out, host);
    return HPF_OK;
}

/* ---- either ---- */

hpf_status http_listen(http_listener *out, const char *where, hpf_error *err)
{
    host_port at;
    *out = (http_listener){.fd = -1};
    where = where ? where : "";
    if (strncmp(where, unix_prefix, sizeof unix_prefix - 1) == 0) {
        return listen_at_path(out, where + sizeof unix_prefix - 1, err);
    }
    if (!split(where, &at)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "cannot listen on '%s': expected ADDR:PORT or unix:PATH", where);
    }
    return listen_at_address(out, &at, err);
}

void http_listener_close(http_listener *listener)
{
    struct stat st;
    if (listener->fd < 0) {
        return;
    }
    close(listener->fd);
    listener->fd = -1;
    if (listener->path[0] && lstat(listener->path, &st) == 0 && st.st_dev == listener->device &&
        st.st_ino == listener->inode) {
        unlink(listener->path);
    }
}

void http_listener_url(const http_listener *listener, const char *path, char *out, size_t room)
{
    if (listener->port) {
        snprintf(out, room, "http://%s:%u%s", listener->host, listener->port, path);
    } else {
        snprintf(out, room, "http://%s%s", listener->host, path);
    }
}
