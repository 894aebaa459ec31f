/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs whose heap has a short peak. They print its size as `peak BYTES`.
 */
#include "case.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

OWN_FRAME static char *spike(size_t size_bytes)
{
    char *block = made(malloc(size_bytes));
    block[0] = 1;
    STAY();
    return block;
}

static int spike_often(int n_times, unsigned pause_us)
{
    size_t live = keep(10, 100000);
    for (int i = 0; i < n_times; i++) {
        free(spike(300000000));
        usleep(pause_us);
    }
    say("live keep %zu\npeak %zu\n", live, live + 300000000);
    return 0;
}

static int spikes(char **arguments)
{
    (void)arguments;
    return spike_often(5, 0);
}

/* Long enough for an image, which is not taken soon after another one. */
static int spikes_slowly(char **arguments)
{
    (void)arguments;
    return spike_often(30, 20000);
}

/* Grows in steps of a fifth, and shrinks at once. Waits before for the first snapshot, if its path
 * is given: the process that helps to take it starts when this one allocates. */
static int steps(char **arguments)
{
    enum { MAX_STEPS = 20, LEAST_PEAK = 20000000 };
    char *blocks[MAX_STEPS];
    int n = 0;
    size_t peak = keep(1, 1000000);
    while (arguments[0] != NULL && access(arguments[0], F_OK) != 0) {
        made(malloc(1));
        usleep(1000);
    }
    for (; peak < LEAST_PEAK; peak += peak / 5) {
        blocks[n++] = made(malloc(peak / 5));
    }
    while (n > 0) {
        free(blocks[--n]);
    }
    return 0;
}

/* Grows with many frees in between, shrinks, and grows again to less. */
static int wanders(char **arguments)
{
    enum { N = 20000 };
    static char *blocks[N];
    static size_t sizes[N];
    uint32_t random = 7;
    size_t live = 0, most = 0;
    (void)arguments;
    for (int i = 0; i < 60 * N; i++) {
        size_t k = next_number(&random) % N;
        size_t n_used = i < 30 * N ? N : N / 2;
        free(blocks[k]);
        live -= sizes[k];
        sizes[k] = k < n_used ? next_number(&random) % 1000 + 1 : 0;
        blocks[k] = sizes[k] > 0 ? spike(sizes[k]) : NULL;
        live += sizes[k];
        most = live > most ? live : most;
    }
    say("peak %zu\n", most);
    return 0;
}

/* One peak after the other, each a fifth higher, in no time. */
static int climbs(char **arguments)
{
    size_t size_bytes = 100000;
    (void)arguments;
    for (; size_bytes < 30000000; size_bytes += size_bytes / 5) {
        free(spike(size_bytes));
    }
    size_bytes = 30000000;
    free(spike(size_bytes));
    say("peak %zu\n", size_bytes);
    return 0;
}

/* Under a filter the program does not ask for an image of the peak. */
static int spikes_in_isolation(char **arguments)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {1, &allow};
    (void)arguments;
    size_t live = keep(10, 100000);
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0, "a filter");
    free(spike(30000000));
    usleep(500000);
    say("live keep %zu\n", live);
    return 0;
}

static void *make_in_thread(void *size_bytes)
{
    return spike((size_t)(uintptr_t)size_bytes);
}

/* One thread allocates, another frees. */
static int hands_over(char **arguments)
{
    (void)arguments;
    for (int i = 0; i < 3; i++) {
        pthread_t threads[4];
        void *blocks[4];
        for (int j = 0; j < 4; j++) {
            must(pthread_create(&threads[j], NULL, make_in_thread, (void *)(uintptr_t)50000000) ==
                     0,
                 "a thread");
        }
        for (int j = 0; j < 4; j++) {
            pthread_join(threads[j], &blocks[j]);
        }
        for (int j = 0; j < 3; j++) {
            free(blocks[j]);
        }
    }
    say("live spike %d\npeak %d\n", 3 * 50000000, 6 * 50000000);
    return 0;
}

static int is_inherited(char **arguments)
{
    int status;
    (void)arguments;
    size_t live = keep(50, 100000);
    free(spike(90000000));
    pid_t child = fork();
    if (child == 0) {
        free(spike(40000000));
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child && status == 0, "the child ends well");
    say("peak %zu\n", live + 90000000);
    return 0;
}

static int is_killed(char **arguments)
{
    (void)arguments;
    size_t live = keep(10, 100000);
    free(spike(300000000));
    say("peak %zu\n", live + 300000000);
    raise(SIGKILL);
    return 0;
}

static const native_case cases[] = {
    {"spikes", spikes},
    {"spikes_slowly", spikes_slowly},
    {"wanders", wanders},
    {"climbs", climbs},
    {"spikes_in_isolation", spikes_in_isolation},
    {"steps", steps},
    {"hands_over", hands_over},
    {"is_inherited", is_inherited},
    {"is_killed", is_killed},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
