/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What /proc says of the threads of a process, before and after something happened: a thread that
 * waited in the same system call both times, and has not run meanwhile, was there all the time.
 *
 * Nothing is done to the threads.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_THREAD_LOOKS_H
#define HPP_NATIVE_COLLECTOR_IMAGE_THREAD_LOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hpp__thread_look {
    uint32_t id;
    bool is_waiting;
    uint64_t arguments[6]; /* of the system call, if it is in one */
    uint64_t sp, pc;
    char run[64]; /* how long and how often it has run */
} hpp__thread_look;

typedef struct hpp__thread_looks {
    hpp__thread_look *list;
    size_t n, capacity;
} hpp__thread_looks;

/* Looks at all threads. Accepts zeroed looks; replaces what they have. `earlier`: a thread that was
 * waiting then, and was woken but has not run since, still counts as waiting. Returns false without
 * memory. */
bool hpp__thread_looks_take(hpp__thread_looks *looks, uint32_t process_id,
                            const hpp__thread_looks *earlier);
void hpp__thread_looks_finish(hpp__thread_looks *looks);

/* Returns whether a thread was waiting all the time since `before`. */
bool hpp__thread_look_is_same(const hpp__thread_look *now, const hpp__thread_looks *before);

#endif
