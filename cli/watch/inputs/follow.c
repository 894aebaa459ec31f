/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each notification leads to the same check: is the same file still under the name, are the bytes
 * that were read still in it, and are there more? Lost or duplicate notifications are harmless.
 */
#include "follow.h"
#include "watch/loop/loop.h"
#include "base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SMB2_SUPER_MAGIC /* in the headers of Linux from 5.18 on */
#define SMB2_SUPER_MAGIC 0xfe534d42
#endif

/* ---- Notifications --------------------------------------------------------------------------- */

/* Notifications about a file by inotify: about its name in the directory, and about the open
 * file. If inotify is not available, there are no notifications.
 *
 * Threads: only the thread of the loop.
 *
 * Uses two watches of one inotify descriptor. The watch of the directory reports names, of which
 * only the end of the file counts. The watch of the file is set through its descriptor. */

typedef struct inotify_watch inotify_watch;

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

/* Watches the directory again, which may have been created or replaced. */
static void inotify_watch_folder(inotify_watch *w)
{
    if (w->fd >= 0) {
        exchange(w, &w->folder, inotify_add_watch(w->fd, w->folder_path, OF_FOLDER | IN_ONLYDIR));
    }
}

/* Watches the open file under any name; -1: none. */
static void inotify_watch_file(inotify_watch *w, int fd)
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

static void inotify_watch_destroy(inotify_watch *w)
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

/* Calls `came` once for each batch of changes. `path` is copied, `context` is borrowed; without a
 * path there are no notifications. Returns NULL without memory. */
static inotify_watch *inotify_watch_create(loop *l, const char *path, void (*came)(void *context),
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

enum {
    LOOK_EVERY_S = 1,
    PIECE_BYTES = 256 * 1024,
    PIECES_AT_ONCE = 8, /* then other events of the loop are handled */
    HEAD_BYTES = 4096,
    TAIL_BYTES = 512,
};

struct follow {
    loop *l;
    const char *path;
    const follow_listener *listener;
    void *context;
    inotify_watch *news;
    int timer; /* for the next check */
    int fd;    /* the open file; -1: none */
    uint64_t offset;
    bool has_more; /* the end of the file was not reached */
    int error;
    /* Compared parts of the bytes read so far: [0, head) and [offset - tail, offset). */
    char head[HEAD_BYTES], tail[TAIL_BYTES];
    size_t n_head, n_tail;
    char piece[PIECE_BYTES];
};

/* ---- comparison with earlier bytes ---- */

static void forget(follow *f)
{
    f->offset = 0;
    f->n_head = f->n_tail = 0;
}

static void remember(follow *f, const char *bytes, size_t n)
{
    size_t n_head = HEAD_BYTES - f->n_head < n ? HEAD_BYTES - f->n_head : n;
    memcpy(f->head + f->n_head, bytes, n_head);
    f->n_head += n_head;
    if (n >= TAIL_BYTES) {
        memcpy(f->tail, bytes + n - TAIL_BYTES, TAIL_BYTES);
        f->n_tail = TAIL_BYTES;
    } else {
        size_t n_kept = TAIL_BYTES - n < f->n_tail ? TAIL_BYTES - n : f->n_tail;
        memmove(f->tail, f->tail + f->n_tail - n_kept, n_kept);
        memcpy(f->tail + n_kept, bytes, n);
        f->n_tail = n_kept + n;
    }
    f->offset += n;
}

static bool is_there(const follow *f, const char *bytes, size_t n, uint64_t offset)
{
    char now[HEAD_BYTES];
    ssize_t n_read = pread(f->fd, now, n, (off_t)offset);
    return n_read == (ssize_t)n && memcmp(now, bytes, n) == 0;
}

/* Returns whether the open file still starts with the bytes read so far. */
static bool is_continued(const follow *f)
{
    return is_there(f, f->head, f->n_head, 0) &&
           is_there(f, f->tail, f->n_tail, f->offset - f->n_tail);
}

/* ---- reading ---- */

static void begin(follow *f)
{
    forget(f);
    f->listener->begins(f->context);
}

static void look_soon(follow *f)
{
    loop_arm(f->timer, 1e-9, LOOK_EVERY_S);
}

/* Reads new bytes, up to a limit. Returns true if there were any. */
static bool read_on(follow *f)
{
    for (int i = 0; i < PIECES_AT_ONCE; i++) {
        ssize_t n = pread(f->fd, f->piece, sizeof f->piece, (off_t)f->offset);
        if (n <= 0) {
            f->has_more = false;
            return i > 0;
        }
        remember(f, f->piece, (size_t)n);
        f->listener->bytes(f->context, f->piece, (size_t)n);
    }
    f->has_more = true;
    look_soon(f);
    return true;
}

/* ---- which file ---- */

static void close_file(follow *f)
{
    if (f->fd >= 0) {
        inotify_watch_file(f->news, -1);
        close(f->fd);
    }
    f->fd = -1;
}

static bool refuse(follow *f, int why)
{
    f->error = why;
    return false;
}

/* Rejects a FIFO under the name, which would block. */
static bool open_file(follow *f)
{
    struct stat now;
    int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return refuse(f, errno);
    }
    if (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode)) {
        close(fd);
        return refuse(f, S_ISDIR(now.st_mode) ? EISDIR : EINVAL);
    }
    f->fd = fd;
    inotify_watch_file(f->news, fd);
    begin(f);
    return true;
}

static bool is_open(const follow *f, const struct stat *named)
{
    struct stat now;
    return f->fd >= 0 && fstat(f->fd, &now) == 0 && now.st_dev == named->st_dev &&
           now.st_ino == named->st_ino;
}

/* Reads new bytes of the open file. */
static bool look_into(follow *f)
{
    if (!is_continued(f)) {
        begin(f);
    }
    return read_on(f);
}

/* Opens another file under the name. */
static follow_found turn(follow *f)
{
    close_file(f);
    if (!open_file(f)) {
        return FOLLOW_CLOSED;
    }
    return look_into(f) ? FOLLOW_NEWS : FOLLOW_SAME;
}

static follow_found look(follow *f)
{
    struct stat named;
    int error = stat(f->path, &named) == 0 ? 0 : errno;
    bool came = f->fd >= 0 && look_into(f);
    if (came && f->has_more) {
        return FOLLOW_NEWS;
    }
    if (error == 0 && !is_open(f, &named)) {
        return turn(f);
    }
    if (error != 0 && f->fd < 0) {
        f->error = error;
        return error == ENOENT || error == ENOTDIR ? FOLLOW_NOTHING : FOLLOW_CLOSED;
    }
    return came ? FOLLOW_NEWS : error ? FOLLOW_GONE : FOLLOW_SAME;
}

static void look_and_report(void *context)
{
    follow *f = context;
    inotify_watch_folder(f->news);
    f->listener->looked(f->context, look(f));
}

static void look_in_time(void *context, uint32_t epoll_events)
{
    (void)epoll_events;
    look_and_report(context);
}

void follow_look(follow *f)
{
    do {
        look_and_report(f);
    } while (f->has_more);
}

void follow_again(follow *f)
{
    if (f->fd >= 0) {
        forget(f);
        look_soon(f);
    }
}

int follow_error(const follow *f)
{
    return f->error;
}

/* ---- writers ---- */

/* Network file systems that linux/magic.h lacks. */
#define CIFS_MAGIC 0xFF534D42L
#define FUSE_MAGIC 0x65735546L
#define CEPH_MAGIC 0x00C36400L

static bool may_be_elsewhere(int fd)
{
    static const long types[] = {NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, SMB2_SUPER_MAGIC,
                                 CIFS_MAGIC,      FUSE_MAGIC,      V9FS_MAGIC,
                                 CEPH_MAGIC,      AFS_SUPER_MAGIC, CODA_SUPER_MAGIC};
    struct statfs where;
    if (fstatfs(fd, &where) != 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if ((where.f_type & 0xFFFFFFFFL) == types[i]) {
            return true;
        }
    }
    return false;
}

/* Requests a read lease, which the kernel grants only if no process has the file open for writing,
 * and releases it at once. This needs no access to other processes, and includes mappings and
 * descriptors in transit. */
open_writers follow_writers(const follow *f)
{
    if (f->fd < 0 || may_be_elsewhere(f->fd)) {
        return WRITERS_UNKNOWN;
    }
    /* A process that opens the file for writing now waits until the lease is released, and the
     * signal that requests this would end us. */
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGIO, &ignored, NULL);
    if (fcntl(f->fd, F_SETLEASE, F_RDLCK) == 0) {
        fcntl(f->fd, F_SETLEASE, F_UNLCK);
        return WRITERS_NONE;
    }
    return errno == EAGAIN ? WRITERS_SOME : WRITERS_UNKNOWN;
}

/* ---- beginning and end ---- */

follow *follow_create(loop *l, const char *path, bool is_notified, const follow_listener *listener,
                      void *context)
{
    follow *f = calloc(1, sizeof *f);
    if (!f) {
        return NULL;
    }
    *f = (follow){.l = l, .path = path, .listener = listener, .context = context, .fd = -1};
    f->timer = loop_add_timer(l, look_in_time, f);
    f->news = inotify_watch_create(l, is_notified ? NULL : path, look_and_report, f);
    if (f->timer < 0 || !f->news) {
        follow_destroy(f);
        return NULL;
    }
    look_soon(f);
    return f;
}

void follow_destroy(follow *f)
{
    if (!f) {
        return;
    }
    close_file(f);
    inotify_watch_destroy(f->news);
    loop_remove(f->l, f->timer);
    free(f);
}
