/* SPDX-License-Identifier: BSD-2-Clause
 *
 * kill_at N COMMAND ...: runs a command, and kills it by SIGKILL at its Nth step: where it begins
 * or ends a ptrace, or a write to another process. Prints the number of steps on standard error if
 * it ends before. The command is interrupted (SIGINT) once, when it has made no step for 0.2
 * seconds.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { AT_CALL = SIGTRAP | 0x80, QUIET_MS = 200 };

static int is_step(pid_t thread)
{
    struct user_regs_struct r;
    return ptrace(PTRACE_GETREGS, thread, NULL, &r) == 0 &&
           (r.orig_rax == SYS_ptrace || r.orig_rax == SYS_process_vm_writev ||
            r.orig_rax == SYS_pwrite64);
}

int main(int argc, char **argv)
{
    const struct timespec ms = {0, 1000000};
    long last = argc > 2 ? atol(argv[1]) : 0, n_steps = 0;
    int status = 0, n_quiet_ms = 0, is_interrupted = 0;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execv(argv[2], argv + 2);
        _exit(127);
    }
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, NULL,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    ptrace(PTRACE_SYSCALL, child, NULL, NULL);
    for (pid_t thread; (thread = waitpid(-1, &status, __WALL | WNOHANG)) >= 0;) {
        if (thread == 0) {
            nanosleep(&ms, NULL);
            n_quiet_ms += n_steps > 0;
            if (n_quiet_ms >= QUIET_MS && !is_interrupted) {
                is_interrupted = kill(child, SIGINT) == 0;
            }
            continue;
        }
        if (!WIFSTOPPED(status)) {
            if (thread == child) {
                break;
            }
            continue;
        }
        int signal_number = WSTOPSIG(status);
        if (signal_number == AT_CALL && is_step(thread)) {
            n_quiet_ms = 0;
            if (++n_steps == last) {
                kill(child, SIGKILL);
                continue;
            }
        }
        int is_own = signal_number == AT_CALL || status >> 16 != 0 || signal_number == SIGSTOP ||
                     signal_number == SIGTRAP;
        ptrace(PTRACE_SYSCALL, thread, NULL, is_own ? 0L : (long)signal_number);
    }
    while (waitpid(-1, NULL, __WALL) >= 0) {
    }
    if (n_steps < last || last == 0) {
        fprintf(stderr, "%ld steps\n", n_steps);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
