/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread is seized, interrupted, and waited for.
 */
#include "tracer.h"

#include <errno.h>
#include <linux/rseq.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "native/machine/clock.h"
#include "native/machine/linux_numbers.h"
#include "proc.h"

/* As the kernel has them: results of interrupted system calls. */
enum {
    RESULT_RESTART_FIRST = -516, /* ERESTART_RESTARTBLOCK */
    RESULT_RESTART_LAST = -512,  /* ERESTARTSYS */
};
/* With a thread that is to stop: on a busy machine, it may have to wait for a processor. If it
 * stops later, a wait of it has begun again for nothing, and is left alone while it lasts. */
static const uint64_t patience_ns = 5000000000;
static const uint64_t spin_ns = 50000;
static const uint64_t ns_per_ms = 1000000;

void hpp__tracer_init(hpp__tracer *t, uint32_t process_id)
{
    *t = (hpp__tracer){.process_id = process_id};
}

void hpp__tracer_finish(hpp__tracer *t)
{
    free(t->late);
}

/* Most stops take some microseconds, so it looks again and again for a moment. */
int hpp__tracer_wait(uint32_t id, uint64_t end_ns)
{
    const struct timespec pause = {0, 10000};
    uint64_t begin_ns = hpp__now_ns();
    for (;;) {
        siginfo_t info = {0};
        int result = waitid(P_PID, id, &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL);
        bool has_stopped = info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED;
        if (result == 0 && info.si_pid != 0) {
            return has_stopped ? info.si_status : 0;
        }
        uint64_t now_ns = hpp__now_ns();
        if ((result != 0 && errno != EINTR) || now_ns >= end_ns) {
            return 0;
        }
        if (now_ns - begin_ns > spin_ns) {
            nanosleep(&pause, NULL);
        }
    }
}

/* ---- Calls that return EINTR because of a stop ---- */

/* Returns the wait in which the thread was at the last stop, or NULL. */
static const hpp__wait *wait_of(const hpp__tracer *t, uint32_t thread_id)
{
    return t->wait.thread_id == thread_id ? &t->wait : NULL;
}

/* Returns whether a system call that returns EINTR without a signal can be made again: it has done
 * nothing yet, and has no time limit in memory. */
static bool can_be_repeated(uint64_t number)
{
    switch (number) {
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_epoll_wait:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
    case SYS_mq_timedreceive:
    case SYS_mq_timedsend:
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmmsg:
    case SYS_recvmsg:
    case SYS_rt_sigtimedwait:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_sendmsg:
    case SYS_sendto:
    case SYS_write:
        return true;
    default:
        return false;
    }
}

/* Returns the time limit of an epoll_wait that begins again: what is left of it, if it is one that
 * was interrupted before. */
static int limit_left(const hpp__tracer *t, hpp__traced *thread, int limit_ms)
{
    uint64_t now_ns = hpp__now_ns();
    const hpp__wait *before = wait_of(t, thread->id);
    hpp__wait wait = {thread->id, limit_ms, now_ns + (uint64_t)limit_ms * ns_per_ms, 0};
    if (before && before->limit_ms == limit_ms) {
        wait.end_ns = before->end_ns;
        wait.limit_ms = before->end_ns > now_ns ? (int)((before->end_ns - now_ns) / ns_per_ms) : 0;
    }
    thread->wait = wait;
    return wait.limit_ms;
}

/* Returns whether a call that was interrupted may have a time limit. */
static bool has_limit(const struct user_regs_struct *r)
{
    switch (r->orig_rax) {
    case SYS_semop:
        return false;
    case SYS_epoll_pwait2:
    case SYS_semtimedop:
        return r->r10 != 0;
    case SYS_rt_sigtimedwait:
        return r->rdx != 0;
    case SYS_io_getevents:
    case SYS_io_pgetevents:
        return r->r8 != 0;
    default:
        return true;
    }
}

/* Changes the registers of a thread so that it repeats a system call that has returned EINTR
 * because of the stop. Returns false if there is no such call. */
static bool repeat_call(const hpp__tracer *t, hpp__traced *thread)
{
    struct user_regs_struct *r = &thread->registers;
    if ((int64_t)r->rax != -EINTR || !can_be_repeated(r->orig_rax) ||
        hpp__proc_has_signals(t->process_id, thread->id)) {
        return false;
    }
    if (r->orig_rax == SYS_epoll_wait || r->orig_rax == SYS_epoll_pwait) {
        r->r10 = (int)r->r10 > 0 ? (uint64_t)limit_left(t, thread, (int)r->r10) : r->r10;
    } else if (has_limit(r)) {
        /* It will wait once more after this stop. */
        uint64_t n_switches = hpp__proc_switches(t->process_id, thread->id) + 2;
        thread->wait = (hpp__wait){.thread_id = thread->id, .n_switches = n_switches};
    }
    r->rip -= 2;
    r->rax = r->orig_rax;
    r->orig_rax = UINT64_MAX;
    return true;
}

/* ---- Stopping ---- */

static bool is_alive(const hpp__tracer *t, uint32_t id)
{
    char state = hpp__proc_thread_state(t->process_id, id);
    return state != 'Z' && state != 'X';
}

static bool is_late(const hpp__tracer *t, uint32_t id)
{
    size_t i = 0;
    while (i < t->n_late && t->late[i] != id) {
        i++;
    }
    return i < t->n_late;
}

/* Begins to stop a thread, unless it has ended or cannot be stopped. Returns false with errno if it
 * may not be traced. */
static bool seize(hpp__tracer *t, uint32_t id)
{
    hpp__traced *thread = &t->thread;
    char state = hpp__proc_thread_state(t->process_id, id);
    *thread = (hpp__traced){0};
    if (state == 'Z' || state == 'X') {
        return true;
    }
    const hpp__wait *before = wait_of(t, id);
    bool is_same_wait = before && hpp__proc_switches(t->process_id, id) <= before->n_switches;
    bool is_left_alone = is_same_wait || state == 'D' || is_late(t, id);
    thread->is_seized =
        !is_left_alone && ptrace(PTRACE_SEIZE, (pid_t)id, NULL, PTRACE_O_TRACESYSGOOD) == 0;
    if (!is_left_alone && !thread->is_seized) {
        int error = errno;
        bool has_ended = error == ESRCH || !is_alive(t, id);
        errno = error;
        return has_ended;
    }
    thread->id = id;
    thread->wait = is_same_wait ? *before : (hpp__wait){0};
    if (thread->is_seized) {
        ptrace(PTRACE_INTERRUPT, (pid_t)id, NULL, NULL);
    }
    return true;
}

static void wait_for(hpp__traced *thread, uint64_t end_ns)
{
    int status = hpp__tracer_wait(thread->id, end_ns);
    thread->is_stopped = status != 0;
    thread->may_call = status == (SIGTRAP | PTRACE_EVENT_STOP << 8);
    thread->signal = status >> 8 == 0 ? status : 0;
    thread->has_registers =
        status != 0 && ptrace(PTRACE_GETREGS, (pid_t)thread->id, NULL, &thread->registers) == 0;
}

hpf_status hpp__tracer_refused(uint32_t tracer_id, uint32_t scope, hpf_error *err)
{
    if (tracer_id != 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "process %u already traces it (a debugger, or strace?)",
                             (unsigned)tracer_id);
    }
    switch (scope) {
    case 0:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it may not be traced: it belongs to another user, has more "
                             "privileges, or has given up being dumpable (prctl)");
    case 1:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it may not be traced, because census did not start it: set "
                             "kernel.yama.ptrace_scope to 0, or be root");
    case 2:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it may not be traced: set kernel.yama.ptrace_scope to 0 or 1, or be "
                             "root");
    default:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "no process may be traced: kernel.yama.ptrace_scope is %u, until the "
                             "system starts again",
                             (unsigned)scope);
    }
}

hpp__traced *hpp__tracer_stop_one(hpp__tracer *t, uint32_t thread_id)
{
    hpp__traced *thread = &t->thread;
    if (!seize(t, thread_id)) {
        return NULL;
    }
    errno = ESRCH;
    if (!thread->is_seized) {
        return NULL;
    }
    wait_for(thread, hpp__now_ns() + patience_ns);
    hpp__traced repeated = *thread;
    if (thread->has_registers && thread->signal == 0 && repeat_call(t, &repeated)) {
        thread->is_repeated =
            ptrace(PTRACE_SETREGS, (pid_t)thread_id, NULL, &repeated.registers) == 0;
    }
    return thread->may_call && thread->has_registers ? thread : NULL;
}

/* ---- Going on ---- */

/* Ends the tracing of a thread that has stopped or ended. A dead one must be waited for, or its
 * parent never sees its end; but a child of this process is left to the one who has started it.
 * Returns false if it is still about to end. */
static bool let_go(const hpp__tracer *t, uint32_t id, int signal_number)
{
    siginfo_t info = {0};
    bool is_own_child =
        id == t->process_id && hpp__proc_parent(t->process_id) == (uint32_t)getpid();
    return ptrace(PTRACE_DETACH, (pid_t)id, NULL, (long)signal_number) == 0 || is_own_child ||
           waitid(P_PID, id, &info, WEXITED | WNOHANG | __WALL) != 0 || info.si_pid != 0;
}

/* Lets a thread go on as soon as it stops. If it has not by `end_ns`, it is kept for later. */
static void end_late(hpp__tracer *t, uint32_t id, uint64_t end_ns)
{
    int status = hpp__tracer_wait(id, end_ns);
    bool has_gone =
        (status != 0 || !is_alive(t, id)) && let_go(t, id, status >> 8 == 0 ? status : 0);
    if (!has_gone && !HPF__ARRAY_PUSH(t->late, t->n_late, t->late_capacity, id)) {
        let_go(t, id, 0);
    }
}

void hpp__tracer_go_on(hpp__tracer *t)
{
    hpp__traced *thread = &t->thread;
    if (thread->is_stopped) {
        bool is_changed = thread->is_away || thread->is_repeated;
        is_changed |= thread->signal == 0 && repeat_call(t, thread);
        if (is_changed) {
            ptrace(PTRACE_SETREGS, (pid_t)thread->id, NULL, &thread->registers);
        }
        thread->is_seized = !let_go(t, thread->id, thread->signal);
    }
    t->wait = thread->wait;
    if (thread->is_seized) {
        end_late(t, thread->id, hpp__now_ns() + patience_ns);
    }
    thread->is_stopped = thread->is_seized = thread->may_call = thread->is_away = false;
}

void hpp__tracer_follow_up(hpp__tracer *t)
{
    size_t n = t->n_late;
    t->n_late = 0;
    for (size_t i = 0; i < n; i++) {
        end_late(t, t->late[i], 0);
    }
}

/* ---- Where threads are ---- */

bool hpp__tracer_is_in_sequence(const hpp__traced *thread)
{
    struct {
        uint64_t area;
        uint32_t area_bytes, signature, flags, padding;
    } configuration = {0};
    uint64_t sequence_at = 0;
    struct rseq_cs sequence;
    const struct user_regs_struct *r = &thread->registers;
    const long get_configuration = 0x420f; /* PTRACE_GET_RSEQ_CONFIGURATION */
    if (ptrace(get_configuration, (pid_t)thread->id, sizeof configuration, &configuration) < 0 ||
        configuration.area == 0) {
        return false;
    }
    uint64_t pointer_at = configuration.area + offsetof(struct rseq, rseq_cs);
    return !hpp__proc_read_memory(thread->id, &sequence_at, pointer_at, sizeof sequence_at) ||
           (sequence_at != 0 &&
            (!hpp__proc_read_memory(thread->id, &sequence, sequence_at, sizeof sequence) ||
             r->rip - sequence.start_ip < sequence.post_commit_offset));
}

/* Returns whether the kernel restarts the call of a thread. */
static bool is_restarted(const struct user_regs_struct *r)
{
    int64_t result = (int64_t)r->rax;
    return (int64_t)r->orig_rax >= 0 && result >= RESULT_RESTART_FIRST &&
           result <= RESULT_RESTART_LAST;
}

struct user_regs_struct hpp__tracer_resumed(const hpp__traced *thread)
{
    struct user_regs_struct r = thread->registers;
    if (is_restarted(&r)) {
        r.rax = (int64_t)r.rax == RESULT_RESTART_FIRST ? SYS_restart_syscall : r.orig_rax;
        r.rip -= 2;
    } else if ((int64_t)r.rax == -EINTR && can_be_repeated(r.orig_rax)) {
        r.rax = r.orig_rax;
        r.rip -= 2;
    }
    return r;
}
