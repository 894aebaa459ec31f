/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clocks and tickers.
 *
 * The ticking thread wakes once per tick and charges each thread's processor time since the last
 * tick. So a waiting thread gets no ticks, and a late wake-up loses none. With HPP_TICKER_SIGNAL,
 * the signal interrupts a running thread, which charges itself.
 */
#define _GNU_SOURCE /* the interrupted address in a signal's context */
#include "timer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "ccs/ccs.h"

#define NS_PER_S UINT64_C(1000000000)

/* ---- clocks ---- */

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t cpu_ns(void *context)
{
    (void)context;
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t wall_ns(void *context)
{
    (void)context;
    return read_clock(CLOCK_MONOTONIC);
}

const hpp_clock hpp_clock_cpu = {cpu_ns, NULL};
const hpp_clock hpp_clock_wall = {wall_ns, NULL};

/* ---- the ticking thread ---- */

static void *tick_until_over(void *context)
{
    hpp__timer *t = context;
    pthread_mutex_lock(&t->mutex);
    uint64_t next_ns = read_clock(CLOCK_MONOTONIC);
    while (!t->is_over) {
        next_ns += t->tick_ns;
        struct timespec until = {(time_t)(next_ns / NS_PER_S), (long)(next_ns % NS_PER_S)};
        int result = 0;
        while (!t->is_over && result != ETIMEDOUT) {
            result = pthread_cond_timedwait(&t->wake_up, &t->mutex, &until);
        }
        hpp__threads_tick(t->tick_ns);
        uint64_t now_ns = read_clock(CLOCK_MONOTONIC);
        next_ns = next_ns < now_ns ? now_ns : next_ns;
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

/* Creates a thread that receives no signals of the program. */
static int create_quiet_thread(hpp__timer *t)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&t->thread, NULL, tick_until_over, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

static hpf_status start_thread(hpp__timer *t, hpf_error *err)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->wake_up, &monotonic);
    pthread_condattr_destroy(&monotonic);
    hpp__threads_skip_time();
    int result = create_quiet_thread(t);
    if (result != 0) {
        pthread_cond_destroy(&t->wake_up);
        pthread_mutex_destroy(&t->mutex);
        return hpf_error_set_os(err, result, "cannot create the thread for clock ticks");
    }
    return HPF_OK;
}

static void stop_thread(hpp__timer *t)
{
    pthread_mutex_lock(&t->mutex);
    t->is_over = true;
    pthread_cond_signal(&t->wake_up);
    pthread_mutex_unlock(&t->mutex);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->wake_up);
    pthread_mutex_destroy(&t->mutex);
}

/* ---- the signal ---- */

/* The timer whose signal it is; one per process. The handler reads it. */
static hpp__timer *signalled;
static struct sigaction action_before;

static uint64_t interrupted_address(const void *context)
{
    const ucontext_t *machine = context;
#if defined(__x86_64__)
    return (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return machine->uc_mcontext.pc;
#else
    (void)machine;
    return 0;
#endif
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    int saved_errno = errno;
    hpp_ccs_tick();
    const hpp__timer *t = HPP_ACQUIRE_LOAD(&signalled);
    if (t && t->places) {
        hpp__address_histogram_add(t->places, interrupted_address(context), 1);
    }
    errno = saved_errno;
}

static hpf_status start_signal(hpp__timer *t, hpf_error *err)
{
    if (HPP_ACQUIRE_LOAD(&signalled)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "another profiler of this process uses SIGPROF");
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    struct timeval tick = {(time_t)(t->tick_ns / NS_PER_S),
                           (suseconds_t)(t->tick_ns % NS_PER_S / 1000)};
    struct itimerval timer = {tick, tick};
    HPP_RELEASE_STORE(&signalled, t);
    if (sigaction(SIGPROF, &action, &action_before) != 0 ||
        setitimer(ITIMER_PROF, &timer, NULL) != 0) {
        HPP_RELEASE_STORE(&signalled, (hpp__timer *)NULL);
        return hpf_error_set_os(err, errno, "cannot install a handler of SIGPROF");
    }
    return HPF_OK;
}

/* Stops the signal ticker. A pending signal needs a handler, so the old one is only restored if
 * there was one. */
static void stop_signal(hpp__timer *t)
{
    (void)t;
    struct itimerval none;
    memset(&none, 0, sizeof none);
    setitimer(ITIMER_PROF, &none, NULL);
    HPP_RELEASE_STORE(&signalled, (hpp__timer *)NULL);
    if (action_before.sa_handler != SIG_DFL) {
        sigaction(SIGPROF, &action_before, NULL);
    }
}

/* ---- the table ---- */

static const struct {
    hpf_status (*start)(hpp__timer *timer, hpf_error *err);
    void (*stop)(hpp__timer *timer);
} tickers[] = {
    [HPP_TICKER_THREAD] = {start_thread, stop_thread},
    [HPP_TICKER_SIGNAL] = {start_signal, stop_signal},
    [HPP_TICKER_NONE] = {NULL, NULL},
};

hpf_status hpp__timer_start(hpp__timer *t, hpf_error *err)
{
    t->is_over = false;
    if (!tickers[t->kind].start) {
        return HPF_OK;
    }
    hpf_status status = tickers[t->kind].start(t, err);
    t->is_running = status == HPF_OK;
    return status;
}

void hpp__timer_stop(hpp__timer *t)
{
    if (t->is_running) {
        tickers[t->kind].stop(t);
        t->is_running = false;
    }
}
