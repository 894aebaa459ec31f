/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the graph of an image costs the collector: blocks per second, and the ratio to a plain scan
 * of the same memory, for a heap of small blocks with random pointers. Its memory is this process.
 * (bench_image.c measures how long the program is stopped.)
 *
 *     bench_graph [BLOCKS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "native/collector/graph/graph.h"
#include "native/collector/graph/leaks.h"
#include "native/collector/roots/piece_reader.h"

enum { BLOCK_BYTES = 48, N_TIMES = 5 };

static hpp__image_block *blocks;
static size_t n_blocks;
static hpp__image image;
static hpp_resolver *resolver;
static hpp__graph graph;
static hpp__graph_past past;
static uint64_t sum;

/* Returns the processor time of this process. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool read_own(void *context, void *out, uint64_t address, size_t n_bytes)
{
    (void)context;
    struct iovec to = {out, n_bytes};
    struct iovec from = {(void *)(uintptr_t)address, n_bytes};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n_bytes;
}

/* Makes blocks with two pointers each, one to a neighbour and one to any block, and numbers. */
static void make_heap(void)
{
    uint64_t state = 7;
    char *heap = mmap(NULL, n_blocks * BLOCK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    blocks = malloc(n_blocks * sizeof *blocks);
    if (heap == MAP_FAILED || !blocks) {
        exit(1);
    }
    for (size_t i = 0; i < n_blocks; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t any = (state >> 20) % n_blocks, near = (i + 1 + (state >> 55)) % n_blocks;
        uint64_t *words = (uint64_t *)(void *)(heap + i * BLOCK_BYTES);
        words[0] = (uintptr_t)heap + near * BLOCK_BYTES;
        words[1] = (uintptr_t)heap + any * BLOCK_BYTES;
        words[2] = i;
        words[3] = state;
        blocks[i] = (hpp__image_block){(uintptr_t)words, BLOCK_BYTES - 8, 3, false};
    }
}

static void scan(void)
{
    hpp__piece_reader reader;
    size_t n_bytes;
    uint64_t end = blocks[n_blocks - 1].address + BLOCK_BYTES;
    if (!hpp__piece_reader_init(&reader, &image)) {
        exit(1);
    }
    for (uint64_t at = blocks[0].address; at < end; at += n_bytes) {
        const uint64_t *words = hpp__piece_reader_at(&reader, at, end, end, &n_bytes);
        for (size_t i = 0; words && i < n_bytes / sizeof *words; i++) {
            sum += words[i];
        }
    }
    hpp__piece_reader_finish(&reader);
}

static void make_graph(void)
{
    hpf_error err;
    const hpp__graph_names names = {.resolver = resolver};
    hpp__graph_finish(&graph);
    if (hpp__graph_init(&graph, &image, &past, &names, NULL, false, &err) != HPF_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
}

static void find_leaks(void)
{
    unsigned char *losses = malloc(n_blocks);
    if (losses) {
        memset(losses, HPP__LOSS_SOMEHOW, n_blocks);
    }
    if (!losses || !hpp__leaks_find(&graph, losses)) {
        exit(1);
    }
    sum += losses[0];
    free(losses);
}

/* Returns the shortest time of some. */
static double measure(void (*work)(void))
{
    double best_s = 1e9;
    for (int i = 0; i < N_TIMES; i++) {
        double begin_s = now_s();
        work();
        double spent_s = now_s() - begin_s;
        best_s = spent_s < best_s ? spent_s : best_s;
    }
    return best_s;
}

int main(int argc, char **argv)
{
    hpf_error err;
    n_blocks = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000000;
    make_heap();
    image = (hpp__image){.blocks = blocks, .n_blocks = n_blocks, .read = read_own};
    if (hpp_resolver_create(&resolver, NULL, &err) != HPF_OK) {
        return 1;
    }
    double scan_s = measure(scan);
    double graph_s = measure(make_graph);
    double walk_s = measure(find_leaks);
    printf("%zu blocks of %d bytes, %zu edges\n", n_blocks, BLOCK_BYTES - 8, graph.n_edges);
    printf("plain scan     %7.1f ms  %6.1f M blocks/s\n", 1e3 * scan_s,
           1e-6 * (double)n_blocks / scan_s);
    printf("graph          %7.1f ms  %6.1f M blocks/s  %5.2f scans\n", 1e3 * graph_s,
           1e-6 * (double)n_blocks / graph_s, graph_s / scan_s);
    printf("walk over it   %7.1f ms  %6.1f M blocks/s  %5.2f scans\n", 1e3 * walk_s,
           1e-6 * (double)n_blocks / walk_s, walk_s / scan_s);
    hpp__graph_finish(&graph);
    hpp_resolver_destroy(resolver);
    return sum == 42;
}
