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
#include "native/counting/process_state.h"
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
static start_record starting[MAX_STARTING];

thread_start hpp__thread_started(start_record *record);
void *hpp__before_thread(thread_start *start, const pthread_attr_t *attributes);
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
                 "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
                 "call hpp__thread_started\n"
                 "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
                 "movq %rdx, %rdi\n"
                 "jmp *%rax\n");

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

/* Gets the two arguments that say what to call, and may change them. Returns the next
 * pthread_create. When that fails, the record is lost. */
void *hpp__before_thread(thread_start *start, const pthread_attr_t *attributes)
{
    int error = errno;
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

/* The third and fourth argument lie on the stack as a thread_start. */
HPP_ASM_FUNCTION(".globl", "pthread_create",
                 "pushq %rdi\n.cfi_adjust_cfa_offset 8\n"
                 "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"
                 "pushq %rcx\n.cfi_adjust_cfa_offset 8\n"
                 "pushq %rdx\n.cfi_adjust_cfa_offset 8\n"
                 "movq %rsp, %rdi\n"
                 "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
                 "call hpp__before_thread\n"
                 "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
                 "popq %rdx\n.cfi_adjust_cfa_offset -8\n"
                 "popq %rcx\n.cfi_adjust_cfa_offset -8\n"
                 "popq %rsi\n.cfi_adjust_cfa_offset -8\n"
                 "popq %rdi\n.cfi_adjust_cfa_offset -8\n"
                 "jmp *%rax\n");
