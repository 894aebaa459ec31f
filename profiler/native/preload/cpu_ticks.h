/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The time profile: each thread is interrupted whenever it has used so much processor time, and the
 * place where it was is counted, as an allocation of no bytes with HPP_CALL_TICK.
 *
 * The interruption is SIGPROF, from a POSIX timer on the thread's own clock. A program that takes
 * SIGPROF for itself gets our ticks then, and none are counted; one that blocks it gets none.
 * System calls that were interrupted go on, but for those that never do (poll, nanosleep): these
 * may end with EINTR when a tick comes just before they wait.
 *
 * All of these do nothing when no ticks were asked for.
 */
#ifndef HPP_NATIVE_CPU_TICKS_H
#define HPP_NATIVE_CPU_TICKS_H

#include "thread.h"

/* Takes SIGPROF, at the start of the process. */
void hpp__cpu_ticks_take_signal(void);

/* The calling thread's timer. */
void hpp__cpu_ticks_start(hpp_thread *self);
void hpp__cpu_ticks_stop(hpp_thread *self);

#endif
