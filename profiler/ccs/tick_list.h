/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The ticks of the process that were not taken out yet, with times and stacks, for an event log.
 * Any thread or signal handler adds ticks without a lock; one thread takes them out.
 */
#ifndef HPP_TICK_LIST_H
#define HPP_TICK_LIST_H

#include "hpprof/ccs.h"
#include "hpprof/clock.h"

/* Ticks of one stack at one time. */
typedef struct hpp__tick {
    uint64_t time_ns; /* on the clock */
    uint32_t n;
    uint32_t stack_id; /* 0: not written yet */
} hpp__tick;

/* How many are kept: a minute of ticks of a millisecond. */
enum { HPP__TICK_LIST_ROOM = 1 << 16 };

/* Keeps all ticks from now on, with times of `clock`. Returns false without memory. */
bool hpp__tick_list_start(hpp_clock clock);

/* Drops the ticks, and keeps no more. The memory remains, for signal handlers that still run. */
void hpp__tick_list_stop(void);

/* Adds ticks, if they are kept. Safe in a signal handler. */
void hpp__tick_list_add(const hpp_ccs *stack, uint64_t n_ticks);

/* Takes the oldest ticks out. Returns false if there are none. */
bool hpp__tick_list_take(hpp__tick *tick);

/* Returns the number of ticks that were lost for lack of room since the start. */
uint64_t hpp__tick_list_n_lost(void);

#endif
