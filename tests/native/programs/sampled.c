/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks of many sizes, for profiles that count a sample of them. Prints the live bytes of each
 * function at the end, and all bytes that were allocated, as "live FUNCTION BYTES" and "all BYTES".
 * `sampled random SEED` prints the size of each live block of each function instead, as "sizes
 * FUNCTION BYTES ...". `sampled held` prints what each variable holds, and what is lost.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

enum { N_THREADS = 4 };
static uint64_t live_small, live_medium, live_large, live_grown, all;

/* Each second block is freed again. */
static OWN_FRAME void make_small(void)
{
    for (size_t i = 0; i < 100000; i++) {
        size_t n_bytes = 16 + i % 80;
        void *block = made(malloc(n_bytes));
        all += n_bytes;
        if (i % 2) {
            free(block);
        } else {
            live_small += n_bytes;
        }
    }
}

static OWN_FRAME void make_medium(void)
{
    for (size_t i = 0; i < 1000; i++) {
        size_t n_bytes = 2000 + i * 7919 % 8000;
        made(calloc(1, n_bytes));
        live_medium += n_bytes;
    }
    all += live_medium;
}

static OWN_FRAME void make_large(void)
{
    for (size_t i = 0; i < 20; i++) {
        size_t n_bytes = 50000 + i * 7919 % 100000;
        made(aligned_alloc(64, n_bytes / 64 * 64));
        live_large += n_bytes / 64 * 64;
    }
    all += live_large;
}

static OWN_FRAME void make_grown(void)
{
    void *block = NULL;
    for (size_t i = 1; i <= 300; i++) {
        block = made(realloc(block, i * 3000));
        all += i * 3000;
        live_grown = i * 3000;
    }
}

static OWN_FRAME void make_all(void)
{
    make_small();
    make_medium();
    make_large();
    make_grown();
}

static int sizes(char **argv)
{
    (void)argv;
    make_all();
    say("live make_small %llu\nlive make_medium %llu\nlive make_large %llu\nlive make_grown %llu\n",
        (unsigned long long)live_small, (unsigned long long)live_medium,
        (unsigned long long)live_large, (unsigned long long)live_grown);
    say("all %llu\n", (unsigned long long)all);
    return 0;
}

/* Makes many blocks, of which each hundredth stays. */
static int busy(char **argv)
{
    unsigned long long live = 0;
    (void)argv;
    for (size_t i = 0; i < 10000000; i++) {
        size_t n_bytes = 16 + i * 7919 % 500;
        void *block = made(malloc(n_bytes));
        if (i % 100 != 0) {
            free(block);
        } else {
            live += n_bytes;
        }
    }
    say("live busy %llu\n", live);
    return 0;
}

enum { N_NODES = 15000, N_VALUES = 2000, N_LOST = 500 };

typedef struct node {
    struct node *next;
    void *name;
    char unused[24];
} node;

static node *first;
static void **table;

static OWN_FRAME void *make_held(size_t n_bytes, unsigned long long *sum)
{
    *sum += n_bytes;
    return made(calloc(1, n_bytes));
}

/* A small block holds others: most holders are not in the sample. */
static int held(char **argv)
{
    unsigned long long of_list = 0, of_table = 0, of_none = 0;
    (void)argv;
    for (size_t i = 0; i < N_NODES; i++) {
        node *fresh = make_held(sizeof *fresh, &of_list);
        fresh->next = first;
        fresh->name = make_held(20 + i % 60, &of_list);
        first = fresh;
    }
    table = make_held(N_VALUES * sizeof *table, &of_table);
    for (size_t i = 0; i < N_VALUES; i++) {
        table[i] = make_held(300 + i * 7919 % 700, &of_table);
    }
    for (size_t i = 0; i < N_LOST; i++) {
        make_held(1000, &of_none);
    }
    say("live first %llu\nlive table %llu\nlive UNREACHED %llu\n", of_list, of_table, of_none);
    return 0;
}

/* A thread allocates what another one frees. */
static void *pass(void *blocks)
{
    void **list = blocks;
    for (size_t i = 0; i < 20000; i++) {
        free(list[i]);
        list[i] = made(malloc(100 + i % 900));
    }
    return NULL;
}

static int threads(char **argv)
{
    static void *blocks[N_THREADS][20000];
    pthread_t all_threads[N_THREADS];
    (void)argv;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N_THREADS; i++) {
            int failed =
                pthread_create(&all_threads[i], NULL, pass, blocks[(i + round) % N_THREADS]);
            must(!failed, "a thread begins");
        }
        for (int i = 0; i < N_THREADS; i++) {
            pthread_join(all_threads[i], NULL);
        }
    }
    say("live pass %d\n", N_THREADS * 20000 / 900 * (899 * 900 / 2 + 100 * 900));
    return 0;
}

/* Children have samples of their own, and free what they inherited. */
static int children(char **argv)
{
    static void *blocks[4000];
    (void)argv;
    for (size_t i = 0; i < 4000; i++) {
        blocks[i] = made(malloc(3000));
    }
    for (int child = 0; child < 3; child++) {
        pid_t id = fork();
        must(id >= 0, "a child begins");
        if (id == 0) {
            for (size_t i = 0; i < 2000; i++) {
                free(blocks[i]);
            }
            make_small();
            return 0;
        }
    }
    while (wait(NULL) > 0) {
    }
    return 0;
}

enum { N_SITES = 6, FIRST_RESIZED = 4, N_STEPS = 6000, MOST_BLOCKS = 2000 };

#define SITE(number, call)                                                                         \
    static OWN_FRAME void *site_##number(void *old, size_t n_bytes)                                \
    {                                                                                              \
        (void)old;                                                                                 \
        return made(call);                                                                         \
    }
SITE(0, malloc(n_bytes))
SITE(1, calloc(1, n_bytes))
SITE(2, aligned_alloc(64, n_bytes))
SITE(3, malloc(n_bytes))
SITE(4, realloc(old, n_bytes))
SITE(5, realloc(old, n_bytes))

/* Each site has sizes of its own, up to 16 bytes to 128 KiB, and keeps another share of its blocks.
 */
static int random_blocks(char **argv)
{
    static void *(*const makers[N_SITES])(void *, size_t) = {site_0, site_1, site_2,
                                                             site_3, site_4, site_5};
    static void *blocks[N_SITES][MOST_BLOCKS];
    static size_t sizes_of[N_SITES][MOST_BLOCKS];
    uint32_t most[N_SITES], places[N_SITES], kept[N_SITES];
    uint32_t state = (uint32_t)strtoul(argv[0], NULL, 10);
    for (int i = 0; i < N_SITES; i++) {
        most[i] = (uint32_t)16 << next_number(&state) % 14;
        places[i] = 1 + next_number(&state) % MOST_BLOCKS;
        kept[i] = next_number(&state) % 100;
    }
    for (int step = 0; step < N_STEPS; step++) {
        uint32_t site = next_number(&state) % N_SITES;
        uint32_t place = next_number(&state) % places[site];
        size_t n_bytes = 1 + next_number(&state) % most[site];
        void **block = &blocks[site][place];
        bool is_kept = next_number(&state) % 100 < kept[site];
        if (!is_kept || site < FIRST_RESIZED) {
            free(*block);
            *block = NULL;
        }
        *block = is_kept ? makers[site](*block, n_bytes) : NULL;
        sizes_of[site][place] = n_bytes;
    }
    for (int i = 0; i < N_SITES; i++) {
        say("sizes site_%d", i);
        for (size_t j = 0; j < MOST_BLOCKS; j++) {
            if (blocks[i][j]) {
                say(" %zu", sizes_of[i][j]);
            }
        }
        say("\n");
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const native_case cases[] = {
        {"sizes", sizes},     {"busy", busy},         {"held", held},
        {"threads", threads}, {"children", children}, {"random", random_blocks},
        {NULL, NULL}};
    (void)argc;
    return run_case(cases, argv);
}
