/* SPDX-License-Identifier: BSD-2-Clause */
#include "snapshot_callers.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "native/window/window.h"

static void answer(int fd, hpp_snapshot_answer what)
{
    char byte = (char)what;
    (void)send(fd, &byte, sizeof byte, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Closes the sockets of those that have an image, or of those that have none. */
static void close_those(hpp__snapshot_callers *c, bool with_image)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->all[i].has_image == with_image) {
            close(c->all[i].fd);
        } else {
            c->all[n++] = c->all[i];
        }
    }
    c->n = n;
}

void hpp__snapshot_callers_init(hpp__snapshot_callers *c)
{
    pthread_mutex_init(&c->lock, NULL);
    c->n = 0;
}

void hpp__snapshot_callers_finish(hpp__snapshot_callers *c)
{
    close_those(c, false);
    close_those(c, true);
    pthread_mutex_destroy(&c->lock);
}

void hpp__snapshot_callers_add(hpp__snapshot_callers *c, int fd)
{
    pthread_mutex_lock(&c->lock);
    int copy = c->n < HPP__MOST_SNAPSHOT_CALLERS ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy >= 0) {
        c->all[c->n++] = (struct hpp__snapshot_caller){copy, false};
    }
    pthread_mutex_unlock(&c->lock);
}

void hpp__snapshot_callers_taken(hpp__snapshot_callers *c)
{
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->n; i++) {
        c->all[i].has_image = true;
        answer(c->all[i].fd, HPP_SNAPSHOT_TAKEN);
    }
    pthread_mutex_unlock(&c->lock);
}

void hpp__snapshot_callers_missed(hpp__snapshot_callers *c)
{
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->n; i++) {
        c->all[i].has_image = false;
    }
    pthread_mutex_unlock(&c->lock);
}

void hpp__snapshot_callers_written(hpp__snapshot_callers *c, bool is_written)
{
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->n; i++) {
        if (c->all[i].has_image) {
            answer(c->all[i].fd, is_written ? HPP_SNAPSHOT_WRITTEN : HPP_SNAPSHOT_FAILED);
        }
    }
    close_those(c, true);
    pthread_mutex_unlock(&c->lock);
}

void hpp__snapshot_callers_drop(hpp__snapshot_callers *c)
{
    pthread_mutex_lock(&c->lock);
    close_those(c, false);
    pthread_mutex_unlock(&c->lock);
}
