/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Watches for calls by which a program isolates itself.
 *
 * Under seccomp, a system call of this library could kill the program. So prctl and syscall are
 * replaced: before a filter takes effect, ticks end, and from then on the library makes no system
 * calls but those that malloc itself needs (platform.h). What would need others is counted as lost.
 * Programs that are started then are not profiled: their filter may forbid what a new process
 * needs. A program that enters seccomp by an instruction of its own is not recognised.
 *
 * A child that is forked without fork (_Fork, clone, or the bare system call) runs no fork
 * handlers, so the sampled biography ends before.
 *
 * In another network namespace, the collector's socket cannot be reached: unshare and setns leave a
 * note for the summary.
 *
 * The functions of libc are entered by a jump, so no frame of this library is on their stack: some
 * system calls return twice, or on another stack.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>

#include "entry.h"
#include "native/counting/process_state.h"
#include "native/lives/sampler.h"
#include "thread_life.h"
#include "native/window/window_writer.h"

/* Called from assembly only. They return the function of libc. */
void *hpp__before_prctl(long option, long mode, const void *filter);
void *hpp__before_syscall(long number, long operation, long flags, const void *filter);
void *hpp__before_unshare(int flags);
void *hpp__before_setns(int file, int type);
void *hpp__before_fork(void);
void *hpp__before_clone(const void *function, const void *stack, long flags);

static void isolate(hpp_isolation isolation)
{
    if (hpp__alive()) {
        hpp__threads_end_ticks();
        hpp__sampler_stop(0);
        atomic_fetch_or(&hpp__window->head.events, HPP_EVENT_ISOLATED);
    }
    hpp__environment_clean();
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
static void *next_prctl, *next_syscall, *next_unshare, *next_setns, *next_fork, *next_clone;

__attribute__((constructor)) static void find_next(void)
{
    int error = errno;
    next_prctl = dlsym(RTLD_NEXT, "prctl");
    next_syscall = dlsym(RTLD_NEXT, "syscall");
    next_unshare = dlsym(RTLD_NEXT, "unshare");
    next_setns = dlsym(RTLD_NEXT, "setns");
    next_fork = dlsym(RTLD_NEXT, "_Fork");
    next_clone = dlsym(RTLD_NEXT, "clone");
    errno = error;
}

/* Returns `*function`; other constructors may have called before ours. */
static void *found(void *const *function)
{
    if (*function == NULL) {
        find_next();
    }
    return *function;
}

/* Without a filter, the call only asks whether there are filters. */
void *hpp__before_prctl(long option, long mode, const void *filter)
{
    void *function = found(&next_prctl);
    if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT) {
        isolate(HPP_ISOLATED_STRICTLY);
    } else if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_FILTER && filter != NULL) {
        isolate(HPP_ISOLATED_BY_FILTER);
    } else if (option == PR_SET_TSC && mode == PR_TSC_SIGSEGV) {
        atomic_store(&hpp__has_no_time_stamp, true);
    }
    return function;
}

void *hpp__before_syscall(long number, long operation, long flags, const void *filter)
{
    void *function = found(&next_syscall);
    (void)flags;
    if (number == SYS_prctl) {
        (void)hpp__before_prctl(operation, flags, filter);
    } else if (number == SYS_seccomp && operation == SECCOMP_SET_MODE_STRICT) {
        isolate(HPP_ISOLATED_STRICTLY);
    } else if (number == SYS_seccomp && operation == SECCOMP_SET_MODE_FILTER && filter != NULL) {
        isolate(HPP_ISOLATED_BY_FILTER);
    } else if (number == SYS_unshare && operation & CLONE_NEWNET) {
        note_new_network();
    } else if (number == SYS_fork || number == SYS_clone3 ||
               (number == SYS_clone && !(operation & CLONE_VM))) {
        hpp__sampler_stop(HPP_EVENT_RAW_FORK);
    }
    return function;
}

void *hpp__before_fork(void)
{
    hpp__sampler_stop(HPP_EVENT_RAW_FORK);
    return found(&next_fork);
}

void *hpp__before_clone(const void *function, const void *stack, long flags)
{
    (void)function;
    (void)stack;
    if (!(flags & CLONE_VM)) {
        hpp__sampler_stop(HPP_EVENT_RAW_FORK);
    } else {
        hpp__sampler_share();
    }
    return found(&next_clone);
}

void *hpp__before_unshare(int flags)
{
    if (flags & CLONE_NEWNET) {
        note_new_network();
    }
    return found(&next_unshare);
}

void *hpp__before_setns(int file, int type)
{
    (void)file;
    if (type & CLONE_NEWNET) {
        note_new_network();
    }
    return found(&next_setns);
}

/* Calls `before` with the arguments of the call, and jumps to the function that it returns. */
#define WATCHED(name, before)                                                                      \
    HPP_ASM_FUNCTION(".globl", #name,                                                              \
                     "pushq %rdi\n.cfi_adjust_cfa_offset 8\n"                                      \
                     "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"                                      \
                     "pushq %rdx\n.cfi_adjust_cfa_offset 8\n"                                      \
                     "pushq %rcx\n.cfi_adjust_cfa_offset 8\n"                                      \
                     "pushq %r8\n.cfi_adjust_cfa_offset 8\n"                                       \
                     "pushq %r9\n.cfi_adjust_cfa_offset 8\n"                                       \
                     "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                   \
                     "call " #before "\n"                                                          \
                     "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                  \
                     "popq %r9\n.cfi_adjust_cfa_offset -8\n"                                       \
                     "popq %r8\n.cfi_adjust_cfa_offset -8\n"                                       \
                     "popq %rcx\n.cfi_adjust_cfa_offset -8\n"                                      \
                     "popq %rdx\n.cfi_adjust_cfa_offset -8\n"                                      \
                     "popq %rsi\n.cfi_adjust_cfa_offset -8\n"                                      \
                     "popq %rdi\n.cfi_adjust_cfa_offset -8\n"                                      \
                     "jmp *%rax\n")
WATCHED(prctl, hpp__before_prctl);
WATCHED(syscall, hpp__before_syscall);
WATCHED(unshare, hpp__before_unshare);
WATCHED(setns, hpp__before_setns);
WATCHED(_Fork, hpp__before_fork);
WATCHED(clone, hpp__before_clone);
