/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program whose resident set has parts of known sizes. It waits for lines when they are there:
 * "more" makes another 10 MiB live; after an empty one it prints what the kernel says of the set,
 * and what malloc_trim gives back of it.
 */
#include "case.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIB = 1 << 20, N_THREADS = 4, N_BLOCKS = 200000, KEPT = 20, TEXT_BYTES = 4096 };

static pthread_barrier_t is_ready;

static OWN_FRAME void *make_index(size_t n_bytes)
{
    return memset(made(malloc(n_bytes)), 1, n_bytes);
}

static OWN_FRAME void *make_temporary(size_t n_bytes)
{
    void *block = memset(made(malloc(n_bytes)), 2, n_bytes);
    STAY();
    return block;
}

static OWN_FRAME char *map(size_t n_bytes, int flags)
{
    char *begin = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
    must(begin != MAP_FAILED, "memory is mapped");
    return begin;
}

/* Uses 3 MiB of its stack, and keeps them. */
static void *use_stack(void *unused)
{
    volatile char room[3 * MIB];
    for (size_t i = 0; i < sizeof room; i += 512) {
        room[i] = 1;
    }
    pthread_barrier_wait(&is_ready);
    pause();
    return unused;
}

static void map_file(void)
{
    int file = open(own_path(), O_RDONLY);
    volatile const char *bytes = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    must(bytes != MAP_FAILED && bytes[0] == 127, "a file is mapped");
}

/* Stores what the kernel says of the resident set. Returns its size. */
static long resident_kib(char text[TEXT_BYTES])
{
    int file = open("/proc/self/smaps_rollup", O_RDONLY);
    ssize_t n = read(file, text, TEXT_BYTES - 1);
    must(n > 0, "the kernel says what is resident");
    close(file);
    text[n] = '\0';
    return strtol(strstr(text, "Rss:") + 4, NULL, 10);
}

static void wait_and_print(void)
{
    static char text[TEXT_BYTES];
    pthread_t threads[N_THREADS];
    pthread_barrier_init(&is_ready, NULL, N_THREADS + 1);
    for (int i = 0; i < N_THREADS; i++) {
        must(pthread_create(&threads[i], NULL, use_stack, NULL) == 0, "a thread starts");
    }
    pthread_barrier_wait(&is_ready);
    say("ready\n");
    while (must(read(STDIN_FILENO, text, sizeof "more") >= 1, "the test goes on"), text[0] == 'm') {
        made(make_index(10 * MIB));
        say("ready\n");
    }
    long before = resident_kib(text);
    must(write(STDOUT_FILENO, text, strlen(text)) == (ssize_t)strlen(text), "it is printed");
    malloc_trim(0);
    say("Trimmed: %ld kB\n", before - resident_kib(text));
}

/* Live: 50 MiB, of which `large` is 40; of the other blocks, one in twenty is kept. */
static int run_parts(char **arguments)
{
    static void *blocks[N_BLOCKS];
    (void)arguments;
    made(make_index(40 * MIB));
    for (int i = 0; i < N_BLOCKS; i++) {
        blocks[i] = i % KEPT == 0 ? make_index(1000) : make_temporary(1000);
    }
    for (int i = 0; i < N_BLOCKS; i++) {
        if (i % KEPT != 0) {
            free(blocks[i]);
        }
    }
    memset(map(32 * MIB, MAP_PRIVATE), 1, 20 * MIB);
    memset(map(8 * MIB, MAP_SHARED), 1, 8 * MIB);
    map_file();
    wait_and_print();
    return 0;
}

/* A page of 4 KiB has one block of 64 bytes of make_index. */
static int run_pinned(char **arguments)
{
    enum { BLOCK = 64, IN_PAGE = 4096 / 80, N = 16 * MIB / 80 };
    static void *blocks[N];
    (void)arguments;
    for (int i = 0; i < N; i++) {
        blocks[i] = i % IN_PAGE == 0 ? make_index(BLOCK) : make_temporary(BLOCK);
    }
    for (int i = 0; i < N; i++) {
        if (i % IN_PAGE != 0) {
            free(blocks[i]);
        }
    }
    void *large = make_temporary(64 * MIB);
    wait_and_print();
    free(large);
    return 0;
}

int main(int argc, char **argv)
{
    static const native_case cases[] = {{"parts", run_parts}, {"pinned", run_pinned}, {NULL, NULL}};
    (void)argc;
    return run_case(cases, argv);
}
