/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs that check the contents of their blocks, which are watched (-hb).
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "case.h"

enum { N = 600 };

static unsigned char *blocks[N];
static size_t sizes[N];
static uint32_t numbers = 1;

static unsigned char letter(int i, int generation)
{
    return (unsigned char)(i * 31 + generation * 7 + 1);
}

static void fill_all(int generation)
{
    for (int i = 0; i < N; i++) {
        memset(blocks[i], letter(i, generation), sizes[i]);
    }
}

static void check_all(int generation)
{
    for (int i = 0; i < N; i++) {
        unsigned char first = letter(i, generation);
        must(blocks[i][0] == first && memcmp(blocks[i], blocks[i] + 1, sizes[i] - 1) == 0,
             "a block has the contents that this process wrote");
    }
}

/* Makes blocks by all functions, from one byte to more than a megabyte. */
static void make_all(void)
{
    for (int i = 0; i < N; i++) {
        uint32_t most = i % 100 == 0 ? 3000000 : i % 7 == 0 ? 200000 : 3000;
        sizes[i] = next_number(&numbers) % most + 1;
        void *aligned = NULL;
        switch (i % 5) {
        case 0:
            blocks[i] = malloc(sizes[i]);
            break;
        case 1:
            blocks[i] = calloc(1, sizes[i]);
            must(blocks[i][0] == 0 && memcmp(blocks[i], blocks[i] + 1, sizes[i] - 1) == 0,
                 "calloc clears");
            break;
        case 2:
            blocks[i] = memalign(64, sizes[i]);
            must((uintptr_t)blocks[i] % 64 == 0, "memalign aligns");
            break;
        case 3:
            must(posix_memalign(&aligned, 1024, sizes[i]) == 0, "posix_memalign has memory");
            blocks[i] = aligned;
            must((uintptr_t)blocks[i] % 1024 == 0, "posix_memalign aligns");
            break;
        default:
            blocks[i] = realloc(malloc(1), sizes[i]);
        }
        must(malloc_usable_size(blocks[i]) >= sizes[i], "the size can be used");
    }
}

static void resize_all(int generation)
{
    for (int i = 0; i < N; i++) {
        size_t size = next_number(&numbers) % 40000 + 1;
        size_t kept = size < sizes[i] ? size : sizes[i];
        blocks[i] = realloc(blocks[i], size);
        must(blocks[i][0] == letter(i, generation) &&
                 memcmp(blocks[i], blocks[i] + 1, kept - 1) == 0,
             "realloc keeps contents");
        sizes[i] = size;
    }
}

static void free_all(void)
{
    for (int i = 0; i < N; i++) {
        free(blocks[i]);
    }
}

/* The parent overwrites its blocks before the child looks at its own. */
static void fork_once(int generation)
{
    int ends[2];
    char byte = 1;
    must(pipe(ends) == 0, "there is a pipe");
    pid_t child = fork();
    if (child == 0) {
        must(read(ends[0], &byte, 1) == 1, "the parent writes first");
        check_all(generation);
        fill_all(99);
        resize_all(99);
        free_all();
        _exit(0);
    }
    fill_all(generation + 1);
    must(write(ends[1], &byte, 1) == 1, "the child waits");
    int status;
    must(waitpid(child, &status, 0) == child && status == 0, "the child finds its own contents");
    check_all(generation + 1);
    close(ends[0]);
    close(ends[1]);
}

static int forks(char **arguments)
{
    (void)arguments;
    make_all();
    fill_all(0);
    for (int generation = 0; generation < 4; generation++) {
        fork_once(generation);
        resize_all(generation + 1);
        fill_all(generation + 1);
    }
    check_all(4);
    free_all();
    return 0;
}

static _Atomic bool is_over;

static void *churn(void *nothing)
{
    for (size_t size = 1; !is_over; size = size % 5000 + 1) {
        unsigned char *block = malloc(size);
        memset(block, 1, size);
        must(block[size - 1] == 1, "a block is the thread's own");
        free(block);
    }
    return nothing;
}

static int forks_with_threads(char **arguments)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        must(pthread_create(&threads[i], NULL, churn, NULL) == 0, "a thread starts");
    }
    forks(arguments);
    is_over = true;
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}

static int calls(char **arguments)
{
    (void)arguments;
    int ends[2];
    must(pipe(ends) == 0, "there is a pipe");
    make_all();
    for (int round = 0; round < 20; round++) {
        fill_all(round);
        for (int i = 0; i < N; i++) {
            size_t n = sizes[i] < 4096 ? sizes[i] : 4096;
            must(write(ends[1], blocks[i], n) == (ssize_t)n, "a block is written");
            memset(blocks[i], 0, n);
            must(read(ends[0], blocks[i], n) == (ssize_t)n, "a block is read into");
        }
        check_all(round);
    }
    free_all();
    return 0;
}

enum { N_OTHERS = 3, N_FORKING = 4, N_ROUNDS = 25, N_LARGE = 60, LARGE_BYTES = 2 << 20 };

/* Maps memory, which must stay its own, where large blocks may have been. */
static void *maps(void *nothing)
{
    while (!is_over) {
        char *memory =
            mmap(NULL, LARGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(memory != MAP_FAILED, "memory is mapped");
        memory[0] = 2;
        sched_yield();
        must(memory[0] == 2, "memory is the thread's own");
        munmap(memory, LARGE_BYTES);
    }
    return nothing;
}

static pthread_barrier_t all_ready;

static void *forks_often(void *is_first)
{
    unsigned char *large[N_LARGE];
    for (int round = 0; round < N_ROUNDS; round++) {
        for (int i = 0; i < N_LARGE && is_first; i++) { /* each has mappings of its own */
            large[i] = malloc(LARGE_BYTES);
            large[i][0] = 3;
        }
        pthread_barrier_wait(&all_ready);
        pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        int status;
        must(waitpid(child, &status, 0) == child && status == 0, "the child ends");
        for (int i = 0; i < N_LARGE && is_first; i++) {
            must(large[i][0] == 3, "a block keeps its contents");
            free(large[i]);
        }
    }
    return NULL;
}

/* Several threads fork at the same time, while others map pages and allocate. */
static int forks_at_once(char **arguments)
{
    static void *(*const others[N_OTHERS])(void *) = {churn, maps, maps};
    pthread_t threads[N_OTHERS + N_FORKING];
    (void)arguments;
    pthread_barrier_init(&all_ready, NULL, N_FORKING);
    for (int i = 0; i < N_OTHERS + N_FORKING; i++) {
        bool is_first = i == N_OTHERS;
        pthread_create(&threads[i], NULL, i < N_OTHERS ? others[i] : forks_often,
                       is_first ? threads : NULL);
    }
    for (int i = N_OTHERS; i < N_OTHERS + N_FORKING; i++) {
        pthread_join(threads[i], NULL);
    }
    is_over = true;
    for (int i = 0; i < N_OTHERS; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}

static int asks_for_too_much(char **arguments)
{
    (void)arguments;
    void *small = malloc(1);
    for (int bits = 36; bits < 47; bits++) {
        void *large = malloc((size_t)1 << bits);
        void *moved = realloc(small, (size_t)1 << bits);
        say("%d bits: %d %d\n", bits, large != NULL, moved != NULL);
        free(large);
        small = moved != NULL ? moved : small;
    }
    free(small);
    return 0;
}

static void burn_cpu_time(void)
{
    for (clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 50;) {
    }
}

/* Follows commands on standard input, a letter each: makes blocks of 3 MiB in all, or uses them.
 * Any other letter only takes time. */
static int obeys(char **arguments)
{
    enum { N_OBEYED = 300, OBEYED_BYTES = 10486 };
    static void *made_blocks[N_OBEYED];
    char command;
    (void)arguments;
    while (read(0, &command, 1) == 1) {
        for (int i = 0; i < N_OBEYED; i++) {
            if (command == 'm') {
                made_blocks[i] = made(malloc(OBEYED_BYTES));
            } else if (command == 'u') {
                memset(made_blocks[i], i, OBEYED_BYTES);
            }
        }
        burn_cpu_time();
    }
    return 0;
}

/* ---- the functions of libc itself ------------------------------------------------------------ */

typedef struct libc_functions {
    void (*free)(void *block);
    void *(*realloc)(void *block, size_t n_bytes);
    size_t (*usable_size)(void *block);
} libc_functions;

/* Returns the functions that a program finds in libc, whatever replaces them. */
static libc_functions functions_of_libc(void)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    must(libc != NULL, "libc can be found");
    libc_functions found;
    void *function = dlsym(libc, "free");
    memcpy(&found.free, &function, sizeof function);
    function = dlsym(libc, "realloc");
    memcpy(&found.realloc, &function, sizeof function);
    function = dlsym(libc, "malloc_usable_size");
    memcpy(&found.usable_size, &function, sizeof function);
    return found;
}

static size_t next_size(void)
{
    numbers = numbers * 1664525 + 1013904223;
    return 1 + (numbers >> 8) % (numbers % 29 == 0 ? 300000 : 9000);
}

/* Blocks of malloc and memalign are enlarged, shortened and freed by libc and by the program's own
 * functions, in turn. */
static int frees_by_libc(char **arguments)
{
    libc_functions libc = functions_of_libc();
    for (int i = 0; i < 6000; i++) {
        size_t n = next_size(), n_after = next_size();
        unsigned char *block = i % 7 == 0 ? memalign((size_t)16 << i % 8, n) : malloc(n);
        must(block != NULL && libc.usable_size(block) >= n, "there is room for it");
        memset(block, i, n);
        if (i % 3 != 0) {
            block = i % 3 == 1 ? libc.realloc(block, n_after) : realloc(block, n_after);
            n = n < n_after ? n : n_after;
            must(block != NULL && block[0] == (unsigned char)i &&
                     memcmp(block, block + 1, n - 1) == 0,
                 "its contents move with it");
            memset(block, i + 1, n_after);
            block = realloc(block, n_after + 3000);
            must(block != NULL && block[n_after - 1] == (unsigned char)(i + 1),
                 "what libc has enlarged keeps its contents");
        }
        if (i % 2 == 0) {
            libc.free(block);
        } else {
            free(block);
        }
        if (i % 1500 == 0) {
            usleep(60000);
        }
    }
    say("done\n");
    (void)arguments;
    return 0;
}

/* frees_twice KIND: 'o' is its own free, 'l' libc's. */
static int frees_twice(char **arguments)
{
    libc_functions libc = functions_of_libc();
    void *block = malloc(1000);
    memset(block, 1, 1000);
    void *volatile again = block;
    for (const char *kind = arguments[0]; *kind != '\0'; kind++) {
        if (*kind == 'o') {
            free(again);
        } else {
            libc.free(again);
        }
    }
    say("nobody noticed\n");
    return 0;
}

/* ---- ends of the biography ------------------------------------------------------------------- */

static int locks(char **arguments)
{
    (void)arguments;
    make_all();
    for (int i = 0; i < N; i++) {
        must(mlock(blocks[i], 1) == 0, "memory can be locked");
    }
    fill_all(1);
    free_all();
    return 0;
}

static int forks_bare(char **arguments)
{
    (void)arguments;
    make_all();
    fill_all(1);
#ifdef SYS_fork
    pid_t child = (pid_t)syscall(SYS_fork);
#else
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
#endif
    fill_all(child == 0 ? 2 : 3);
    if (child == 0) {
        check_all(2);
        _exit(0);
    }
    int status;
    must(waitpid(child, &status, 0) == child && status == 0, "the child finds its own contents");
    check_all(3);
    return 0;
}

static int leaves_proc(char **arguments)
{
    (void)arguments;
    make_all();
    must(chroot("/proc/self/fd") == 0, "the root can be changed");
    fill_all(1);
    check_all(1);
    return 0;
}

int main(int argc, char **argv)
{
    static const native_case cases[] = {{"forks", forks},
                                        {"forks_with_threads", forks_with_threads},
                                        {"forks_at_once", forks_at_once},
                                        {"calls", calls},
                                        {"obeys", obeys},
                                        {"asks_for_too_much", asks_for_too_much},
                                        {"frees_by_libc", frees_by_libc},
                                        {"frees_twice", frees_twice},
                                        {"locks", locks},
                                        {"forks_bare", forks_bare},
                                        {"leaves_proc", leaves_proc},
                                        {NULL, NULL}};
    (void)argc;
    return run_case(cases, argv);
}
