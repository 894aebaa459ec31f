/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticks of processor time. See ticks.h. pthread_create is replaced so that threads are seen that
 * never allocate; their own functions are called without a frame of ours above them.
 */
#include "ticks.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "entry.h"
#include "process.h"
#include "stacks.h"

enum { NS_PER_US = 1000, US_PER_S = 1000000 };

/* ---- ticks
 * -----------------------------------------------------------------------------------------------
 */

static void count_ticks(hpp_thread *self, const void *context, uint64_t n)
{
    bool was_busy = self->busy;
    self->busy = true;
    uint32_t site = hpp__stacks_site_interrupted(was_busy ? NULL : self, context, HPP_CALL_TICK);
    self->busy = was_busy;
    hpp_window_cell *cell = hpp__thread_cell(self, site);
    if (cell != NULL) {
        hpp__add_own(&cell->allocations, n);
    }
}

/* The kernel says how many ticks it could not deliver in time. */
static void on_tick(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    if (info->si_code == SI_TIMER && hpp__alive() && hpp__self != NULL) {
        count_ticks(hpp__self, context, 1 + (uint64_t)info->si_overrun);
    }
}

void hpp__ticks_take_signal(void)
{
    if (hpp__settings.tick_us == 0) {
        return;
    }
    struct sigaction action = {.sa_sigaction = on_tick,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
}

void hpp__ticks_start(hpp_thread *self)
{
    uint32_t tick_us = hpp__settings.tick_us;
    if (tick_us == 0) {
        return;
    }
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event._sigev_un._tid = (int)self->thread_id;
    int timer_id;
    if (hpp__syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&event, (long)&timer_id, 0, 0,
                     0) != 0) {
        return;
    }
    self->timer_id = (uint32_t)timer_id + 1;
    struct timespec tick = {tick_us / US_PER_S, (long)(tick_us % US_PER_S) * NS_PER_US};
    struct itimerspec times = {tick, tick};
    hpp__syscall(SYS_timer_settime, timer_id, 0, (long)&times, 0, 0, 0);
}

void hpp__ticks_stop(hpp_thread *self)
{
    if (self->timer_id != 0) {
        hpp__syscall(SYS_timer_delete, (long)self->timer_id - 1, 0, 0, 0, 0, 0);
        self->timer_id = 0;
    }
}

/* ---- threads that never allocate
 * ------------------------------------------------------------------------- */

/* What a new thread was to call. There are as many as threads can be starting at once; beyond that,
 * a thread is seen when it first allocates. */
typedef struct thread_start {
    void *(*function)(void *argument);
    void *argument;
} thread_start;
typedef struct start_record {
    _Atomic uint32_t is_used;
    thread_start start;
} start_record;
enum { MAX_STARTING = 256 };
static start_record starting[MAX_STARTING];

/* In the new thread: notes it, and returns in registers what it is to call. */
thread_start hpp__thread_started(start_record *record);
thread_start hpp__thread_started(start_record *record)
{
    thread_start start = record->start;
    atomic_store(&record->is_used, 0);
    if (hpp__self == NULL && hpp__alive()) {
        hpp__thread_begin();
    }
    return start;
}

extern void *hpp__thread_trampoline(void *record);
HPP_ASM_FUNCTION(".hidden hpp__thread_trampoline\n.globl", "hpp__thread_trampoline",
                 "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
                 "call hpp__thread_started\n"
                 "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
                 "movq %rdx, %rdi\n"
                 "jmp *%rax\n");

static void *next_create;

/* Gets the two arguments that say what to call, and may change them. Returns the next
 * pthread_create. When that fails, the record is lost. */
void *hpp__before_thread(thread_start *start);
void *hpp__before_thread(thread_start *start)
{
    if (next_create == NULL) {
        int error = errno;
        next_create = dlsym(RTLD_NEXT, "pthread_create");
        errno = error;
    }
    for (int i = 0; i < MAX_STARTING && hpp__alive() && hpp__settings.tick_us != 0; i++) {
        uint32_t unused = 0;
        if (atomic_compare_exchange_strong(&starting[i].is_used, &unused, 1)) {
            starting[i].start = *start;
            *start = (thread_start){hpp__thread_trampoline, &starting[i]};
            break;
        }
    }
    return next_create;
}

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
