/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sockets, credentials, and descriptors sent as SCM_RIGHTS.
 */
#include "collector_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "native/collector/image/proc.h"

enum { BACKLOG = 4096 };

static bool make_name(char out[HPP__SOCKET_NAME_BYTES])
{
    unsigned char secret[16];
    if (getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret) {
        return false;
    }
    int n = snprintf(out, HPP__SOCKET_NAME_BYTES, "census-%ld-", (long)getpid());
    for (size_t i = 0; i < sizeof secret; i++) {
        n += snprintf(out + n, HPP__SOCKET_NAME_BYTES - (size_t)n, "%02x", secret[i]);
    }
    return true;
}

/* Opens a socket with the name in `out`. */
static hpf_status open_named(hpp__collector_socket *out, hpf_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    out->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (out->fd < 0) {
        return hpf_error_set_os(err, errno, "cannot create a socket");
    }
    size_t length = strlen(out->name);
    memcpy(address.sun_path + 1, out->name, length);
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    if (bind(out->fd, (struct sockaddr *)&address, n) != 0 || listen(out->fd, BACKLOG) != 0) {
        return hpf_error_set_os(err, errno, "cannot listen on a socket");
    }
    return HPF_OK;
}

hpf_status hpp__collector_socket_open(hpp__collector_socket *out, hpf_error *err)
{
    out->fd = -1;
    return make_name(out->name) ? open_named(out, err)
                                : hpf_error_set_os(err, errno, "cannot create a socket");
}

typedef struct inside {
    hpp__collector_socket *out;
    int network; /* the name space */
    hpf_status status;
    hpf_error *err;
} inside;

/* A thread can enter a name space alone; a socket stays in the one where it was created. */
static void *open_inside(void *context)
{
    inside *in = context;
    in->status = setns(in->network, CLONE_NEWNET) == 0
                     ? open_named(in->out, in->err)
                     : hpf_error_set_os(in->err, errno, "cannot enter its network name space");
    return NULL;
}

hpf_status hpp__collector_socket_open_inside(hpp__collector_socket *out,
                                             const hpp__collector_socket *same_name,
                                             uint32_t process_id, hpf_error *err)
{
    char path[64];
    struct stat own, its;
    pthread_t thread;
    *out = *same_name;
    out->fd = -1;
    snprintf(path, sizeof path, "/proc/%u/ns/net", (unsigned)process_id);
    inside in = {.out = out, .network = open(path, O_RDONLY | O_CLOEXEC), .err = err};
    if (in.network < 0 || fstat(in.network, &its) != 0 || stat("/proc/self/ns/net", &own) != 0 ||
        (own.st_dev == its.st_dev && own.st_ino == its.st_ino)) {
        in.status = HPF_OK; /* an attachment says what else is wrong */
    } else if (pthread_create(&thread, NULL, open_inside, &in) == 0) {
        pthread_join(thread, NULL);
    } else {
        in.status = hpf_error_set_memory(err);
    }
    hpf__close(in.network);
    return in.status;
}

void hpp__collector_socket_close(hpp__collector_socket *place)
{
    hpf__close(place->fd);
    place->fd = -1;
}

static bool who_is(int caller, struct ucred *out)
{
    socklen_t n = sizeof *out;
    return getsockopt(caller, SOL_SOCKET, SO_PEERCRED, out, &n) == 0 && out->pid > 0;
}

int hpp__collector_socket_accept(const hpp__collector_socket *place, uint32_t ancestor_id)
{
    for (;;) {
        int caller = accept4(place->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (caller < 0) {
            if (errno == EINTR || errno == ECONNABORTED) {
                continue;
            }
            return -1;
        }
        struct ucred who;
        if (who_is(caller, &who) &&
            (who.uid == geteuid() || hpp__proc_descends((uint32_t)who.pid, ancestor_id))) {
            return caller;
        }
        close(caller);
    }
}

/* Takes the descriptors of a message, and closes the ones that are too many. */
static void take_files(hpp__greeting *out, struct msghdr *message)
{
    int *const places[HPP_MAX_HELLO_FILES] = {&out->file, &out->helper};
    size_t n_taken = 0;
    out->file = out->helper = -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int next;
            memcpy(&next, CMSG_DATA(c) + i * sizeof next, sizeof next);
            if (n_taken < HPP_MAX_HELLO_FILES) {
                *places[n_taken++] = next;
            } else {
                close(next);
            }
        }
    }
}

void hpp__greeting_close(const hpp__greeting *greeting)
{
    hpf__close(greeting->file);
    hpf__close(greeting->helper);
}

static bool is_sensible(const hpp__greeting *greeting, ssize_t n)
{
    const hpp_window_hello *hello = &greeting->hello;
    bool is_whole = n == (ssize_t)sizeof *hello &&
                    memcmp(hello->magic, HPP_WINDOW_MAGIC, sizeof hello->magic) == 0;
    return is_whole && ((hello->kind == HPP_HELLO_WINDOW && greeting->file >= 0) ||
                        hello->kind == HPP_HELLO_MARK || hello->kind == HPP_HELLO_EXCUSE ||
                        hello->kind == HPP_HELLO_LEAVE || hello->kind == HPP_HELLO_SNAPSHOT ||
                        hello->kind == HPP_HELLO_PEAK ||
                        (hello->kind == HPP_HELLO_HELPER && greeting->file >= 0));
}

hpf_status hpp__collector_socket_receive(int caller, hpp__greeting *out)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(4 * sizeof(int))];
    } rights;
    struct iovec bytes = {&out->hello, sizeof out->hello};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &rights,
                             .msg_controllen = sizeof rights};
    struct ucred who;
    ssize_t n = recvmsg(caller, &message, MSG_CMSG_CLOEXEC);
    if (n < 0) {
        return errno == EAGAIN || errno == EINTR ? HPF_MORE : HPF_END;
    }
    take_files(out, &message);
    if (!who_is(caller, &who) || !is_sensible(out, n)) {
        hpp__greeting_close(out);
        return HPF_END;
    }
    out->process_id = (uint32_t)who.pid;
    out->hello.text[sizeof out->hello.text - 1] = '\0';
    return HPF_OK;
}

void hpp__collector_socket_answer(int caller, bool taken)
{
    char answer = taken ? 1 : 0;
    (void)send(caller, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT);
}
