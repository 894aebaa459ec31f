/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Uses two watches of one inotify descriptor. The watch of the directory reports names, of which
 * only the end of the file counts. The watch of the file is set through its descriptor.
 */
#include "inotify_watch.h"

#include "base/descriptor.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
    OF_FOLDER = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF,
    OF_FILE = IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE,
};

struct inotify_watch {
    loop *l;
    void (*came)(void *context);
    void *context;
    int fd;           /* -1: not available */
    int folder, file; /* inotify watches; -1: none */
    char *words[2];   /* copies that the names below point into */
    const char *folder_path, *name;
};

static bool concerns(const inotify_watch *w, const struct inotify_event *event)
{
    bool is_name = event->len > 0 && strcmp(event->name, w->name) == 0;
    return event->wd == w->file || is_name || (event->mask & IN_Q_OVERFLOW);
}

static void take(void *context, uint32_t epoll_events)
{
    inotify_watch *w = context;
    _Alignas(struct inotify_event) char events[4096];
    bool is_ours = false;
    ssize_t n_bytes = read(w->fd, events, sizeof events);
    (void)epoll_events;
    for (ssize_t at = 0; at < n_bytes;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + at);
        is_ours |= concerns(w, event);
        at += (ssize_t)(sizeof *event + event->len);
    }
    if (is_ours) {
        w->came(w->context);
    }
}

/* Replaces the watch `*watch` by `now`. */
static void exchange(const inotify_watch *w, int *watch, int now)
{
    if (*watch >= 0 && *watch != now) {
        inotify_rm_watch(w->fd, *watch);
    }
    *watch = now;
}

void inotify_watch_folder(inotify_watch *w)
{
    if (w->fd >= 0) {
        exchange(w, &w->folder, inotify_add_watch(w->fd, w->folder_path, OF_FOLDER | IN_ONLYDIR));
    }
}

void inotify_watch_file(inotify_watch *w, int fd)
{
    char path[64];
    if (w->fd >= 0) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        exchange(w, &w->file, fd >= 0 ? inotify_add_watch(w->fd, path, OF_FILE) : -1);
    }
}

static bool split(inotify_watch *w, const char *path)
{
    w->words[0] = strdup(path);
    w->words[1] = strdup(path);
    if (!w->words[0] || !w->words[1]) {
        return false;
    }
    w->folder_path = dirname(w->words[0]);
    w->name = basename(w->words[1]);
    return true;
}

inotify_watch *inotify_watch_create(loop *l, const char *path, void (*came)(void *context),
                                    void *context)
{
    inotify_watch *w = calloc(1, sizeof *w);
    if (!w) {
        return NULL;
    }
    *w = (inotify_watch){
        .l = l, .came = came, .context = context, .fd = -1, .folder = -1, .file = -1};
    if (path && !split(w, path)) {
        inotify_watch_destroy(w);
        return NULL;
    }
    if (path) {
        w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (w->fd >= 0 && !loop_add(w->l, w->fd, EPOLLIN, take, w)) {
            close(w->fd);
            w->fd = -1;
        }
    }
    return w;
}

void inotify_watch_destroy(inotify_watch *w)
{
    if (!w) {
        return;
    }
    loop_remove(w->l, w->fd);
    hpf__close(w->fd);
    free(w->words[0]);
    free(w->words[1]);
    free(w);
}
