/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the dominators of a heap snapshot cost, as a ratio to one walk over all of its references;
 * and connecting, grouping, writing and reading it. Two heaps: one in which most references lead
 * to neighbours, as allocators arrange them, with tables, lists and shared objects; and one in
 * which they lead anywhere, which no cache helps.
 *
 *     bench_dominators [MILLIONS OF OBJECTS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hpfile/sink.h"
#include "rng.h"
#include "hpfile/dominator_tree.h"
#include "hpfile/heapsnapshot.h"
#include "snapshot/snapshot.h"

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(hpf_status status)
{
    if (status != HPF_OK) {
        fprintf(stderr, "%s\n", hpf_status_name(status));
        exit(1);
    }
}

/* Makes `n` objects of a thousand names. Each is referred to by one before it, near or anywhere,
 * so that all are reached, and every third one by another. */
static void make(hpf_snapshot *s, uint32_t n, bool is_local)
{
    rng r = {7};
    uint32_t *heads = calloc((size_t)n + 1, sizeof *heads), *next = calloc(2 * (size_t)n + 2, 4);
    uint32_t n_links = 0;
    uint32_t *targets = calloc(2 * (size_t)n + 2, sizeof *targets);
    for (uint32_t i = 1; i < n; i++) {
        for (int k = 0; k <= (i % 3 == 0); k++) {
            uint64_t near = 1 + rng_below(&r, i < 64 ? i : 64);
            uint32_t from =
                is_local && rng_below(&r, 16) > 0 ? i - (uint32_t)near : (uint32_t)rng_below(&r, i);
            targets[++n_links] = i;
            next[n_links] = heads[from];
            heads[from] = n_links;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "site %u", (unsigned)rng_below(&r, 1000));
        check(hpf_snapshot_add_node(s, (hpf_str){name, (size_t)length}, 16 + rng_below(&r, 200),
                                    true, NULL));
        for (uint32_t link = heads[i]; link; link = next[link]) {
            check(hpf_snapshot_add_edge(s, targets[link], NULL));
        }
    }
    free(heads);
    free(next);
    free(targets);
}

static double print(const char *what, double before_s, uint32_t n, double walk_s)
{
    double now_s = cpu_s(), s = now_s - before_s;
    printf("  %-12s %7.2f s %7.2f M objects/s", what, s, n / s / 1e6);
    printf(walk_s > 0 ? " %6.1f x walk\n" : "\n", s / walk_s);
    fflush(stdout);
    return s;
}

static void run(uint32_t n, bool is_local)
{
    hpf_snapshot s = {0}, again;
    hpf__walk walk;
    hpf_dominators d;
    hpf_dominator_tree tree;
    uint32_t *none = NULL;
    make(&s, n, is_local);
    printf("%u objects, %u references, %s\n", n, s.n_edges,
           is_local ? "most to neighbours" : "to anywhere");
    double begin_s = cpu_s();
    check(hpf__walk_init(&walk, &s, NULL));
    hpf__walk_from(&walk, 0, &none, &none);
    hpf__walk_finish(&walk);
    double walk_s = print("walk", begin_s, n, 0);
    begin_s = cpu_s();
    check(hpf_snapshot_connect(&s, NULL));
    print("connect", begin_s, n, walk_s);
    begin_s = cpu_s();
    check(hpf_dominators_init(&d, &s, NULL));
    print("dominators", begin_s, n, walk_s);
    begin_s = cpu_s();
    check(hpf_dominator_tree_init(&tree, &s, &d, 0.001, 2000, NULL));
    print("groups", begin_s, n, walk_s);
    hpf_dominator_tree_finish(&tree);
    hpf_dominators_finish(&d);
    begin_s = cpu_s();
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_heapsnapshot_write(&s, sink);
    check(hpf_sink_flush(sink, NULL));
    print("write", begin_s, n, walk_s);
    hpf_snapshot_finish(&s);
    hpf_source *source;
    hpf_str bytes = hpf_sink_bytes(sink);
    begin_s = cpu_s();
    check(hpf_source_from_memory(&source, bytes, NULL, NULL));
    check(hpf_heapsnapshot_read(&again, source, 0, NULL, NULL));
    print("read", begin_s, n, walk_s);
    printf("  %.1f bytes of file for each object\n", (double)bytes.length / n);
    hpf_source_destroy(source);
    hpf_snapshot_finish(&again);
    hpf_sink_destroy(sink);
}

int main(int argc, char **argv)
{
    double millions = argc > 1 ? atof(argv[1]) : 1;
    if (!(millions > 0 && millions <= 1000)) {
        fprintf(stderr, "usage: bench_dominators [MILLIONS OF OBJECTS]\n");
        return 2;
    }
    run((uint32_t)(millions * 1e6), true);
    run((uint32_t)(millions * 1e6), false);
    return 0;
}
