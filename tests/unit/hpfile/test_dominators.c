/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dominators against brute force: what is not reached any more when a node is removed. Random
 * graphs of all densities, and shapes that are known to be hard.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "failing_alloc.h"
#include "rng.h"
#include "hpfile/dominator_tree.h"
#include "hpfile/snapshot_diff.h"

enum { MOST = 24 };

static hpf_snapshot graph;

static void tear_down(void)
{
    hpf_snapshot_finish(&graph);
}

TestSuite(dominators, .fini = tear_down);

static void add(const char *name, uint64_t size_bytes)
{
    hpf_str text = {name, strlen(name)};
    cr_assert_eq(hpf_snapshot_add_node(&graph, text, size_bytes, graph.n_nodes > 0, NULL), HPF_OK);
}

static void lead_to(uint32_t target)
{
    cr_assert_eq(hpf_snapshot_add_edge(&graph, target, NULL), HPF_OK);
}

/* Makes a graph of `n` nodes, with about `per_node` edges from each; some lead to their own node,
 * some are double. */
static void make_random(rng *r, uint32_t n, uint64_t per_node)
{
    static const char *const names[] = {"a", "b", "c"};
    hpf_snapshot_finish(&graph);
    for (uint32_t i = 0; i < n; i++) {
        add(i == 0 ? "(root)" : names[rng_below(r, 3)], i == 0 ? 0 : rng_below(r, 1000));
        for (uint64_t k = rng_below(r, 2 * per_node + 1); k > 0; k--) {
            lead_to((uint32_t)rng_below(r, n));
        }
    }
}

/* Marks what `from` leads to without passing `removed`. Slow and simple: to a fixed point. */
static void reach(uint32_t from, uint32_t removed, bool reached[MOST + 1])
{
    memset(reached, 0, (MOST + 1) * sizeof *reached);
    reached[from] = from != removed;
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (uint32_t i = 0; i < graph.n_nodes; i++) {
            for (uint32_t k = graph.first_edges[i]; reached[i] && k < graph.first_edges[i + 1];
                 k++) {
                uint32_t to = graph.targets[k];
                is_new |= to != removed && !reached[to];
                reached[to] |= to != removed;
            }
        }
    }
}

/* ---- Dominators ---- */

static void check_dominators(const hpf_dominators *d)
{
    bool reached[MOST + 1];
    for (uint32_t x = 0; x < graph.n_nodes; x++) {
        uint64_t bytes = 0;
        uint32_t n = 0;
        reach(0, x, reached);
        for (uint32_t v = 0; v < graph.n_nodes; v++) {
            bool is_dominated = v == x;
            for (uint32_t u = v; u != 0 && !is_dominated;) {
                u = d->dominators[u];
                is_dominated = u == x;
            }
            cr_assert_eq(is_dominated, !reached[v], "%u and %u", x, v);
            bytes += reached[v] ? 0 : graph.sizes[v];
            n += reached[v] ? 0 : graph.is_object[v];
        }
        cr_assert_eq(d->retained_bytes[x], bytes, "node %u", x);
        cr_assert_eq(d->n_retained[x], n, "node %u", x);
    }
}

static void check_graph(void)
{
    hpf_dominators d;
    cr_assert_eq(hpf_snapshot_connect(&graph, NULL), HPF_OK);
    cr_assert_eq(hpf_dominators_init(&d, &graph, NULL), HPF_OK);
    check_dominators(&d);
    hpf_dominators_finish(&d);
}

Test(dominators, equal_what_removal_cuts_off_in_random_graphs)
{
    rng r = {11};
    for (int i = 0; i < 6000; i++) {
        make_random(&r, 1 + (uint32_t)rng_below(&r, MOST - 1), 1 + (uint64_t)i % 4);
        check_graph();
    }
}

Test(dominators, of_cycles_self_references_and_several_roots)
{
    static const uint32_t edges[][8] = {{1, 2, 3}, {1, 2, 4}, {3, 1, 0}, {2, 3, 4, 4},
                                        {4, 0},    {6, 5},    {5},       {6}}; /* 0 ends */
    for (uint32_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        add("x", i);
        for (const uint32_t *to = edges[i]; *to != 0; to++) {
            lead_to(*to);
        }
    }
    check_graph();
    tear_down();
    add("only", 7);
    lead_to(0);
    check_graph();
}

/* A list whose end leads to objects that are also held by the root: quadratic for algorithms that
 * climb the tree one step at a time, and deep for recursive ones. */
Test(dominators, of_a_long_list_with_shared_objects_take_no_recursion_and_little_time)
{
    enum { N = 200000 };
    add("root", 0);
    for (uint32_t i = 0; i < N; i++) {
        lead_to(i == 0 ? 1 : N + i);
    }
    for (uint32_t i = 1; i <= N; i++) {
        add("list", 1);
        lead_to(i + 1);
    }
    add("table", 10);
    for (uint32_t i = 1; i < N; i++) {
        lead_to(N + 1 + i);
    }
    for (uint32_t i = 1; i < N; i++) {
        add("shared", 100);
    }
    hpf_dominators d;
    cr_assert_eq(hpf_snapshot_connect(&graph, NULL), HPF_OK);
    cr_assert_eq(graph.n_nodes, 2 * N + 1, "all are reached");
    cr_assert_eq(hpf_dominators_init(&d, &graph, NULL), HPF_OK);
    cr_assert_eq(d.retained_bytes[0], N + 10 + UINT64_C(100) * (N - 1));
    cr_assert_eq(d.retained_bytes[1], N, "the root holds the table, too");
    cr_assert_eq(d.retained_bytes[N], 1);
    cr_assert_eq(d.retained_bytes[N + 1], 110, "only it holds the last object");
    hpf_dominators_finish(&d);
}

/* ---- What no root reaches ---- */

Test(dominators, unreached_objects_hang_on_as_few_as_reach_all)
{
    rng r = {12};
    for (int i = 0; i < 3000; i++) {
        bool live[MOST + 1], from[MOST][MOST + 1];
        uint32_t n = 1 + (uint32_t)rng_below(&r, MOST - 1), n_heads = 0;
        make_random(&r, n, 1);
        reach(0, HPF_SNAPSHOT_NONE, live);
        for (uint32_t v = 0; v < n; v++) {
            reach(v, HPF_SNAPSHOT_NONE, from[v]);
        }
        for (uint32_t v = 0; v < n; v++) {
            bool is_head = !live[v]; /* all that lead to it are in its cycle, it is the first */
            for (uint32_t u = 0; u < n; u++) {
                is_head &= live[u] || !from[u][v] || (from[v][u] && u >= v);
            }
            n_heads += is_head;
        }
        cr_assert_eq(hpf_snapshot_connect(&graph, NULL), HPF_OK);
        cr_assert_eq(graph.n_nodes, n + (n_heads > 0));
        if (n_heads > 0) {
            cr_assert_eq(graph.first_edges[n + 1] - graph.first_edges[n], n_heads);
            cr_assert_not(graph.is_object[n]);
            reach(0, HPF_SNAPSHOT_NONE, live);
            for (uint32_t v = 0; v <= n; v++) {
                cr_assert(live[v]);
            }
        }
    }
}

/* ---- The tree of groups ---- */

/* The names from the root to a node, of dominators, each one once in a row. */
static void path_of(const hpf_dominators *d, uint32_t node, char path[MOST + 1])
{
    char reversed[MOST + 1];
    size_t n = 0;
    for (uint32_t u = node; u != 0; u = d->dominators[u]) {
        char c = hpf_snapshot_name(&graph, u).data[0];
        if (n == 0 || reversed[n - 1] != c) {
            reversed[n++] = c;
        }
    }
    for (size_t i = 0; i < n; i++) {
        path[i] = reversed[n - 1 - i];
    }
    path[n] = '\0';
}

static void path_of_group(const hpf_dominator_tree *tree, uint32_t index, char path[MOST + 1])
{
    uint32_t depth = tree->groups[index].depth;
    path[depth] = '\0';
    for (; index != 0; index = tree->groups[index].parent) {
        path[--depth] = hpf_snapshot_text(&graph, tree->groups[index].name).data[0];
    }
}

static void check_sums(const hpf_dominator_tree *tree)
{
    for (uint32_t i = 0; i < tree->n_groups; i++) {
        const hpf_dominator_group *g = &tree->groups[i];
        uint64_t bytes = g->self_bytes + g->rest_bytes;
        uint32_t n = g->n_objects + g->n_rest_objects;
        for (uint32_t k = g->first_child; k < g->first_child + g->n_children; k++) {
            const hpf_dominator_group *child = &tree->groups[k];
            cr_assert_eq(child->parent, i);
            cr_assert(k == g->first_child || child[-1].retained_bytes >= child->retained_bytes);
            bytes += child->retained_bytes;
            n += child->n_retained;
        }
        cr_assert_eq(g->retained_bytes, bytes);
        cr_assert_eq(g->n_retained, n);
    }
}

Test(dominators, groups_have_the_sums_of_all_objects_on_a_path_of_names)
{
    rng r = {13};
    for (int i = 0; i < 1000; i++) {
        hpf_dominators d;
        hpf_dominator_tree all, some;
        make_random(&r, 2 + (uint32_t)rng_below(&r, MOST - 2), 1 + (uint64_t)i % 2);
        cr_assert_eq(hpf_snapshot_connect(&graph, NULL), HPF_OK);
        cr_assert_eq(hpf_dominators_init(&d, &graph, NULL), HPF_OK);
        cr_assert_eq(hpf_dominator_tree_init(&all, &graph, &d, 0, 1000, NULL), HPF_OK);
        for (uint32_t g = 1; g < all.n_groups; g++) {
            char path[MOST + 1], of_group[MOST + 1];
            uint64_t self = 0, retained = 0;
            path_of_group(&all, g, of_group);
            for (uint32_t v = 1; v < graph.n_nodes; v++) {
                path_of(&d, v, path);
                self += strcmp(path, of_group) == 0 ? graph.sizes[v] : 0;
                retained += strncmp(path, of_group, strlen(of_group)) == 0 ? graph.sizes[v] : 0;
            }
            cr_assert_eq(all.groups[g].self_bytes, self, "%s", of_group);
            cr_assert_eq(all.groups[g].retained_bytes, retained, "%s", of_group);
        }
        check_sums(&all);
        cr_assert_eq(hpf_dominator_tree_init(&some, &graph, &d, 0.1, 4, NULL), HPF_OK);
        check_sums(&some);
        cr_assert_leq(some.n_groups, 5);
        for (uint32_t g = 1; g < some.n_groups; g++) {
            cr_assert_geq(some.groups[g].retained_bytes * 10,
                          all.groups[0].retained_bytes / 10 * 10);
        }
        hpf_dominator_tree_finish(&all);
        hpf_dominator_tree_finish(&some);
        hpf_dominators_finish(&d);
    }
}

Test(dominators, a_tree_that_is_compared_with_itself_has_the_same_amounts_before)
{
    rng r = {14};
    for (int i = 0; i < 300; i++) {
        hpf_dominators d;
        hpf_dominator_tree one, two;
        make_random(&r, 2 + (uint32_t)rng_below(&r, MOST - 2), 1 + (uint64_t)i % 2);
        cr_assert_eq(hpf_snapshot_connect(&graph, NULL), HPF_OK);
        cr_assert_eq(hpf_dominators_init(&d, &graph, NULL), HPF_OK);
        const hpf_snapshot_side side = {&graph, &d, NULL};
        cr_assert_eq(hpf_dominator_tree_init(&one, &graph, &d, 0.05, 6, NULL), HPF_OK);
        cr_assert_eq(hpf_dominator_tree_compare(&two, &side, &side, 0.05, 6, NULL), HPF_OK);
        cr_assert_eq(two.n_groups, one.n_groups);
        for (uint32_t k = 0; k < one.n_groups; k++) {
            hpf_dominator_group expected = one.groups[k];
            cr_assert_eq(expected.largest_before, HPF_SNAPSHOT_NONE);
            expected.largest_before = expected.largest;
            expected.n_before = expected.n_objects;
            expected.before_bytes = expected.retained_bytes;
            expected.rest_before_bytes = expected.rest_bytes;
            cr_assert_eq(memcmp(&two.groups[k], &expected, sizeof expected), 0, "group %u", k);
        }
        hpf_dominator_tree_finish(&one);
        hpf_dominator_tree_finish(&two);
        hpf_dominators_finish(&d);
    }
}

/* Compares two groups and what is below them, but for their indices. */
static void check_same(const hpf_dominator_tree *one, uint32_t i, const hpf_dominator_tree *two,
                       uint32_t k)
{
    const hpf_dominator_group *a = &one->groups[i], *b = &two->groups[k];
    cr_assert_eq(a->name, b->name);
    cr_assert_eq(a->depth, b->depth);
    cr_assert_eq(a->largest, b->largest);
    cr_assert_eq(a->n_objects, b->n_objects);
    cr_assert_eq(a->self_bytes, b->self_bytes);
    cr_assert_eq(a->retained_bytes, b->retained_bytes);
    cr_assert_eq(a->n_retained, b->n_retained);
    cr_assert_eq(a->n_children, b->n_children);
    for (uint32_t c = 0; c < a->n_children; c++) {
        check_same(one, a->first_child + c, two, b->first_child + c);
    }
}

Test(dominators, the_tree_below_each_group_is_that_of_the_whole)
{
    rng r = {15};
    for (int i = 0; i < 200; i++) {
        hpf_dominators d;
        hpf_dominator_tree all, below;
        make_random(&r, 2 + (uint32_t)rng_below(&r, MOST - 2), 1 + (uint64_t)i % 2);
        cr_assert_eq(hpf_snapshot_connect(&graph, NULL), HPF_OK);
        cr_assert_eq(hpf_dominators_init(&d, &graph, NULL), HPF_OK);
        cr_assert_eq(hpf_dominator_tree_init(&all, &graph, &d, 0, 1000, NULL), HPF_OK);
        for (uint32_t g = 0; g < all.n_groups; g++) {
            uint32_t path[MOST + 1], n = all.groups[g].depth + 1;
            for (uint32_t at = g, k = n; k-- > 0; at = all.groups[at].parent) {
                path[k] = all.groups[at].name;
            }
            cr_assert_eq(hpf_dominator_tree_below(&below, &graph, &d, path, n, 1000, NULL), HPF_OK);
            check_same(&all, g, &below, 0);
            hpf_dominator_tree_finish(&below);
            path[n - 1] = HPF_SNAPSHOT_NONE;
            cr_assert(n == 1 || hpf_dominator_tree_below(&below, &graph, &d, path, n, 1000, NULL) ==
                                    HPF_ERR_ARGUMENT);
        }
        hpf_dominator_tree_finish(&all);
        hpf_dominators_finish(&d);
    }
}

Test(dominators, of_equal_groups_as_many_stay_as_there_is_room_for)
{
    add("root", 0);
    for (uint32_t i = 1; i <= 10; i++) {
        lead_to(i);
    }
    for (int i = 0; i < 10; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        add(name, i == 7 ? 20 : 10);
    }
    hpf_dominators d;
    hpf_dominator_tree tree;
    cr_assert_eq(hpf_dominators_init(&d, &graph, NULL), HPF_OK);
    cr_assert_eq(hpf_dominator_tree_init(&tree, &graph, &d, 0, 4, NULL), HPF_OK);
    cr_assert_eq(tree.n_groups, 4);
    cr_assert_eq(tree.groups[1].self_bytes, 20);
    cr_assert(hpf_str_is(hpf_snapshot_text(&graph, tree.groups[3].name), "b"));
    cr_assert_eq(tree.groups[0].n_rest, 7);
    check_sums(&tree);
    hpf_dominator_tree_finish(&tree);
    hpf_dominators_finish(&d);
}

/* As in snapshots of V8, where the root and many objects have no name. */
Test(dominators, objects_with_the_name_of_the_root_are_a_group_below_it)
{
    add("", 0);
    lead_to(1);
    add("", 5);
    lead_to(2);
    add("", 7);
    hpf_dominators d;
    hpf_dominator_tree tree;
    cr_assert_eq(hpf_dominators_init(&d, &graph, NULL), HPF_OK);
    cr_assert_eq(hpf_dominator_tree_init(&tree, &graph, &d, 0, 1000, NULL), HPF_OK);
    cr_assert_eq(tree.n_groups, 2);
    cr_assert_eq(tree.groups[0].self_bytes, 0);
    cr_assert_eq(tree.groups[1].self_bytes, 12);
    hpf_dominator_tree_finish(&tree);
    hpf_dominators_finish(&d);
}

Test(dominators, what_is_deeper_than_the_tree_is_one_group)
{
    add("root", 0);
    lead_to(1);
    for (uint32_t i = 1; i <= 300; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u", i);
        add(name, 1);
        if (i < 300) {
            lead_to(i + 1);
        }
    }
    hpf_dominators d;
    hpf_dominator_tree tree;
    cr_assert_eq(hpf_dominators_init(&d, &graph, NULL), HPF_OK);
    cr_assert_eq(hpf_dominator_tree_init(&tree, &graph, &d, 0, 1000, NULL), HPF_OK);
    cr_assert_eq(tree.n_groups, HPF_DOMINATOR_TREE_DEPTH + 2);
    cr_assert_eq(tree.groups[tree.n_groups - 1].name, HPF_SNAPSHOT_NONE);
    cr_assert_eq(tree.groups[tree.n_groups - 1].self_bytes, 300 - HPF_DOMINATOR_TREE_DEPTH);
    check_sums(&tree);
    hpf_dominator_tree_finish(&tree);
    hpf_dominators_finish(&d);
}

Test(dominators, holders_are_a_shortest_path)
{
    static const uint32_t edges[][4] = {{1, 2}, {3}, {4}, {4}, {0}};
    for (uint32_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        add("x", i);
        for (const uint32_t *to = edges[i]; *to != 0; to++) {
            lead_to(*to);
        }
    }
    uint32_t *holders = hpf_snapshot_holders(&graph);
    cr_assert(holders);
    static const uint32_t expected[] = {0, 0, 0, 1, 2};
    cr_assert_arr_eq(holders, expected, sizeof expected);
    free(holders);
}

/* ---- Memory ---- */

static hpf_status run_all(uint64_t *sum)
{
    rng r = {14};
    hpf_snapshot s = {0};
    hpf_dominators d = {0};
    hpf_dominator_tree tree = {0};
    hpf_error err = {0};
    hpf_status status = HPF_OK;
    for (uint32_t i = 0; i < 200 && status == HPF_OK; i++) {
        char name[8];
        int n = snprintf(name, sizeof name, "%u", i % 50);
        status = hpf_snapshot_add_node(&s, (hpf_str){name, (size_t)n}, i, true, &err);
        for (int k = 0; k < 2 && status == HPF_OK; k++) {
            status = hpf_snapshot_add_edge(&s, (uint32_t)rng_below(&r, 200), &err);
        }
    }
    status = status == HPF_OK ? hpf_snapshot_connect(&s, &err) : status;
    status = status == HPF_OK ? hpf_dominators_init(&d, &s, &err) : status;
    status = status == HPF_OK ? hpf_dominator_tree_init(&tree, &s, &d, 0, 1000, &err) : status;
    for (uint32_t i = 0; i < tree.n_groups && status == HPF_OK; i++) {
        *sum += tree.groups[i].retained_bytes * (i + 1);
    }
    uint32_t *holders = status == HPF_OK ? hpf_dominators_holders(&d, &s) : NULL;
    s.ids = holders ? calloc(s.n_nodes, sizeof *s.ids) : NULL;
    hpf_snapshot_diff diff = {0};
    for (uint32_t shared = 0; shared < 2 && status == HPF_OK; shared++) { /* by shape, then by id */
        const hpf_snapshot_side side = {&s, &d, holders};
        for (uint32_t i = 0; s.ids && i < s.n_nodes; i++) {
            s.ids[i] = 1 + (shared ? 3 : 2) * (uint64_t)i;
        }
        status = s.ids ? hpf_snapshot_diff_init(&diff, &side, &side, HPF_SNAPSHOT_TYPE, &err)
                       : hpf_error_set_memory(&err);
        cr_assert(status != HPF_OK || diff.by_id == (shared == 1));
        *sum += diff.total.n_after + diff.n_rows;
        hpf_snapshot_diff_finish(&diff);
    }
    free(holders);
    cr_assert_eq(err.status, status);
    hpf_dominator_tree_finish(&tree);
    hpf_dominators_finish(&d);
    hpf_snapshot_finish(&s);
    return status;
}

Test(dominators, without_memory_are_an_error_without_a_leak)
{
    uint64_t expected = 0;
    cr_assert_eq(run_all(&expected), HPF_OK);
    for (unsigned long nth = 1;; nth++) {
        uint64_t sum = 0;
        failing_alloc_arm(nth, false);
        hpf_status status = run_all(&sum);
        if (!failing_alloc_disarm()) {
            cr_assert_eq(sum, expected);
            cr_assert_gt(nth, 20);
            return;
        }
        cr_assert_eq(status, HPF_ERR_MEMORY, "allocation %lu", nth);
    }
}
