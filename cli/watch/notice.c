/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two watches of one inotify descriptor. The folder's tells of names, and only those of the file
 * count; the file's is set through its descriptor, so it is of the very file that is read.
 */
#include "notice.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
    OF_FOLDER = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF,
    OF_FILE = IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE,
};

struct notice {
    loop *l;
    void (*came)(void *context);
    void *context;
    int fd;           /* -1: the system gives none */
    int folder, file; /* watches; -1: none */
    char *words[2];   /* what the names below point into */
    const char *folder_path, *name;
};

static bool concerns(const notice *n, const struct inotify_event *event)
{
    bool is_name = event->len > 0 && strcmp(event->name, n->name) == 0;
    return event->wd == n->file || is_name || (event->mask & IN_Q_OVERFLOW);
}

static void take(void *context, uint32_t epoll_events)
{
    notice *n = context;
    _Alignas(struct inotify_event) char events[4096];
    bool is_ours = false;
    ssize_t n_bytes = read(n->fd, events, sizeof events);
    (void)epoll_events;
    for (ssize_t at = 0; at < n_bytes;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + at);
        is_ours |= concerns(n, event);
        at += (ssize_t)(sizeof *event + event->len);
    }
    if (is_ours) {
        n->came(n->context);
    }
}

/* `*watch` is to be `now`. */
static void exchange(const notice *n, int *watch, int now)
{
    if (*watch >= 0 && *watch != now) {
        inotify_rm_watch(n->fd, *watch);
    }
    *watch = now;
}

void notice_folder(notice *n)
{
    if (n->fd >= 0) {
        exchange(n, &n->folder, inotify_add_watch(n->fd, n->folder_path, OF_FOLDER | IN_ONLYDIR));
    }
}

void notice_file(notice *n, int fd)
{
    char path[64];
    if (n->fd >= 0) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        exchange(n, &n->file, fd >= 0 ? inotify_add_watch(n->fd, path, OF_FILE) : -1);
    }
}

static bool split(notice *n, const char *path)
{
    n->words[0] = strdup(path);
    n->words[1] = strdup(path);
    if (!n->words[0] || !n->words[1]) {
        return false;
    }
    n->folder_path = dirname(n->words[0]);
    n->name = basename(n->words[1]);
    return true;
}

static void listen(notice *n)
{
    n->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (n->fd >= 0 && !loop_add(n->l, n->fd, EPOLLIN, take, n)) {
        close(n->fd);
        n->fd = -1;
    }
}

notice *notice_create(loop *l, const char *path, void (*came)(void *context), void *context)
{
    notice *n = calloc(1, sizeof *n);
    if (!n) {
        return NULL;
    }
    *n = (notice){.l = l, .came = came, .context = context, .fd = -1, .folder = -1, .file = -1};
    if (path && !split(n, path)) {
        notice_destroy(n);
        return NULL;
    }
    if (path) {
        listen(n);
    }
    return n;
}

void notice_destroy(notice *n)
{
    if (!n) {
        return;
    }
    loop_remove(n->l, n->fd);
    if (n->fd >= 0) {
        close(n->fd);
    }
    free(n->words[0]);
    free(n->words[1]);
    free(n);
}
