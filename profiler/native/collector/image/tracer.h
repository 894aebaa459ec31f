/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stops a thread of a process by ptrace, reads its registers, and lets it go on.
 *
 * The program does not notice: PTRACE_SEIZE sends no signal, and the kernel restarts the system
 * calls that it interrupts. Some return EINTR even without a signal (epoll_wait, receiving with a
 * time limit); those are restarted here, so no call fails. An epoll_wait gets what is left of its
 * time limit. Another wait with a limit begins again, once: while it lasts, the thread is left
 * alone. So no wait takes more than twice its limit.
 *
 * A thread in an uninterruptible system call (the parent in vfork, for one) is left alone.
 *
 * Threads: use a tracer in one thread, always the same: the kernel knows the tracer by its thread.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_TRACER_H
#define HPP_NATIVE_COLLECTOR_IMAGE_TRACER_H

#include <stdbool.h>
#include <sys/user.h>

#include "hpfile/error.h"
#include "native/window/window.h"

/* A wait with a time limit that was interrupted, and began again. */
typedef struct hpp__wait {
    uint32_t thread_id; /* 0: none */
    int limit_ms;       /* of epoll_wait: what is left of the limit */
    uint64_t end_ns;
    uint64_t n_switches; /* of others: the thread still waits if it has not waited more often */
} hpp__wait;

/* A thread of the process. */
typedef struct hpp__traced {
    uint32_t id;
    bool is_seized, is_stopped;
    bool is_repeated; /* the call that it was in begins again, whatever `registers` says */
    bool is_away;     /* it has other registers than `registers`, which it gets back */
    hpp__wait wait;   /* that it is in */
    bool has_registers;
    bool may_call; /* it is not stopped by job control, or because of a signal */
    int signal;    /* that it is about to get, or 0 */
    struct user_regs_struct registers; /* when it was stopped */
} hpp__traced;

typedef struct hpp__tracer {
    uint32_t process_id;
    hpp__traced thread; /* that was stopped last; id 0: none */
    hpp__wait wait;     /* in which it was then */
    uint32_t *late;     /* threads that were seized and have not stopped in time */
    size_t n_late, late_capacity;
} hpp__tracer;

void hpp__tracer_init(hpp__tracer *tracer, uint32_t process_id);
void hpp__tracer_finish(hpp__tracer *tracer);

/* Stops one thread. Returns it if it can make calls, else NULL with errno, which is EPERM if it may
 * not be traced. Call hpp__tracer_go_on in any case. */
hpp__traced *hpp__tracer_stop_one(hpp__tracer *tracer, uint32_t thread_id);

/* Returns the error that says why a process may not be traced, and what would help. `tracer_id`: of
 * the process that traces it, or 0. `scope`: hpp__proc_ptrace_scope. */
hpf_status hpp__tracer_refused(uint32_t tracer_id, uint32_t scope, hpf_error *err);

/* Returns the registers with which a stopped thread can go on in user mode: at a system call that
 * was interrupted, which is made again. */
struct user_regs_struct hpp__tracer_resumed(const hpp__traced *thread);

/* Returns whether a thread is in a restartable sequence, which it must begin again if anything else
 * happens to the thread. Without a kernel that says so, there may be one. */
bool hpp__tracer_is_in_sequence(const hpp__traced *thread);

/* Lets the thread go on with its registers. */
void hpp__tracer_go_on(hpp__tracer *tracer);

/* Looks for threads that stopped after the time for it was over, and lets them go on. Call it from
 * time to time. */
void hpp__tracer_follow_up(hpp__tracer *tracer);

/* Waits until a traced process or thread stops, at most until `end_ns` of CLOCK_MONOTONIC. Returns
 * the signal, with the event in the second byte; 0 if it has not stopped, or is dead. */
int hpp__tracer_wait(uint32_t id, uint64_t end_ns);

#endif
