/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that a program maps itself: cut, moved, made writable, and replaced, by threads, forked
 * children and signal handlers.
 */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <hpprof/native.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, READ_WRITE = PROT_READ | PROT_WRITE };

static OWN_FRAME char *map(size_t n_pages, int protection, int flags)
{
    char *block = mmap(NULL, n_pages * PAGE, protection, MAP_ANONYMOUS | flags, -1, 0);
    must(block != MAP_FAILED, "memory is mapped");
    return block;
}

static void unmap(char *begin, size_t n_pages)
{
    must(munmap(begin, n_pages * PAGE) == 0, "memory is unmapped");
}

/* ---- cuts ------------------------------------------------------------------------------------ */

#define MAPPER(name)                                                                               \
    static OWN_FRAME char *name(size_t n_pages, int protection, int flags)                         \
    {                                                                                              \
        char *block = mmap(NULL, n_pages * PAGE, protection, MAP_ANONYMOUS | flags, -1, 0);        \
        must(block != MAP_FAILED, #name); /* so that no two functions are equal */                 \
        return block;                                                                              \
    }
MAPPER(map_to_cut)
MAPPER(map_to_replace)
MAPPER(map_to_resize)
MAPPER(map_to_refuse)
MAPPER(map_shared)
MAPPER(map_large)
MAPPER(map_for_reading)

static OWN_FRAME char *resize(char *block, size_t n_before, size_t n_after, int flags)
{
    char *moved = mremap(block, n_before * PAGE, n_after * PAGE, flags);
    STAY();
    return moved;
}

static OWN_FRAME char *resize_twice(char *block)
{
    block = mremap(block, (size_t)20 * PAGE, (size_t)300 * PAGE, MREMAP_MAYMOVE);
    must(block != MAP_FAILED, "a mapping grows");
    block = mremap(block, (size_t)300 * PAGE, (size_t)7 * PAGE, 0);
    must(block != MAP_FAILED, "a mapping shrinks");
    return block;
}

static OWN_FRAME void commit(char *begin, size_t n_pages)
{
    must(mprotect(begin, n_pages * PAGE, READ_WRITE) == 0, "memory is made writable");
}

static int cuts(char **arguments)
{
    (void)arguments;
    char *cut = map_to_cut(100, READ_WRITE, MAP_PRIVATE);
    unmap(cut, 5);
    unmap(cut + 95 * PAGE, 5);
    unmap(cut + 40 * PAGE, 20);
    unmap(cut + 30 * PAGE, 40); /* what is left of both pieces */
    say("live map_to_cut %d\n", 50 * PAGE);

    char *replaced = map_to_replace(40, READ_WRITE, MAP_PRIVATE);
    char *over = mmap(replaced + 10 * PAGE, 10 * PAGE - 1, PROT_READ, MAP_PRIVATE | MAP_FIXED,
                      open("/proc/self/exe", O_RDONLY), 0);
    must(over == replaced + 10 * PAGE, "a file is mapped over memory");
    over = mmap(replaced + 30 * PAGE, 5 * PAGE, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                -1, 0);
    must(over == replaced + 30 * PAGE, "memory is mapped over memory");
    say("live map_to_replace %d\n", 25 * PAGE);
    say("live cuts %d\n", 5 * PAGE);

    char *resized = resize_twice(map_to_resize(20, READ_WRITE, MAP_PRIVATE));
    memset(resized, 1, (size_t)7 * PAGE);
    say("live map_to_resize 0\nlive resize_twice %d\n", 7 * PAGE);

    char *large = map_large(1 << 18, READ_WRITE, MAP_PRIVATE); /* 1 GiB */
    unmap(large + (size_t)100001 * PAGE, 3);
    unmap(large, 99999);
    unmap(large + (size_t)100000 * PAGE, 120000);
    say("live map_large %lu\n", (1ul + (1 << 18) - 220000) * PAGE);

    map_shared(11, READ_WRITE, MAP_SHARED);
    say("live map_shared %d\n", 11 * PAGE);

    char *pages = map_for_reading(9, PROT_READ, MAP_PRIVATE);
    must(mprotect(pages, PAGE, PROT_READ | PROT_EXEC) == 0, "memory is made executable");
    char *reserved = map((size_t)1 << 28, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE); /* 1 TiB */
    commit(reserved + ((size_t)1 << 39), 64);
    commit(reserved + ((size_t)1 << 39) + 32 * PAGE, 64); /* half of it is writable already */
    must(mprotect(reserved + ((size_t)1 << 39), (size_t)10 * PAGE, PROT_NONE) == 0, "a guard");
    say("live map_for_reading 0\nlive map 0\nlive commit %d\n", 96 * PAGE);
    return 0;
}

/* Calls that fail change nothing. */
static int refusals(char **arguments)
{
    (void)arguments;
    char *block = map_to_refuse(10, READ_WRITE, MAP_PRIVATE);
    errno = 0;
    must(mmap(NULL, 0, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED, "");
    say("no bytes: %d\n", errno);
    must(mmap(block, PAGE, READ_WRITE, MAP_PRIVATE | MAP_FIXED, -1, 0) == MAP_FAILED, "");
    say("no file: %d\n", errno);
    must(munmap(block + 1, PAGE) == -1, "");
    say("no page: %d\n", errno);
    must(resize(block, 10, (size_t)1 << 36, MREMAP_MAYMOVE) == MAP_FAILED, "");
    say("too much: %d\n", errno);
    must(resize(block, 10, (size_t)1 << 36, 0) == MAP_FAILED, "");
    say("no room: %d\n", errno);
    must(resize(block + 2 * PAGE, 1, 1, MREMAP_FIXED) == MAP_FAILED, "");
    say("no flag: %d\n", errno);
    must(mprotect(block + 1, PAGE, READ_WRITE) == -1, "");
    say("no page: %d\n", errno);
    errno = 7;
    unmap(block + 9 * PAGE, 1);
    map_to_refuse(1, READ_WRITE, MAP_PRIVATE);
    commit(block, 1);
    say("kept: %d\n", errno);
    say("live map_to_refuse %d\n", 10 * PAGE);
    return 0;
}

/* ---- random calls, compared with an array of pages ------------------------------------------- */

enum { N_PAGES = 2048, N_CALLS = 8000, MOST_PAGES = 200 };
enum { NOTHING, PRIVATE, SHARED, COMMITTED, RESIZED, MOVED, N_OWNERS };

static char *region;
static unsigned char owners[N_PAGES];
static unsigned blocks[N_PAGES]; /* numbers, from 1 */
static unsigned n_blocks;

static void own(size_t first, size_t n, int owner)
{
    n_blocks++;
    for (size_t i = first; i < first + n; i++) {
        owners[i] = (unsigned char)owner;
        blocks[i] = owner == NOTHING ? 0 : n_blocks;
    }
}

/* The rest of the region stays reserved, so that nothing else gets there. */
static void reserve(size_t first, size_t n)
{
    void *place = mmap(region + first * PAGE, n * PAGE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    must(place != MAP_FAILED, "memory is reserved");
    own(first, n, NOTHING);
}

static OWN_FRAME void map_random_private(size_t first, size_t n)
{
    void *place = mmap(region + first * PAGE, n * PAGE, READ_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    must(place != MAP_FAILED, "memory is mapped");
    own(first, n, PRIVATE);
}

static OWN_FRAME void map_random_shared(size_t first, size_t n)
{
    void *place = mmap(region + first * PAGE, n * PAGE, READ_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    must(place != MAP_FAILED, "memory is mapped");
    own(first, n, SHARED);
}

/* Each run of reserved pages becomes a block. */
static OWN_FRAME void commit_random(size_t first, size_t n)
{
    must(mprotect(region + first * PAGE, n * PAGE, READ_WRITE) == 0, "memory is made writable");
    for (size_t i = first; i < first + n;) {
        size_t begin = i;
        while (i < first + n && owners[i] == NOTHING) {
            i++;
        }
        if (i > begin) {
            own(begin, i - begin, COMMITTED);
        }
        i += i == begin;
    }
}

static OWN_FRAME void resize_random(size_t first, size_t n, size_t n_after)
{
    char *place = mremap(region + first * PAGE, n * PAGE, n_after * PAGE, 0);
    must(place == region + first * PAGE, "a mapping shrinks");
    own(first, n_after, RESIZED);
    if (n_after < n) {
        reserve(first + n_after, n - n_after);
    }
}

static OWN_FRAME void move_random(size_t first, size_t n, size_t to)
{
    char *place = mremap(region + first * PAGE, n * PAGE, n * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                         region + to * PAGE);
    must(place == region + to * PAGE, "a mapping moves");
    own(to, n, MOVED);
    reserve(first, n);
}

/* Returns the number of writable pages of the region, as the kernel knows it. */
static size_t writable_pages(void)
{
    static char text[1 << 18];
    size_t length = 0;
    ssize_t n;
    int file = open("/proc/self/maps", O_RDONLY);
    while ((n = read(file, text + length, sizeof text - 1 - length)) > 0) {
        length += (size_t)n;
    }
    close(file);
    size_t sum = 0;
    for (char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        char *begin, *end;
        char may_write;
        if (sscanf(line, "%p-%p %*c%c", (void **)&begin, (void **)&end, &may_write) == 3 &&
            may_write == 'w' && end > region && begin < region + (size_t)N_PAGES * PAGE) {
            begin = begin > region ? begin : region;
            end = end < region + (size_t)N_PAGES * PAGE ? end : region + (size_t)N_PAGES * PAGE;
            sum += (size_t)(end - begin) / PAGE;
        }
    }
    return sum;
}

static void say_random(void)
{
    static const char *const names[] = {[PRIVATE] = "map_random_private",
                                        [SHARED] = "map_random_shared",
                                        [COMMITTED] = "commit_random",
                                        [RESIZED] = "resize_random",
                                        [MOVED] = "move_random"};
    size_t pages[N_OWNERS] = {0}, n_pieces = 0, n_owned = 0;
    for (size_t i = 0; i < N_PAGES; i++) {
        pages[owners[i]]++;
        n_owned += owners[i] != NOTHING;
        n_pieces += blocks[i] != 0 && (i == 0 || blocks[i] != blocks[i - 1]);
    }
    must(writable_pages() == n_owned, "the kernel has as many pages");
    for (int i = PRIVATE; i < N_OWNERS; i++) {
        say("live %s %zu\n", names[i], pages[i] * PAGE);
    }
    say("pieces %zu\n", n_pieces);
}

static int at_random(char **arguments)
{
    uint32_t state = (uint32_t)atoi(arguments[0]);
    region = map(N_PAGES, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE);
    for (int i = 0; i < N_CALLS; i++) {
        size_t first = next_number(&state) % (N_PAGES - MOST_PAGES);
        size_t n = 1 + next_number(&state) % (next_number(&state) % 4 > 0 ? 6 : MOST_PAGES);
        size_t to = next_number(&state) % (N_PAGES - MOST_PAGES), n_same = 0;
        while (n_same < n && blocks[first] != 0 && blocks[first + n_same] == blocks[first]) {
            n_same++;
        }
        switch (next_number(&state) % 8) {
        case 0:
        case 1:
            map_random_private(first, n);
            break;
        case 2:
            map_random_shared(first, n);
            break;
        case 3:
            unmap(region + first * PAGE, n);
            reserve(first, n);
            break;
        case 4:
            reserve(first, n);
            break;
        case 5:
            commit_random(first, n);
            break;
        case 6:
            if (n_same > 0) { /* of one block, also from its middle */
                resize_random(first, n_same, 1 + to % n_same);
            }
            break;
        default:
            if (n_same > 0 && (to + n_same <= first || first + n_same <= to)) {
                move_random(first, n_same, to);
            }
        }
    }
    say_random();
    return 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { N_THREADS = 4, N_ROUNDS = 4000, N_SHELVES = 64, N_KEPT = 10 };

static _Atomic(char *) shelves[N_SHELVES]; /* of mappings whose first word is their pages */

static OWN_FRAME char *map_in_thread(size_t n_pages)
{
    char *block = mmap(NULL, n_pages * PAGE, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(block != MAP_FAILED, "memory is mapped");
    *(size_t *)(void *)block = n_pages;
    return block;
}

/* Unmaps what another thread has mapped, in two parts. */
static void clear_shelf(char *block)
{
    size_t n_pages = block ? *(size_t *)(void *)block : 0;
    if (n_pages > 0) {
        unmap(block + n_pages / 2 * PAGE, n_pages - n_pages / 2);
    }
    if (n_pages > 1) {
        unmap(block, n_pages / 2);
    }
}

static void *map_and_unmap(void *context)
{
    uint32_t state = *(unsigned char *)context;
    for (int i = 0; i < N_ROUNDS; i++) {
        char *block = map_in_thread(1 + next_number(&state) % 30);
        clear_shelf(atomic_exchange(&shelves[next_number(&state) % N_SHELVES], block));
    }
    for (int i = 0; i < N_KEPT; i++) {
        map_in_thread(*(unsigned char *)context);
    }
    return NULL;
}

static int threads(char **arguments)
{
    static unsigned char pages[N_THREADS] = {1, 2, 3, 4};
    pthread_t started[N_THREADS];
    (void)arguments;
    for (int i = 0; i < N_THREADS; i++) {
        must(pthread_create(&started[i], NULL, map_and_unmap, &pages[i]) == 0, "a thread");
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(started[i], NULL);
    }
    for (int i = 0; i < N_SHELVES; i++) {
        clear_shelf(shelves[i]);
    }
    say("live map_in_thread %d\n", (1 + 2 + 3 + 4) * N_KEPT * PAGE);
    return 0;
}

/* ---- processes and signals ------------------------------------------------------------------- */

MAPPER(map_before_fork)
MAPPER(map_in_child)
MAPPER(map_in_vfork)
MAPPER(map_in_handler)

static int forks(char **arguments)
{
    (void)arguments;
    char *before = map_before_fork(100, READ_WRITE, MAP_PRIVATE);
    pid_t child = fork();
    if (child == 0) {
        unmap(before + 40 * PAGE, 30);
        map_in_child(17, READ_WRITE, MAP_PRIVATE);
        _exit(0);
    }
    must(waitpid(child, NULL, 0) == child, "a child ends");
    unmap(before, 10);
    child = vfork();
    if (child == 0) {
        map_in_vfork(3, READ_WRITE, MAP_PRIVATE);
        _exit(0);
    }
    must(waitpid(child, NULL, 0) == child, "a child ends");
    say("live map_before_fork %d\nlive map_in_vfork %d\n", 90 * PAGE, 3 * PAGE);
    return 0;
}

enum { N_SIGNALS = 300 };
static atomic_int n_signals;

static void on_signal(int number)
{
    (void)number;
    if (n_signals < N_SIGNALS) {
        unmap(map_in_handler(2, READ_WRITE, MAP_PRIVATE), 1);
        n_signals++;
    }
}

/* Signals interrupt malloc and mmap. */
static int signals(char **arguments)
{
    const struct itimerval every = {{0, 200}, {0, 200}};
    (void)arguments;
    signal(SIGALRM, on_signal);
    must(setitimer(ITIMER_REAL, &every, NULL) == 0, "a timer");
    while (n_signals < N_SIGNALS) {
        unmap(map(3, READ_WRITE, MAP_PRIVATE), 3);
        for (int i = 0; i < 20; i++) {
            free(made(malloc(100)));
        }
    }
    say("live map_in_handler %d\nlive map 0\n", N_SIGNALS * PAGE);
    return 0;
}

/* ---- peaks and pools ------------------------------------------------------------------------- */

static int spike(char **arguments)
{
    (void)arguments;
    char *large = map(5000, READ_WRITE, MAP_PRIVATE);
    unmap(large, 5000);
    map(100, READ_WRITE, MAP_PRIVATE);
    say("peak %d\nlive map %d\n", 5000 * PAGE, 100 * PAGE);
    return 0;
}

static OWN_FRAME void take_object(char *object, size_t n_bytes)
{
    hpp_pool_allocated(object, n_bytes);
    STAY();
}

MAPPER(map_chunk)

/* Chunks whose objects are reported are not counted. */
static int pool(char **arguments)
{
    (void)arguments;
    char *chunk = map_chunk(16, READ_WRITE, MAP_PRIVATE);
    take_object(chunk, 100);
    take_object(chunk + 3 * PAGE, 60);
    hpp_pool_chunk(map_chunk(16, READ_WRITE, MAP_PRIVATE) + 5 * PAGE);
    unmap(chunk + 8 * PAGE, 8);
    say("live take_object 160\nlive map_chunk 0\n");
    return 0;
}

int main(int argc, char **argv)
{
    static const native_case cases[] = {
        {"cuts", cuts},       {"refusals", refusals}, {"at_random", at_random},
        {"threads", threads}, {"forks", forks},       {"signals", signals},
        {"spike", spike},     {"pool", pool},         {NULL, NULL},
    };
    (void)argc;
    return run_case(cases, argv);
}
