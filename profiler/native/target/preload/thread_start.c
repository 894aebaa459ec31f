/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces pthread_create: passes the size of its stack to a new thread, since only its creator can
 * get it cheaply, and starts its ticks, also if it never allocates. Neither stack has a frame of
 * this library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "entry.h"
#include "process.h"
#include "native/target/counting/process_state.h"
#include "thread_life.h"

/* What a new thread was to call, in the order in which two registers return it. */
typedef struct thread_start {
    void *(*function)(void *argument);
    void *argument;
} thread_start;

typedef struct start_record {
    _Atomic uint32_t is_used;
    thread_start start;
    size_t stack_bytes;
} start_record;

/* As many as threads can be starting at once; others are seen when they first allocate, and their
 * stacks' bounds stay unknown. */
enum { MAX_STARTING = 256 };
static HPP_LARGE start_record starting[MAX_STARTING];

thread_start hpp__thread_started(start_record *record);
void *hpp__before_thread(uintptr_t arguments[]);
extern void *hpp__thread_trampoline(void *record);

/* In the new thread. Returns what it is to call. */
thread_start hpp__thread_started(start_record *record)
{
    thread_start start = record->start;
    size_t stack_bytes = record->stack_bytes;
    atomic_store(&record->is_used, 0);
    if (hpp__alive()) {
        hpp__thread_created(stack_bytes);
    }
    return start;
}

HPP_ASM_FUNCTION(".hidden hpp__thread_trampoline\n.globl", "hpp__thread_trampoline",
                 HPP_CALL_THEN_START("hpp__thread_started"));

static size_t stack_bytes_of(const pthread_attr_t *attributes)
{
    size_t n_bytes = 0;
    pthread_attr_t usual;
    if (attributes == NULL) {
        pthread_attr_init(&usual);
        attributes = &usual;
    }
    return pthread_attr_getstacksize(attributes, &n_bytes) == 0 ? n_bytes : 0;
}

static void *next_create;

/* May change the two arguments that say what to call. Returns the next pthread_create. When that
 * fails, the record is lost. */
void *hpp__before_thread(uintptr_t arguments[])
{
    int error = errno;
    const pthread_attr_t *attributes = (const pthread_attr_t *)arguments[1];
    thread_start *start = (thread_start *)(void *)&arguments[2];
    if (next_create == NULL) {
        next_create = dlsym(RTLD_NEXT, "pthread_create");
    }
    bool is_profiled = hpp__alive() || hpp__process_wake();
    for (int i = 0; i < MAX_STARTING && is_profiled; i++) {
        uint32_t unused = 0;
        if (atomic_compare_exchange_strong(&starting[i].is_used, &unused, 1)) {
            starting[i].start = *start;
            starting[i].stack_bytes = stack_bytes_of(attributes);
            *start = (thread_start){hpp__thread_trampoline, &starting[i]};
            break;
        }
    }
    errno = error;
    return next_create;
}

HPP_ASM_FUNCTION(".globl", "pthread_create", HPP_CALL_THEN_JUMP("hpp__before_thread", "0"));
