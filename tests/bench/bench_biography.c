/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the hooks of a biography cost: creation, use, death; with words in headers and in the
 * engine's table. The floor is a plain loop that stores a word into each object.
 */
#include <stdio.h>
#include <stdlib.h>

#include "census/biography.h"
#include "bench_heap.h"

typedef struct timings {
    double create_s, use_s, dead_s, census_s;
} timings;

static double plain_store_s(bench_heap *heap)
{
    double start = bench_now_s();
    for (size_t i = 0; i < heap->n; i++) {
        HPP_RELAXED_STORE(&heap->objects[i].words[0], i);
    }
    return bench_now_s() - start;
}

static void create_all(hpp_census *census, bench_heap *heap)
{
    uint32_t era = hpp_census_era(census);
    for (size_t i = 0; i < heap->n; i++) {
        if (heap->has_headers) {
            hpp_life_create(&heap->objects[i].words[0], era);
        } else {
            hpp_census_created(census, (hpp_ref)&heap->objects[i], NULL);
        }
    }
}

static void use_all(hpp_census *census, bench_heap *heap)
{
    uint32_t era = hpp_census_era(census);
    for (size_t i = 0; i < heap->n; i++) {
        if (heap->has_headers) {
            hpp_life_use(&heap->objects[i].words[0], era);
        } else {
            hpp_census_used(census, (hpp_ref)&heap->objects[i], NULL);
        }
    }
}

static void kill_all(hpp_census *census, bench_heap *heap)
{
    for (size_t i = 0; i < heap->n; i++) {
        hpp_object object = {0};
        heap->adapter.describe(&object, (hpp_ref)&heap->objects[i], heap);
        hpp_census_dead(census, (hpp_ref)&heap->objects[i], &object);
    }
}

static double timed_s(void (*step)(hpp_census *, bench_heap *), hpp_census *census,
                      bench_heap *heap)
{
    double start = bench_now_s();
    step(census, heap);
    return bench_now_s() - start;
}

static timings run(bench_heap *heap, const hpp_census_options *options)
{
    hpp_census *census;
    timings t;
    if (hpp_census_create(&census, &heap->adapter, options, NULL) != HPF_OK) {
        exit(1);
    }
    t.create_s = timed_s(create_all, census, heap);
    t.use_s = timed_s(use_all, census, heap);
    hpp_census_take(census, 0);
    double start = bench_now_s();
    hpp_census_take(census, 1);
    t.census_s = bench_now_s() - start;
    t.dead_s = timed_s(kill_all, census, heap);
    hpp_census_destroy(census);
    return t;
}

static void report(const char *what, bench_heap *heap, const hpp_census_options *options)
{
    double each = 1e9 / (double)heap->n;
    double floor_s = plain_store_s(heap);
    timings t = run(heap, options);
    printf("%-40s create %5.1f ns (%4.1f x floor)  use %5.1f (%4.1f)  dead %5.1f (%4.1f)  "
           "census %5.1f ns per object\n",
           what, t.create_s * each, t.create_s / floor_s, t.use_s * each, t.use_s / floor_s,
           t.dead_s * each, t.dead_s / floor_s, t.census_s * each);
}

int main(int argc, char **argv)
{
    static bench_heap heap;
    const hpf_str names[] = {{"drag", 4}, {"void", 4}};
    const hpp_restriction rule = {HPF_BREAKDOWN_BIOGRAPHY, names, 2};
    bench_heap_init(&heap, bench_n_objects(argc, argv), false, 0, 0);
    plain_store_s(&heap);
    printf("plain store: %.2f ns\n", plain_store_s(&heap) * 1e9 / (double)heap.n);
    for (int in_table = 0; in_table < 2; in_table++) {
        heap.has_headers = !in_table;
        report(in_table ? "-hb, words in a table" : "-hb, words in headers", &heap,
               &(hpp_census_options){.breakdown = HPF_BREAKDOWN_BIOGRAPHY});
        report(in_table ? "-hc -hbdrag,void, words in a table"
                        : "-hc -hbdrag,void, words in headers",
               &heap,
               &(hpp_census_options){.breakdown = HPF_BREAKDOWN_COST_CENTRE,
                                     .restrictions = &rule,
                                     .n_restrictions = 1});
    }
    heap.has_headers = true;
    report("-hr -hbdrag,void, words in headers", &heap,
           &(hpp_census_options){
               .breakdown = HPF_BREAKDOWN_RETAINER, .restrictions = &rule, .n_restrictions = 1});
    bench_heap_finish(&heap);
    return 0;
}
