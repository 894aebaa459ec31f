/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An event loop on epoll: calls a function when a descriptor is ready or a timer expires.
 *
 * These functions may add, change and remove any entries, including their own. A removed entry is
 * not called any more, even if it was ready.
 *
 * Threads: one loop, one thread.
 */
#ifndef CENSUS_WATCH_LOOP_H
#define CENSUS_WATCH_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "clock.h"

typedef struct loop loop;

/* `epoll_events`: the events that occurred, such as EPOLLIN; 0 for timers. */
typedef void loop_ready(void *context, uint32_t epoll_events);

/* Returns NULL with errno if there is no descriptor or memory. */
loop *loop_create(void);
/* Closes its timers; other descriptors stay open. */
void loop_destroy(loop *l);

/* Returns a descriptor that is readable when loop_step has work; another poll may wait for it. */
int loop_fd(const loop *l);

/* Calls `ready` whenever one of `epoll_events` occurs for `fd`, which must not be in the loop yet.
 * Returns false with errno: EPERM for a descriptor that is always ready (a file, a directory),
 * ENOMEM, ENOSPC. */
bool loop_add(loop *l, int fd, uint32_t epoll_events, loop_ready *ready, void *context);
/* Changes the events of a descriptor; 0: only errors and hangups. */
void loop_change(loop *l, int fd, uint32_t epoll_events);
/* Removes a descriptor, before it is closed; closes a timer. Ignores descriptors that are not in
 * the loop, such as -1. */
void loop_remove(loop *l, int fd);

/* Creates a timer and returns its descriptor, or -1 with errno. The timer is not armed. Close it
 * with loop_remove. */
int loop_add_timer(loop *l, loop_ready *ready, void *context);
/* Arms a timer to expire in `after_s` seconds and then every `every_s` seconds (0: once). If
 * `after_s` is 0, it first expires after the interval; 0, 0 disarms it. Replaces the previous
 * setting. */
void loop_arm(int timer_fd, double after_s, double every_s);

/* Waits for events, at most `timeout_ms` (-1: forever, 0: not at all), and handles them. Returns
 * early if a signal arrives. */
void loop_step(loop *l, int timeout_ms);

/* Requests the end of the loop. The caller of loop_step checks loop_is_stopped. */
void loop_stop(loop *l);
bool loop_is_stopped(const loop *l);

#endif
