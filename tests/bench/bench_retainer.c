/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How fast a retainer census is, and how often it visits an object. The floor is a plain
 * depth-first walk that marks each object once.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_heap.h"

static double plain_walk_s(bench_heap *heap, uint64_t mark)
{
    size_t n = 0, capacity = heap->n;
    bench_object **stack = malloc(capacity * sizeof *stack);
    double start = bench_now_s();
    for (size_t i = 0; i < BENCH_N_ROOTS; i++) {
        stack[n++] = (bench_object *)heap->roots[i];
    }
    while (n > 0) {
        bench_object *o = stack[--n];
        for (size_t j = 0; j < 2; j++) {
            bench_object *child = (bench_object *)o->children[j];
            if (child && child->words[0] != mark) {
                child->words[0] = mark;
                stack[n++] = child;
            }
        }
    }
    double taken = bench_now_s() - start;
    free(stack);
    return taken;
}

static void report(const char *what, size_t n, bool is_scattered, bool has_headers,
                   uint32_t retainer_rarity, uint32_t share_rarity)
{
    static bench_heap heap;
    bench_heap_init(&heap, n, is_scattered, retainer_rarity, share_rarity);
    heap.has_headers = has_headers;
    plain_walk_s(&heap, 1);
    double floor_s = plain_walk_s(&heap, 2);
    uint64_t before_bytes = bench_resident_bytes();
    hpp_census *census;
    const hpp_census_options options = {.breakdown = HPF_BREAKDOWN_RETAINER};
    if (hpp_census_create(&census, &heap.adapter, &options, NULL) != HPF_OK) {
        exit(1);
    }
    hpp_census_take(census, 0);
    double start = bench_now_s();
    const hpp_census_result *result = hpp_census_take(census, 1);
    double taken_s = bench_now_s() - start;
    const hpp_retainer_figures *f = &result->retainers;
    printf("%-44s %6.1f M objects/s, %4.1f x the walk; visits %.2f, scans %.2f per object; "
           "%u sets; %.1f bytes per object\n",
           what, (double)f->n_objects / taken_s * 1e-6, taken_s / floor_s,
           (double)f->n_visits / (double)f->n_objects, (double)f->n_scans / (double)f->n_objects,
           f->n_sets, (double)(bench_resident_bytes() - before_bytes) / (double)f->n_objects);
    fflush(stdout);
    hpp_census_destroy(census);
    bench_heap_finish(&heap);
}

int main(int argc, char **argv)
{
    size_t n = bench_n_objects(argc, argv);
    report("trees, in order", n, false, true, 0, 0);
    report("trees, in order, words in a table", n, false, false, 0, 0);
    report("trees, scattered", n, true, true, 0, 0);
    report("trees, scattered, words in a table", n, true, false, 0, 0);
    report("1 in 100 retains, in order", n, false, true, 100, 0);
    report("1 in 3 retains, 1 child in 100 shared", n, false, true, 3, 100);
    report("1 in 100 retains, 1 child in 100 shared", n, false, true, 100, 100);
    return 0;
}
