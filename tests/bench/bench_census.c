/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How fast a census counts, per breakdown. The floor is a plain loop that adds up the objects'
 * sizes per shape.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_heap.h"

static double plain_loop_s(const bench_heap *heap)
{
    static volatile uint64_t kept;
    uint64_t sums[BENCH_N_SHAPES] = {0};
    double start = bench_now_s();
    for (size_t i = 0; i < heap->n; i++) {
        sums[heap->objects[i].shape - heap->shapes] += heap->objects[i].size_bytes;
    }
    double taken = bench_now_s() - start;
    kept = sums[0];
    (void)kept;
    return taken;
}

/* The second of two censuses: names are known. */
static double census_s(const bench_heap *heap, const hpp_census_options *options)
{
    hpp_census *census;
    if (hpp_census_create(&census, &heap->adapter, options, NULL) != HPF_OK) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    hpp_census_take(census, 0);
    double start = bench_now_s();
    hpp_census_take(census, 1);
    double taken = bench_now_s() - start;
    hpp_census_destroy(census);
    return taken;
}

static void report(const char *what, const bench_heap *heap, double taken_s, double floor_s)
{
    printf("%-28s %7.1f M objects/s  %5.2f ns each  %5.1f x the floor\n", what,
           (double)heap->n / taken_s * 1e-6, taken_s / (double)heap->n * 1e9, taken_s / floor_s);
}

int main(int argc, char **argv)
{
    static bench_heap heap;
    static const struct {
        const char *name;
        hpf_breakdown breakdown;
    } breakdowns[] = {
        {"-hc (stack)", HPF_BREAKDOWN_COST_CENTRE}, {"-hm (module)", HPF_BREAKDOWN_MODULE},
        {"-hd", HPF_BREAKDOWN_CLOSURE_DESCR},       {"-hy", HPF_BREAKDOWN_TYPE},
        {"-hT", HPF_BREAKDOWN_CLOSURE_TYPE},        {"-hr", HPF_BREAKDOWN_RETAINER},
        {"-hb", HPF_BREAKDOWN_BIOGRAPHY},
    };
    const hpf_str names[] = {{"f3", 2}, {"f4", 2}, {"f77", 3}, {"f500", 4}};
    const hpp_restriction rules[] = {{HPF_BREAKDOWN_IN_STACK, names, 4},
                                     {HPF_BREAKDOWN_COST_CENTRE, names, 4}};
    bench_heap_init(&heap, bench_n_objects(argc, argv), false, 0, 0);
    plain_loop_s(&heap);
    double floor_s = plain_loop_s(&heap);
    report("plain loop", &heap, floor_s, floor_s);
    for (size_t i = 0; i < sizeof breakdowns / sizeof breakdowns[0]; i++) {
        hpp_census_options options = {.breakdown = breakdowns[i].breakdown};
        report(breakdowns[i].name, &heap, census_s(&heap, &options), floor_s);
    }
    hpp_census_options options = {
        .breakdown = HPF_BREAKDOWN_CLOSURE_DESCR, .restrictions = rules, .n_restrictions = 2};
    report("-hd -hC(4 names) -hc(4 names)", &heap, census_s(&heap, &options), floor_s);
    bench_heap_finish(&heap);
    return 0;
}
