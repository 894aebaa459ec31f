/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a census of a native program costs the collector, by its parts: adding up the cells of the
 * window, adding sites up by group, and the bands. The floor is a plain loop over the same cells.
 * The first census also names and interns all stacks; the resolver here costs nothing.
 *
 * bench_window [SITES [THREADS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "census/census.h"
#include "made_window.h"
#include "native/collector/profile/site_heap.h"
#include "symbol/resolve.h"

enum { N_FUNCTIONS = 2000, DEPTH = 24, N_ROUNDS = 20 };

/* ---- A resolver of made-up functions ---- */

static hpp_function functions[N_FUNCTIONS];
static char names[N_FUNCTIONS][24];

hpf_status hpp_resolver_create(hpp_resolver **out, const hpp_resolver_options *options,
                               hpf_error *err)
{
    (void)options;
    (void)err;
    *out = (hpp_resolver *)(void *)names;
    for (int i = 0; i < N_FUNCTIONS; i++) {
        int n = snprintf(names[i], sizeof names[i], "function_%d", i);
        functions[i] = (hpp_function){.name = {names[i], (size_t)n},
                                      .linkage = HPF_STR(""),
                                      .module = HPF_STR("prog"),
                                      .file = HPF_STR("/src/prog.c"),
                                      .line = (uint32_t)i + 1,
                                      .has_symbol = true};
    }
    return HPF_OK;
}

void hpp_resolver_destroy(hpp_resolver *resolver)
{
    (void)resolver;
}

uint32_t hpp_resolver_object(hpp_resolver *resolver, const hpp_object_file *object)
{
    (void)resolver;
    (void)object;
    return 0;
}

hpp_functions hpp_resolver_find(hpp_resolver *resolver, uint32_t object, uint64_t address)
{
    (void)resolver;
    (void)object;
    return (hpp_functions){&functions[address % N_FUNCTIONS], 1};
}

bool hpp__resolver_variable(hpp_resolver *resolver, uint32_t object, uint64_t address,
                            hpp_variable *out)
{
    (void)resolver;
    (void)object;
    (void)address;
    *out = (hpp_variable){.name = HPF_STR("")};
    return false;
}

bool hpp__resolver_caller(hpp_resolver *resolver, uint32_t object, uint64_t address,
                          hpp_caller_rule *out)
{
    (void)resolver;
    (void)object;
    (void)address;
    (void)out;
    return false;
}

bool hpp__resolver_local(hpp_resolver *resolver, uint32_t object, uint64_t address, int64_t offset,
                         hpp_local *out)
{
    (void)resolver;
    (void)object;
    (void)address;
    (void)offset;
    (void)out;
    return false;
}

hpf_str hpp__resolver_result_type(hpp_resolver *resolver, uint32_t object, uint64_t address,
                                  bool *is_structure)
{
    (void)resolver;
    (void)object;
    (void)address;
    *is_structure = false;
    return HPF_STR("");
}

bool hpp__resolver_member(hpp_resolver *resolver, hpf_str type, uint64_t size_bytes,
                          uint64_t offset, hpp__text *out)
{
    (void)resolver;
    (void)type;
    (void)size_bytes;
    (void)offset;
    (void)out;
    return false;
}

void hpp__resolver_name_by_symbol(hpp_resolver *resolver, hpp__needs_no_place *wanted)
{
    (void)resolver;
    (void)wanted;
}

void hpp__resolver_expect_code(hpp_resolver *resolver)
{
    (void)resolver;
}

hpp_functions hpp__resolver_find_generated(hpp_resolver *resolver, uint32_t process_id,
                                           uint64_t address)
{
    (void)process_id;
    return hpp_resolver_find(resolver, 0, address);
}

int hpp_resolver_each_unnamed(hpp_resolver *resolver, hpp_visit_object_file *visit, void *context)
{
    (void)resolver;
    (void)visit;
    (void)context;
    return 0;
}

/* ---- The window ---- */

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % limit);
}

/* A tree of calls, and a site at each of its nodes; threads touch a site each, or two. */
static void fill(made_window *made, uint32_t n_sites, uint32_t n_threads)
{
    uint32_t module = made_module(made, "/usr/bin/prog", 0x1000, 0x100000000) + 1;
    uint32_t path[DEPTH] = {0};
    for (uint32_t i = 0; i < n_threads; i++) {
        made_slot(made, i + 1);
    }
    for (uint32_t i = 0; i < n_sites; i++) {
        uint32_t depth = 1 + random_below(DEPTH - 1);
        path[depth] = made_node(made, 0x2000 + random_below(1 << 20), path[depth - 1], module);
        for (uint32_t j = depth + 1; j < DEPTH; j++) {
            path[j] = path[depth];
        }
        uint32_t site = made_site(made, path[depth], HPP_CALL_MALLOC);
        made_allocate(made, random_below(n_threads), site, 3, 48);
        made_free(made, random_below(n_threads), site, 1, 48);
    }
}

/* ---- Measuring ---- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t plain_loop(const hpp__window_reader *reader)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < reader->n_slots; i++) {
        const hpp_window_slot *slot = hpp__window_reader_slot(reader, i);
        for (uint32_t chunk = 0; chunk <= reader->n_sites / HPP_CELLS_PER_CHUNK; chunk++) {
            const hpp_window_cell *cells = hpp__window_reader_cells(reader, slot, chunk);
            for (uint32_t j = 0; cells && j < HPP_CELLS_PER_CHUNK; j++) {
                sum += cells[j].allocated_bytes - cells[j].freed_bytes;
            }
        }
    }
    return sum;
}

static void show(const char *what, double taken_s, double floor_s)
{
    printf("%-28s %8.2f ms  %5.1f x the floor\n", what, taken_s * 1e3, taken_s / floor_s);
}

static void give_up(void)
{
    fprintf(stderr, "no memory\n");
    exit(1);
}

int main(int argc, char **argv)
{
    uint32_t n_sites = argc > 1 ? (uint32_t)atoi(argv[1]) : 200000;
    uint32_t n_threads = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    made_window made;
    made_window_init(&made, sizeof(hpp_window) + (uint64_t)n_sites * 64 * (n_threads + 1) +
                                (uint64_t)n_threads * sizeof(hpp_window_slot) + (4 << 20));
    fill(&made, n_sites, n_threads);
    hpp__window_reader reader;
    hpp__names *known = NULL;
    hpp__named_stacks stacks;
    hpp__site_heap heap;
    hpp__window_sums sums = {0};
    hpp_census *census = NULL;
    if (hpp__window_reader_open(&reader, made.window, made.size_bytes, -1, NULL) != HPF_OK ||
        hpp__names_create(&known, NULL, 0, NULL) != HPF_OK ||
        hpp__named_stacks_init(&stacks, known, &reader, 1, 0, NULL) != HPF_OK ||
        hpp__site_heap_init(&heap, &stacks, NULL, &reader, NULL) != HPF_OK ||
        hpp_census_create(&census, &heap.heap, NULL, NULL) != HPF_OK) {
        give_up();
    }
    double first_s = now_s();
    if (!hpp__window_sums_take(&sums, &reader)) {
        give_up();
    }
    hpp__site_heap_add_up(&heap, &sums);
    hpp_census_take(census, 0);
    first_s = now_s() - first_s;

    static volatile uint64_t kept;
    double floor_s = 1e9, sums_s = 1e9, groups_s = 1e9, bands_s = 1e9;
    for (int round = 0; round < N_ROUNDS; round++) {
        double t[5];
        t[0] = now_s();
        kept = plain_loop(&reader);
        t[1] = now_s();
        if (!hpp__window_sums_take(&sums, &reader)) {
            give_up();
        }
        t[2] = now_s();
        hpp__site_heap_add_up(&heap, &sums);
        t[3] = now_s();
        hpp_census_take(census, round + 1);
        t[4] = now_s();
        floor_s = t[1] - t[0] < floor_s ? t[1] - t[0] : floor_s;
        sums_s = t[2] - t[1] < sums_s ? t[2] - t[1] : sums_s;
        groups_s = t[3] - t[2] < groups_s ? t[3] - t[2] : groups_s;
        bands_s = t[4] - t[3] < bands_s ? t[4] - t[3] : bands_s;
    }
    (void)kept;
    printf("%u sites, %u threads, %u stacks of functions, %zu groups\n", n_sites, n_threads,
           stacks.n_stacks, heap.n_groups);
    show("plain loop over the cells", floor_s, floor_s);
    show("sums by site", sums_s, floor_s);
    show("sums by group", groups_s, floor_s);
    show("census", bands_s, floor_s);
    show("together", sums_s + groups_s + bands_s, floor_s);
    show("the first, with names", first_s, floor_s);
    return 0;
}
