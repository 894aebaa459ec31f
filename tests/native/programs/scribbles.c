/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A hostile program: it stores random words in its window while census reads it, for a number of
 * rounds. A good part of them goes to the heads of tables, and to sites, nodes and counters that
 * are in use. Ends with status 0, or by SIGKILL, if the profiling library stumbles over the words.
 *
 *   scribbles SEED ROUNDS
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "case.h"
#include "native/window/window.h"

enum { N_BLOCKS = 500, N_WORDS = 20, MOST_S = 20 };

static hpp_window *window;
static uint64_t n_bytes; /* that are mapped */
static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void find_window(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !window && fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        if (strstr(line, "/memfd:") && sscanf(line, "%lx-%lx", &begin, &end) == 2 &&
            end - begin >= sizeof *window &&
            memcmp((const void *)begin, HPP_WINDOW_MAGIC, strlen(HPP_WINDOW_MAGIC)) == 0) {
            window = (hpp_window *)begin;
            n_bytes = end - begin;
        }
    }
    if (maps) {
        fclose(maps);
    }
}

/* Returns the page of a chunk in use, or 0. */
static uint64_t chunk_in_use(void)
{
    uint64_t slot = (uint64_t)window->slot_pages[next_random() % 2] * HPP_WINDOW_PAGE_BYTES;
    switch (next_random() % 6) {
    case 0:
        return window->site_pages[0];
    case 1:
        return window->node_pages[0];
    case 2:
        return window->module_pages[0];
    case 3:
        return window->life_pages[0];
    default:
        return slot == 0 || slot + sizeof(hpp_window_slot) > n_bytes
                   ? 0
                   : ((hpp_window_slot *)(void *)((char *)window + slot))
                         ->cell_pages[next_random() % 4];
    }
}

static uint64_t choose_place(void)
{
    uint64_t chunk = next_random() % 2 ? chunk_in_use() : 0;
    if (chunk > 0) {
        return chunk * HPP_WINDOW_PAGE_BYTES + next_random() % HPP_WINDOW_PAGE_BYTES;
    }
    switch (next_random() % 3) {
    case 0:
        return next_random() % sizeof(hpp_window_head);
    case 1:
        return next_random() % sizeof(hpp_window);
    default:
        return next_random() % n_bytes;
    }
}

static uint64_t choose_word(void)
{
    static const uint64_t words[] = {0,          1,         2,    UINT32_MAX,        INT32_MAX,
                                     UINT64_MAX, INT64_MAX, 4096, UINT64_C(1) << 62, 16384,
                                     4194304,    1u << 31,  3,    UINT64_C(1) << 40};
    uint64_t word = next_random();
    return word % 2 ? words[word / 2 % (sizeof words / sizeof *words)] : word >> word % 64;
}

static void scribble(void)
{
    uint64_t word = choose_word();
    uint64_t place = choose_place();
    size_t n = (size_t)1 << next_random() % 4;
    place -= place % n;
    bool is_start = place < offsetof(hpp_window_head, used_bytes);
    if (place + n <= n_bytes && (!is_start || next_random() % 8 == 0)) {
        memcpy((char *)window + place, &word, n);
    }
}

static void leave(int number)
{
    (void)number;
    _exit(0);
}

int main(int argc, char **argv)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGALRM};
    const struct timespec pause = {0, 1000000};
    void *blocks[N_BLOCKS];
    int n_rounds = argc > 2 ? atoi(argv[2]) : 100;
    state = strtoull(argc > 1 ? argv[1] : "1", NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    static char other_stack[1 << 16];
    const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        sigaction(deadly[i], &action, NULL);
    }
    const struct rlimit limit = {MOST_S, MOST_S};
    setrlimit(RLIMIT_CPU, &limit);
    alarm(MOST_S);
    for (int i = 0; i < N_BLOCKS; i++) {
        blocks[i] = made(malloc(next_random() % 500));
    }
    find_window();
    for (int i = 0; window && i < n_rounds; i++) {
        for (int k = 0; k < N_WORDS; k++) {
            scribble();
        }
        free(blocks[i % N_BLOCKS]);
        blocks[i % N_BLOCKS] = made(malloc(next_random() % 500));
        nanosleep(&pause, NULL);
    }
    _exit(window ? 0 : 1);
}
