/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Snapshots of heaps: every object once, with its references; what has no size; names.
 */
#include <criterion/criterion.h>

#include "census/snapshot.h"
#include "failing_alloc.h"
#include "hpfile/str.h"
#include "toy_heap.h"

static const hpp_shape cell = {.description = {"cell", 4}, .type = {"Cell", 4}};
static const hpp_shape typed = {.type = {"Typed", 5}};
static const hpp_shape bare = {0};
static const hpp_shape fixed = {.description = {"fixed", 5}, .flags = HPP_STATIC};
static const hpp_shape stack = {.description = {"stack", 5}, .flags = HPP_STACK};
static const hpp_shape weak = {.description = {"weak", 4}, .flags = HPP_WEAK};
static const toy_stack producer = {.label = "make", .module = "Main", .id = 1};

static toy_heap heap;
static hpf_snapshot snapshot;

static void set_up(void)
{
    toy_init(&heap, 400, true);
}

static void tear_down(void)
{
    hpf_snapshot_finish(&snapshot);
    toy_finish(&heap);
}

TestSuite(snapshot, .init = set_up, .fini = tear_down);

static hpf_status take(hpp__heap_snapshot_options options, hpf_error *err)
{
    hpf_status status = hpp__heap_snapshot_take(&snapshot, &heap.adapter, options, err);
    return status == HPF_OK ? hpf_snapshot_connect(&snapshot, err) : status;
}

static void take_with(bool count_stacks)
{
    hpf_error err;
    cr_assert_eq(take((hpp__heap_snapshot_options){.count_stacks = count_stacks}, &err), HPF_OK,
                 "%s", err.message);
}

static bool is_named(uint32_t node, const char *name)
{
    return hpf_str_is(hpf_snapshot_name(&snapshot, node), name);
}

Test(snapshot, nodes_are_the_root_and_the_objects_in_order)
{
    size_t a = toy_new(&heap, 10, &cell, NULL, 0), b = toy_new(&heap, 20, &typed, &producer, 0);
    size_t c = toy_new(&heap, 40, &bare, &producer, 0), d = toy_new(&heap, 80, &bare, NULL, 0);
    heap.objects[a].is_root = true;
    toy_link(&heap, a, b);
    toy_link(&heap, a, SIZE_MAX);
    toy_link(&heap, a, c);
    toy_link(&heap, c, a);
    toy_link(&heap, c, d);
    take_with(false);
    cr_assert_eq(snapshot.n_nodes, 5);
    static const char *const names[] = {"(root)", "cell", "Typed", "make", "UNKNOWN"};
    static const uint64_t sizes[] = {0, 10, 20, 40, 80};
    static const uint32_t first_edges[] = {0, 1, 3, 3, 5, 5}, targets[] = {1, 2, 3, 1, 4};
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(is_named(i, names[i]), "%u", i);
        cr_assert_eq(snapshot.sizes[i], sizes[i]);
        cr_assert_eq(snapshot.is_object[i], i > 0);
    }
    cr_assert_arr_eq(snapshot.first_edges, first_edges, sizeof first_edges);
    cr_assert_arr_eq(snapshot.targets, targets, sizeof targets);
}

Test(snapshot, names_are_types_on_demand)
{
    toy_new(&heap, 10, &cell, NULL, 0);
    toy_new(&heap, 20, &typed, NULL, 0);
    cr_assert_eq(take((hpp__heap_snapshot_options){.by_type = true}, NULL), HPF_OK);
    cr_assert(is_named(1, "Cell"));
    cr_assert(is_named(2, "Typed"));
    cr_assert(!snapshot.ids && !snapshot.sites);
    hpf_snapshot_finish(&snapshot);
    cr_assert_eq(take((hpp__heap_snapshot_options){.by_type = true, .with_sites = true}, NULL),
                 HPF_OK);
    cr_assert(hpf_str_is(hpf_snapshot_text(&snapshot, snapshot.sites[1]), "cell"));
    cr_assert_eq(snapshot.sites[2], HPF_SNAPSHOT_NONE);
}

static hpp_ref second;

static uint64_t identify(hpp_ref ref, void *context)
{
    cr_assert_eq(context, &heap);
    return ref == second ? UINT64_C(0x7f0123456780) : 0;
}

Test(snapshot, objects_have_ids_on_demand)
{
    toy_new(&heap, 10, &cell, NULL, 0);
    size_t b = toy_new(&heap, 20, &typed, NULL, 0);
    toy_new(&heap, 30, &cell, NULL, 0);
    second = heap.objects[b].ref;
    const hpp__heap_snapshot_options options = {
        .identify = identify, .context = &heap, .process = 9};
    cr_assert_eq(take(options, NULL), HPF_OK);
    static const uint64_t expected[] = {0, 0, UINT64_C(0xfe02468acf01), 0};
    cr_assert_eq(snapshot.process, 9);
    cr_assert_arr_eq(snapshot.ids, expected, sizeof expected);
    cr_assert_null(snapshot.sites);
}

Test(snapshot, static_objects_and_stacks_have_no_size)
{
    size_t s = toy_new(&heap, 100, &stack, NULL, 0), f = toy_new(&heap, 50, &fixed, NULL, 0);
    heap.objects[s].is_root = true;
    toy_link(&heap, s, f);
    take_with(false);
    cr_assert(snapshot.sizes[1] == 0 && !snapshot.is_object[1]);
    cr_assert(snapshot.sizes[2] == 0 && !snapshot.is_object[2]);
    hpf_snapshot_finish(&snapshot);
    take_with(true);
    cr_assert(snapshot.sizes[1] == 100 && snapshot.is_object[1]);
    cr_assert(snapshot.sizes[2] == 0 && !snapshot.is_object[2]);
}

Test(snapshot, a_weak_pointer_does_not_hold_its_key)
{
    size_t w = toy_new(&heap, 8, &weak, NULL, 0), key = toy_new(&heap, 8, &cell, NULL, 0);
    size_t value = toy_new(&heap, 8, &cell, NULL, 0);
    heap.objects[w].is_root = true;
    toy_link(&heap, w, key);
    toy_link(&heap, w, value);
    take_with(false);
    cr_assert_eq(snapshot.first_edges[2] - snapshot.first_edges[1], 1);
    cr_assert_eq(snapshot.targets[snapshot.first_edges[1]], value + 1);
    cr_assert(is_named(4, "(unreached)"));
    cr_assert_eq(snapshot.targets[snapshot.first_edges[4]], key + 1);
}

Test(snapshot, objects_with_hundreds_of_children_and_children_that_are_not_visited)
{
    size_t table = toy_new(&heap, 8, &cell, NULL, 0);
    heap.objects[table].is_root = true;
    for (size_t i = 0; i < 256; i++) {
        toy_link(&heap, table, toy_new(&heap, 8, &cell, NULL, 0));
    }
    heap.n = 1; /* the others are found as children only */
    take_with(false);
    cr_assert_eq(snapshot.n_nodes, 258);
    cr_assert_eq(snapshot.n_edges, 257);
    for (uint32_t i = 0; i < 256; i++) {
        cr_assert_eq(snapshot.targets[i + 1], i + 2);
    }
    heap.n = 257;
}

Test(snapshot, references_in_a_row_are_numbers)
{
    enum { N = 200 };
    for (size_t i = 0; i < N; i++) {
        toy_new(&heap, i, i % 2 ? &cell : &typed, NULL, 0);
        toy_link(&heap, i, i / 3);
        toy_link(&heap, i / 5, i);
    }
    heap.objects[N - 1].is_root = heap.objects[7].is_root = true;
    take_with(false);
    hpf_snapshot found = snapshot;
    const hpp__heap_snapshot_options options = {
        .ref_bytes = heap.objects[1].ref - heap.objects[0].ref, .first_ref = heap.objects[0].ref};
    cr_assert_eq(take(options, NULL), HPF_OK);
    cr_assert_eq(snapshot.n_nodes, found.n_nodes);
    cr_assert_arr_eq(snapshot.sizes, found.sizes, found.n_nodes * sizeof *found.sizes);
    cr_assert_arr_eq(snapshot.first_edges, found.first_edges,
                     (found.n_nodes + 1) * sizeof *found.first_edges);
    cr_assert_arr_eq(snapshot.targets, found.targets, found.n_edges * sizeof *found.targets);
    hpf_snapshot_finish(&found);
}

Test(snapshot, needs_roots_and_children)
{
    hpf_error err;
    hpp_heap without = heap.adapter;
    cr_assert_eq(hpp__heap_snapshot_check(&without, &err), HPF_OK);
    without.children = NULL;
    cr_assert_eq(hpp__heap_snapshot_check(&without, &err), HPF_ERR_ARGUMENT);
    cr_assert_eq(hpp__heap_snapshot_check(NULL, &err), HPF_ERR_ARGUMENT);
}

Test(snapshot, without_memory_is_an_error_without_a_leak)
{
    size_t first = toy_new(&heap, 8, &cell, NULL, 0);
    heap.objects[first].is_root = true;
    for (size_t i = 1; i < 100; i++) {
        toy_link(&heap, toy_new(&heap, 8, &cell, NULL, 0), i - 1);
    }
    for (unsigned long nth = 1;; nth++) {
        hpf_error err = {0};
        failing_alloc_arm(nth, false);
        hpf_status status = take((hpp__heap_snapshot_options){.by_type = false}, &err);
        if (!failing_alloc_disarm()) {
            cr_assert_eq(status, HPF_OK);
            cr_assert_eq(snapshot.n_nodes, 102, "with the root and (unreached)");
            return;
        }
        cr_assert_eq(status, err.status);
        hpf_snapshot_finish(&snapshot);
    }
}
