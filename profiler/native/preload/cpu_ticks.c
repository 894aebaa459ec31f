/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticks of processor time. See ticks.h. */
#include "cpu_ticks.h"

#include <signal.h>
#include <time.h>

#include "process_state.h"
#include "stacks.h"

enum { NS_PER_US = 1000, US_PER_S = 1000000 };

static void count_ticks(hpp_thread *self, const void *context, uint64_t n)
{
    uint32_t site = hpp__stacks_site_interrupted(self, context, HPP_CALL_TICK);
    hpp_window_cell *cell = hpp__thread_cell(self, site);
    if (cell != NULL) {
        hpp__add_own(&cell->allocations, n);
    }
}

/* `si_overrun` is the number of ticks that the kernel could not deliver in time. */
static void on_tick(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    if (info->si_code == SI_TIMER && hpp__alive() && hpp__self != NULL) {
        count_ticks(hpp__self, context, 1 + (uint64_t)info->si_overrun);
    }
}

void hpp__cpu_ticks_take_signal(void)
{
    if (hpp__settings.tick_us == 0) {
        return;
    }
    struct sigaction action = {.sa_sigaction = on_tick,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
}

void hpp__cpu_ticks_start(hpp_thread *self)
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

void hpp__cpu_ticks_stop(hpp_thread *self)
{
    if (self->timer_id != 0) {
        hpp__syscall(SYS_timer_delete, (long)self->timer_id - 1, 0, 0, 0, 0, 0);
        self->timer_id = 0;
    }
}
