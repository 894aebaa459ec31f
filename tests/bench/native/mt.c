/* SPDX-License-Identifier: BSD-2-Clause
 *
 * mt THREADS OPS: each thread keeps a window of live blocks and replaces a random one at every
 * step. One block in eight goes to the next thread, which frees it, as in the Larson benchmark.
 * Sizes are mixed, stacks 6 to 12 deep. What a thread does is the same in each run.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_LIVE = 4096, N_BOXES = 256, MAX_THREADS = 64 };
#define OWN_FRAME __attribute__((noinline))
#define STAY()    __asm__ volatile("" ::: "memory")

static int n_threads;
static long n_steps;
static _Atomic(void *) boxes[MAX_THREADS][N_BOXES];

static uint64_t next_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

OWN_FRAME static void *make(size_t size_bytes)
{
    char *block = malloc(size_bytes);
    block[0] = (char)size_bytes;
    return block;
}

OWN_FRAME static void *make_below(unsigned depth, size_t size_bytes)
{
    void *block = depth > 0 ? make_below(depth - 1, size_bytes) : make(size_bytes);
    STAY();
    return block;
}

OWN_FRAME static void *make_small(uint64_t number)
{
    void *block = make_below(number % 4, 16 + number % 112);
    STAY();
    return block;
}

OWN_FRAME static void *make_large(uint64_t number)
{
    void *block = make_below(2 + number % 6, 64 + number % 960);
    STAY();
    return block;
}

OWN_FRAME static void *make_growing(uint64_t number)
{
    void *block = realloc(calloc(1, 32 + number % 200), 300);
    STAY();
    return block;
}

static void *make_any(uint64_t number)
{
    switch (number % 10) {
    case 9:
        return make_growing(number >> 8);
    case 8:
    case 7:
    case 6:
        return make_large(number >> 8);
    default:
        return make_small(number >> 8);
    }
}

static void *work(void *context)
{
    unsigned me = (unsigned)(uintptr_t)context;
    uint64_t state = 88172645463325252u + 7919u * (uint64_t)me;
    void **live = calloc(N_LIVE, sizeof *live);
    for (long i = 0; i < n_steps; i++) {
        uint64_t number = next_number(&state);
        void **place = &live[(number >> 20) % N_LIVE];
        void *old = *place;
        *place = make_any(number);
        if (old && (number >> 40) % 8 == 0) {
            old = atomic_exchange(&boxes[(me + 1) % (unsigned)n_threads][(number >> 44) % N_BOXES],
                                  old);
        }
        free(old);
    }
    for (int i = 0; i < N_LIVE; i++) {
        free(live[i]);
    }
    free(live);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];
    n_threads = argc > 1 ? atoi(argv[1]) : 2;
    n_steps = argc > 2 ? atol(argv[2]) : 1000000;
    if (n_threads < 1 || n_threads > MAX_THREADS) {
        return 2;
    }
    for (int i = 0; i < n_threads; i++) {
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
    }
    for (int i = 0; i < n_threads; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < n_threads * N_BOXES; i++) {
        free(boxes[i / N_BOXES][i % N_BOXES]);
    }
    printf("done %d\n", n_threads);
    return 0;
}
