/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A large heap for benchmarks: binary trees of objects with headers, shapes and producers, in one
 * array. In order, a child lies near its parent, as after a copying collection; scattered, it lies
 * anywhere.
 */
#ifndef BENCH_HEAP_H
#define BENCH_HEAP_H

#include "census/census.h"

typedef struct bench_object {
    const hpp_shape *shape;
    const void *stack;
    uint64_t words[2]; /* of the profiler */
    hpp_ref children[2];
    uint32_t size_bytes;
    uint32_t flags;
} bench_object;

typedef struct bench_stack {
    struct bench_stack *parent;
    char label[12];
    char module[4];
    uint64_t id;
} bench_stack;

#define BENCH_N_SHAPES 64
#define BENCH_N_STACKS 1000
#define BENCH_N_ROOTS  16

typedef struct bench_heap {
    bench_object *objects;
    size_t n;
    hpp_ref roots[BENCH_N_ROOTS];
    bool has_headers;
    hpp_shape shapes[BENCH_N_SHAPES];
    char names[BENCH_N_SHAPES][8];
    bench_stack stacks[BENCH_N_STACKS];
    hpp_heap adapter;
} bench_heap;

/* One object in `retainer_rarity` is a retainer (0: only the roots); one child in `share_rarity`
 * is shared with another parent (0: none). */
void bench_heap_init(bench_heap *heap, size_t n, bool is_scattered, uint32_t retainer_rarity,
                     uint32_t share_rarity);
void bench_heap_finish(bench_heap *heap);

/* CPU time of the process. */
double bench_now_s(void);

/* Resident memory of the process. */
uint64_t bench_resident_bytes(void);

/* The number of objects: the first argument, or ten million. */
size_t bench_n_objects(int argc, char **argv);

#endif
