/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Waiting for many things at once: one epoll descriptor, at which everything that waits is entered
 * with what to do when it is ready. Times are descriptors too.
 *
 * Functions that are called when something is ready may add, change and remove whatever they like,
 * themselves included: what was removed is not called any more, not even if it was ready before.
 *
 * Threads: one loop, one thread.
 */
#ifndef CENSUS_WATCH_LOOP_H
#define CENSUS_WATCH_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

typedef struct loop loop;

/* `epoll_events`: EPOLLIN and so on, those that have come. 0 for timers. */
typedef void loop_ready(void *context, uint32_t epoll_events);

/* NULL when the system does not give a descriptor or memory; errno says why. */
loop *loop_create(void);
/* Closes its timers; all other descriptors stay open. */
void loop_destroy(loop *l);

/* Readable when loop_step has something to do: another poll may wait for it. */
int loop_fd(const loop *l);

/* Calls `ready` whenever one of `epoll_events` has come for `fd`, which must not be entered yet.
 * False, with errno: EPERM for a descriptor that is always ready (a file, a directory), ENOMEM,
 * ENOSPC. */
bool loop_add(loop *l, int fd, uint32_t epoll_events, loop_ready *ready, void *context);
/* Waits for other events of a descriptor that is entered; 0: for none but errors and hangups. */
void loop_change(loop *l, int fd, uint32_t epoll_events);
/* Forgets a descriptor, before it is closed; a timer is closed here. One that is not entered, -1
 * say, is no mistake. */
void loop_remove(loop *l, int fd);

/* A timer: its descriptor, not armed; -1 with errno. It belongs to the loop: end it with
 * loop_remove. */
int loop_add_timer(loop *l, loop_ready *ready, void *context);
/* Goes off in `after_s` seconds, and then every `every_s` (0: once). With 0 and an interval it
 * first goes off after the interval; with 0, 0 it is disarmed. Arming again forgets what was
 * before. */
void loop_arm(int timer_fd, double after_s, double every_s);

/* Waits for something, at most `timeout_ms` (-1: for ever, 0: not at all), and sees to what is
 * ready. Returns early, having done nothing, when a signal comes. */
void loop_step(loop *l, int timeout_ms);

/* Says that it is enough. The loop goes on doing what it is told: whoever calls loop_step asks. */
void loop_stop(loop *l);
bool loop_is_stopped(const loop *l);

/* CLOCK_MONOTONIC, in seconds. */
double loop_now_s(void);

#endif
