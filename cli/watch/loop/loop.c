/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries are kept in a table by descriptor. An epoll event carries the descriptor and the serial
 * number of its entry. If an entry is removed while its event is pending, and its descriptor is
 * reused, the serial number shows that the event is stale.
 */
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

enum { N_MOST_AT_ONCE = 32, NS_PER_S = 1000000000 };

typedef struct entry {
    loop_ready *ready; /* NULL: no entry */
    void *context;
    uint32_t serial;
    bool is_timer;
} entry;

struct loop {
    int epoll;
    bool is_stopped;
    uint32_t last_serial;
    entry *entries; /* by descriptor */
    size_t n_entries, capacity;
};

loop *loop_create(void)
{
    loop *l = calloc(1, sizeof *l);
    if (l) {
        l->epoll = epoll_create1(EPOLL_CLOEXEC);
    }
    if (l && l->epoll < 0) {
        free(l);
        return NULL;
    }
    return l;
}

void loop_destroy(loop *l)
{
    if (!l) {
        return;
    }
    for (size_t fd = 0; fd < l->n_entries; fd++) {
        if (l->entries[fd].is_timer) {
            close((int)fd);
        }
    }
    close(l->epoll);
    free(l->entries);
    free(l);
}

int loop_fd(const loop *l)
{
    return l->epoll;
}

static entry *find(const loop *l, int fd)
{
    bool is_there = fd >= 0 && (size_t)fd < l->n_entries && l->entries[fd].ready;
    return is_there ? &l->entries[fd] : NULL;
}

static bool control(const loop *l, int operation, int fd, uint32_t epoll_events, uint32_t serial)
{
    struct epoll_event what = {
        .events = epoll_events,
        .data.u64 = (uint64_t)serial << 32 | (uint32_t)fd,
    };
    return epoll_ctl(l->epoll, operation, fd, &what) == 0;
}

bool loop_add(loop *l, int fd, uint32_t epoll_events, loop_ready *ready, void *context)
{
    uint32_t serial = ++l->last_serial;
    while (l->n_entries <= (size_t)fd) {
        if (!HPF__ARRAY_PUSH(l->entries, l->n_entries, l->capacity, (entry){.ready = NULL})) {
            return false;
        }
    }
    if (!control(l, EPOLL_CTL_ADD, fd, epoll_events, serial)) {
        return false;
    }
    l->entries[fd] = (entry){.ready = ready, .context = context, .serial = serial};
    return true;
}

void loop_change(loop *l, int fd, uint32_t epoll_events)
{
    const entry *e = find(l, fd);
    if (e) {
        (void)control(l, EPOLL_CTL_MOD, fd, epoll_events, e->serial);
    }
}

void loop_remove(loop *l, int fd)
{
    entry *e = find(l, fd);
    if (!e) {
        return;
    }
    (void)control(l, EPOLL_CTL_DEL, fd, 0, e->serial);
    if (e->is_timer) {
        close(fd);
    }
    *e = (entry){.ready = NULL};
}

int loop_add_timer(loop *l, loop_ready *ready, void *context)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd >= 0 && !loop_add(l, fd, EPOLLIN, ready, context)) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    if (fd >= 0) {
        l->entries[fd].is_timer = true;
    }
    return fd;
}

/* Rounds a positive time up to 1 ns, because 0 disarms a timer. */
static struct timespec duration(double s)
{
    time_t whole = (time_t)s;
    long ns = (long)((s - (double)whole) * NS_PER_S);
    return (struct timespec){whole, s > 0 && whole == 0 && ns == 0 ? 1 : ns};
}

void loop_arm(int timer_fd, double after_s, double every_s)
{
    struct itimerspec when = {
        .it_value = duration(after_s > 0 ? after_s : every_s),
        .it_interval = duration(every_s),
    };
    timerfd_settime(timer_fd, 0, &when, NULL);
}

/* Reads an expired timer, which rearms it. Returns false if it was armed again in the meantime. */
static bool went_off(int fd)
{
    uint64_t n_times;
    return read(fd, &n_times, sizeof n_times) == (ssize_t)sizeof n_times;
}

static void dispatch(loop *l, const struct epoll_event *what)
{
    int fd = (int)(uint32_t)what->data.u64;
    const entry *e = find(l, fd);
    if (e && e->serial == what->data.u64 >> 32 && (!e->is_timer || went_off(fd))) {
        e->ready(e->context, e->is_timer ? 0 : what->events);
    }
}

void loop_step(loop *l, int timeout_ms)
{
    struct epoll_event ready[N_MOST_AT_ONCE];
    int n = epoll_wait(l->epoll, ready, N_MOST_AT_ONCE, timeout_ms);
    for (int i = 0; i < n; i++) {
        dispatch(l, &ready[i]);
    }
}

void loop_stop(loop *l)
{
    l->is_stopped = true;
}

bool loop_is_stopped(const loop *l)
{
    return l->is_stopped;
}
