/* SPDX-License-Identifier: BSD-2-Clause
 *
 * For bench_cc.py: calls of functions that do nothing. Prints the nanoseconds of processor time for
 * a call and its return, the least of some rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NO_INLINE __attribute__((noinline))

enum { N_ROUNDS = 30, N_CALLS = 500000, CALLS_EACH = 3 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

NO_INLINE static long inner(long x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

NO_INLINE static long outer(long x)
{
    return inner(x) + inner(x + 1);
}

int main(void)
{
    double least = 1e18;
    long sum = 0;
    free(malloc(1));
    for (int round = 0; round < N_ROUNDS; round++) {
        double begin = now_ns();
        for (long i = 0; i < N_CALLS; i++) {
            sum += outer(i);
        }
        double spent = now_ns() - begin;
        least = spent < least ? spent : least;
    }
    printf("%.3f\n", least / ((double)N_CALLS * CALLS_EACH));
    return sum == 0;
}
