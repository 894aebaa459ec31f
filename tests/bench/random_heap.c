/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A random program that keeps its own account: random_heap SEED. Up to 8 threads allocate,
 * reallocate, free and map, with spikes of 1 to 300 ms; it forks a tree of up to 7 processes, each
 * of which ends in another way. Each process prints a line before its end:
 *
 *   account PID THREADS LEAST MOST LIVE-OF-SITE ...
 *
 * in bytes: the largest total of all its sites, with what it has inherited, and what is live at the
 * end. Where several threads are inside of calls, the total is between two: LEAST is the largest
 * without the blocks of these calls, MOST that with them. The functions site_0 to site_7 allocate.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_SITES = 8, N_SLOTS = 1000, MAX_THREADS = 8, PAGE_BYTES = 4096 };

typedef struct slot {
    pthread_mutex_t lock;
    void *block;
    size_t n_bytes;
    unsigned site;
} slot;

static slot slots[N_SLOTS];
static _Atomic long live[N_SITES];

typedef struct account {
    _Atomic long total, peak;
} account;

static account least, most; /* without, and with, what calls are about to allocate or free */

typedef struct worker {
    uint64_t random;
    int n_steps;
} worker;

static unsigned draw(worker *w, unsigned n)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (unsigned)((w->random >> 11) % n);
}

static void add(account *to, long n_bytes)
{
    long now = atomic_fetch_add(&to->total, n_bytes) + n_bytes;
    long before = atomic_load(&to->peak);
    while (now > before && !atomic_compare_exchange_weak(&to->peak, &before, now)) {
    }
}

#define SITE(number, call)                                                                         \
    __attribute__((noinline)) static void *site_##number(size_t n_bytes)                           \
    {                                                                                              \
        void *volatile block = call;                                                               \
        return block;                                                                              \
    }
SITE(0, malloc(n_bytes))
SITE(1, calloc(1, n_bytes))
SITE(2, realloc(NULL, n_bytes))
SITE(3, aligned_alloc(64, n_bytes))
SITE(4, memalign(256, n_bytes))
SITE(5, mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
SITE(6, malloc(n_bytes)) /* spikes */
__attribute__((noinline)) static void *site_7(void *old, size_t n_bytes)
{
    void *volatile block = realloc(old, n_bytes);
    return block;
}
static void *(*const sites[])(size_t) = {site_0, site_1, site_2, site_3, site_4, site_5, site_6};
enum { MAPPED = 5, SPIKE = 6, RESIZED = 7 };

static size_t random_bytes(worker *w, unsigned site)
{
    size_t n_bytes = draw(w, 10)   ? 1 + draw(w, 300)
                     : draw(w, 60) ? 1 + draw(w, 20000)
                                   : 1 + draw(w, 3000000);
    return site != MAPPED ? n_bytes : (n_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void release(slot *s)
{
    if (s->block == NULL) {
        return;
    }
    add(&least, -(long)s->n_bytes);
    if (s->site == MAPPED) {
        munmap(s->block, s->n_bytes);
    } else {
        free(s->block);
    }
    add(&most, -(long)s->n_bytes);
    atomic_fetch_add(&live[s->site], -(long)s->n_bytes);
    s->block = NULL;
}

static void fill(worker *w, slot *s)
{
    release(s);
    s->site = draw(w, 40) ? draw(w, MAPPED) : MAPPED;
    s->n_bytes = random_bytes(w, s->site);
    add(&most, (long)s->n_bytes);
    s->block = sites[s->site](s->n_bytes);
    if (s->block == NULL || s->block == MAP_FAILED) {
        abort();
    }
    memset(s->block, 1, s->n_bytes < 64 ? s->n_bytes : 64);
    atomic_fetch_add(&live[s->site], (long)s->n_bytes);
    add(&least, (long)s->n_bytes);
}

static void resize(worker *w, slot *s)
{
    if (s->block == NULL || s->site == MAPPED) {
        return;
    }
    size_t n_bytes = random_bytes(w, RESIZED);
    long change = (long)n_bytes - (long)s->n_bytes;
    add(change > 0 ? &most : &least, change);
    void *block = site_7(s->block, n_bytes);
    if (block == NULL) {
        abort();
    }
    atomic_fetch_add(&live[s->site], -(long)s->n_bytes);
    atomic_fetch_add(&live[RESIZED], (long)n_bytes);
    add(change > 0 ? &least : &most, change);
    *s = (slot){s->lock, block, n_bytes, RESIZED};
}

static void spike(worker *w)
{
    size_t n_bytes = 1000000 + draw(w, 20000000);
    add(&most, (long)n_bytes);
    void *block = sites[SPIKE](n_bytes);
    if (block == NULL) {
        abort();
    }
    add(&least, (long)n_bytes);
    usleep(1000 + draw(w, draw(w, 4) ? 10000 : 300000));
    add(&least, -(long)n_bytes);
    free(block);
    add(&most, -(long)n_bytes);
}

static void *work(void *of)
{
    worker *w = of;
    for (int i = 0; i < w->n_steps; i++) {
        slot *s = &slots[draw(w, N_SLOTS)];
        pthread_mutex_lock(&s->lock);
        unsigned what = draw(w, 100);
        if (what < 45) {
            fill(w, s);
        } else if (what < 75) {
            release(s);
        } else {
            resize(w, s);
        }
        pthread_mutex_unlock(&s->lock);
    }
    if (draw(w, 3) == 0) {
        spike(w);
    }
    return NULL;
}

static void live_through(worker *w)
{
    static pthread_t threads[MAX_THREADS];
    static worker workers[MAX_THREADS];
    static char line[500];
    unsigned n_threads = draw(w, 2) ? 1 : 2 + draw(w, MAX_THREADS - 1);
    int n_steps = 100 + (int)draw(w, 20000);
    for (unsigned i = 0; i < n_threads; i++) {
        workers[i] = (worker){w->random + i * 0x9E3779B97F4A7C15u + 1, n_steps};
        if (i > 0 && pthread_create(&threads[i], NULL, work, &workers[i]) != 0) {
            abort();
        }
    }
    work(&workers[0]);
    for (unsigned i = 1; i < n_threads; i++) {
        pthread_join(threads[i], NULL);
    }
    int n = snprintf(line, sizeof(line), "account %d %u %ld %ld", (int)getpid(), n_threads,
                     least.peak, most.peak);
    for (unsigned i = 0; i < N_SITES; i++) {
        n += snprintf(line + n, sizeof(line) - (size_t)n, " %ld", live[i]);
    }
    line[n] = '\n';
    if (write(STDOUT_FILENO, line, (size_t)n + 1) != n + 1) {
        abort();
    }
}

/* Forks up to two children, while nothing else runs. */
static void fork_children(worker *w, int depth)
{
    for (unsigned i = draw(w, 3); i > 0 && depth > 0; i--) {
        pid_t child = fork();
        if (child == 0) {
            w->random = w->random * 31 + i;
            atomic_store(&least.peak, atomic_load(&least.total));
            atomic_store(&most.peak, atomic_load(&most.total));
            for (int step = 0; step < (int)draw(w, 2000); step++) {
                fill(w, &slots[draw(w, N_SLOTS)]);
            }
            fork_children(w, depth - 1);
            live_through(w);
            switch (draw(w, 4)) {
            case 0:
                _exit(0);
            case 1:
                quick_exit(0);
            case 2:
                raise(SIGKILL);
                break;
            default:
                exit(0);
            }
        }
        if (draw(w, 2)) {
            waitpid(child, NULL, 0);
        }
    }
}

int main(int argc, char **argv)
{
    worker w = {(argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * 0x9E3779B97F4A7C15u + 99, 0};
    for (int i = 0; i < N_SLOTS; i++) {
        pthread_mutex_init(&slots[i].lock, NULL);
    }
    for (int i = 0; i < 20; i++) {
        draw(&w, 2);
    }
    fork_children(&w, 2);
    live_through(&w);
    while (wait(NULL) > 0) {
    }
    return 0;
}
