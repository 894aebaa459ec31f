/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ways in which a program ends. In each case the last census has all of its live blocks.
 */
#include "case.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void hold(void)
{
    void *gone = made(malloc(5000));
    say("live keep %zu\n", keep(1000, 64) + keep(3, 100000));
    free(gone);
}

static int returns(char **arguments)
{
    hold();
    return arguments[0] ? atoi(arguments[0]) : 0;
}

static int quits(char **arguments)
{
    (void)arguments;
    hold();
    _exit(7);
}

static int exits_quickly(char **arguments)
{
    (void)arguments;
    hold();
    quick_exit(9);
}

static int is_killed(char **arguments)
{
    (void)arguments;
    hold();
    kill(getpid(), SIGKILL);
    return 1;
}

static int aborts(char **arguments)
{
    (void)arguments;
    hold();
    abort();
}

static int faults(char **arguments)
{
    int *volatile nowhere = NULL;
    (void)arguments;
    hold();
    return *nowhere;
}

static void *exit_here(void *context)
{
    (void)context;
    say("live keep %zu\n", keep(10, 10));
    exit(11);
}

static int exits_from_thread(char **arguments)
{
    pthread_t thread;
    (void)arguments;
    must(pthread_create(&thread, NULL, exit_here, NULL) == 0, "a thread");
    pthread_join(thread, NULL);
    return 1;
}

/* Runs after the end of main: the program continues until its last thread ends. */
static void *outlive_main(void *context)
{
    pthread_join(*(pthread_t *)context, NULL);
    say("live keep %zu\n", keep(10, 10));
    return NULL;
}

static int main_thread_exits(char **arguments)
{
    static pthread_t first, second;
    (void)arguments;
    first = pthread_self();
    must(pthread_create(&second, NULL, outlive_main, &first) == 0, "a thread");
    pthread_exit(NULL);
}

/* Prints that it is ready, and waits for the end of its standard input. */
static int waits(char **arguments)
{
    char byte;
    (void)arguments;
    hold();
    say("ready\n");
    while (read(0, &byte, 1) > 0) {
        continue;
    }
    say("live keep %zu\n", keep(100, 100) + 364000);
    return 5;
}

/* Allocates until the end of its standard input. */
static int works(char **arguments)
{
    char byte;
    (void)arguments;
    say("ready\n");
    for (int i = 0; i < 200 && read(0, &byte, 1) > 0; i++) {
        keep(10, 100);
    }
    return 5;
}

/* Limits its own address space: 100 MB are used twice, 300 MB remain. The block table needs at most
 * four leaves of 16 MiB, less than the quarter that it may take. */
static int limits_itself(char **arguments)
{
    unsigned long n_pages = 0;
    char text[64] = {0};
    int file = open("/proc/self/statm", O_RDONLY);
    (void)arguments;
    must(read(file, text, sizeof text - 1) > 0, "its size is known");
    close(file);
    n_pages = strtoul(text, NULL, 10);
    const struct rlimit most = {n_pages * 4096 + 400000000, RLIM_INFINITY};
    must(n_pages * 4096 < 500000000, "its address space is its own");
    must(setrlimit(RLIMIT_AS, &most) == 0, "a limit");
    for (int i = 0; i < 2; i++) {
        free(made(malloc(100000000)));
    }
    say("live keep %zu\n", keep(1000, 1000) + keep(1, 100000000));
    return 3;
}

enum { N_LATE = 100, LATE_BYTES = 40000 };
static char *volatile late[N_LATE];

/* Uses its blocks just before it ends in the way that the argument names. */
static int uses_late(char **arguments)
{
    for (int i = 0; i < N_LATE; i++) {
        late[i] = made(malloc(LATE_BYTES));
    }
    usleep(arguments[0][0] == 'e' ? 1200000 : 300000); /* what is replaced sooner has no profile */
    free(malloc(LATE_BYTES)); /* now the program notices that eras have begun */
    for (int i = 0; i < N_LATE; i++) {
        late[i][LATE_BYTES / 2] = 1;
    }
    switch (arguments[0][0]) {
    case '_':
        _exit(0);
    case 'q':
        quick_exit(0);
    case 'e':
        execl("/bin/true", "true", NULL);
        return 1;
    default:
        return 0;
    }
}

static const native_case cases[] = {
    {"limits_itself", limits_itself},
    {"returns", returns},
    {"uses_late", uses_late},
    {"quits", quits},
    {"exits_quickly", exits_quickly},
    {"is_killed", is_killed},
    {"aborts", aborts},
    {"faults", faults},
    {"exits_from_thread", exits_from_thread},
    {"main_thread_exits", main_thread_exits},
    {"waits", waits},
    {"works", works},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
