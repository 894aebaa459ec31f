/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a program can see of others in its process, of its children, and of its name spaces and
 * limits, while it is profiled. The output must be the same as without. A case that the kernel does
 * not permit prints "not permitted".
 */
#include "case.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range /* glibc 2.31 */
#define SYS_close_range 436
#endif

/* Holds some blocks, and lets images be taken. */
static void be_profiled(void)
{
    keep(3000, 100);
    usleep(200000);
}

static void nap_ms(long ms)
{
    struct timespec rest = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&rest, &rest) != 0) {
        continue;
    }
}

/* Of processor time. */
static void work_ms(long ms)
{
    clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);
    while (clock() < end) {
        continue;
    }
}

static const char *error_of(long result)
{
    return result < 0 ? strerrorname_np(errno) : "-";
}

static int refused(void)
{
    say("not permitted\n");
    return 0;
}

static pid_t child_that_exits(int status, long after_ms)
{
    pid_t child = fork();
    if (child == 0) {
        nap_ms(after_ms);
        _exit(status);
    }
    return child;
}

static int status_of(pid_t child)
{
    int status = 0;
    pid_t found = waitpid(child, &status, 0);
    return found == child ? status : -errno;
}

/* ---- name spaces
 * --------------------------------------------------------------------------------- */

/* The first child is the init of the new name space, and later ones die with it. */
static int enters_pid_namespace(char **arguments)
{
    (void)arguments;
    be_profiled();
    if (unshare(CLONE_NEWPID) != 0) {
        return refused();
    }
    nap_ms(200);
    pid_t first = fork();
    if (first == 0) {
        say("child %d of %d\n", (int)getpid(), (int)getppid());
        nap_ms(300);
        pid_t inner = fork();
        if (inner == 0) {
            say("child %d of %d\n", (int)getpid(), (int)getppid());
            nap_ms(100);
            _exit(4);
        }
        int status = status_of(inner);
        say("inner %d, %x\n", (int)inner, (unsigned)status);
        _exit(3);
    }
    say("first %x\n", (unsigned)status_of(first));
    nap_ms(100);
    pid_t second = fork();
    say("after the first %s\n", error_of(second));
    return 0;
}

static int clones_pid_namespace(char **arguments)
{
    (void)arguments;
    be_profiled();
    pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
    if (child < 0) {
        return refused();
    }
    if (child == 0) {
        keep(1000, 100);
        nap_ms(200);
        say("child %d, its child %d\n", (int)getpid(), (int)child_that_exits(0, 1));
        _exit(status_of(-1));
    }
    say("child %x\n", (unsigned)status_of(child));
    return 0;
}

/* A name space of users, and an address space of its own, are only for a process without other
 * threads. */
static int unshares(char **arguments)
{
    (void)arguments;
    be_profiled();
    static const struct {
        const char *name;
        int flags;
    } parts[] = {{"thread", CLONE_THREAD}, {"signals", CLONE_SIGHAND}, {"memory", CLONE_VM},
                 {"files", CLONE_FILES},   {"directory", CLONE_FS},    {"user", CLONE_NEWUSER},
                 {"mounts", CLONE_NEWNS},  {"network", CLONE_NEWNET},  {"queues", CLONE_NEWIPC}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        pid_t child = fork();
        if (child == 0) {
            nap_ms(100);
            int result = unshare(parts[i].flags);
            say("%s %s\n", parts[i].name, error_of(result));
            nap_ms(50);
            _exit(0);
        }
        status_of(child);
    }
    return 0;
}

/* ---- others in the process, children
 * --------------------------------------------------------------- */

static int n_entries(const char *path)
{
    int n = 0;
    DIR *directory = opendir(path);
    must(directory != NULL, "a directory");
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        n += entry->d_name[0] != '.';
    }
    closedir(directory);
    return n;
}

static int counts_itself(char **arguments)
{
    (void)arguments;
    be_profiled();
    int most_threads = 0, most_files = 0, n_strangers = 0;
    siginfo_t info;
    for (int i = 0; i < 100; i++) {
        int n = n_entries("/proc/self/task"), n_files = n_entries("/proc/self/fd");
        most_threads = n > most_threads ? n : most_threads;
        most_files = n_files > most_files ? n_files : most_files;
        n_strangers += waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
        n_strangers += waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) >= 0 || errno != ECHILD;
        n_strangers += waitpid(0, NULL, WNOHANG) >= 0;
        nap_ms(3);
    }
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    say("threads %d, files %d, strangers %d, time of children %d\n", most_threads, most_files,
        n_strangers,
        children.ru_utime.tv_sec + children.ru_utime.tv_usec + children.ru_stime.tv_sec +
                children.ru_stime.tv_usec >
            0);
    return 0;
}

/* Finds no children that are no children: none that wait only with __WALL either. */
static int waits_for_all(char **arguments)
{
    (void)arguments;
    be_profiled();
    int n_strangers = 0;
    for (int i = 0; i < 100; i++) {
        n_strangers += wait4(-1, NULL, __WALL | WNOHANG, NULL) >= 0 || errno != ECHILD;
        n_strangers += wait4(-1, NULL, (int)__WCLONE | WNOHANG, NULL) >= 0 || errno != ECHILD;
        nap_ms(3);
    }
    say("strangers %d\n", n_strangers);
    return 0;
}

static int waits_for_children(char **arguments)
{
    (void)arguments;
    be_profiled();
    int sum = 0, n = 0, status;
    for (int i = 0; i < 10; i++) {
        child_that_exits(i, 20 * i);
    }
    while (wait(&status) > 0) {
        sum += WEXITSTATUS(status);
        n++;
    }
    int error = errno;
    say("%d children, sum %d, %s\n", n, sum, strerrorname_np(error));
    pid_t child = child_that_exits(5, 50);
    siginfo_t info = {0};
    say("%s", waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == child
                  ? "seen, "
                  : "not seen, ");
    int result = waitpid(child, &status, __WALL);
    say("%s %d\n", result == child ? "reaped" : "strange", WEXITSTATUS(status));
    return 0;
}

/* Adopts what its children leave: nothing but their own children. */
static int adopts(char **arguments)
{
    (void)arguments;
    be_profiled();
    must(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0, "a subreaper");
    int n[2] = {0}, status;
    for (int i = 0; i < 20; i++) {
        if (fork() == 0) {
            keep(500, 100);
            nap_ms(100);
            child_that_exits(2, 100);
            _exit(1);
        }
    }
    int n_all = 0;
    for (; wait(&status) > 0; n_all++) {
        int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        if (exit_status > 0) {
            n[exit_status - 1]++;
        }
    }
    say("all %d, children %d, grandchildren %d, then %s\n", n_all, n[0], n[1],
        strerrorname_np(errno));
    return 0;
}

static atomic_int n_signals;

static void count_signal(int signal_number)
{
    (void)signal_number;
    n_signals++;
}

static int counts_signals(char **arguments)
{
    (void)arguments;
    signal(SIGCHLD, count_signal);
    be_profiled();
    nap_ms(200);
    say("without children %d\n", n_signals);
    for (int i = 0; i < 10; i++) {
        status_of(child_that_exits(0, 10));
        while (n_signals <= i) {
            nap_ms(1);
        }
    }
    nap_ms(50);
    say("with ten %d\n", n_signals);
    signal(SIGCHLD, SIG_IGN);
    child_that_exits(0, 10);
    pid_t found = wait(NULL);
    say("ignored %d %s\n", (int)found, error_of(found));
    return 0;
}

static int dies_with_parent(char **arguments)
{
    (void)arguments;
    int ends[2];
    char byte;
    be_profiled();
    must(pipe(ends) == 0, "a pipe");
    pid_t child = fork();
    if (child == 0) {
        pid_t inner = fork();
        if (inner == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            must(write(ends[1], "r", 1) == 1, "a byte");
            for (;;) {
                pause();
            }
        }
        must(read(ends[0], &byte, 1) == 1, "a byte");
        nap_ms(100);
        _exit(0);
    }
    close(ends[1]);
    say("child %x, then ", (unsigned)status_of(child));
    say("%zd\n", read(ends[0], &byte, 1)); /* returns at the end of the inner one */
    return 0;
}

/* ---- groups, sessions, terminals
 * --------------------------------------------------------------------- */

static int leaves_group(char **arguments)
{
    (void)arguments;
    be_profiled();
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            setpgid(0, 0);
            keep(500, 100);
            nap_ms(30);
            _exit(0);
        }
        setpgid(child, child);
        int status = status_of(child);
        int result = kill(-child, 0);
        if (status != 0 || result == 0 || errno != ESRCH) {
            say("group %d: status %x, %s\n", i, (unsigned)status, error_of(result));
        }
    }
    say("groups end\n");
    return 0;
}

static int signals_group(char **arguments)
{
    (void)arguments;
    setpgid(0, 0);
    be_profiled();
    signal(SIGUSR1, count_signal);
    for (int i = 1; i <= 30; i++) {
        kill(0, SIGUSR1);
        while (n_signals < i) {
            nap_ms(1);
        }
        nap_ms(5);
    }
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    nap_ms(100);
    say("signals %d\n", n_signals);
    return 0;
}

static int begins_session(char **arguments)
{
    (void)arguments;
    be_profiled();
    pid_t child = fork();
    if (child == 0) {
        keep(500, 100);
        nap_ms(100);
        say("setsid %s\n", setsid() == getpid() ? "done" : strerrorname_np(errno));
        nap_ms(100);
        int result = setsid();
        say("again %s\n", error_of(result));
        result = setpgid(0, 0);
        say("setpgid %s\n", error_of(result));
        _exit(0);
    }
    say("child %x\n", (unsigned)status_of(child));
    return 0;
}

/* A session on a terminal of its own, with a job in the foreground and one in the background. */
static int uses_terminal(char **arguments)
{
    (void)arguments;
    char name[100], text[100];
    be_profiled();
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    must(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0, "a terminal");
    must(ptsname_r(master, name, sizeof name) == 0, "a terminal");
    pid_t child = fork();
    if (child == 0) {
        close(master);
        setsid();
        int terminal = open(name, O_RDWR);
        keep(500, 100);
        nap_ms(100);
        pid_t job = fork();
        if (job == 0) {
            setpgid(0, 0);
            nap_ms(50);
            char byte;
            ssize_t n = read(terminal, &byte, 1); /* stops until it is in the foreground */
            _exit(n == 1 ? byte : 1);
        }
        setpgid(job, job);
        int status = 0;
        waitpid(job, &status, WUNTRACED);
        say("background: stopped %d by SIGTTIN %d\n", WIFSTOPPED(status),
            WSTOPSIG(status) == SIGTTIN);
        signal(SIGTTOU, SIG_IGN);
        tcsetpgrp(terminal, job);
        kill(-job, SIGCONT);
        waitpid(job, &status, WCONTINUED);
        say("continued %d\n", WIFCONTINUED(status));
        must(write(terminal, "go", 2) == 2, "a word");
        status = status_of(job);
        say("job exits with %d\n", WEXITSTATUS(status));
        tcsetpgrp(terminal, getpid());
        say("foreground again %d\n", tcgetpgrp(terminal) == getpid());
        _exit(0);
    }
    ssize_t n = 0;
    while (n < 2) {
        ssize_t more = read(master, text + n, 2 - (size_t)n);
        must(more > 0, "a word");
        n += more;
    }
    must(write(master, "A\n", 2) == 2, "a line");
    say("session %x\n", (unsigned)status_of(child));
    ssize_t last = 1;
    while (last > 0) {
        last = read(master, text, sizeof text);
    }
    say("terminal hangs up: %s\n", error_of(last));
    return 0;
}

/* The child stops itself again when its parent has seen that it went on. */
static int stops_and_goes_on(char **arguments)
{
    (void)arguments;
    int ends[2], n_stops = 0, n_continued = 0, status = 0;
    char byte = 0;
    be_profiled();
    must(pipe(ends) == 0, "a pipe");
    pid_t child = fork();
    if (child == 0) {
        keep(500, 100);
        for (int i = 0; i < 5; i++) {
            raise(SIGSTOP);
            must(read(ends[0], &byte, 1) == 1, "a byte");
        }
        nap_ms(200);
        _exit(6);
    }
    for (;;) {
        pid_t found = waitpid(child, &status, WUNTRACED | WCONTINUED);
        must(found == child, "the child is found");
        if (WIFSTOPPED(status)) {
            n_stops += WSTOPSIG(status) == SIGSTOP;
            nap_ms(50);
            must(waitpid(child, NULL, WUNTRACED | WCONTINUED | WNOHANG) == 0, "it stays stopped");
            kill(child, SIGCONT);
        } else if (WIFCONTINUED(status)) {
            n_continued++;
            must(write(ends[1], &byte, 1) == 1, "a byte");
        } else {
            break;
        }
    }
    say("stops %d, continued %d, %x\n", n_stops, n_continued, (unsigned)status);
    return 0;
}

/* ---- what is traced
 * ---------------------------------------------------------------------------------- */

/* Works for longer than a tick of a profile takes. */
static int works(char **arguments)
{
    (void)arguments;
    keep(500, 100);
    work_ms(100);
    return 9;
}

/* The tracer sees the signals of the child, and that it executes a program, and nothing else. */
static int traces_child(char **arguments)
{
    (void)arguments;
    be_profiled();
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
            _exit(100);
        }
        raise(SIGSTOP);
        keep(500, 100);
        work_ms(100);
        raise(SIGUSR1);
        execl(own_path(), own_path(), "works", (char *)NULL);
        _exit(101);
    }
    int status = 0;
    for (waitpid(child, &status, __WALL); WIFSTOPPED(status); waitpid(child, &status, __WALL)) {
        say("stop %d %d\n", WSTOPSIG(status), status >> 16);
        ptrace(PTRACE_CONT, child, NULL, NULL);
    }
    say(WEXITSTATUS(status) == 100 ? "not permitted\n" : "end %x\n", (unsigned)status);
    return 0;
}

/* The child forks once, and its tracer sees that it does it once. */
static int traces_forks(char **arguments)
{
    (void)arguments;
    be_profiled();
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
            _exit(100);
        }
        raise(SIGSTOP);
        nap_ms(50);
        status_of(child_that_exits(0, 100));
        _exit(9);
    }
    int status = 0, n_events = 0, n_ended = 0;
    for (pid_t found; (found = waitpid(-1, &status, __WALL)) > 0;) {
        if (!WIFSTOPPED(status)) {
            n_ended++;
            continue;
        }
        if (found == child && WSTOPSIG(status) == SIGSTOP) {
            ptrace(PTRACE_SETOPTIONS, child, NULL,
                   (void *)(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE));
        }
        n_events += status >> 16 != 0;
        int is_event = status >> 16 != 0 || WSTOPSIG(status) == SIGSTOP;
        ptrace(PTRACE_CONT, found, NULL, (void *)(long)(is_event ? 0 : WSTOPSIG(status)));
    }
    say("events %d, ended %d\n", n_events, n_ended);
    return 0;
}

static int seizes_child(char **arguments)
{
    (void)arguments;
    be_profiled();
    pid_t child = child_that_exits(9, 400);
    nap_ms(50);
    if (ptrace(PTRACE_SEIZE, child, NULL, NULL) != 0) {
        kill(child, SIGKILL);
        status_of(child);
        return refused();
    }
    ptrace(PTRACE_INTERRUPT, child, NULL, NULL);
    int status = 0;
    pid_t found = waitpid(child, &status, __WALL);
    say("stop %d %x\n", found == child, (unsigned)status);
    ptrace(PTRACE_DETACH, child, NULL, NULL);
    say("end %x\n", (unsigned)status_of(child));
    return 0;
}

/* ---- limits, descriptors, rights
 * ------------------------------------------------------------------------ */

static int n_opened(void)
{
    int n = 0, files[100];
    while (n < 100 && (files[n] = open("/dev/null", O_RDONLY)) >= 0) {
        n++;
    }
    int error = errno;
    for (int i = 0; i < n; i++) {
        close(files[i]);
    }
    errno = error;
    return n;
}

static int limits_files(char **arguments)
{
    (void)arguments;
    be_profiled();
    struct rlimit few = {40, 40};
    must(setrlimit(RLIMIT_NOFILE, &few) == 0, "a limit");
    for (int i = 0; i < 30; i++) {
        int n = n_opened();
        if (i % 10 == 0) {
            say("files %d %s\n", n, strerrorname_np(errno));
        }
        nap_ms(5);
    }
    return 0;
}

static int limits_processes(char **arguments)
{
    (void)arguments;
    struct rlimit few = {6, 6};
    be_profiled();
    if (setresuid(54321, 54321, 54321) != 0) {
        return refused();
    }
    must(setrlimit(RLIMIT_NPROC, &few) == 0, "a limit");
    for (int round = 0; round < 5; round++) {
        int n = 0;
        while (n < 20 && child_that_exits(0, 60) > 0) {
            n++;
        }
        say("children %d %s\n", n, strerrorname_np(errno));
        while (wait(NULL) > 0) {
            continue;
        }
    }
    return 0;
}

static int closes_everything(char **arguments)
{
    (void)arguments;
    be_profiled();
    syscall(SYS_close_range, 3, ~0U, 0);
    say("next %d\n", next_descriptor());
    nap_ms(100);
    for (int file = 3; file < 1100; file++) {
        if (close(file) == 0) {
            say("file %d was open\n", file);
        }
    }
    nap_ms(100);
    status_of(child_that_exits(0, 50));
    say("next %d\n", next_descriptor());
    return 0;
}

/* Ports, locks and pipes are free as soon as their only descriptor is closed. */
static int releases_at_once(char **arguments)
{
    int n_late = 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    (void)arguments;
    be_profiled();
    for (int i = 0; i < 60; i++) {
        int ends[2];
        char byte;
        must(pipe(ends) == 0, "a pipe");
        int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        must(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "a port");
        getsockname(listener, (struct sockaddr *)&address, &length);
        int file = open(own_path(), O_RDONLY), other = open(own_path(), O_RDONLY);
        flock(file, LOCK_SH);
        nap_ms(5);
        close(listener);
        close(file);
        close(ends[1]);
        listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        n_late += bind(listener, (struct sockaddr *)&address, sizeof address) != 0;
        n_late += flock(other, LOCK_EX | LOCK_NB) != 0;
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        n_late += read(ends[0], &byte, 1) != 0;
        close(listener);
        close(other);
        close(ends[0]);
        address.sin_port = 0;
    }
    say("late %d\n", n_late);
    return 0;
}

static int changes_root(char **arguments)
{
    must(arguments[0] != NULL, "a directory");
    be_profiled();
    if (chroot(arguments[0]) != 0 || chdir("/") != 0) {
        return refused();
    }
    nap_ms(200);
    int result = open("/proc/self/stat", O_RDONLY);
    say("no proc: %s\n", error_of(result));
    say("child %x\n", (unsigned)status_of(child_that_exits(3, 100)));
    return 0;
}

static int drops_rights(char **arguments)
{
    (void)arguments;
    be_profiled();
    if (setresgid(54321, 54321, 54321) != 0 || setresuid(54321, 54321, 54321) != 0) {
        return refused();
    }
    nap_ms(200);
    keep(1000, 100);
    say("dumpable %d\n", prctl(PR_GET_DUMPABLE));
    say("child %x\n", (unsigned)status_of(child_that_exits(3, 100)));
    nap_ms(100);
    return 0;
}

static int filters_calls(char **arguments)
{
    (void)arguments;
    be_profiled();
    /* Whoever forks, clones or waits is killed. */
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_wait4, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "a filter");
    keep(1000, 100);
    nap_ms(300);
    say("alive\n");
    return 7;
}

static int dumps_core(char **arguments)
{
    (void)arguments;
    struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    be_profiled();
    must(arguments[0] != NULL && chdir(arguments[0]) == 0, "a directory");
    setrlimit(RLIMIT_CORE, &most);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            keep(500, 100);
            nap_ms(100);
            abort();
        }
        say("child %x\n", (unsigned)status_of(child));
    }
    return 0;
}

/* ---- many processes
 * ---------------------------------------------------------------------------------------- */

static void *fork_many(void *context)
{
    atomic_int *sum = context;
    for (int i = 0; i < 60; i++) {
        *sum += status_of(child_that_exits(i % 3, 0)) >> 8;
    }
    return NULL;
}

static int forks_in_storms(char **arguments)
{
    (void)arguments;
    static atomic_int sum;
    pthread_t threads[3];
    be_profiled();
    for (int i = 0; i < 3; i++) {
        must(pthread_create(&threads[i], NULL, fork_many, &sum) == 0, "a thread");
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    say("sum %d\n", sum);
    return 0;
}

static void *nap_for_ever(void *context)
{
    (void)context;
    for (;;) {
        nap_ms(1);
    }
    return NULL;
}

/* Replaces itself again and again, with a second thread, at different times after an image. */
static int executes_often(char **arguments)
{
    int n = arguments[0] ? atoi(arguments[0]) : 15;
    char next[20];
    pthread_t thread;
    keep(3000, 100);
    must(pthread_create(&thread, NULL, nap_for_ever, NULL) == 0, "a thread");
    nap_ms(20 + 3 * n);
    say("%d ", n);
    if (n > 0) {
        snprintf(next, sizeof next, "%d", n - 1);
        execl(own_path(), own_path(), "executes_often", next, (char *)NULL);
        must(0, "a program is executed");
    }
    say("end\n");
    return 8;
}

/* After exec, no child of what ran before ends. */
static int executes_and_counts(char **arguments)
{
    signal(SIGCHLD, count_signal);
    if (!arguments[0]) {
        be_profiled();
        execl(own_path(), own_path(), "executes_and_counts", "again", (char *)NULL);
        must(0, "a program is executed");
    }
    int n_strangers = 0;
    keep(3000, 100);
    for (int i = 0; i < 100; i++) {
        nap_ms(5);
        n_strangers += waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
    }
    say("signals %d, strangers %d\n", n_signals, n_strangers);
    return 0;
}

static int executes_from_vfork(char **arguments)
{
    (void)arguments;
    be_profiled();
    for (int i = 0; i < 10; i++) {
        pid_t child = vfork();
        if (child == 0) {
            struct timespec rest = {0, 30000000};
            syscall(SYS_nanosleep, &rest, NULL);
            execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
            _exit(99);
        }
        int status = status_of(child);
        if (WEXITSTATUS(status) != 4) {
            say("child %x\n", (unsigned)status);
        }
    }
    say("ten\n");
    return 0;
}

static void *end_last(void *context)
{
    pthread_join(*(pthread_t *)context, NULL);
    nap_ms(300);
    say("the last thread ends\n");
    return NULL;
}

static int main_thread_ends(char **arguments)
{
    (void)arguments;
    static pthread_t first;
    pthread_t second;
    first = pthread_self();
    be_profiled();
    must(pthread_create(&second, NULL, end_last, &first) == 0, "a thread");
    pthread_exit(NULL);
}

/* The flags of floating point are the program's own, and so are its traps: it ends by one that
 * another sets. */
static int watches_floating_point(char **arguments)
{
    (void)arguments;
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    must(feenableexcept(FE_ALL_EXCEPT) == 0, "traps");
    int n_flags = 0;
    for (int i = 0; i < 2000; i++) {
        free(made(malloc((size_t)i)));
        n_flags += fetestexcept(FE_ALL_EXCEPT) != 0;
    }
    nap_ms(30);
    say("flags %d, rounds upward %d\n", n_flags, fegetround() == FE_UPWARD);
    return 0;
}

/* Prints that it is ready, works for a second, and says how it went. */
static int works_on(char **arguments)
{
    (void)arguments;
    int n_bad = 0;
    signal(SIGCHLD, count_signal);
    keep(3000, 100);
    say("ready\n");
    for (int i = 0; i < 20; i++) {
        struct timespec rest = {0, 20000000};
        void *block = made(malloc(5000));
        n_bad += nanosleep(&rest, NULL) != 0;
        free(block);
    }
    int status = status_of(child_that_exits(3, 20));
    n_bad += status != 3 << 8;
    say("bad %d, strangers %d\n", n_bad, wait(NULL) >= 0 || errno != ECHILD);
    return 5;
}

int main(int argc, char **argv)
{
    static const native_case cases[] = {{"enters_pid_namespace", enters_pid_namespace},
                                        {"clones_pid_namespace", clones_pid_namespace},
                                        {"unshares", unshares},
                                        {"counts_itself", counts_itself},
                                        {"waits_for_all", waits_for_all},
                                        {"waits_for_children", waits_for_children},
                                        {"adopts", adopts},
                                        {"counts_signals", counts_signals},
                                        {"dies_with_parent", dies_with_parent},
                                        {"leaves_group", leaves_group},
                                        {"signals_group", signals_group},
                                        {"begins_session", begins_session},
                                        {"uses_terminal", uses_terminal},
                                        {"stops_and_goes_on", stops_and_goes_on},
                                        {"works", works},
                                        {"traces_child", traces_child},
                                        {"traces_forks", traces_forks},
                                        {"seizes_child", seizes_child},
                                        {"limits_files", limits_files},
                                        {"limits_processes", limits_processes},
                                        {"closes_everything", closes_everything},
                                        {"releases_at_once", releases_at_once},
                                        {"changes_root", changes_root},
                                        {"drops_rights", drops_rights},
                                        {"filters_calls", filters_calls},
                                        {"dumps_core", dumps_core},
                                        {"forks_in_storms", forks_in_storms},
                                        {"executes_often", executes_often},
                                        {"executes_and_counts", executes_and_counts},
                                        {"executes_from_vfork", executes_from_vfork},
                                        {"main_thread_ends", main_thread_ends},
                                        {"watches_floating_point", watches_floating_point},
                                        {"works_on", works_on},
                                        {NULL, NULL}};
    (void)argc;
    return run_case(cases, argv);
}
