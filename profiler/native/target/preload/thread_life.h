/* SPDX-License-Identifier: BSD-2-Clause
 *
 * When threads of the profiled program begin and end.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_THREAD_LIFE_H
#define HPP_NATIVE_TARGET_PRELOAD_THREAD_LIFE_H

#include "native/target/counting/thread.h"

/* Prepares a new window for threads. Returns false if it has no room. */
bool hpp__threads_start(void);

/* Gives the calling thread a slot. Returns hpp__self, or NULL if there is no slot left or a signal
 * handler interrupted this very function. */
hpp_thread *hpp__thread_begin(void);

/* Notes the size of the calling thread's stack; pthread_create has just made the thread. */
void hpp__thread_created(size_t stack_bytes);

/* Continues in a forked child, where only the calling thread is left. Call hpp__window_renew
 * before. Returns hpp__self. */
hpp_thread *hpp__threads_forked(void);

#endif
