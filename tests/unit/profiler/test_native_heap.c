/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From addresses to bands: what functions are called, which of them produce, how stacks are folded,
 * and what a census of them shows.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "census/census.h"
#include "hpfile/str.h"
#include "made_window.h"
#include "native/collector/profile/graph_heap.h"
#include "native/collector/profile/site_heap.h"
#include "native/collector/profile/stack_costs.h"
#include "native/python/heap/names.h"
#include "toy_heap.h"
#include "toy_resolver.h"

enum { SIZE_BYTES = 8 << 20 };

/* Addresses in the module's own terms; addresses of nodes are one higher. */
enum {
    START = 1,
    MAIN,
    F,
    F_LATER,
    G,
    H,
    MALLOC_WRAPPER,
    NEW,
    NEW_ARRAY,
    INLINED,
    NAMELESS,
    LIBC_START,
    LIBC_NAMELESS
};

static const toy_function functions[] = {
    {START, "_start", "", 0, NULL, false},
    {MAIN, "main", "/src/main.c", 10, NULL, false},
    {F, "f", "/src/f.c", 20, NULL, false},
    {F_LATER, "f", "/src/f.c", 25, NULL, false},
    {G, "g", "/src/g.c", 30, NULL, false},
    {H, "(anonymous namespace)::h<int, 4>", "/src/h.c", 40, NULL, false},
    {MALLOC_WRAPPER, "my_alloc", "/src/my.c", 50, NULL, false},
    {NEW, "operator new", "", 0, "_Znwm", false},
    {NEW_ARRAY, "operator new[]", "", 0, "_Znam", false},
    {INLINED, "std::allocator<int>::allocate", "/usr/include/new.h", 60, NULL, false},
    {INLINED, "std::vector<int, std::allocator<int> >::push_back", "/usr/include/v.h", 61, NULL,
     false},
    {INLINED, "fill", "/src/fill.c", 70, NULL, false},
    {NAMELESS, "prog+0x10", "", 0, NULL, true},
    {LIBC_START, "__libc_start_main", "", 0, NULL, false},
    {LIBC_NAMELESS, "libc.so.6+0x2400", "", 0, NULL, true},
    {0, NULL, NULL, 0, NULL, false},
};

static made_window made;
static hpp__window_reader reader;
static hpp__names *names;
static hpp__named_stacks stacks;
static hpp__site_heap heap;
static hpp__window_sums sums;
static uint32_t module, libc, slot;

static void begin(void)
{
    toy_resolver_functions(functions);
    made_window_init(&made, SIZE_BYTES);
    module = made_module(&made, "/usr/bin/prog", 0x1000, 0x9000) + 1;
    libc = made_module(&made, "/lib/libc.so.6", 0x10000, 0x90000) + 1;
    slot = made_slot(&made, 1);
}

static void end(void)
{
    hpp__window_sums_finish(&sums);
    hpp__site_heap_finish(&heap);
    hpp__named_stacks_finish(&stacks);
    hpp__names_destroy(names);
    made_window_finish(&made);
}

TestSuite(native_heap, .init = begin, .fini = end);

static void open_window(uint32_t max_depth, const char *skip)
{
    hpf_error err;
    cr_assert_eq(hpp__names_create(&names, &skip, skip != NULL, &err), HPF_OK);
    cr_assert_eq(hpp__window_reader_open(&reader, made.window, SIZE_BYTES, -1, &err), HPF_OK);
    cr_assert_eq(hpp__named_stacks_init(&stacks, names, &reader, 4711, max_depth, &err), HPF_OK);
    cr_assert_eq(hpp__site_heap_init(&heap, &stacks, NULL, &reader, &err), HPF_OK);
}

/* A node for a path of functions, outermost first, ended by 0. */
static uint32_t node_of(const int *path)
{
    uint32_t node = 0;
    for (; *path; path++) {
        uint64_t base = *path >= LIBC_START ? 0x10000 : 0x1000;
        node =
            made_node(&made, base + (uint64_t)*path + 1, node, *path >= LIBC_START ? libc : module);
    }
    return node;
}

#define NODE(...) node_of((const int[]){__VA_ARGS__, 0})

/* A live block of `n_bytes` made by the innermost function of a node. */
static void allocate(uint32_t node, hpp_call call, uint64_t n_bytes)
{
    made_allocate(&made, slot, made_site(&made, node, call), 1, n_bytes);
}

static const hpp_census_result *take(hpp_census **census, hpf_breakdown breakdown)
{
    hpf_error err;
    hpp_census_options options = {.breakdown = breakdown, .max_name_bytes = 200};
    cr_assert(hpp__window_sums_take(&sums, &reader));
    hpp__site_heap_add_up(&heap, &sums);
    for (size_t i = 0; i < heap.n_groups; i++) {
        heap.groups[i].band_word = 0; /* another engine's */
    }
    cr_assert_eq(hpp_census_create(census, &heap.heap, &options, &err), HPF_OK);
    return hpp_census_take(*census, 1.0);
}

/* The only band of a census, without the number in front. */
static void expect_one_band(hpf_breakdown breakdown, const char *name, uint64_t n_bytes)
{
    hpp_census *census;
    const hpp_census_result *result = take(&census, breakdown);
    cr_assert_eq(result->n_bands, 1);
    hpf_str text = result->bands[0].name;
    size_t skipped = 0;
    if (text.data[0] == '(' && text.length > 1 && text.data[1] >= '0' && text.data[1] <= '9') {
        skipped = (size_t)((const char *)memchr(text.data, ')', text.length) - text.data) + 1;
    }
    cr_expect_eq(text.length - skipped, strlen(name));
    cr_expect(strncmp(text.data + skipped, name, strlen(name)) == 0, "%.*s, not %s",
              (int)(text.length - skipped), text.data + skipped, name);
    cr_expect_eq(result->bands[0].size_bytes, n_bytes);
    hpp_census_destroy(census);
}

Test(native_heap, names_a_stack_innermost_function_first)
{
    allocate(NODE(START, MAIN, F, G), HPP_CALL_MALLOC, 8);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "g/f/main", 8);
    expect_one_band(HPF_BREAKDOWN_MODULE, "prog", 8);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_DESCR, "g@g.c:30", 8);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_TYPE, "malloc", 8);
}

Test(native_heap, leaves_out_callers_of_main_with_symbols_or_without)
{
    allocate(NODE(NAMELESS, LIBC_START, LIBC_NAMELESS, MAIN, F), HPP_CALL_MALLOC, 8);
    allocate(NODE(LIBC_NAMELESS, LIBC_NAMELESS, MAIN, F), HPP_CALL_MALLOC, 1);
    allocate(NODE(START, LIBC_START, MAIN, F), HPP_CALL_MALLOC, 1);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "f/main", 10);
}

Test(native_heap, shows_functions_without_symbols_as_their_module)
{
    allocate(NODE(LIBC_START, NAMELESS, NAMELESS), HPP_CALL_MALLOC, 8);
    allocate(NODE(LIBC_START, NAMELESS), HPP_CALL_MALLOC, 1);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "[prog]", 9);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_DESCR, "[prog]", 9);
}

Test(native_heap, shows_functions_without_symbols_as_their_caller_in_the_module)
{
    allocate(NODE(MAIN, F, NAMELESS, NAMELESS), HPP_CALL_MALLOC, 8);
    allocate(NODE(MAIN, F, NAMELESS), HPP_CALL_MALLOC, 1);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "f/main", 9);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_DESCR, "f", 9);
}

Test(native_heap, skips_functions_without_symbols_that_an_allocator_of_their_module_called)
{
    allocate(NODE(MAIN, LIBC_NAMELESS, MALLOC_WRAPPER, NAMELESS, NAMELESS), HPP_CALL_MALLOC, 8);
    open_window(0, "my_alloc");
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "main", 8);
}

Test(native_heap, shows_functions_without_symbols_that_an_allocator_of_another_module_called)
{
    allocate(NODE(MAIN, F, MALLOC_WRAPPER, LIBC_NAMELESS), HPP_CALL_MALLOC, 8);
    open_window(0, "my_alloc");
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "f/main", 8);
}

Test(native_heap, makes_names_that_hp_files_can_hold)
{
    allocate(NODE(MAIN, H), HPP_CALL_CALLOC, 8);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "(anonymous_namespace)::h<int,4>/main", 8);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_TYPE, "calloc", 8);
}

Test(native_heap, adds_up_sites_that_are_one_producer)
{
    allocate(NODE(MAIN, F), HPP_CALL_MALLOC, 8);
    allocate(NODE(MAIN, F), HPP_CALL_MALLOC, 20);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "f/main", 28);
    cr_expect_eq(heap.n_groups, 4);
}

Test(native_heap, folds_recursion_as_cost_centre_stacks_do)
{
    allocate(NODE(MAIN, F, F, G, F, G, H), HPP_CALL_MALLOC, 8);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "(anonymous_namespace)::h<int,4>/g/f/main", 8);
}

Test(native_heap, distinguishes_lines_on_request_and_folds_recursion_all_the_same)
{
    allocate(NODE(MAIN, F), HPP_CALL_MALLOC, 8);
    allocate(NODE(MAIN, F_LATER), HPP_CALL_MALLOC, 20);
    allocate(NODE(MAIN, F, G, F_LATER), HPP_CALL_MALLOC, 40);
    open_window(0, NULL);
    stacks.with_lines = true;
    hpp__all_costs costs;
    cr_assert(hpp__window_sums_take(&sums, &reader));
    cr_assert_eq(hpp__all_costs_count(&costs, &stacks, &sums, NULL), HPF_OK);
    size_t n_seen = 0;
    for (size_t i = 0; i < costs.n; i++) {
        hpf_frame frames[4];
        const hpp_stack_costs *of = &costs.list[i].costs;
        if (of->allocations > 0) {
            bool is_first = of->live_bytes == 8;
            cr_assert_eq(
                hpp__stack_frames(&hpp__named_stacks_view, NULL, costs.list[i].stack, frames, 4),
                2);
            cr_expect(hpf_str_is(frames[0].source, is_first ? "/src/f.c:20" : "/src/f.c:25"));
            cr_expect(hpf_str_is(frames[1].source, "/src/main.c:10"));
            cr_expect_eq(of->live_bytes, is_first ? 8 : 60);
            cr_expect_eq(of->live_blocks, is_first ? 1 : 2);
            n_seen++;
        }
    }
    cr_expect_eq(n_seen, 2);
    free(costs.list);
}

Test(native_heap, skips_allocation_wrappers)
{
    allocate(NODE(MAIN, F, MALLOC_WRAPPER), HPP_CALL_MALLOC, 8);
    open_window(0, "^my_");
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "f/main", 8);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_DESCR, "f@f.c:20", 8);
}

Test(native_heap, skips_inlined_allocators_and_operator_new)
{
    allocate(NODE(MAIN, INLINED, NEW), HPP_CALL_MALLOC, 8);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "fill/main", 8);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_TYPE, "new", 8);
}

Test(native_heap, keeps_the_frames_that_do_not_name_a_stack_on_request)
{
    allocate(NODE(MAIN, INLINED), HPP_CALL_MALLOC, 8);
    open_window(0, NULL);
    stacks.keeps_all = true;
    hpp__producer producer = hpp__named_stacks_producer(&stacks, 2);
    cr_expect(hpf_str_is(producer.frame.function->label, "fill"));
    cr_expect(!hpf_str_is(producer.stack->function->label, "fill"));
}

Test(native_heap, distinguishes_new_of_arrays_by_the_called_function)
{
    allocate(NODE(MAIN, F, NEW_ARRAY, NEW), HPP_CALL_MALLOC, 8);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_TYPE, "new[]", 8);
}

Test(native_heap, asks_for_the_functions_of_deep_stacks_a_few_times_only)
{
    enum { N_NODES = 2000, N_SITES = 1000, MOST = 10 };
    uint32_t code = made_code(&made, "outermost", "/x.py", 1);
    uint32_t node = made_node(&made, (uint64_t)code << 32 | 1, 0, 0);
    made_flags(&made, node, HPP_NODE_PYTHON);
    for (int i = 0; i < N_NODES; i++) {
        node = made_node(&made, 0x1000 + NAMELESS + 1, node, module);
        if (i >= N_NODES - N_SITES) {
            allocate(node, HPP_CALL_MALLOC, 1);
        }
    }
    node = 0;
    for (int i = 0; i < N_NODES; i++) {
        node = made_node(&made, 0x10000 + LIBC_NAMELESS + 1, node, libc);
        if (i >= N_NODES - N_SITES) {
            allocate(node, HPP_CALL_MALLOC, 1);
        }
    }
    open_window(0, NULL);
    cr_assert(hpp__window_sums_take(&sums, &reader));
    hpp__site_heap_add_up(&heap, &sums);
    cr_expect_lt(toy_resolver_lookups, 2 * N_NODES * MOST);
    cr_expect_eq(hpp__site_heap_live_bytes(&heap), 2 * N_SITES);
}

Test(native_heap, begins_a_stack_of_very_many_functions_again)
{
    enum { N_FUNCTIONS = 3 * HPP__MAX_FUNCTIONS / 2 };
    static char file_names[N_FUNCTIONS][16];
    uint32_t node = NODE(MAIN);
    for (int i = 0; i < N_FUNCTIONS; i++) {
        snprintf(file_names[i], sizeof file_names[i], "/%d.py", i);
        uint32_t code = made_code(&made, "f", file_names[i], 1);
        node = made_node(&made, (uint64_t)code << 32 | 1, node, 0);
        made_flags(&made, node, HPP_NODE_PYTHON);
    }
    open_window(0, NULL);
    const hpp__stack *stack = hpp__named_stacks_place(&stacks, node);
    cr_assert(stack);
    cr_expect_leq(stack->depth, HPP__MAX_FUNCTIONS);
    cr_expect(hpf_str_is(stack->function->label, "6143.f"));
}

/* ---- Python ---- */

Test(native_heap, reads_no_byte_after_the_path_of_a_module)
{
    static const char path[] = "/no/such/folder/module";
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), n = sizeof path - 1;
    char *pages =
        mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
    cr_assert_eq(mprotect(pages + page_bytes, page_bytes, PROT_NONE), 0);
    memcpy(pages + page_bytes - n, path, n);
    hpp__text name = {0};
    hpp__python_module(&name, (hpf_str){pages + page_bytes - n, n});
    cr_expect(hpf_str_is(hpp__text_str(&name), "module"));
    hpp__text_finish(&name);
    munmap(pages, 2 * page_bytes);
}

Test(native_heap, replaces_control_characters_in_names_and_files_of_python)
{
    static const char name[] = "f\033[31m", file[] = "/no/such/\033]0;a\a.py";
    uint32_t code = made_code(&made, name, file, 7);
    uint32_t python = made_node(&made, (uint64_t)code << 32 | 8, NODE(MAIN), 0);
    made_flags(&made, python, HPP_NODE_PYTHON);
    allocate(python, HPP_CALL_MALLOC, 8);
    open_window(0, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "?]0;a?.f?[31m/main", 8);
    expect_one_band(HPF_BREAKDOWN_MODULE, "?]0;a?", 8);
    expect_one_band(HPF_BREAKDOWN_CLOSURE_DESCR, "?]0;a?.f?[31m@?]0;a?.py:8", 8);
    const hpp__function *function = hpp__named_stacks_place(&stacks, python)->function;
    cr_expect(hpf_str_is(function->source, "/no/such/?]0;a?.py:7"));
}

static uint64_t bytes_of(const hpp_census_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_bands; i++) {
        if (hpf_str_is(result->bands[i].name, name)) {
            return result->bands[i].size_bytes;
        }
    }
    return 0;
}

Test(native_heap, has_the_types_that_sites_say)
{
    allocate(NODE(MAIN, F, INLINED), HPP_CALL_MALLOC, 8);
    allocate(NODE(MAIN, F), HPP_CALL_MALLOC, 4);
    open_window(0, NULL);
    heap.with_types = true;
    hpp_census *census;
    const hpp_census_result *result = take(&census, HPF_BREAKDOWN_TYPE);
    cr_expect_eq(result->n_bands, 2);
    cr_expect_eq(bytes_of(result, "array of std::vector<int>"), 8);
    cr_expect_eq(bytes_of(result, "f@f.c:20"), 4);
    hpp_census_destroy(census);
}

Test(native_heap, divides_a_group_by_types_of_blocks)
{
    allocate(NODE(MAIN, F, INLINED), HPP_CALL_MALLOC, 8);
    open_window(0, NULL);
    heap.with_types = true;
    hpp_census *census;
    take(&census, HPF_BREAKDOWN_TYPE);
    hpp_census_destroy(census);
    size_t group = heap.n_groups - 1;
    hpp__site_type type = hpp__site_heap_type(&heap, group);
    cr_expect(hpf_str_is(type.type, "array of std::vector<int>"));
    cr_expect_eq(type.naming, HPP__NAMED_BY_CONTAINER);
    cr_expect_eq(hpp__site_heap_typed_group(&heap, group, HPF_STR("")), group);
    cr_expect_eq(hpp__site_heap_typed_group(&heap, group, type.type), group);
    size_t typed = hpp__site_heap_typed_group(&heap, group, HPF_STR("Session"));
    cr_assert_neq(typed, group);
    cr_expect_eq(hpp__site_heap_typed_group(&heap, group, HPF_STR("Session")), typed);
    cr_expect_eq(heap.groups[typed].stack, heap.groups[group].stack);
    cr_expect(hpf_str_is(heap.groups[typed].shape->type, "Session"));
    cr_expect(hpf_str_equal(heap.groups[typed].shape->description,
                            heap.groups[group].shape->description));
    /* The type of a block may be known although its site is not. */
    for (size_t i = HPP__GROUP_UNKNOWN; i <= HPP__GROUP_INHERITED; i++) {
        typed = hpp__site_heap_typed_group(&heap, i, HPF_STR("Session"));
        cr_expect(hpf_str_is(heap.groups[typed].shape->type, "Session"));
        cr_expect(hpf_str_equal(heap.groups[typed].shape->description,
                                heap.groups[i].shape->description));
    }
}

/* ---- lives ---- */

static hpp__life_sums lives;

/* Blocks of f: 100 bytes, born in era 1, used in 2, dead in 4. Of g: 60 bytes, born in era 2, never
 * used. Returns the site of g. */
static uint32_t make_lives(void)
{
    uint32_t f = made_site(&made, NODE(MAIN, F), HPP_CALL_MALLOC);
    uint32_t g = made_site(&made, NODE(MAIN, F, G), HPP_CALL_MALLOC);
    made_allocate(&made, slot, f, 1, 100);
    made_allocate(&made, slot, g, 1, 60);
    made_life(&made, f, 4, (const int64_t[]){0, 0, -100, 0});
    made_life(&made, f, 1, (const int64_t[]){100, 0, 0, 0});
    made_life(&made, f, 3, (const int64_t[]){0, -100, 100, 0});
    made_life(&made, f, 2, (const int64_t[]){-100, 100, 0, 0});
    made_life(&made, g, 2, (const int64_t[]){0, 0, 0, 60});
    return g;
}

static void expect_phases(uint32_t era, const uint64_t *live_bytes, hpp_phase_bytes expected)
{
    hpp__life_sums_advance(&lives, era);
    hpp_phase_bytes sum = hpp__site_heap_add_lives(&heap, &lives, live_bytes);
    cr_expect_eq(sum.lag_bytes, expected.lag_bytes, "lag in era %u", era);
    cr_expect_eq(sum.use_bytes, expected.use_bytes, "use in era %u", era);
    cr_expect_eq(sum.drag_bytes, expected.drag_bytes, "drag in era %u", era);
    cr_expect_eq(sum.void_bytes, expected.void_bytes, "void in era %u", era);
}

static void load_lives(void)
{
    open_window(0, NULL);
    cr_assert(hpp__window_sums_take(&sums, &reader));
    hpp__site_heap_add_up(&heap, &sums);
    cr_assert(hpp__life_sums_load(&lives, &reader));
}

Test(native_heap, adds_up_lives_by_era)
{
    make_lives();
    load_lives();
    expect_phases(1, NULL, (hpp_phase_bytes){.lag_bytes = 100});
    expect_phases(2, NULL, (hpp_phase_bytes){.use_bytes = 100, .void_bytes = 60});
    expect_phases(3, NULL, (hpp_phase_bytes){.drag_bytes = 100, .void_bytes = 60});
    expect_phases(4, NULL, (hpp_phase_bytes){.void_bytes = 60});
    hpp__life_sums_finish(&lives);
}

Test(native_heap, scales_sampled_lives_to_all_live_bytes)
{
    make_lives();
    load_lives();
    expect_phases(2, &(const uint64_t){1000},
                  (hpp_phase_bytes){.use_bytes = 625, .void_bytes = 375});
    /* Parts are rounded so that they are 1001 together. */
    expect_phases(3, &(const uint64_t){1001},
                  (hpp_phase_bytes){.drag_bytes = 626, .void_bytes = 375});
    expect_phases(4, &(const uint64_t){0}, (hpp_phase_bytes){0});
    hpp__life_sums_finish(&lives);
}

Test(native_heap, takes_phases_that_are_less_than_nothing_as_nothing)
{
    uint32_t g = make_lives();
    made_life(&made, g, 2, (const int64_t[]){0, 0, 0, INT64_MIN});
    made_life(&made, g, 2, (const int64_t[]){0, 0, 0, INT64_MIN});
    made_life(&made, g, 2, (const int64_t[]){-5, 0, 0, 0});
    load_lives();
    expect_phases(2, NULL, (hpp_phase_bytes){.use_bytes = 100, .void_bytes = 60});
    hpp__life_sums_finish(&lives);
}

/* Takes three censuses in the given breakdown, restricted to phases if `phase` is given. */
static hpp_census *take_lives(hpf_breakdown breakdown, const char *phase)
{
    hpf_error err;
    hpp_census *census;
    const hpf_str name = {phase, phase ? strlen(phase) : 0};
    const hpp_restriction restriction = {HPF_BREAKDOWN_BIOGRAPHY, &name, 1};
    const hpp_census_options options = {.breakdown = breakdown,
                                        .restrictions = &restriction,
                                        .n_restrictions = phase != NULL,
                                        .max_name_bytes = 200};
    cr_assert_eq(hpp_census_create(&census, &heap.heap, &options, &err), HPF_OK);
    for (uint32_t era = 1; era <= 3; era++) {
        hpp__life_sums_advance(&lives, era);
        hpp__site_heap_add_lives(&heap, &lives, NULL);
        hpp_census_take(census, era);
    }
    cr_assert_eq(hpp_census_end(census, &err), HPF_OK);
    cr_assert(hpp__life_sums_load(&lives, &reader));
    return census;
}

static const hpp_census_result *final_of(hpp_census *census, uint32_t era)
{
    hpp__life_sums_advance(&lives, era);
    hpp__site_heap_add_lives(&heap, &lives, NULL);
    return hpp_census_final(census, era - 1);
}

Test(native_heap, shows_lives_that_are_not_over)
{
    make_lives();
    load_lives();
    hpf_error err;
    hpp_census *census;
    const hpp_census_options options = {.breakdown = HPF_BREAKDOWN_BIOGRAPHY};
    cr_assert_eq(hpp_census_create(&census, &heap.heap, &options, &err), HPF_OK);
    hpp__life_sums_advance(&lives, 3);
    hpp__site_heap_add_lives(&heap, &lives, NULL);
    const hpp_census_result *result = hpp_census_take(census, 3);
    cr_expect(result->is_provisional);
    cr_expect_eq(bytes_of(result, "NOT_USED_SINCE"), 100);
    cr_expect_eq(bytes_of(result, "NOT_YET_USED"), 60);
    cr_expect_eq(result->n_bands, 2);
    hpp_census_destroy(census);
    hpp__life_sums_finish(&lives);
}

Test(native_heap, has_final_phases_of_each_era)
{
    make_lives();
    load_lives();
    hpp_census *census = take_lives(HPF_BREAKDOWN_BIOGRAPHY, NULL);
    const hpp_census_result *result = final_of(census, 1);
    cr_expect_eq(bytes_of(result, "LAG"), 100);
    cr_expect_eq(result->n_bands, 1);
    result = final_of(census, 2);
    cr_expect_eq(bytes_of(result, "USE"), 100);
    cr_expect_eq(bytes_of(result, "VOID"), 60);
    cr_expect_eq(result->time_s, 2);
    cr_expect_not(result->is_provisional);
    result = final_of(census, 3);
    cr_expect_eq(bytes_of(result, "DRAG"), 100);
    cr_expect_eq(bytes_of(result, "VOID"), 60);
    hpp_census_destroy(census);
    hpp__life_sums_finish(&lives);
}

Test(native_heap, restricts_other_breakdowns_to_phases)
{
    make_lives();
    load_lives();
    hpp_census *census = take_lives(HPF_BREAKDOWN_CLOSURE_DESCR, "drag");
    cr_expect_eq(final_of(census, 2)->n_bands, 0);
    const hpp_census_result *result = final_of(census, 3);
    cr_expect_eq(bytes_of(result, "f@f.c:20"), 100);
    cr_expect_eq(result->n_bands, 1);
    hpp_census_destroy(census);
    hpp__life_sums_finish(&lives);
}

Test(native_heap, names_the_innermost_function_if_all_are_wrappers)
{
    allocate(NODE(MALLOC_WRAPPER), HPP_CALL_MALLOC, 8);
    open_window(0, "^my_");
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "my_alloc", 8);
}

Test(native_heap, cuts_stacks_at_the_given_depth)
{
    allocate(NODE(MAIN, F, G), HPP_CALL_MALLOC, 8);
    allocate(NODE(F, G), HPP_CALL_MALLOC, 1);
    open_window(2, NULL);
    expect_one_band(HPF_BREAKDOWN_COST_CENTRE, "g/f", 9);
}

Test(native_heap, has_bands_for_unknown_and_inherited_blocks)
{
    made_allocate(&made, slot, HPP_SITE_UNKNOWN, 1, 5);
    made_allocate(&made, slot, HPP_SITE_INHERITED, 2, 3);
    allocate(99, HPP_CALL_MALLOC, 1); /* no such node */
    open_window(0, NULL);
    hpp_census *census;
    const hpp_census_result *result = take(&census, HPF_BREAKDOWN_COST_CENTRE);
    cr_expect_eq(result->n_bands, 2);
    cr_expect_eq(toy_band(result, "UNKNOWN"), 6);
    cr_expect_eq(toy_band(result, "INHERITED"), 6);
    cr_expect_eq(result->n_live_objects, 4);
    hpp_census_destroy(census);
}

Test(native_heap, leaves_out_ticks_and_dead_blocks)
{
    allocate(NODE(MAIN, F), HPP_CALL_TICK, 1);
    uint32_t site = made_site(&made, NODE(MAIN, G), HPP_CALL_MALLOC);
    made_allocate(&made, slot, site, 2, 8);
    made_free(&made, slot, site, 2, 8);
    open_window(0, NULL);
    hpp_census *census;
    const hpp_census_result *result = take(&census, HPF_BREAKDOWN_COST_CENTRE);
    cr_expect_eq(result->n_bands, 0);
    cr_expect_eq(result->live_bytes, 0);
    hpp_census_destroy(census);
}

Test(native_heap, finds_sites_added_later)
{
    hpp_census *census;
    allocate(NODE(MAIN, F), HPP_CALL_MALLOC, 8);
    open_window(0, NULL);
    take(&census, HPF_BREAKDOWN_COST_CENTRE);
    allocate(NODE(MAIN, G), HPP_CALL_MALLOC, 9);
    hpp__window_reader_refresh(&reader);
    cr_assert(hpp__window_sums_take(&sums, &reader));
    hpp__site_heap_add_up(&heap, &sums);
    const hpp_census_result *result = hpp_census_take(census, 2.0);
    cr_expect_eq(result->n_bands, 2);
    cr_expect_eq(result->size_bytes, 17);
    hpp_census_destroy(census);
}

Test(native_heap, finds_sites_completed_later)
{
    hpp_census *census;
    uint32_t node = NODE(MAIN, F);
    uint32_t site = made_site(&made, 0, HPP_CALL_MALLOC);
    made_allocate(&made, slot, site, 1, 8);
    open_window(0, NULL);
    const hpp_census_result *result = take(&census, HPF_BREAKDOWN_COST_CENTRE);
    cr_expect_eq(toy_band(result, "UNKNOWN"), 8);
    hpp_window_site *record =
        (hpp_window_site *)((char *)made.window +
                            (uint64_t)made.window->site_pages[0] * HPP_WINDOW_PAGE_BYTES);
    record[site].node = node;
    hpp__site_heap_add_up(&heap, &sums);
    result = hpp_census_take(census, 2.0);
    cr_expect_eq(toy_band(result, "UNKNOWN"), 0);
    cr_expect_eq(result->size_bytes, 8);
    hpp_census_destroy(census);
}

Test(native_heap, rejects_an_invalid_expression)
{
    const char *skip = "a(";
    hpf_error err;
    cr_expect_eq(hpp__names_create(&names, &skip, 1, &err), HPF_ERR_ARGUMENT);
    cr_expect_null(names);
}

/* Names as the resolver gives them, and whether they are passed over. */
Test(native_heap, recognises_the_names_of_allocators)
{
    static const struct {
        const char *name;
        bool is_skipped;
    } cases[] = {
        {"malloc", true},
        {"__libc_malloc", true},
        {"strdup", true},
        {"xmalloc", true},
        {"zmalloc_usable", true},
        {"ztrycalloc_usable", true},
        {"xstrdup", true},
        {"do_xmalloc", true},
        {"g_malloc0_n", true},
        {"g_strdup", true},
        {"__rust_alloc", true},
        {"alloc::alloc::exchange_malloc", true},
        {"std::allocator_traits<std::allocator<char> >::allocate", true},
        {"__gnu_cxx::new_allocator<int>::allocate", true},
        {"std::vector<int>::push_back", false},
        {"std::vector<int>::_M_realloc_insert<int const&>", true},
        {"std::_Rb_tree<int, std::pair<int const, A::_M_b> >::_M_create_node<int>", true},
        {"std::__cxx11::basic_string<char>::append", false},
        {"std::__cxx11::basic_string<char>::_M_create", true},
        {"std::__cxx11::_List_base<int>::_M_get_node", true},
        {"std::string::assign", false},
        {"std::make_unique<Tree>", false},
        {"std::map<int, int>::operator[]", false},
        {"std::__1::allocator<int>::allocate", true},
        {"std::__1::__libcpp_allocate", true},
        {"std::__1::vector<int>::push_back", false},
        {"std::__allocate_guarded<std::allocator<int> >", true},
        {"alloc::raw_vec::RawVec<T,A>::allocate_in", true},
        {"<alloc::alloc::Global as core::alloc::Allocator>::allocate", true},
        {"alloc::vec::Vec<T>::push", false},
        {"alloc::vec::Vec<T,A>::with_capacity_in", true},
        {"PyObject_Malloc", true},
        {"_PyObject_GC_New", true},
        {"PyList_New", false},
        {"sqlite3DbMallocRaw", true},
        {"sqlite3VdbeExec", false},
        {"palloc", true},
        {"repalloc", true},
        {"MemoryContextAllocZero", true},
        {"AllocSetContextCreateInternal", true},
        {"MemoryContextDelete", false},
        {"ngx_pcalloc", true},
        {"ngx_create_pool", true},
        {"ngx_conf_parse", false},
        {"my_malloc_test", false},
        {"main", false},
        {"xml_parse", false},
        {"g_hash_table_new", false},
    };
    open_window(0, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static char cleaned[sizeof cases / sizeof *cases][100];
        char *clean = cleaned[i];
        hpf_str name = {cases[i].name, strlen(cases[i].name)};
        hpf_str label = {clean, hpp__names_clean(clean, name)};
        const hpp__function *function = hpp__names_special(names, label);
        cr_expect_eq(function->owner == HPF_FRAME_OF_ALLOCATOR, cases[i].is_skipped, "%s",
                     cases[i].name);
    }
}

/* Returns whether the only site retains if a census finds `n` blocks of it. */
static bool retains(hpp__graph_heap *graph_heap, uint32_t site, size_t n)
{
    hpp__graph_node nodes[32] = {{0}};
    hpp__graph graph = {.nodes = nodes, .n_blocks = n};
    for (size_t i = 0; i < n; i++) {
        nodes[i].site = site;
    }
    cr_assert(hpp__graph_heap_set(graph_heap, &graph, NULL));
    bool result = graph_heap->retains[hpp__site_heap_group(&heap, site)];
    cr_assert(hpp__graph_heap_set(graph_heap, NULL, NULL));
    return result;
}

Test(native_heap, sites_do_not_change_at_each_census_whether_they_retain)
{
    hpp__graph_heap graph_heap;
    hpf_error err;
    uint32_t site = made_site(&made, NODE(MAIN, F), HPP_CALL_MALLOC);
    open_window(0, NULL);
    cr_assert_eq(hpp__graph_heap_init(&graph_heap, &heap, NULL, false, &err), HPF_OK);
    cr_expect_not(retains(&graph_heap, site, 9));
    cr_expect(retains(&graph_heap, site, 8));
    cr_expect(retains(&graph_heap, site, 9));
    cr_expect(retains(&graph_heap, site, 16));
    cr_expect_not(retains(&graph_heap, site, 17));
    cr_expect_not(retains(&graph_heap, site, 9), "until there are few again");
    cr_expect(retains(&graph_heap, site, 8));
    retains(&graph_heap, site, 0);
    cr_expect_not(retains(&graph_heap, site, 9), "a site without blocks has no past");
    hpp__graph_heap_finish(&graph_heap);
}
