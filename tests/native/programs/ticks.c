/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs that a time profile must not disturb: their signals, timers, blocking calls, users, deep
 * stacks and system call filters behave as without it.
 */
#include "case.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_MS = 1000000 };

static long cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000 * NS_PER_MS + now.tv_nsec;
}

/* Works for `ms` of processor time. Returns the rounds of work. On a busy machine, timers of
 * processor time end up to 100 ms late. */
OWN_FRAME static size_t burn(long ms)
{
    static volatile unsigned work;
    size_t n_rounds = 0;
    for (long end = cpu_ns() + ms * NS_PER_MS; cpu_ns() < end; n_rounds++) {
        for (unsigned i = 0; i < 2000; i++) {
            work = work + i;
        }
    }
    return n_rounds;
}

/* ---- signals --------------------------------------------------------------------------------- */

static int resets_all_signals(char **arguments)
{
    (void)arguments;
    for (int i = 1; i < NSIG; i++) {
        signal(i, SIG_DFL);
    }
    burn(400);
    say("alive\n");
    return 3;
}

static volatile sig_atomic_t n_strange;

static void count_strange(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)context;
    n_strange += info->si_code != SI_KERNEL;
}

static int has_own_clock(char **arguments)
{
    struct sigaction action;
    const struct itimerval every = {{0, 5000}, {0, 5000}};
    (void)arguments;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = count_strange;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    burn(400);
    say("%d signals are not of its timer\n", (int)n_strange);
    return 0;
}

/* Blocks every signal, with a signal set filled by hand. */
static int blocks_all_signals(char **arguments)
{
    sigset_t all, pending;
    struct signalfd_siginfo info;
    (void)arguments;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    int fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
    must(fd >= 0, "a signalfd");
    burn(400);
    sigpending(&pending);
    int n_pending = 0;
    for (int i = 1; i < NSIG; i++) {
        n_pending += sigismember(&pending, i) == 1;
    }
    ssize_t n = read(fd, &info, sizeof info);
    const struct timespec none = {0, 0};
    int got = sigtimedwait(&all, NULL, &none);
    say("%d pending, read %zd, got %d\n", n_pending, n, got);
    return 0;
}

/* ---- calls that wait ------------------------------------------------------------------------- */

static int waits(char **arguments)
{
    int n_cut = 0;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    (void)arguments;
    for (int i = 0; i < 150; i++) {
        struct timespec left, moment = {0, NS_PER_MS / 2};
        struct timeval tv = {0, 500};
        struct epoll_event event;
        burn(1);
        n_cut += poll(NULL, 0, 1) != 0;
        burn(1);
        n_cut += nanosleep(&moment, &left) != 0;
        n_cut += select(0, NULL, NULL, NULL, &tv) != 0;
        n_cut += epoll_wait(epoll, &event, 1, 1) != 0;
    }
    close(epoll);
    say("%d calls were interrupted\n", n_cut);
    return 0;
}

/* ---- threads and processes ------------------------------------------------------------------- */

static pthread_barrier_t barrier;

static void *burn_in_thread(void *context)
{
    pthread_barrier_wait(&barrier);
    burn(100);
    return context;
}

/* libc sends its own use of the signal to all threads. */
static int changes_user(char **arguments)
{
    pthread_t threads[4];
    (void)arguments;
    pthread_barrier_init(&barrier, NULL, 5);
    for (int i = 0; i < 4; i++) {
        must(pthread_create(&threads[i], NULL, burn_in_thread, NULL) == 0, "a thread");
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 200; i++) {
        must(setresuid(geteuid(), geteuid(), geteuid()) == 0, "the same user again");
    }
    burn(400);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    say("changed\n");
    return 0;
}

static int forks_and_execs(char **arguments)
{
    if (arguments[0]) {
        burn(100);
        return 7;
    }
    burn(400);
    int status;
    pid_t child = fork();
    if (child == 0) {
        made(malloc(1));
        burn(100);
        execl(own_path(), own_path(), "forks_and_execs", "again", (char *)NULL);
        _exit(99);
    }
    must(waitpid(child, &status, 0) == child && WIFEXITED(status), "the child exits");
    burn(50);
    say("the child returned %d\n", WEXITSTATUS(status));
    return 0;
}

/* ---- deep stacks ----------------------------------------------------------------------------- */

OWN_FRAME static size_t burn_at_depth(int depth, long ms)
{
    size_t n = depth > 0 ? burn_at_depth(depth - 1, ms) : burn(ms);
    STAY();
    return n;
}

static void *burn_deep(void *context)
{
    size_t *n = context;
    n[0] = burn_at_depth(10, 400);
    n[1] = burn_at_depth(100000, 400);
    return NULL;
}

/* At the end of a deep stack the same processor time allows nearly the same amount of work. */
static int burns_deep(char **arguments)
{
    size_t n[2] = {0, 0};
    pthread_attr_t attributes;
    pthread_t thread = pthread_self();
    (void)arguments;
    must(pthread_attr_init(&attributes) == 0 &&
             pthread_attr_setstacksize(&attributes, (size_t)64 << 20) == 0 &&
             pthread_create(&thread, &attributes, burn_deep, n) == 0,
         "a thread with a large stack");
    pthread_join(thread, NULL);
    say(n[1] > n[0] / 4 ? "works on\n" : "hardly moves\n");
    return 0;
}

/* ---- system call filters --------------------------------------------------------------------- */

#define ALLOW(number)                                                                              \
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number},                                                     \
    {                                                                                              \
        BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW                                                   \
    }

/* Kills the process for all system calls except the ones that this program makes. */
static const struct sock_filter narrow[] = {
    {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
    ALLOW(SYS_read),
    ALLOW(SYS_write),
    ALLOW(SYS_exit_group),
    ALLOW(SYS_exit),
    ALLOW(SYS_brk),
    ALLOW(SYS_mmap),
    ALLOW(SYS_munmap),
    ALLOW(SYS_mprotect),
    ALLOW(SYS_clone3),
    ALLOW(SYS_rt_sigprocmask),
    ALLOW(SYS_set_robust_list),
    ALLOW(SYS_rseq),
    ALLOW(SYS_madvise),
    ALLOW(SYS_futex),
    ALLOW(SYS_clock_gettime),
    ALLOW(SYS_seccomp),
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
};
static const struct sock_fprog narrow_filter = {sizeof narrow / sizeof *narrow,
                                                (struct sock_filter *)(uintptr_t)narrow};

OWN_FRAME static size_t keep_at_depth(int depth)
{
    size_t live = keep(10, 1000);
    return depth > 0 ? live + keep_at_depth(depth - 1) : live;
}

static void *keep_in_thread(void *context)
{
    keep_at_depth(20);
    burn(50);
    return context;
}

static void isolate(const char *way)
{
    if (strcmp(way, "prctl") == 0) {
        must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &narrow_filter) == 0, "a filter");
    } else {
        must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
                     &narrow_filter) == 0,
             "a filter");
    }
}

static int isolates_itself(char **arguments)
{
    pthread_t thread;
    size_t live = keep_at_depth(3);
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    pthread_barrier_init(&barrier, NULL, 2);
    must(pthread_create(&thread, NULL, burn_in_thread, NULL) == 0, "a thread");
    pthread_barrier_wait(&barrier);
    burn(400);
    isolate(arguments[0]);
    if (strcmp(arguments[0], "twice") ==
        0) { /* what is done before a filter may be forbidden now */
        isolate("syscall");
    }
    burn(100);
    live += keep_at_depth(100);
    pthread_join(thread, NULL);
    must(pthread_create(&thread, NULL, keep_in_thread, NULL) == 0, "another thread");
    pthread_join(thread, NULL);
    say("lives with %zu\n", live);
    return 4;
}

static void *held;

static OWN_FRAME void *make_isolated(void)
{
    return made(malloc(100000));
}

/* Works under the filter until its standard input ends. */
static int waits_in_isolation(char **arguments)
{
    char letter;
    (void)arguments;
    free(made(malloc(1))); /* the first one makes system calls of its own */
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    isolate("prctl");
    held = make_isolated();
    while (read(STDIN_FILENO, &letter, 1) > 0) {
    }
    free(held);
    say("lives\n");
    return 5;
}

static void *burn_deep_in_thread(void *context)
{
    const long *ms = context;
    pthread_barrier_wait(&barrier);
    burn_at_depth(20000, *ms);
    return NULL;
}

/* Some of the threads are in a tick when the filter takes effect, and others end just before. */
static int isolates_threads(char **arguments)
{
    enum { N_THREADS = 100 };
    pthread_t threads[N_THREADS];
    long ms[N_THREADS];
    (void)arguments;
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    pthread_barrier_init(&barrier, NULL, N_THREADS + 1);
    for (int i = 0; i < N_THREADS; i++) {
        ms[i] = 10 + i * 37 % 50;
        must(pthread_create(&threads[i], NULL, burn_deep_in_thread, &ms[i]) == 0, "a thread");
    }
    pthread_barrier_wait(&barrier);
    burn(20);
    isolate("syscall");
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    say("lives\n");
    return 6;
}

/* After this, not even mapping memory is allowed. */
static int isolates_itself_strictly(char **arguments)
{
    (void)arguments;
    free(made(malloc(100000)));
    burn(50);
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0, "strict mode");
    for (int i = 0; i < 100; i++) {
        made(malloc(100));
    }
    say("lives\n");
    syscall(SYS_exit, 5);
    return 0;
}

static const native_case cases[] = {
    {"resets_all_signals", resets_all_signals},
    {"has_own_clock", has_own_clock},
    {"blocks_all_signals", blocks_all_signals},
    {"waits", waits},
    {"changes_user", changes_user},
    {"forks_and_execs", forks_and_execs},
    {"burns_deep", burns_deep},
    {"isolates_itself", isolates_itself},
    {"isolates_threads", isolates_threads},
    {"waits_in_isolation", waits_in_isolation},
    {"isolates_itself_strictly", isolates_itself_strictly},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
