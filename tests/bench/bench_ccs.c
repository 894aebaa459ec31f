/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a cost-centre scope costs: a call with a scope in it against the same call without, in one
 * run. Prints nanoseconds per call, the difference, and the ratio.
 */
#define HPP_MODULE "Bench"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hpprof/scope.h"

enum {
    N_CALLS = 20000000,
    N_ROUNDS = 5,
};

static volatile unsigned sink;

__attribute__((noinline)) static unsigned bare(unsigned x)
{
    sink = x;
    return x + 1;
}

__attribute__((noinline)) static unsigned scoped(unsigned x)
{
    HPP_SCC("scoped")
    {
        sink = x;
        return x + 1;
    }
    return 0;
}

__attribute__((noinline)) static unsigned bare_two(unsigned x)
{
    return bare(x) + 1;
}

__attribute__((noinline)) static unsigned scoped_two(unsigned x)
{
    HPP_SCC("outer")
    {
        return scoped(x) + 1;
    }
    return 0;
}

__attribute__((noinline)) static unsigned scoped_many(unsigned x)
{
    static hpp_cc centres[100];
    if (!centres[0].label) {
        for (int i = 0; i < 100; i++) {
            centres[i] = (hpp_cc)HPP_CC_INIT("one of many", "Bench", "here", 0);
        }
    }
    HPP_SCC_OF(&centres[x % 100])
    {
        return scoped(x) + 1;
    }
    return 0;
}

__attribute__((noinline)) static unsigned bare_many(unsigned x)
{
    return bare(x % 100 + x) + 1;
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The best of some rounds, in nanoseconds per call. */
static double measure(unsigned (*call)(unsigned))
{
    double best = 1e18;
    for (int round = 0; round < N_ROUNDS; round++) {
        double begin = now_ns();
        unsigned x = 0;
        for (int i = 0; i < N_CALLS; i++) {
            x = call(x);
        }
        double ns = (now_ns() - begin) / N_CALLS;
        best = ns < best ? ns : best;
    }
    return best;
}

static void compare(const char *what, unsigned (*without)(unsigned), unsigned (*with)(unsigned),
                    int n_scopes)
{
    double plain = measure(without);
    double profiled = measure(with);
    printf("%-34s %7.2f ns bare %7.2f ns profiled  +%.2f ns per scope  x%.2f\n", what, plain,
           profiled, (profiled - plain) / n_scopes, profiled / plain);
}

static void *run_one(void *unused)
{
    (void)unused;
    compare("  in each of two threads", bare, scoped, 1);
    return NULL;
}

int main(void)
{
    compare("push and pop", bare, scoped, 1);
    compare("two nested", bare_two, scoped_two, 2);
    compare("two nested, outer one of 100", bare_many, scoped_many, 2);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, run_one, NULL) != 0) {
            return EXIT_FAILURE;
        }
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    return EXIT_SUCCESS;
}
