/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticks of processor time. See cpu_ticks.h. Signals are handled by system calls: the functions of
 * libc refuse this one.
 */
#include "cpu_ticks.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "entry.h"
#include "native/target/counting/peak.h"
#include "native/target/lives/exact.h"
#include "native/target/counting/process_state.h"
#include "native/target/counting/stacks.h"
#include "tasks.h"

enum {
    TICK_SIGNAL = 33, /* SIGSETXID of glibc */
    NS_PER_US = 1000,
    NS_PER_S = 1000000000,
    ERA_TICK_US = 5000, /* without a time profile */
    MAX_ADOPTED = 4096,
    THREAD_CLOCK = 6, /* of a clock's number: the processor time of a thread */
    REST = 16,        /* time between ticks, at least, in times of the last one */
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

/* The ticks of threads that existed before this library. */
static HPP_LARGE hpp_ticks adopted[MAX_ADOPTED];
static _Atomic uint32_t n_adopted;

void hpp__end_of_signal(void);
HPP_ASM_FUNCTION(".hidden hpp__end_of_signal\n.globl", "hpp__end_of_signal", HPP_END_OF_SIGNAL);

static uint64_t time_ns(long clock)
{
    struct timespec now = {0};
    hpp__syscall(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Returns the clock of the processor time of a thread. */
static long thread_clock(uint32_t thread_id)
{
    return (long)(int)(~thread_id << 3 | THREAD_CLOCK);
}

static uint64_t own_time_ns(void)
{
    return time_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void set_timer(const hpp_ticks *ticks, uint64_t first_ns, uint64_t then_ns)
{
    struct itimerspec times = {{(time_t)(then_ns / NS_PER_S), (long)(then_ns % NS_PER_S)},
                               {(time_t)(first_ns / NS_PER_S), (long)(first_ns % NS_PER_S)}};
    hpp__syscall(SYS_timer_settime, (long)ticks->timer_id - 1, 0, (long)&times, 0, 0, 0);
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

/* Counts in the slot of `self`; if that is NULL, in the shared one. */
static void count_at(hpp_thread *self, const void *context, uint64_t n)
{
    uint32_t site = hpp__stacks_site_interrupted(self, context, HPP_CALL_TICK);
    hpp_window_cell *cell = self != NULL ? hpp__thread_cell(self, site) : hpp__shared_cell(site);
    if (cell != NULL) {
        hpp__peak_keep(cell);
    }
    if (cell != NULL && self != NULL) {
        hpp__add_own(&cell->allocations, n);
    } else if (cell != NULL) {
        atomic_fetch_add(&cell->allocations, n);
    }
}

static void count_ticks(hpp_ticks *ticks, hpp_thread *self, const void *context)
{
    uint64_t tick_ns = interval_ns();
    uint64_t begin_ns = own_time_ns();
    uint64_t all_ns = ticks->uncounted_ns + begin_ns - ticks->end_ns;
    if (all_ns >= tick_ns && hpp__settings.tick_us != 0) {
        count_at(self, context, all_ns / tick_ns);
    }
    ticks->uncounted_ns = all_ns % tick_ns;
    uint64_t rest_ns = (own_time_ns() - begin_ns) * REST;
    if (rest_ns > tick_ns) {
        set_timer(ticks, rest_ns, tick_ns);
    }
    hpp__keep_up_with_eras();
    ticks->end_ns = own_time_ns();
}

/* Returns the adopted ticks with a timer, or if that is 0 of a thread; NULL: there are none. */
static hpp_ticks *find_adopted(uint32_t timer_id, uint32_t thread_id)
{
    uint32_t n = atomic_load(&n_adopted);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = atomic_load(&adopted[i].timer_id);
        if (timer_id != 0 ? id == timer_id : id != 0 && adopted[i].thread_id == thread_id) {
            return &adopted[i];
        }
    }
    return NULL;
}

/* Returns the ticks with a number, of a slot or adopted; NULL: there are no more. */
static hpp_ticks *ticks_at(uint32_t i)
{
    uint32_t n_slots = atomic_load(&hpp__window->head.n_slots);
    if (i < n_slots) {
        return &hpp__thread_at(i)->ticks;
    }
    return i - n_slots < atomic_load(&n_adopted) ? &adopted[i - n_slots] : NULL;
}

/* Notes the last signal of the ticks at `place`, if there are any. */
static void note_last(const void *place)
{
    hpp_ticks *ticks;
    for (uint32_t i = 0; (ticks = ticks_at(i)) != NULL; i++) {
        if (ticks == place) {
            atomic_store(&ticks->has_had_last, true);
        }
    }
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
    if (!hpp__alive() || hpp__cpu_ticks_are_over) {
        note_last(info->si_ptr);
        return;
    }
    hpp_thread *self = hpp__self;
    hpp_ticks *ticks = NULL;
    if (self != NULL && self->ticks.timer_id != 0) {
        ticks = &self->ticks;
    } else if (self == NULL) {
        ticks = find_adopted((uint32_t)info->si_timerid + 1, 0);
    }
    if (ticks != NULL) {
        count_ticks(ticks, self, context);
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

/* Creates the timer of a thread on a clock of the kernel. Its signals have a value. Returns false
 * if there is none. */
static bool create_timer(hpp_ticks *ticks, long clock, uint32_t thread_id, void *value)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = TICK_SIGNAL,
                             .sigev_value.sival_ptr = value};
    event._sigev_un._tid = (int)thread_id;
    int timer_id;
    if (hpp__syscall(SYS_timer_create, clock, (long)&event, (long)&timer_id, 0, 0, 0) != 0) {
        return false;
    }
    ticks->thread_id = thread_id;
    ticks->timer_id = (uint32_t)timer_id + 1;
    return true;
}

static bool start_timer(hpp_ticks *ticks, long clock, uint32_t thread_id)
{
    uint64_t tick_ns = interval_ns();
    ticks->uncounted_ns = 0;
    ticks->end_ns = time_ns(clock);
    if (!create_timer(ticks, clock, thread_id, NULL)) {
        return false;
    }
    set_timer(ticks, tick_ns, tick_ns);
    return true;
}

static void stop_timer(hpp_ticks *ticks)
{
    uint32_t timer_id = atomic_exchange(&ticks->timer_id, 0);
    if (timer_id != 0) {
        hpp__syscall(SYS_timer_delete, (long)timer_id - 1, 0, 0, 0, 0, 0);
    }
}

void hpp__cpu_ticks_start(hpp_thread *self)
{
    if (interval_ns() == 0 || hpp__cpu_ticks_are_over || !take_signal()) {
        return;
    }
    hpp_ticks *before = find_adopted(0, self->thread_id);
    if (before != NULL) {
        stop_timer(before);
    }
    start_timer(&self->ticks, CLOCK_THREAD_CPUTIME_ID, self->thread_id);
}

void hpp__cpu_ticks_stop(hpp_thread *self)
{
    stop_timer(&self->ticks);
}

void hpp__cpu_ticks_adopt(uint32_t thread_id)
{
    uint32_t i = atomic_load(&n_adopted);
    if (i < MAX_ADOPTED && interval_ns() != 0 && take_signal() &&
        start_timer(&adopted[i], thread_clock(thread_id), thread_id)) {
        atomic_store(&n_adopted, i + 1);
    }
}

void hpp__cpu_ticks_end(void)
{
    hpp_ticks *ticks;
    hpp__cpu_ticks_are_over = true;
    for (uint32_t i = 0; (ticks = ticks_at(i)) != NULL; i++) {
        stop_timer(ticks);
    }
}

void hpp__cpu_ticks_forked(void)
{
    hpp_ticks *ticks;
    for (uint32_t i = 0; (ticks = ticks_at(i)) != NULL; i++) {
        ticks->timer_id = 0; /* timers stay with the parent */
    }
    n_adopted = 0;
}

/* Returns whether the signal is in a set of the kernel's text. */
static bool has_signal(const char *status, const char *name)
{
    const char *digits = strstr(status, name);
    uint64_t set = 0;
    for (digits += digits != NULL ? strlen(name) : 0;
         digits != NULL && ((*digits >= '0' && *digits <= '9') || *digits >= 'a'); digits++) {
        set = set << 4 | (uint64_t)(*digits >= 'a' ? *digits - 'a' + 10 : *digits - '0');
    }
    return (set >> (TICK_SIGNAL - 1) & 1) != 0;
}

/* Returns whether a thread runs, or would if there were a processor for it. */
static bool is_running(const char *status)
{
    const char *state = strstr(status, "State:\t");
    return state != NULL && (state[7] == 'R' || state[7] == 'D');
}

/* Sends a last signal to the thread of ticks, as soon as it works. */
static void send_last(hpp_ticks *ticks)
{
    if (!ticks->has_had_last && ticks->timer_id == 0 &&
        create_timer(ticks, thread_clock(ticks->thread_id), ticks->thread_id, ticks)) {
        set_timer(ticks, 1, 0);
    }
}

/* A thread is in its tick if it blocks the signal. Another one that does has its reasons: it rests,
 * or works for longer than a tick takes. On a busy machine a short tick can take long.
 *
 * While the kernel prepares the call of a handler, its signal is neither pending nor blocked; but
 * the thread runs then. Signals come in their order: after its last one, a thread has had all. One
 * that rests is in no tick, and needs no last one, if it has no timer any more.
 *
 * Without /proc, or with one of other thread ids, a thread rests if it uses no processor time for a
 * while. */
static void wait_for_tick(hpp_ticks *ticks, uint64_t begin_ns)
{
    static const uint64_t most_ns = UINT64_C(60) * NS_PER_S, longest_tick_ns = NS_PER_S,
                          longest_nap_ns = NS_PER_S / 50, unknown_rest_ns = NS_PER_S / 10;
    static const struct timespec pause = {0, 100 * NS_PER_US};
    const long clock = thread_clock(ticks->thread_id);
    uint64_t moved_ns = begin_ns, first_ns = time_ns(CLOCK_MONOTONIC), used_ns = time_ns(clock);
    const uint64_t end_ns = used_ns + longest_tick_ns;
    while (true) {
        char status[4096];
        bool has_had_last = ticks->has_had_last, has_timer = ticks->timer_id != 0;
        bool is_known = hpp__task_status(ticks->thread_id, status, sizeof status);
        bool blocks =
            is_known && (has_signal(status, "SigPnd:\t") || has_signal(status, "SigBlk:\t"));
        uint64_t used_before_ns = used_ns, now_ns = time_ns(CLOCK_MONOTONIC);
        used_ns = time_ns(clock);
        bool has_moved = used_ns != used_before_ns,
             runs = is_known ? is_running(status) : has_moved;
        moved_ns = runs || has_moved ? now_ns : moved_ns;
        uint64_t rests_ns = moved_ns + (is_known ? longest_tick_ns : unknown_rest_ns);
        bool is_busy = blocks || (!has_had_last && (runs || has_timer || !is_known));
        if (used_ns == 0 || !is_busy || used_ns > end_ns || now_ns > begin_ns + most_ns ||
            (now_ns > rests_ns && now_ns > first_ns + longest_nap_ns)) {
            break;
        }
        if (runs) {
            send_last(ticks);
        } else if (has_timer) {
            stop_timer(ticks);
        }
        hpp__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
    stop_timer(ticks);
}

static bool is_of_other_thread(const hpp_ticks *ticks)
{
    return ticks->thread_id != 0 &&
           (long)ticks->thread_id != hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

void hpp__cpu_ticks_wait(void)
{
    uint64_t begin_ns = time_ns(CLOCK_MONOTONIC);
    hpp_ticks *ticks;
    for (uint32_t i = 0; (ticks = ticks_at(i)) != NULL; i++) {
        if (is_of_other_thread(ticks)) {
            send_last(ticks);
        }
    }
    for (uint32_t i = 0; (ticks = ticks_at(i)) != NULL; i++) {
        if (is_of_other_thread(ticks)) {
            wait_for_tick(ticks, begin_ns);
        }
    }
}
