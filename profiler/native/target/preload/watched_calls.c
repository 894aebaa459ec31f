/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Watches for calls of libc by which a program isolates itself, or finds what is ours.
 *
 * Under seccomp, a system call of this library could kill the program. So prctl and syscall are
 * replaced: before a filter takes effect, ticks end, and from then on the library makes no system
 * calls except the ones that malloc itself needs (platform.h). What would need others is counted as
 * lost. Programs that are started then are not profiled: their filter may forbid what a new process
 * needs. A program that enters seccomp by an instruction of its own is not recognised.
 *
 * A child that is forked without fork (_Fork, clone, or the bare system call) runs no fork
 * handlers, so the sampled biography ends before.
 *
 * A process that asks to be traced gets no more ticks: its tracer would see their signals.
 *
 * In another network namespace, the collector's socket cannot be reached: unshare and setns leave a
 * note for the summary.
 *
 * Waits with __WALL or __WCLONE find the helper (helper.h): a tracer waits for all children, and
 * must not wait for one that it has not started. Such a program has no helper any more.
 *
 * GHC's run-time system reads the clock when a collection begins: there, no Haskell thread runs,
 * and all that they have is in memory (collector/profile/closure_heap.h). So threads rest there.
 *
 * The functions of libc are entered by a jump, so no frame of this library is on their stack: some
 * system calls return twice, or on another stack.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include "cpu_ticks.h"
#include "entry.h"
#include "exec.h"
#include "helper.h"
#include "native/target/counting/process_state.h"
#include "native/target/lives/sampler.h"
#include "thread_life.h"
#include "native/window/window_writer.h"

/* Called from assembly only, with the arguments of the call. They return the function of libc. */
void *hpp__before_prctl(const long arguments[]);
void *hpp__before_syscall(const long arguments[]);
void *hpp__before_ptrace(const long arguments[]);
void *hpp__before_unshare(const long arguments[]);
void *hpp__before_setns(const long arguments[]);
void *hpp__before_fork(void);
void *hpp__before_clone(const long arguments[]);
void *hpp__before_waitpid(const long arguments[]);
void *hpp__before_wait4(const long arguments[]);
void *hpp__before_wait3(const long arguments[]);
void *hpp__before_waitid(const long arguments[]);
void *hpp__before_clock_gettime(void);

static void isolate(hpp_isolation isolation)
{
    if (hpp__alive()) {
        hpp__cpu_ticks_end();
        hpp__cpu_ticks_wait(); /* the end of a signal handler is a system call */
        hpp__sampler_stop(0);
        atomic_fetch_or(&hpp__window->head.events, HPP_EVENT_ISOLATED);
    }
    atomic_store(&hpp__isolation, isolation);
    if (isolation == HPP_ISOLATED_STRICTLY) {
        atomic_store(&hpp__has_no_time_stamp, true);
    }
}

static void note_new_network(void)
{
    if (hpp__alive()) {
        atomic_fetch_or(&hpp__window->head.events, HPP_EVENT_LEFT_NETWORK);
    }
}

/* The functions of libc, found before a signal handler can call one. */
enum {
    PRCTL,
    SYSCALL,
    PTRACE,
    UNSHARE,
    SETNS,
    FORK,
    CLONE,
    WAITPID,
    WAIT4,
    WAIT3,
    WAITID,
    CLOCK_GETTIME,
    N_FUNCTIONS
};
static void *next[N_FUNCTIONS];

__attribute__((constructor)) static void find_next(void)
{
    static const char names[][16] = {"prctl", "syscall", "ptrace", "unshare",
                                     "setns", "_Fork",   "clone",  "waitpid",
                                     "wait4", "wait3",   "waitid", "clock_gettime"};
    int error = errno;
    for (int i = 0; i < N_FUNCTIONS; i++) {
        next[i] = dlsym(RTLD_NEXT, names[i]);
    }
    errno = error;
}

/* Returns a function of libc; other constructors may have called before ours. */
static void *found(int which)
{
    if (next[which] == NULL) {
        find_next();
    }
    return next[which];
}

/* A child of vfork has the memory of its parent, whose ticks go on. */
static void see_ptrace(long request)
{
    if (request == PTRACE_TRACEME && hpp__cpu_ticks_are_wanted() && hpp__alive() &&
        hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) == hpp__window->head.process_id) {
        hpp__cpu_ticks_end();
        atomic_fetch_or(&hpp__window->head.events, HPP_EVENT_TRACED);
    }
}

void *hpp__before_ptrace(const long arguments[])
{
    void *function = found(PTRACE);
    see_ptrace(arguments[0]);
    return function;
}

/* Without a filter, the call only asks whether there are filters. */
static void see_prctl(const long arguments[])
{
    long option = arguments[0], mode = arguments[1], filter = arguments[2];
    if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT) {
        isolate(HPP_ISOLATED_STRICTLY);
    } else if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_FILTER && filter != 0) {
        isolate(HPP_ISOLATED_BY_FILTER);
    } else if (option == PR_SET_CHILD_SUBREAPER && mode != 0 && hpp__alive()) {
        atomic_fetch_or(&hpp__window->head.events, HPP_EVENT_SUBREAPER);
    } else if (option == PR_SET_TSC && mode == PR_TSC_SIGSEGV) {
        atomic_store(&hpp__has_no_time_stamp, true);
    }
}

void *hpp__before_prctl(const long arguments[])
{
    void *function = found(PRCTL);
    see_prctl(arguments);
    return function;
}

void *hpp__before_syscall(const long arguments[])
{
    void *function = found(SYSCALL);
    long number = arguments[0], operation = arguments[1], filter = arguments[3];
    if (number == SYS_prctl) {
        see_prctl(arguments + 1);
    } else if (number == SYS_seccomp && operation == SECCOMP_SET_MODE_STRICT) {
        isolate(HPP_ISOLATED_STRICTLY);
    } else if (number == SYS_seccomp && operation == SECCOMP_SET_MODE_FILTER && filter != 0) {
        isolate(HPP_ISOLATED_BY_FILTER);
    } else if (number == SYS_ptrace) {
        see_ptrace(operation);
    } else if (number == SYS_unshare && operation & CLONE_NEWNET) {
        note_new_network();
    } else if (number == SYS_execve || number == SYS_execveat) {
        hpp__exec_bare(arguments);
    } else if (number == SYS_wait4 || number == SYS_waitid) {
        hpp__helper_hide(number == SYS_wait4 ? arguments[3] : arguments[4]);
    } else if (hpp__is_fork(number) || number == SYS_clone3 ||
               (number == SYS_clone && !(operation & CLONE_VM))) {
        hpp__sampler_stop(HPP_EVENT_RAW_FORK);
    }
    return function;
}

void *hpp__before_fork(void)
{
    hpp__sampler_stop(HPP_EVENT_RAW_FORK);
    return found(FORK);
}

/* Its arguments are a function, a stack, and flags. */
void *hpp__before_clone(const long arguments[])
{
    if (!(arguments[2] & CLONE_VM)) {
        hpp__sampler_stop(HPP_EVENT_RAW_FORK);
    } else {
        hpp__sampler_share();
    }
    return found(CLONE);
}

void *hpp__before_unshare(const long arguments[])
{
    if (arguments[0] & CLONE_NEWNET) {
        note_new_network();
    }
    return found(UNSHARE);
}

void *hpp__before_setns(const long arguments[])
{
    if (arguments[1] & CLONE_NEWNET) {
        note_new_network();
    }
    return found(SETNS);
}

static void *before_wait(int which, long options)
{
    void *function = found(which);
    hpp__helper_hide(options);
    return function;
}

void *hpp__before_waitpid(const long arguments[])
{
    return before_wait(WAITPID, arguments[2]);
}

void *hpp__before_wait4(const long arguments[])
{
    return before_wait(WAIT4, arguments[2]);
}

void *hpp__before_wait3(const long arguments[])
{
    return before_wait(WAIT3, arguments[1]);
}

void *hpp__before_waitid(const long arguments[])
{
    return before_wait(WAITID, arguments[3]);
}

void *hpp__before_clock_gettime(void)
{
    hpp__rest_for_image(NULL);
    return found(CLOCK_GETTIME);
}

#define WATCHED(name, before) HPP_ASM_FUNCTION(".globl", #name, HPP_CALL_THEN_JUMP(#before, "0"))
WATCHED(prctl, hpp__before_prctl);
WATCHED(syscall, hpp__before_syscall);
WATCHED(ptrace, hpp__before_ptrace);
WATCHED(unshare, hpp__before_unshare);
WATCHED(setns, hpp__before_setns);
WATCHED(_Fork, hpp__before_fork);
WATCHED(clone, hpp__before_clone);
WATCHED(waitpid, hpp__before_waitpid);
WATCHED(wait4, hpp__before_wait4);
WATCHED(wait3, hpp__before_wait3);
WATCHED(waitid, hpp__before_waitid);
WATCHED(clock_gettime, hpp__before_clock_gettime);
