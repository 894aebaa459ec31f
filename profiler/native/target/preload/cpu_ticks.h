/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The time profile: each thread is interrupted at intervals of its processor time, and its stack is
 * counted as an allocation of 0 bytes with HPP_CALL_TICK. The sampled biography uses the same ticks
 * to notice that a new era has begun (sampler.h).
 *
 * A POSIX timer on the thread's own clock sends a real-time signal that libc keeps for itself
 * (SIGSETXID): its functions neither block it nor change its handler, and no signal set of a
 * program has it. So the program's own signals, timers and masks stay as they are. libc installs
 * its handler at the first pthread_create; ours then takes its place and calls it.
 *
 * The kernel sends the signals of such a timer when the thread returns to its own code (Linux
 * 5.11), so they interrupt no system call that waits.
 *
 * A stack of 100,000 frames takes milliseconds to walk. After a tick that took long, the next one
 * is put off, so that ticks take at most a sixteenth of the time; a tick counts all processor time
 * of the program since the last one.
 *
 * Without the options for ticks or a biography, these functions do nothing.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_CPU_TICKS_H
#define HPP_NATIVE_TARGET_PRELOAD_CPU_TICKS_H

#include "native/target/counting/thread.h"

/* Returns whether threads have ticks. */
bool hpp__cpu_ticks_are_wanted(void);

/* Start and stop the calling thread's timer. */
void hpp__cpu_ticks_start(hpp_thread *self);
void hpp__cpu_ticks_stop(hpp_thread *self);

/* Starts the timer of another thread, which existed before this library was loaded: it ticks for
 * the shared slot, until it allocates. Call it for one thread at a time. */
void hpp__cpu_ticks_adopt(uint32_t thread_id);

/* Stops the timers of all threads. No more are started. */
void hpp__cpu_ticks_end(void);

/* Forgets, in a forked child, the timers of its parent. */
void hpp__cpu_ticks_forked(void);

/* Waits until no other thread is in a tick, or is about to be. Call it after hpp__cpu_ticks_end.
 * For a thread that blocks the signal of ticks itself, waits a second, of its processor time if it
 * works; a minute in all at most. */
void hpp__cpu_ticks_wait(void);

/* Whether no more timers are started. */
extern HPP_HIDDEN atomic_bool hpp__cpu_ticks_are_over;

#endif
