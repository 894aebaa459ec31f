/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs that start or execute others. Each process has its own profile and counts only its own
 * blocks.
 */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wait_for_sample.h"

extern char **environ;

OWN_FRAME static size_t keep_as_parent(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        made(malloc(1000));
    }
    return n * 1000;
}

OWN_FRAME static size_t keep_as_child(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        made(malloc(100));
    }
    return n * 100;
}

static int status_of(pid_t pid)
{
    int status;
    must(waitpid(pid, &status, 0) == pid, "the child is waited for");
    must(WIFEXITED(status), "the child exits");
    return WEXITSTATUS(status);
}

/* Keeps the number of blocks in its argument, and exits with it. Other cases execute this one. */
static int keeps(char **arguments)
{
    int n = arguments[0] ? atoi(arguments[0]) : 0;
    keep_as_child((size_t)n);
    return n;
}

/* ---- fork ------------------------------------------------------------------------------------ */

enum { N_STORM = 100, N_INHERITED = 10 };

static void live_as_child(int n, void **inherited)
{
    keep_as_child((size_t)n);
    free(inherited[n % N_INHERITED]);
    free(made(malloc(5000)));
    _exit(n);
}

static int forks_many(char **arguments)
{
    void *inherited[N_INHERITED];
    pid_t children[N_STORM];
    int sum = 0;
    (void)arguments;
    for (int i = 0; i < N_INHERITED; i++) {
        inherited[i] = made(malloc(200));
    }
    for (int i = 0; i < N_STORM; i++) {
        children[i] = fork();
        must(children[i] >= 0, "a child");
        if (children[i] == 0) {
            live_as_child(i, inherited);
        }
    }
    for (int i = 0; i < N_STORM; i++) {
        sum += status_of(children[i]);
    }
    say("statuses %d\nlive keep_as_parent %zu\nlive keep_as_child 0\n", sum, keep_as_parent(20));
    return 0;
}

static void nothing(void)
{
}

/* Waits for three samples of this process: with fewer, a recording has no log of so small a
 * process. Its profile is `base`.hp or `base`.PID.hp. */
static void wait_for_own_samples(const char *base, bool is_first)
{
    char path[PATH_MAX];
    if (is_first) {
        snprintf(path, sizeof path, "%s.hp", base);
    } else {
        snprintf(path, sizeof path, "%s.%d.hp", base, (int)getpid());
    }
    for (int i = 0; i < 3; i++) {
        wait_for_sample(path, nothing);
    }
}

/* A child of a child frees some of the first one's blocks, while all three live and have samples.
 */
static int shares_heap(char **arguments)
{
    void *inherited[N_INHERITED];
    for (int i = 0; i < N_INHERITED; i++) {
        inherited[i] = made(malloc(50000));
    }
    wait_for_own_samples(arguments[0], true);
    pid_t child = fork();
    if (child == 0) {
        keep_as_child(1000);
        wait_for_own_samples(arguments[0], false);
        pid_t grandchild = fork();
        for (int i = 0; i < N_INHERITED / 2; i++) {
            free(inherited[i]);
        }
        if (grandchild == 0) {
            keep_as_child(1000);
            wait_for_own_samples(arguments[0], false);
            _exit(3);
        }
        _exit(status_of(grandchild));
    }
    return status_of(child);
}

static atomic_int is_over;

static void *work(void *context)
{
    void *blocks[64] = {NULL};
    uint32_t state = (uint32_t)(uintptr_t)context;
    while (!is_over) {
        uint32_t i = next_number(&state) % 64;
        free(blocks[i]);
        blocks[i] = made(malloc(next_number(&state) % 2000));
    }
    for (int i = 0; i < 64; i++) {
        free(blocks[i]);
    }
    return NULL;
}

static int forks_with_threads(char **arguments)
{
    pthread_t threads[4];
    int sum = 0;
    (void)arguments;
    for (uintptr_t i = 0; i < 4; i++) {
        must(pthread_create(&threads[i], NULL, work, (void *)(i + 1)) == 0, "a thread");
    }
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        must(child >= 0, "a child");
        if (child == 0) {
            free(made(malloc(300)));
            keep_as_child((size_t)i);
            _exit(i);
        }
        sum += status_of(child);
    }
    is_over = 1;
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    say("statuses %d\nlive work 0\nlive keep_as_parent %zu\n", sum, keep_as_parent(20));
    return 0;
}

/* Makes a child without calling the handlers of fork. */
static int clones_without_fork(char **arguments)
{
    (void)arguments;
    size_t live = keep_as_parent(10);
    long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    must(child >= 0, "a child");
    if (child == 0) {
        _exit(keep_as_child(30) == 3000 ? 30 : 1);
    }
    say("status %d\n", status_of((pid_t)child));
    live += keep_as_parent(10);
    say("live keep_as_parent %zu\nlive keep_as_child 0\n", live);
    return 0;
}

/* Runs in a process that shares the memory: its allocations are the parent's. */
static int share(void *context)
{
    *(size_t *)context = keep_as_child(50);
    return 3;
}

static int clones_in_memory(char **arguments)
{
    enum { STACK_BYTES = 256 * 1024 };
    size_t live = 0;
    char *stack = made(malloc(STACK_BYTES));
    (void)arguments;
    pid_t child = clone(share, stack + STACK_BYTES, CLONE_VM | SIGCHLD, &live);
    must(child > 0, "a process");
    say("status %d\n", status_of(child));
    free(stack);
    say("live keep_as_child %zu\nlive keep_as_parent %zu\n", live, keep_as_parent(5));
    return 0;
}

/* ---- exec ------------------------------------------------------------------------------------ */

/* Executes itself N times, N being its argument, some milliseconds each. */
static int executes_itself(char **arguments)
{
    must(arguments[0] && arguments[1], "two numbers");
    int n = atoi(arguments[0]);
    char next[16];
    keep_as_child((size_t)n);
    usleep((useconds_t)atoi(arguments[1]) * 1000);
    if (n == 0) {
        say("live keep_as_child 0\nlive keep_as_parent %zu\n", keep_as_parent(3));
        return 6;
    }
    snprintf(next, sizeof next, "%d", n - 1);
    execl(own_path(), own_path(), "executes_itself", next, arguments[1], (char *)NULL);
    return 1;
}

static int executes_after_vfork(char **arguments)
{
    const char *path = own_path();
    (void)arguments;
    size_t live = keep_as_parent(10);
    pid_t child = vfork();
    if (child == 0) {
        execl(path, path, "keeps", "40", (char *)NULL);
        _exit(1);
    }
    must(child > 0, "a child");
    say("status %d\n", status_of(child));
    live += keep_as_parent(10);
    say("live keep_as_parent %zu\n", live);
    return 0;
}

static int spawns(char **arguments)
{
    char path[4096], name[] = "keeps", number[] = "41";
    char *argv[] = {path, name, number, NULL};
    pid_t child;
    (void)arguments;
    snprintf(path, sizeof path, "%s", own_path());
    size_t live = keep_as_parent(10);
    must(posix_spawn(&child, path, NULL, NULL, argv, environ) == 0, "a child");
    say("status %d\n", status_of(child));
    FILE *stream = popen("exit 12", "r");
    must(stream != NULL, "a pipe");
    say("status %d %d\n", WEXITSTATUS(pclose(stream)), WEXITSTATUS(system("exit 13")));
    live += keep_as_parent(10);
    say("live keep_as_parent %zu\n", live);
    return 0;
}

/* ---- programs that leave where they came from ------------------------------------------------ */

static void be_daemon(const char *done_path)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) {
        dup2(null, fd);
    }
    for (int fd = 3; fd < 100; fd++) {
        close(fd);
    }
    keep_as_child(50);
    usleep(300 * 1000);
    keep_as_child(20);
    close(open(done_path, O_WRONLY | O_CREAT, 0600));
    exit(0);
}

static int daemonises(char **arguments)
{
    keep_as_parent(4);
    say("live keep_as_parent 4000\n");
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0) {
            be_daemon(arguments[0]);
        }
        _exit(0);
    }
    return status_of(child);
}

/* Closes all descriptors, as servers do; the library's must not be among them. */
static int closes_all(char **arguments)
{
    (void)arguments;
    size_t live = keep_as_parent(5);
    say("first %d\n", next_descriptor());
    for (int fd = 3; fd < 1024; fd++) {
        if (close(fd) == 0) {
            say("was open: %d\n", fd);
        }
    }
    live += keep_as_parent(5);
    pid_t child = fork();
    if (child == 0) {
        _exit(keep_as_child(17) == 1700 ? 17 : 1);
    }
    say("first %d, status %d\n", next_descriptor(), status_of(child));
    live += keep_as_parent(5);
    say("live keep_as_parent %zu\n", live);
    for (int fd = 0; fd < 3; fd++) {
        close(fd);
    }
    must(next_descriptor() == 0, "0 is free");
    free(made(malloc(100000)));
    return 8;
}

static int clears_environment(char **arguments)
{
    (void)arguments;
    clearenv();
    size_t live = keep_as_parent(5);
    pid_t child = fork();
    if (child == 0) {
        _exit(keep_as_child(18) == 1800 ? 18 : 1);
    }
    int status = status_of(child);
    child = vfork();
    if (child == 0) {
        execl("/proc/self/exe", "processes", "keeps", "19", (char *)NULL);
        _exit(1);
    }
    say("status %d %d\n", status, status_of(child));
    live += keep_as_parent(5);
    say("live keep_as_parent %zu\n", live);
    return 0;
}

static const native_case cases[] = {
    {"keeps", keeps},
    {"forks_many", forks_many},
    {"shares_heap", shares_heap},
    {"forks_with_threads", forks_with_threads},
    {"clones_without_fork", clones_without_fork},
    {"clones_in_memory", clones_in_memory},
    {"executes_itself", executes_itself},
    {"executes_after_vfork", executes_after_vfork},
    {"spawns", spawns},
    {"daemonises", daemonises},
    {"closes_all", closes_all},
    {"clears_environment", clears_environment},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
