/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticks of processor time. See cpu_ticks.h. Signals are handled by system calls: the functions of
 * libc refuse this one.
 */
#include "cpu_ticks.h"

#include <signal.h>
#include <time.h>

#include "entry.h"
#include "native/lives/exact.h"
#include "native/counting/process_state.h"
#include "native/lives/sampler.h"
#include "native/counting/stacks.h"

enum {
    TICK_SIGNAL = 33, /* SIGSETXID of glibc */
    NS_PER_US = 1000,
    NS_PER_S = 1000000000,
    ERA_TICK_US = 5000, /* without a time profile */
    REST = 16,          /* time between ticks, at least, in times of the last one */
};

/* As the kernel has it. */
typedef void signal_handler(int signal_number, siginfo_t *info, void *context);
typedef struct signal_action {
    signal_handler *handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
} signal_action;
#define SA_RESTORER 0x04000000

atomic_bool hpp__cpu_ticks_are_over;
static _Atomic(signal_handler *) next_handler; /* libc's */

/* Returns from a handler, by the instructions by which debuggers recognise this function. */
void hpp__end_of_signal(void);
HPP_ASM_FUNCTION(".hidden hpp__end_of_signal\n.globl", "hpp__end_of_signal",
                 "movq $15, %rax\nsyscall\n");

static uint64_t own_time_ns(void)
{
    struct timespec now = {0};
    hpp__syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void set_timer(const hpp_thread *self, uint64_t first_ns, uint64_t then_ns)
{
    struct itimerspec times = {{(time_t)(then_ns / NS_PER_S), (long)(then_ns % NS_PER_S)},
                               {(time_t)(first_ns / NS_PER_S), (long)(first_ns % NS_PER_S)}};
    hpp__syscall(SYS_timer_settime, (long)self->timer_id - 1, 0, (long)&times, 0, 0, 0);
}

static uint64_t interval_ns(void)
{
    uint32_t tick_us = hpp__settings.tick_us;
    tick_us = tick_us == 0 && hpp__settings.biography_bytes != 0 ? ERA_TICK_US : tick_us;
    return (uint64_t)tick_us * NS_PER_US;
}

bool hpp__cpu_ticks_are_wanted(void)
{
    return interval_ns() != 0;
}

static void count_ticks(hpp_thread *self, const void *context)
{
    uint64_t tick_ns = interval_ns();
    uint64_t begin_ns = own_time_ns();
    uint64_t all_ns = self->uncounted_ns + begin_ns - self->tick_end_ns;
    if (all_ns >= tick_ns && hpp__settings.tick_us != 0) {
        uint32_t site = hpp__stacks_site_interrupted(self, context, HPP_CALL_TICK);
        hpp_window_cell *cell = hpp__thread_cell(self, site);
        if (cell != NULL) {
            hpp__add_own(&cell->allocations, all_ns / tick_ns);
        }
    }
    self->uncounted_ns = all_ns % tick_ns;
    uint64_t rest_ns = (own_time_ns() - begin_ns) * REST;
    if (rest_ns > tick_ns) {
        set_timer(self, rest_ns, tick_ns);
    }
    hpp__sampler_keep_up();
    if (hpp__exact_is_on()) {
        hpp__exact_keep_up();
    }
    self->tick_end_ns = own_time_ns();
}

/* All signals are blocked meanwhile: a tick that comes during one waits, and then finds that no
 * time has passed. */
static void on_signal(int signal_number, siginfo_t *info, void *context)
{
    signal_handler *next = atomic_load(&next_handler);
    if (info->si_code != SI_TIMER) {
        if (next != NULL) {
            next(signal_number, info, context);
        }
        return;
    }
    hpp_thread *self = hpp__self;
    if (hpp__alive() && self != NULL && self->timer_id != 0) {
        count_ticks(self, context);
    }
}

/* Installs the handler, unless it is there. A parent may have left the signal blocked. */
static bool take_signal(void)
{
    signal_action now = {0};
    const signal_action ours = {.handler = on_signal,
                                .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_RESTORER,
                                .restorer = hpp__end_of_signal,
                                .mask = UINT64_MAX};
    const uint64_t signal_set = (uint64_t)1 << (TICK_SIGNAL - 1);
    hpp__syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&signal_set, 0, sizeof(signal_set), 0, 0);
    if (hpp__syscall(SYS_rt_sigaction, TICK_SIGNAL, 0, (long)&now, sizeof(now.mask), 0, 0) != 0) {
        return false;
    }
    if (now.handler == on_signal) {
        return true;
    }
    if (now.flags & SA_SIGINFO) {
        atomic_store(&next_handler, now.handler);
    }
    return hpp__syscall(SYS_rt_sigaction, TICK_SIGNAL, (long)&ours, 0, sizeof(ours.mask), 0, 0) ==
           0;
}

void hpp__cpu_ticks_start(hpp_thread *self)
{
    uint64_t tick_ns = interval_ns();
    if (tick_ns == 0 || hpp__cpu_ticks_are_over || !take_signal()) {
        return;
    }
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
    event._sigev_un._tid = (int)self->thread_id;
    int timer_id;
    if (hpp__syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&event, (long)&timer_id, 0, 0,
                     0) != 0) {
        return;
    }
    self->uncounted_ns = 0;
    self->tick_end_ns = own_time_ns();
    self->timer_id = (uint32_t)timer_id + 1;
    set_timer(self, tick_ns, tick_ns);
}

void hpp__cpu_ticks_stop(hpp_thread *self)
{
    uint32_t timer_id = atomic_exchange(&self->timer_id, 0);
    if (timer_id != 0) {
        hpp__syscall(SYS_timer_delete, (long)timer_id - 1, 0, 0, 0, 0, 0);
    }
}
