/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The time profile: each thread is interrupted at intervals of its processor time, and its stack is
 * counted as an allocation of 0 bytes with HPP_CALL_TICK.
 *
 * The signal is SIGPROF, from a POSIX timer on the thread's own clock. A program that installs its
 * own handler of SIGPROF gets the signals, and no ticks are counted; a program that blocks it gets
 * none. Interrupted system calls are restarted, except those that never are (poll, nanosleep): they
 * may fail with EINTR if a tick comes just before they wait.
 *
 * Without the option for ticks, these functions do nothing.
 */
#ifndef HPP_NATIVE_CPU_TICKS_H
#define HPP_NATIVE_CPU_TICKS_H

#include "thread.h"

/* Installs the handler of SIGPROF, at the start of the process. */
void hpp__cpu_ticks_take_signal(void);

/* Start and stop the calling thread's timer. */
void hpp__cpu_ticks_start(hpp_thread *self);
void hpp__cpu_ticks_stop(hpp_thread *self);

#endif
