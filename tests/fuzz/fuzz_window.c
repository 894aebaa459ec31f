/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A window whose program is hostile, or dies in the middle of a store: it begins as a good one, and
 * then any of its bytes change, between censuses and before the end. Whatever is in it, the
 * collector's end neither crashes nor hangs, and its sums stay sums.
 *
 * The input is a list of steps: a byte that says which, then its arguments.
 *   0-191    write: n = byte % 8 + 1 bytes follow, behind 4 that say where (see place_of)
 *   192-255  a census
 */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "fuzz.h"
#include "made_window.h"
#include "census/census.h"
#include "native/collector/memory_guard.h"
#include "native/collector/profile/site_heap.h"
#include "native/collector/thread_figures.h"
#include "toy_resolver.h"

enum { SIZE_BYTES = (int)sizeof(hpp_window) + (96 << 12), MAX_STEPS = 64, MAX_CENSUSES = 6 };

static const toy_function functions[] = {
    {1, "main", "/src/main.c", 10, NULL, false},
    {2, "f", "/src/f.c", 20, NULL, false},
    {3, "operator new", "", 0, "_Znwm", false},
    {4, "malloc", "", 0, NULL, false},
    {0, NULL, NULL, 0, NULL, false},
};

static made_window good;  /* as every input finds it */
static made_window made;  /* what it makes of it */
static hpp__names *names; /* of all inputs */

static void make_good_window(void)
{
    made_window_init(&good, SIZE_BYTES);
    made_window_init(&made, SIZE_BYTES);
    uint32_t module = made_module(&good, "/usr/bin/prog", 0x1000, 0x9000) + 1;
    uint32_t slot = made_slot(&good, 1);
    uint32_t node = 0;
    for (uint64_t i = 0; i < 8; i++) {
        node = made_node(&good, 0x1000 + 1 + i % 5, i % 3 ? node : 0, module);
        made_allocate(&good, slot, made_site(&good, node, (hpp_call)(i % HPP_N_CALLS)), 1 + i, 16);
    }
    made_mark(&good, 5, "mark");
    toy_resolver_functions(functions);
    fuzz_require(hpp__names_create(&names, NULL, 0, NULL) == HPF_OK, "no names");
}

/* All that reads the window. */
typedef struct readers {
    hpp__window_reader reader;
    hpp__named_stacks stacks;
    hpp__site_heap heap;
    hpp__thread_figures threads;
    hpp__memory_guard guard;
    hpp__window_sums sums;
    hpp_census *census;
    uint64_t n_marks;
    double time_s;
} readers;

static bool open_readers(readers *r)
{
    hpf_error err;
    const hpp_census_options options = {.breakdown = HPF_BREAKDOWN_COST_CENTRE,
                                        .max_name_bytes = 80};
    memset(r, 0, sizeof *r);
    if (hpp__window_reader_open(&r->reader, made.window, SIZE_BYTES, -1, &err) != HPF_OK) {
        return false;
    }
    r->guard.max_percent = 10;
    bool is_ready = hpp__named_stacks_init(&r->stacks, names, &r->reader, 1, 0, &err) == HPF_OK &&
                    hpp__site_heap_init(&r->heap, &r->stacks, NULL, &r->reader, &err) == HPF_OK;
    r->heap.with_types = true;
    return is_ready && hpp_census_create(&r->census, &r->heap.heap, &options, &err) == HPF_OK;
}

static void close_readers(readers *r)
{
    hpp_census_destroy(r->census);
    hpp__site_heap_finish(&r->heap);
    hpp__named_stacks_finish(&r->stacks);
    hpp__thread_figures_finish(&r->threads);
    hpp__window_sums_finish(&r->sums);
}

/* What the groups have is what the sites have. */
static void check_sums(const readers *r)
{
    uint64_t of_sites = 0;
    uint64_t of_groups = 0;
    for (uint32_t i = HPP_SITE_UNKNOWN; i < r->sums.n_sites; i++) {
        const hpp__costs *costs = &r->sums.sites[i];
        of_sites += (costs->allocations | costs->frees) ? costs->allocated_bytes : 0;
    }
    for (size_t i = 0; i < r->heap.n_groups; i++) {
        of_groups += r->heap.costs[i].allocated_bytes;
    }
    fuzz_require(of_sites == of_groups, "something was lost between sites and groups");
}

static void check_bands(const hpp_census_result *result)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < result->n_bands; i++) {
        fuzz_require(result->bands[i].size_bytes > 0, "a band of nothing");
        sum += result->bands[i].size_bytes;
    }
    fuzz_require(sum == result->size_bytes && sum == result->live_bytes, "bands are not the whole");
}

static void read_texts(readers *r)
{
    hpp__window_mark mark;
    hpp_thread_figures threads[4];
    size_t at = 0;
    while (hpp__window_reader_word(&r->reader, &at).data) {
    }
    while (hpp__window_reader_mark(&r->reader, (uint32_t)r->n_marks, &mark)) {
        fuzz_require(memchr(mark.text, '\0', sizeof mark.text), "a label without an end");
        r->n_marks++;
    }
    hpp__thread_figures_top(&r->threads, threads, 4);
}

static void read_top(const readers *r)
{
    hpp_site_figures sites[4];
    hpp__alive alive[8] = {{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 1, 1}, {3, 3, 3, 3}, {4, 4, 0, 0}};
    hpf_arena *arena = hpf_arena_create();
    fuzz_require(hpp__site_heap_top(&r->heap, alive, 8, sites, 4, arena) <= 4, "too many places");
    hpf_arena_destroy(arena);
}

static void take_census(readers *r)
{
    hpp__window_reader_refresh(&r->reader);
    fuzz_require(r->reader.used_bytes <= SIZE_BYTES, "more in use than there is");
    if (!hpp__window_sums_take(&r->sums, &r->reader)) {
        return;
    }
    hpp__thread_figures_count(&r->threads, &r->reader, &r->sums, 0);
    hpp__site_heap_add_up(&r->heap, &r->sums);
    check_sums(r);
    check_bands(hpp_census_take(r->census, r->time_s += 1));
    double profiler_bytes = hpp__memory_guard_measure(
        &r->guard, &r->reader, STDERR_FILENO, (uint32_t)getpid(), (uint64_t)(r->time_s * 2e9));
    hpp__memory_guard_judge(&r->guard, profiler_bytes, 1e6);
    read_texts(r);
    read_top(r);
}

/* Where to write: mostly into what is used: head, beginnings of directories, and chunks. */
static size_t place_of(const uint8_t *at)
{
    static const size_t begins[] = {
        0,
        offsetof(hpp_window, head.used_bytes),
        offsetof(hpp_window, head.n_nodes),
        offsetof(hpp_window, node_pages),
        offsetof(hpp_window, site_pages),
        offsetof(hpp_window, slot_pages),
        offsetof(hpp_window, module_pages),
        offsetof(hpp_window, marks),
        sizeof(hpp_window),
        sizeof(hpp_window) + (16 << 12),
        sizeof(hpp_window) + (32 << 12),
        sizeof(hpp_window) + (33 << 12),
        sizeof(hpp_window) + (34 << 12),
        sizeof(hpp_window) + (66 << 12),
    };
    size_t begin = begins[at[0] % (sizeof begins / sizeof *begins)];
    size_t offset = (size_t)at[1] | (size_t)at[2] << 8 | (size_t)(at[3] & 1) << 16;
    return (begin + (at[3] & 2 ? offset : offset % 256)) % (SIZE_BYTES - 8);
}

/* Does the step at `data`; returns its length, or 0 at the end. */
static size_t do_step(readers *r, const uint8_t *data, size_t size, int *n_censuses)
{
    if (size == 0) {
        return 0;
    }
    if (data[0] >= 192) {
        if (++*n_censuses <= MAX_CENSUSES) {
            take_census(r);
        }
        return 1;
    }
    size_t n = data[0] % 8 + 1u;
    if (size < 5 + n) {
        return 0;
    }
    memcpy((char *)made.window + place_of(data + 1), data + 5, n);
    return 5 + n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    readers r;
    if (!good.window) {
        make_good_window();
    }
    memcpy(made.window, good.window, SIZE_BYTES);
    if (open_readers(&r)) {
        int n_censuses = 0;
        for (int i = 0; i < MAX_STEPS; i++) {
            size_t n = do_step(&r, data, size, &n_censuses);
            if (n == 0) {
                break;
            }
            data += n;
            size -= n;
        }
        take_census(&r);
    }
    close_readers(&r);
    return 0;
}
