/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One epoll descriptor over the socket, the callers that have not spoken yet, the timer, and each
 * process's own descriptor.
 */
#include "base/arena.h"
#include "hpprof/collector.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/descriptor.h"
#include "profiled_process.h"
#include "native/collector/profile/recording.h"
#include "native/collector/image/proc.h"
#include "native/machine/clock.h"
#include "collector_socket.h"
#include "symbol/demangle.h"
#include "symbol/resolve.h"
#include "base/options.h"

enum {
    MAX_EVENTS = 64,
    MAX_CALLERS = 256, /* that have not spoken yet */
    MAX_BASE_BYTES = 4096,
    LOOKS_PER_INTERVAL = 4, /* at processor time */
};
static const uint64_t least_interval_ns = 1000000;
static const uint64_t default_biography_bytes = 64 * 1024;
static const uint64_t second_ns = 1000000000;
static const uint64_t patience_ns = 2000000000; /* with callers that say nothing, and before
                                                   a signal is forwarded */
static const uint64_t leave_patience_ns = UINT64_C(15000000000);
static const uint64_t longest_tick_ns = 500000000;
static const uint64_t longest_interval_ns = UINT64_C(60000000000); /* for max_cpu_percent */
static const uint64_t worth_keeping_ns = 1000000000; /* of what becomes another program */

typedef struct caller {
    int fd;
    uint64_t since_ns;
    bool is_watched;
} caller;

struct hpp_collector {
    hpp_collector_options options;
    hpp_options profile; /* adapted, with `census` */
    hpp_census_options census;
    uint32_t first_id;
    uint64_t start_ns; /* of the first process, CLOCK_MONOTONIC */
    hpp__collector_socket place;
    hpp__collector_socket guest_place; /* in the name space of an expected process; fd -1: none */
    int epoll, timer;
    bool timer_runs;
    uint64_t cpu_ns; /* that this process had taken at the last tick, for max_cpu_percent */
    hpf_arena *arena;
    hpp__names *names;
    hpp__retainer_sites *retainer_sites;
    hpp__queue queue;
    hpp__recording recording;
    hpp__memory_look memory_look;
    hpp__largest largest;
    hpp__other_programs other_programs;
    hpp__process **processes; /* living and ended */
    size_t n_processes, processes_capacity;
    size_t next_process; /* whose turn it is to be sampled */
    caller callers[MAX_CALLERS];
    size_t n_callers;
    hpf_error refused;
    bool is_stopping, is_stopped;
};

/* ---- Waiting ---- */

static hpf_status watch(hpp_collector *c, int fd, hpf_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &event) == 0
               ? HPF_OK
               : hpf_error_set_os(err, errno, "cannot wait for a descriptor");
}

static void arm_timer(const hpp_collector *c, uint64_t ns)
{
    struct timespec every = {(time_t)(ns / second_ns), (long)(ns % second_ns)};
    struct itimerspec times = {every, every};
    timerfd_settime(c->timer, 0, &times, NULL);
}

static uint64_t interval_ns(const hpp_collector *c)
{
    uint64_t ns = c->profile.interval_ns / (c->options.by_cpu_time ? LOOKS_PER_INTERVAL : 1);
    return ns > least_interval_ns ? ns : least_interval_ns;
}

/* Sets the timer, or stops it while there is nothing to do. */
static void set_timer(hpp_collector *c)
{
    bool should_run = hpp_collector_n_living(c) > 0;
    if (should_run != c->timer_runs) {
        arm_timer(c, should_run ? interval_ns(c) : 0);
        c->timer_runs = should_run;
    }
}

/* Puts the next tick off until what this process has taken since the last one is the allowed part
 * of a processor. */
static void limit_cpu(hpp_collector *c)
{
    struct timespec cpu;
    if (c->options.max_cpu_percent == 0 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) != 0) {
        return;
    }
    uint64_t now_ns = (uint64_t)cpu.tv_sec * second_ns + (uint64_t)cpu.tv_nsec;
    uint64_t ns = (now_ns - c->cpu_ns) * 100 / c->options.max_cpu_percent;
    ns = ns < longest_interval_ns ? ns : longest_interval_ns;
    ns = ns > interval_ns(c) ? ns : interval_ns(c);
    arm_timer(c, ns);
    c->cpu_ns = now_ns;
}

/* ---- Processes ---- */

static hpp__process *find_living(const hpp_collector *c, uint32_t process_id)
{
    for (size_t i = c->n_processes; i > 0; i--) {
        hpp__process *p = c->processes[i - 1];
        if (p->process_id == process_id && !p->has_ended) {
            return p;
        }
    }
    return NULL;
}

static void write_base(const hpp_collector *c, uint32_t process_id, char out[MAX_BASE_BYTES])
{
    int n = snprintf(out, MAX_BASE_BYTES, "%s", c->options.base);
    if (process_id != c->first_id && n < MAX_BASE_BYTES) {
        snprintf(out + n, (size_t)(MAX_BASE_BYTES - n), ".%u", (unsigned)process_id);
    }
}

/* Makes room for a new program that has the number, and so the base, of others before: one that it
 * has just replaced, or some that ended long ago. The last of them has the base until now. */
static void retire(hpp_collector *c, uint32_t process_id, const char *base)
{
    hpp__process *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < c->n_processes; i++) {
        hpp__process *p = c->processes[i];
        if (p->process_id == process_id && !p->has_ended) {
            hpp__process_end(p, hpp__process_age_ns(p) < worth_keeping_ns);
        }
        if (p->process_id == process_id && !p->is_forgotten) {
            last = p;
            n++;
        }
    }
    if (last && !c->options.forgets_ended) {
        char older[MAX_BASE_BYTES + 24];
        snprintf(older, sizeof older, "%s.%zu", base, n);
        hpp__process_rename(last, older);
    }
}

static hpf_status add_process(hpp_collector *c, const hpp__greeting *greeting, hpf_error *err)
{
    uint32_t process_id = greeting->process_id;
    char base[MAX_BASE_BYTES];
    bool is_first = process_id == c->first_id;
    if ((c->options.without_children && !is_first) ||
        !HPF__ARRAY_RESERVE(c->processes, c->processes_capacity, c->n_processes + 1)) {
        hpp__greeting_close(greeting);
        return HPF_OK;
    }
    write_base(c, process_id, base);
    if (c->options.recording && !c->recording.writer) {
        hpf_status opened = hpp__recording_open(&c->recording, c->options.recording, err);
        if (opened != HPF_OK) {
            hpp__greeting_close(greeting);
            return opened;
        }
    }
    const hpp__profile_options profile = {
        .profile = &c->profile,
        .names = c->names,
        .retainer_sites = c->retainer_sites,
        .max_depth = c->options.max_depth,
        .skips_none = c->options.skips_none,
        .process_id = process_id,
        .base = base,
        .without_hp = c->options.without_hp,
        .without_prof = c->options.without_prof,
        .without_eventlog = !c->options.profile->with_eventlog,
        .recording = c->options.recording ? &c->recording : NULL,
        .parent_id = hpp__proc_parent(process_id),
        .run_start_ns = c->start_ns,
        .is_attached = c->options.is_attached,
        .keeps_rate = c->options.biography_seed != 0, /* the same samples in each run */
        .events = is_first ? c->options.events : NULL,
        .events_context = c->options.events_context,
        .print = c->options.print,
        .print_context = c->options.print_context,
        .memory_look = &c->memory_look,
        .largest = &c->largest,
        .order = c->n_processes,
        .other_programs = &c->other_programs,
    };
    hpp__process *p;
    hpf_status status = hpp__process_create(&p, greeting->file, greeting->helper, &profile,
                                            &c->options, &c->queue, err);
    if (status != HPF_OK) {
        return status;
    }
    retire(c, process_id, base);
    hpp__process_begin(p, is_first);
    c->start_ns = c->start_ns && c->start_ns < p->start_ns ? c->start_ns : p->start_ns;
    c->processes[c->n_processes++] = p;
    if (p->pidfd >= 0 && watch(c, p->pidfd, err) != HPF_OK) {
        close(p->pidfd);
        p->pidfd = -1; /* its end could not be noticed: end it now */
    }
    return HPF_OK;
}

/* ---- Callers ---- */

/* Keeps the first reason why a process is not profiled. */
static void refuse(hpp_collector *c, const hpp__greeting *greeting)
{
    char reason[sizeof greeting->hello.text];
    for (size_t i = 0; i < sizeof reason; i++) {
        char letter = greeting->hello.text[i];
        reason[i] = (char)(letter == '\0' || (letter >= ' ' && letter <= '~') ? letter : '?');
    }
    if (c->refused.status == HPF_OK) {
        (void)hpf_error_set(&c->refused, HPF_ERR_UNSUPPORTED, "process %u: %s",
                            (unsigned)greeting->process_id, reason);
    }
}

/* Returns whether copies of a process that outlive it have a parent that is profiled: a subreaper,
 * or the first process of a name space. It must not see them; and with the latter, they end. */
static bool is_adopted(const hpp_collector *c, const hpp__process *p)
{
    bool is_adopted = p->reader.window->head.process_id != p->process_id;
    for (size_t i = 0; i < c->n_processes && !is_adopted; i++) {
        const hpp__process *other = c->processes[i];
        is_adopted = !other->has_ended && other != p &&
                     atomic_load(&other->control->events) & HPP_EVENT_SUBREAPER &&
                     hpp__proc_descends(p->process_id, other->process_id);
    }
    return is_adopted;
}

static void greet(hpp_collector *c, int fd, const hpp__greeting *greeting)
{
    if (greeting->hello.kind == HPP_HELLO_WINDOW) {
        hpf_error err;
        if (add_process(c, greeting, &err) != HPF_OK && c->refused.status == HPF_OK) {
            c->refused = err;
        }
        return;
    }
    hpp__process *sender = find_living(c, greeting->process_id);
    if (greeting->hello.kind == HPP_HELLO_HELPER && sender) {
        hpp__process_helper(sender, greeting->file);
        return;
    }
    hpp__greeting_close(greeting);
    if (greeting->hello.kind == HPP_HELLO_EXCUSE) {
        refuse(c, greeting);
        return;
    }
    if (sender && greeting->hello.kind == HPP_HELLO_LEAVE && !is_adopted(c, sender)) {
        hpp__process_leave(sender, leave_patience_ns, true, fd);
        return;
    }
    if (sender && greeting->hello.kind == HPP_HELLO_PEAK) {
        hpp__process_peak(sender, fd);
        return;
    }
    if (greeting->hello.kind == HPP_HELLO_LEAVE || greeting->hello.kind == HPP_HELLO_PEAK) {
        if (sender) {
            hpp__process_leave(sender, leave_patience_ns, true, -1);
            hpp__process_close_images(sender, leave_patience_ns);
        }
        hpp__collector_socket_answer(fd, sender != NULL);
        return;
    }
    hpp__process *p = find_living(c, greeting->hello.process_id);
    bool is_mark = greeting->hello.kind != HPP_HELLO_SNAPSHOT;
    if (p && is_mark) {
        hpf_str label = hpf_str_of(greeting->hello.text);
        hpp__process_mark(p, label);
    }
    hpp__collector_socket_answer(fd, p != NULL);
    if (p && !is_mark) {
        hpp__process_snapshot(p, fd);
    }
}

/* Receives a message of a client. Returns whether the connection is done. */
static bool receive(hpp_collector *c, int fd)
{
    hpp__greeting greeting;
    hpf_status status = hpp__collector_socket_receive(fd, &greeting);
    if (status == HPF_MORE) {
        return false;
    }
    if (status == HPF_OK) {
        greet(c, fd, &greeting);
    }
    close(fd);
    return true;
}

/* Accepts clients in the order in which they connected: a program must not be handled after the one
 * that replaced it by exec. If the list is full, a client without a message is dropped. */
static void accept_callers(hpp_collector *c, const hpp__collector_socket *place)
{
    while (place->fd >= 0) {
        int fd = hpp__collector_socket_accept(place, c->first_id);
        if (fd < 0) {
            return;
        }
        if (c->n_callers < MAX_CALLERS) {
            c->callers[c->n_callers++] = (caller){.fd = fd, .since_ns = hpp__now_ns()};
        } else if (!receive(c, fd)) {
            close(fd);
        }
    }
}

/* Returns whether a client that has sent nothing yet may wait longer. */
static bool may_wait(hpp_collector *c, caller *at)
{
    bool is_late = hpp__now_ns() - at->since_ns > patience_ns;
    at->is_watched = at->is_watched || watch(c, at->fd, NULL) == HPF_OK;
    return !is_late && at->is_watched;
}

static void receive_all(hpp_collector *c)
{
    size_t n_waiting = 0;
    for (size_t i = 0; i < c->n_callers; i++) {
        caller at = c->callers[i];
        if (receive(c, at.fd)) {
            continue;
        }
        if (may_wait(c, &at)) {
            c->callers[n_waiting++] = at;
        } else {
            close(at.fd);
        }
    }
    c->n_callers = n_waiting;
}

/* ---- Events ---- */

static void tick_process(hpp__process *p, uint64_t n_times)
{
    if (!hpp__process_has_changed(p)) {
        hpp__process_tick(p, n_times);
    } else if (hpp__process_age_ns(p) >= worth_keeping_ns) {
        hpp__process_end(p, false);
    } /* else the window of the new program, if it has one, makes retire() drop this profile */
}

/* Samples the processes in turn. After some time, the others miss their samples: signals and new
 * processes wait meanwhile. */
static void tick(hpp_collector *c)
{
    uint64_t n_times = 0;
    if (read(c->timer, &n_times, sizeof n_times) != (ssize_t)sizeof n_times || n_times == 0) {
        return;
    }
    uint64_t begin_ns = hpp__now_ns();
    size_t first = c->next_process < c->n_processes ? c->next_process : 0;
    for (size_t i = 0; i < c->n_processes; i++) {
        size_t at = (first + i) % c->n_processes;
        hpp__process *p = c->processes[at];
        if (p->has_ended) {
            continue;
        }
        if (hpp__now_ns() - begin_ns < longest_tick_ns) {
            tick_process(p, n_times);
            c->next_process = at + 1;
        } else {
            hpp__process_miss(p, n_times);
        }
    }
    limit_cpu(c);
}

/* Frees the processes that have ended, and are not used by the queue any more. */
static void forget_ended(hpp_collector *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_processes; i++) {
        hpp__process *p = c->processes[i];
        if (!p->has_ended || !atomic_load(&p->is_unused)) {
            c->processes[n++] = p;
            continue;
        }
        if (c->options.ended && !p->is_forgotten) {
            c->options.ended(c->options.ended_context, &p->remains.figures);
        }
        hpp__process_destroy(p);
    }
    c->n_processes = n;
}

/* Ends the process of a descriptor that was readable. Its number may belong to a newer process by
 * now, which still runs. */
static void end_process(hpp_collector *c, int pidfd)
{
    struct pollfd now = {.fd = pidfd, .events = POLLIN};
    if (poll(&now, 1, 0) <= 0) {
        return;
    }
    for (size_t i = 0; i < c->n_processes; i++) {
        hpp__process *p = c->processes[i];
        if (p->pidfd == pidfd && !p->has_ended) {
            hpp__process_end(p, false);
        }
    }
}

/* Receives all windows that have been sent. A process that has ended may have sent another one
 * after it called exec, so this is repeated until none comes. */
static void take_windows(hpp_collector *c)
{
    size_t n_before = c->n_processes, n_known;
    do {
        n_known = c->n_processes;
        accept_callers(c, &c->place);
        accept_callers(c, &c->guest_place);
        receive_all(c);
    } while (c->n_processes > n_known);
    /* Ends the processes that had already ended when their windows came. */
    for (size_t i = n_before; i < c->n_processes; i++) {
        if (c->processes[i]->pidfd < 0 && !c->processes[i]->has_ended) {
            hpp__process_end(c->processes[i], false);
        }
    }
}

hpf_status hpp_collector_serve(hpp_collector *c, hpf_error *err)
{
    struct epoll_event events[MAX_EVENTS];
    int n = epoll_wait(c->epoll, events, MAX_EVENTS, 0);
    if (n < 0 && errno != EINTR) {
        return hpf_error_set_os(err, errno, "cannot wait for the program");
    }
    take_windows(c); /* after the wait: now all windows of the processes that ended are here */
    for (int i = 0; i < n; i++) {
        int fd = events[i].data.fd;
        if (fd == c->timer) {
            tick(c);
        } else if (fd != c->place.fd && fd != c->guest_place.fd) {
            end_process(c, fd);
        }
    }
    if (c->options.forgets_ended) {
        forget_ended(c);
    }
    set_timer(c);
    return HPF_OK;
}

int hpp_collector_fd(const hpp_collector *c)
{
    return c->epoll;
}

size_t hpp_collector_n_living(const hpp_collector *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_processes; i++) {
        n += !c->processes[i]->has_ended;
    }
    return n;
}

bool hpp_collector_files(const hpp_collector *c, size_t index, hpp_process_files *out)
{
    hpp__process *p = c->processes[index];
    uint32_t number = atomic_load(&p->number);
    out->base = p->base;
    out->process_id = p->process_id;
    out->number = number == 1 || p->n_samples >= HPF_RECORDING_LEAST_SAMPLES ? number : 0;
    out->n_writes = atomic_load(&p->n_writes);
    out->is_complete = atomic_load(&p->is_complete);
    return !p->is_forgotten;
}

uint64_t hpp_collector_tick_ns(const hpp_collector *c)
{
    bool has_ticks = c->profile.report != HPP_REPORT_NONE || c->profile.time_bins;
    return has_ticks ? c->profile.tick_ns : 0;
}

bool hpp_collector_costs(const hpp_collector *c, uint32_t process_id, hpp_visit_costs *visit,
                         void *context)
{
    bool has_any = false;
    for (size_t i = 0; i < c->n_processes; i++) {
        hpp__process *p = c->processes[i];
        if (!p->has_ended && (process_id == 0 || p->process_id == process_id)) {
            has_any = true;
            if (visit) {
                hpp__shared_costs_visit(&p->costs, visit, context);
            }
        }
    }
    return has_any;
}

void hpp_collector_latest(const hpp_collector *c, hpp_visit_latest *visit, void *context)
{
    for (size_t i = 0; i < c->n_processes; i++) {
        if (!c->processes[i]->has_ended) {
            hpp__shared_costs_visit_latest(&c->processes[i]->costs, visit, context);
        }
    }
}

bool hpp_collector_expects_more(const hpp_collector *c)
{
    return !c->options.without_children && hpp__proc_any_with(c->place.name);
}

/* ---- Beginning and end ---- */

void hpp_collector_follow(hpp_collector *c, long process_id)
{
    c->first_id = (uint32_t)process_id;
}

hpf_status hpp_collector_expect(hpp_collector *c, long process_id, hpf_error *err)
{
    hpp_collector_follow(c, process_id);
    hpp__collector_socket_close(&c->guest_place); /* the one before has connected */
    hpf_status status =
        hpp__collector_socket_open_inside(&c->guest_place, &c->place, (uint32_t)process_id, err);
    return status == HPF_OK && c->guest_place.fd >= 0 ? watch(c, c->guest_place.fd, err) : status;
}

hpf_status hpp_collector_variables(const hpp_collector *c, hpp_variables *out, long process_id,
                                   const char *library, const char *preloaded, hpf_error *err)
{
    if (strpbrk(library, ": \t\n")) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "LD_PRELOAD cannot contain a path with blanks or colons: '%.80s'",
                             library);
    }
    uint64_t tick_us = hpp_collector_tick_ns(c) / 1000;
    bool has_biography = hpp_census_asks_for(&c->census, HPF_BREAKDOWN_BIOGRAPHY);
    uint64_t biography_bytes = c->profile.rate_bytes        ? c->profile.rate_bytes
                               : c->options.biography_bytes ? c->options.biography_bytes
                                                            : default_biography_bytes;
    bool has_images =
        c->profile.snapshot != HPP_SNAPSHOT_NEVER || hpp__profile_counts_closures(&c->profile);
    bool has_peak_images =
        hpp__profile_needs_images(&c->profile) || c->profile.snapshot == HPP_SNAPSHOT_LARGEST;
    int n_run =
        snprintf(out->run, sizeof out->run,
                 "socket=%s,root=%ld,children=%d,maps=%d,window=%llu,tick=%llu,verify=%u,"
                 "rate=%llu,biography=%llu,seed=%llu,images=%d,python=%d,threads=%d,"
                 "throws=%d" HPP_SMALL_SETTING "0",
                 c->place.name, process_id, !c->options.without_children,
                 !c->options.without_maps && !has_biography, (unsigned long long)HPP__WINDOW_BYTES,
                 (unsigned long long)tick_us, (unsigned)c->options.verify_stacks,
                 (unsigned long long)c->profile.rate_bytes,
                 (unsigned long long)(has_biography ? biography_bytes : 0),
                 (unsigned long long)c->options.biography_seed,
                 has_peak_images ? 2
                 : has_images    ? 1
                                 : 0,
                 !c->options.without_python, hpp__profile_logs_threads(&c->profile),
                 c->profile.print_on_abort);
    int n_preload = snprintf(out->preload, sizeof out->preload, "%s%s%s", library,
                             preloaded && *preloaded ? ":" : "", preloaded ? preloaded : "");
    bool is_whole = n_run < (int)sizeof out->run && n_preload < (int)sizeof out->preload;
    return is_whole ? HPF_OK : hpf_error_set(err, HPF_ERR_LIMIT, "LD_PRELOAD is too long");
}

static void drop_forgotten(hpp_collector *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_processes; i++) {
        if (c->processes[i]->is_forgotten) {
            hpp__process_destroy(c->processes[i]);
        } else {
            c->processes[n++] = c->processes[i];
        }
    }
    c->n_processes = n;
}

/* Waits until a process has room for an image, for a time. Serves all meanwhile: a thread of the
 * process may wait for an answer. Returns whether it has room. */
static bool wait_for_room(hpp_collector *c, size_t index, uint64_t end_ns)
{
    const struct timespec pause = {0, 1000000};
    while (index < c->n_processes && !c->processes[index]->has_ended) {
        hpf_error err;
        if (hpp__process_has_room(c->processes[index])) {
            return true;
        }
        if (hpp__now_ns() >= end_ns || hpp_collector_serve(c, &err) != HPF_OK) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return false;
}

void hpp_collector_prepare_end(hpp_collector *c, bool detaches)
{
    take_windows(c); /* of programs that have just begun */
    uint64_t end_ns = hpp__now_ns() + patience_ns;
    for (size_t i = 0; i < c->n_processes; i++) {
        if (wait_for_room(c, i, end_ns)) {
            hpp__process_leave(c->processes[i], 0, false, -1);
        }
    }
    for (size_t i = 0; i < c->n_processes && detaches; i++) {
        hpp__process_close_images(c->processes[i], 0);
    }
}

void hpp_collector_hurry(hpp_collector *c)
{
    hpp__queue_hurry(&c->queue);
    hpp__names_hurry(c->names);
}

bool hpp_collector_stop_within(hpp_collector *c, uint32_t limit_ms)
{
    if (c->is_stopped) {
        return true;
    }
    if (!c->is_stopping) {
        uint64_t begin_ns = hpp__now_ns();
        take_windows(c);
        for (size_t i = 0; i < c->n_processes; i++) {
            if (hpp__now_ns() - begin_ns > limit_ms * UINT64_C(1000000)) {
                return false;
            }
            if (!c->processes[i]->has_ended) {
                hpp__process_end(c->processes[i], false);
            }
        }
        c->is_stopping = true;
    }
    if (!hpp__queue_stop_within(&c->queue, limit_ms)) {
        return false;
    }
    drop_forgotten(c);
    c->is_stopped = true;
    return true;
}

void hpp_collector_stop(hpp_collector *c)
{
    while (!hpp_collector_stop_within(c, UINT32_MAX)) {
    }
}

/* ---- Creating and destroying ---- */

/* Refuses options that need an adapter to the heap, and options of retainers without retainers. */
static hpf_status check_options(const hpp_collector_options *options, hpf_error *err)
{
    const hpp_census_options *census = options->profile->census;
    if (census->count_stacks) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "-xt is only for programs that embed the profiler");
    }
    if (census->n_rules > 1 || census->n_identities > 1) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "retainer schemes are compared only for programs that embed the "
                             "profiler: give --is-retainer and --retainer-by one choice each");
    }
    if (census->savings || census->count_objects) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--savings and --count are only for programs that embed the "
                             "profiler (hpprof/runtime.h)");
    }
    bool has_lives = hpp_census_asks_for(census, HPF_BREAKDOWN_BIOGRAPHY);
    if (has_lives && options->is_attached) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "-hb can only be used with census run: it moves blocks that it "
                             "watches to places that only the profiler can free");
    }
    if (options->profile->with_resident && (has_lives || !options->profile->with_census)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "--resident needs a heap profile, without -hb, which takes pages out "
                             "of the resident set");
    }
    if (options->skips_none && options->n_skip > 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "--skip and --no-skip exclude each other");
    }
    if (options->profile->rate_bytes && options->biography_bytes) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "with --rate, -hb watches the blocks of the sample: leave out "
                             "--biography-rate");
    }
    if (hpp_census_asks_for(census, HPF_BREAKDOWN_RETAINER)) {
        return HPF_OK;
    }
    if (census->retaining.identity || census->retaining.rule) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "--retainer-by and --is-retainer need retainers: add -hr");
    }
    if (options->n_retainer + options->n_no_retainer > 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "--retainer and --no-retainer need retainers: add -hr");
    }
    return HPF_OK;
}

static hpf_str clean_type(hpf_str name, hpf_arena *arena)
{
    hpp__text text = {0};
    hpp__clean_name(&text, name);
    hpf_str type = text.is_short ? (hpf_str){NULL, 0} : hpf_arena_str(arena, hpp__text_str(&text));
    hpp__text_finish(&text);
    return type;
}

/* Brings names into the form of the profile's; types keep the blanks between words. */
static bool clean_names(hpp_restriction *to, const hpp_restriction *from, hpf_arena *arena)
{
    hpf_str *names = hpf_arena_array(arena, from->n_names, sizeof *names);
    *to = *from;
    to->names = names;
    for (size_t i = 0; names && i < from->n_names; i++) {
        if (from->selector == HPF_BREAKDOWN_TYPE) {
            names[i] = clean_type(from->names[i], arena);
        } else {
            char *name = hpf_arena_alloc(arena, from->names[i].length);
            names[i] = (hpf_str){name, name ? hpp__names_clean(name, from->names[i]) : 0};
        }
        if (!names[i].data) {
            return false;
        }
    }
    return names != NULL;
}

/* Copies the options of the profile, with names of restrictions in the form of hpp__names_clean. */
static hpf_status adapt_options(hpp_collector *c, hpf_error *err)
{
    const hpp_census_options *census = c->options.profile->census;
    hpp_restriction *restrictions =
        hpf_arena_array(c->arena, census->n_restrictions, sizeof *restrictions);
    bool is_whole = restrictions != NULL;
    for (size_t i = 0; i < census->n_restrictions && is_whole; i++) {
        is_whole = clean_names(&restrictions[i], &census->restrictions[i], c->arena);
    }
    c->profile = *c->options.profile;
    c->census = *census;
    c->profile.census = &c->census;
    c->census.restrictions = restrictions;
    c->profile.with_eventlog |= c->options.recording != NULL;
    if (!census->retaining.identity) {
        c->census.retaining.identity = HPF_BREAKDOWN_CLOSURE_DESCR;
    }
    return is_whole ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status open_descriptors(hpp_collector *c, hpf_error *err)
{
    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (c->epoll < 0 || c->timer < 0) {
        return hpf_error_set_os(err, errno, "cannot create a timer");
    }
    hpf_status status = hpp__collector_socket_open(&c->place, err);
    if (status == HPF_OK) {
        status = watch(c, c->place.fd, err);
    }
    return status == HPF_OK ? watch(c, c->timer, err) : status;
}

static hpf_status init(hpp_collector *c, hpf_error *err)
{
    const hpp_collector_options *o = &c->options;
    c->arena = hpf_arena_create();
    hpf_status status = c->arena ? check_options(o, err) : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        status = adapt_options(c, err);
    }
    bool takes_images =
        hpp__profile_needs_images(o->profile) || o->profile->snapshot != HPP_SNAPSHOT_NEVER;
    if (status == HPF_OK && takes_images) {
        status = hpp__freezer_check(err);
    }
    if (status == HPF_OK) {
        status = hpp__names_create(&c->names, o->skip, o->n_skip, err);
    }
    if (status == HPF_OK) {
        status = hpp__retainer_sites_create(&c->retainer_sites, o, err);
    }
    return status == HPF_OK ? open_descriptors(c, err) : status;
}

hpf_status hpp_collector_create(hpp_collector **out, const hpp_collector_options *options,
                                hpf_error *err)
{
    *out = NULL;
    hpp_collector *c = calloc(1, sizeof *c);
    if (!c) {
        return hpf_error_set_memory(err);
    }
    c->epoll = c->timer = c->place.fd = c->guest_place.fd = -1;
    hpp__queue_start(&c->queue);
    hpf_status status = HPF__OPTIONS_COPY(&c->options, options, err);
    status = status == HPF_OK ? init(c, err) : status;
    if (status != HPF_OK) {
        hpp_collector_destroy(c);
        return status;
    }
    *out = c;
    return HPF_OK;
}

void hpp_collector_destroy(hpp_collector *c)
{
    if (!c) {
        return;
    }
    hpp__queue_stop(&c->queue);
    for (size_t i = 0; i < c->n_processes; i++) {
        hpp__process_destroy(c->processes[i]);
    }
    for (size_t i = 0; i < c->n_callers; i++) {
        close(c->callers[i].fd);
    }
    hpp__recording_close(&c->recording);
    free(c->processes);
    hpp__collector_socket_close(&c->place);
    hpp__collector_socket_close(&c->guest_place);
    hpf__close(c->timer);
    hpf__close(c->epoll);
    hpp__names_destroy(c->names);
    hpp__retainer_sites_destroy(c->retainer_sites);
    hpf_arena_destroy(c->arena);
    free(c);
}

/* ---- Figures ---- */

size_t hpp_collector_n_processes(const hpp_collector *c)
{
    return c->n_processes;
}

void hpp_collector_figures(const hpp_collector *c, size_t index, hpp_process_figures *out)
{
    const hpp__process *p = c->processes[index];
    *out = p->remains.figures;
    out->is_first = p->process_id == c->first_id;
    out->start_s = (double)((p->start_ns - c->start_ns) / 1000) / 1e6;
    out->n_missed_samples = p->n_missed;
    out->limits = p->guard.control;
    out->n_images = p->n_images;
    out->n_missed_images = p->n_missed_images;
    out->has_last_image = p->has_last_image;
    out->image_pause_s = p->image_pause_s;
    out->longest_pause_s = p->longest_pause_s;
    out->n_moving = p->n_moving;
    out->image_error = p->image_error;
    out->haskell_version = p->haskell.version;
    if (p->is_haskell && !p->haskell.layout) {
        out->haskell = HPP_NO_HASKELL_VERSION;
    }
}

size_t hpp_collector_top(hpp_collector *c, size_t index, hpp_moment moment, hpp_site_figures *out,
                         size_t n_most)
{
    const hpp__remains *r = &c->processes[index]->remains;
    size_t n = r->n_sites[moment] < n_most ? r->n_sites[moment] : n_most;
    for (size_t i = 0; i < n; i++) {
        out[i] = r->sites[moment][i];
    }
    return n;
}

size_t hpp_collector_threads(hpp_collector *c, size_t index, hpp_thread_figures *out, size_t n_most)
{
    return hpp__thread_figures_top(&c->processes[index]->threads, out, n_most);
}

const hpf_error *hpp_collector_refused(const hpp_collector *c)
{
    return c->refused.status == HPF_OK ? NULL : &c->refused;
}

int hpp_collector_each_unnamed(hpp_collector *c, hpp_visit_unnamed *visit, void *context)
{
    return hpp_resolver_each_unnamed(hpp__names_resolver(c->names), visit, context);
}

const char *hpp_collector_missing(void)
{
    return hpp__resolver_missing();
}
