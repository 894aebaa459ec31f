/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Polls the collector, the signals, and the end of the program.
 */
#include "run_loop.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"

enum {
    PATIENCE_MS = 1000, /* before a message says what is waited for */
    LATE_PAUSE_MS = 10,
    N_LATE_PAUSES = 50,
    LOOK_MS = 50, /* between looks for signals at the end */
    N_LAST_LOOKS = 60,
};

typedef struct serving {
    hpp_collector *collector;
    const launched *program;
    const run_signals *signals;
    const run_guest *guest;
    bool is_attached; /* the program is not ours */
    bool program_has_ended;
    bool is_enough;
} serving;

bool run_signals_begin(run_signals *out)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGQUIT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigprocmask(SIG_BLOCK, &ours, &out->before);
    out->fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    if (out->fd < 0) {
        diag_say("cannot wait for signals: %s", strerror(errno));
    }
    return out->fd >= 0;
}

static void take_signals(serving *s)
{
    struct signalfd_siginfo came;
    while (read(s->signals->fd, &came, sizeof came) == (ssize_t)sizeof came) {
        bool is_for_program = came.ssi_signo == SIGTERM || came.ssi_signo == SIGHUP;
        if (s->program_has_ended || s->is_attached) {
            s->is_enough = true;
        } else if (is_for_program) {
            hpp_collector_prepare_end(s->collector, false);
            kill(s->program->pid, (int)came.ssi_signo);
        }
    }
}

static void serve(serving *s)
{
    hpf_error err;
    if (!s->is_enough && hpp_collector_serve(s->collector, &err) != HPF_OK) {
        diag_say("%s", err.message);
        s->is_enough = true;
    }
}

/* Waits for events and handles them. Returns false after `timeout_ms` without events. */
static bool step(serving *s, int timeout_ms)
{
    struct pollfd ready[] = {
        {.fd = s->is_enough ? -1 : hpp_collector_fd(s->collector), .events = POLLIN},
        {.fd = s->signals->fd, .events = POLLIN},
        {.fd = s->program_has_ended ? -1 : s->program->pidfd, .events = POLLIN},
        {.fd = s->guest->fd(s->guest->context), .events = POLLIN},
    };
    int n = poll(ready, sizeof ready / sizeof *ready, timeout_ms);
    if (n == 0) {
        return false;
    }
    take_signals(s);
    serve(s);
    s->program_has_ended |= ready[2].revents != 0;
    if (ready[3].revents) {
        s->guest->step(s->guest->context);
    }
    return true;
}

/* A child that was forked last may not be connected yet. Waits for it a short time only, because it
 * may never connect. */
static void wait_for_late_children(serving *s)
{
    const struct timespec pause = {0, LATE_PAUSE_MS * 1000000L};
    serve(s);
    for (int i = 0; i < N_LATE_PAUSES && hpp_collector_n_living(s->collector) == 0 &&
                    hpp_collector_expects_more(s->collector);
         i++) {
        nanosleep(&pause, NULL);
        serve(s);
    }
}

static void follow_the_rest(serving *s, bool is_quiet)
{
    bool was_said = is_quiet;
    wait_for_late_children(s);
    while (!s->is_enough && hpp_collector_n_living(s->collector) > 0) {
        if (!step(s, was_said ? -1 : PATIENCE_MS) && !was_said) {
            diag_say("the program has exited; still profiling processes that it started (%zu "
                     "running; Ctrl-C stops profiling, not the processes)",
                     hpp_collector_n_living(s->collector));
            was_said = true;
        }
    }
}

/* The program is reaped after its last sample: until then the kernel keeps its data. */
int run_loop(hpp_collector *collector, const launched *program, const run_signals *signals,
             const run_guest *guest, bool is_quiet)
{
    serving s = {.collector = collector, .program = program, .signals = signals, .guest = guest};
    while (!s.program_has_ended && program->pidfd >= 0) {
        step(&s, -1);
    }
    serve(&s);
    int status = launch_reap(program);
    follow_the_rest(&s, is_quiet);
    return status;
}

bool run_loop_attached(hpp_collector *collector, const launched *program,
                       const run_signals *signals, const run_guest *guest)
{
    serving s = {.collector = collector,
                 .program = program,
                 .signals = signals,
                 .guest = guest,
                 .is_attached = true};
    while (!s.is_enough && !s.program_has_ended) {
        step(&s, -1);
    }
    return s.program_has_ended;
}

bool run_signals_are_pending(void *signals)
{
    struct pollfd ready = {.fd = ((const run_signals *)signals)->fd, .events = POLLIN};
    return poll(&ready, 1, 0) > 0;
}

bool run_signals_read(const run_signals *signals)
{
    struct signalfd_siginfo came;
    bool any = false;
    while (read(signals->fd, &came, sizeof came) == (ssize_t)sizeof came) {
        any = true;
    }
    return any;
}

bool run_loop_complete(hpp_collector *collector, const run_signals *signals)
{
    int n_looks = -1; /* since the first signal */
    while (!hpp_collector_stop_within(collector, LOOK_MS)) {
        if (n_looks < 0 && run_signals_read(signals)) {
            hpp_collector_hurry(collector);
            n_looks = 0;
        } else if (n_looks >= 0 && ++n_looks == N_LAST_LOOKS) {
            diag_say("ended by a signal before the profile was complete");
            return false;
        }
    }
    return true;
}
