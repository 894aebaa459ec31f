/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Questions about snapshots: random questions about random graphs against a plain calculation,
 * which removes nodes one by one; errors with their columns.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "failing_alloc.h"
#include "rng.h"
#include "hpfile/question.h"

enum { MOST = 14 };

static hpf_snapshot graph;
static hpf_dominators dominators;
static uint32_t *holders;
static hpf_question *question;
static hpf_error err;

static void tear_down(void)
{
    hpf_question_destroy(question);
    hpf_dominators_finish(&dominators);
    hpf_snapshot_finish(&graph);
    free(holders);
    question = NULL;
    holders = NULL;
}

TestSuite(question, .fini = tear_down);

/* Objects have one of three names; variables, which are no objects, have one with a place. */
static void make_random(rng *r)
{
    static const char *const names[] = {"a", "ab", "b", "a@f", "b@f"};
    uint32_t n = 2 + (uint32_t)rng_below(r, MOST - 2);
    tear_down();
    for (uint32_t i = 0; i < n; i++) {
        uint64_t which = rng_below(r, 5);
        const char *name = i == 0 ? "(root)" : names[which];
        cr_assert_eq(hpf_snapshot_add_node(&graph, hpf_str_of(name), i ? rng_below(r, 4096) : 0,
                                           i > 0 && which < 4, NULL),
                     HPF_OK);
        for (uint64_t k = rng_below(r, 4); k > 0; k--) {
            cr_assert_eq(hpf_snapshot_add_edge(&graph, (uint32_t)rng_below(r, n), NULL), HPF_OK);
        }
    }
    cr_assert_eq(hpf_snapshot_connect(&graph, NULL), HPF_OK);
    graph.own_names = calloc(graph.n_nodes, sizeof *graph.own_names);
    graph.sites = calloc(graph.n_nodes, sizeof *graph.sites);
    for (uint32_t i = 0; i < graph.n_nodes; i++) {
        graph.sites[i] =
            rng_below(r, 3) ? graph.names[rng_below(r, graph.n_nodes)] : HPF_SNAPSHOT_NONE;
        graph.own_names[i] = graph.names[rng_below(r, graph.n_nodes)];
    }
    cr_assert_eq(hpf_dominators_init(&dominators, &graph, NULL), HPF_OK);
    holders = hpf_dominators_holders(&dominators, &graph);
    cr_assert(holders);
}

/* Marks what `from` leads to without passing a removed node. To a fixed point. */
static void reach(uint32_t from, const bool *removed, bool *reached)
{
    memset(reached, 0, MOST + 1);
    reached[from] = !removed[from];
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (uint32_t i = 0; i < graph.n_nodes; i++) {
            for (uint32_t k = graph.first_edges[i]; reached[i] && k < graph.first_edges[i + 1];
                 k++) {
                uint32_t to = graph.targets[k];
                is_new |= !removed[to] && !reached[to];
                reached[to] |= !removed[to];
            }
        }
    }
}

static bool dominates(uint32_t above, uint32_t node)
{
    bool removed[MOST + 1] = {false}, reached[MOST + 1];
    removed[above] = true;
    reach(0, removed, reached);
    return !reached[node];
}

/* The nearest node of another name that dominates it: all others that do dominate that one. */
static uint32_t holder_of(uint32_t node)
{
    uint32_t nearest = 0;
    for (uint32_t u = 0; u < graph.n_nodes; u++) {
        if (u != node && dominates(u, node) && graph.names[u] != graph.names[node] &&
            dominates(nearest, u)) {
            nearest = u;
        }
    }
    return nearest;
}

/* ---- Random questions, and which nodes match ---- */

typedef struct plain {
    char text[4000];
    bool is_match[MOST + 1];
} plain;

/* Patterns, and equal texts, and what is equal to them. */
static const struct {
    const char *text;
    bool is_pattern;
    const char *equal; /* to which of a, ab, b, a@f (an object), b@f (a variable), (root) */
} texts[] = {{"a", false, "1....."}, {"b", false, "..1.1."}, {"b@f", false, "....1."},
             {"c", false, "......"}, {"^a", true, "11.1.."}, {"b|@", true, ".1111."}};

static bool is_equal(size_t which, hpf_str text)
{
    static const char *const names[] = {"a", "ab", "b", "a@f", "b@f"};
    for (int i = 0; i < 5; i++) {
        if (hpf_str_is(text, names[i])) {
            return texts[which].equal[i] == '1';
        }
    }
    return false;
}

/* A variable and an object can have one own name: only a variable has the name without a place. */
static bool has_text(size_t which, uint32_t node, uint32_t text)
{
    hpf_str name = hpf_snapshot_text(&graph, text);
    if (which == 1 && hpf_str_is(name, "b@f")) {
        return !graph.is_object[node];
    }
    return which == 0 && hpf_str_is(name, "a@f") ? !graph.is_object[node] : is_equal(which, name);
}

static void make_text(rng *r, plain *p)
{
    static const char *const words[] = {"type",    "name",           "holder",
                                        "held_by", "reachable_from", "site"};
    const size_t which = rng_below(r, sizeof texts / sizeof *texts), w = rng_below(r, 6);
    const char *sign = texts[which].is_pattern                 ? "~"
                       : (w == 3 || w == 4) && rng_below(r, 2) ? ""
                                                               : "=";
    char quote = rng_below(r, 2) ? '"' : '\'';
    bool none[MOST + 1] = {false}, reached[MOST + 1];
    snprintf(p->text, sizeof p->text, "%s %s%s%c%s%c", words[w], sign, rng_below(r, 2) ? "  " : "",
             quote, texts[which].text, quote);
    for (uint32_t v = 0; v < graph.n_nodes; v++) {
        uint32_t h = holder_of(v);
        p->is_match[v] = w == 0   ? has_text(which, v, graph.names[v])
                         : w == 1 ? has_text(which, v, graph.own_names[v])
                         : w == 2 ? has_text(which, h, graph.names[h])
                                  : w == 5 && graph.sites[v] != HPF_SNAPSHOT_NONE &&
                                        has_text(which, v, graph.sites[v]);
        for (uint32_t u = 0; u < graph.n_nodes && (w == 3 || w == 4); u++) {
            reach(u, none, reached);
            p->is_match[v] |=
                has_text(which, u, graph.names[u]) && (w == 3 ? dominates(u, v) : reached[v]);
        }
    }
}

static void make_number(rng *r, plain *p)
{
    static const char *const words[] = {"size", "retained", "edges"};
    static const char *const signs[] = {"<", "<=", "=", ">=", ">"};
    static const struct {
        const char *text;
        double value;
    } numbers[] = {{"2", 2},       {"0", 0},       {"1k", 1024},   {"1.5K", 1536},
                   {"3 kB", 3000}, {"2KiB", 2048}, {"100 B", 100}, {"0.01M", 10485.76}};
    const size_t w = rng_below(r, 3), s = rng_below(r, 5);
    const size_t k = rng_below(r, sizeof numbers / sizeof *numbers);
    snprintf(p->text, sizeof p->text, "%s%s%s", words[w], signs[s], numbers[k].text);
    for (uint32_t v = 0; v < graph.n_nodes; v++) {
        double value =
            w == 0 ? (double)graph.sizes[v] : graph.first_edges[v + 1] - graph.first_edges[v];
        for (uint32_t u = 0; u < graph.n_nodes && w == 1; u++) {
            value = (u == 0 ? 0 : value) + (dominates(v, u) ? (double)graph.sizes[u] : 0);
        }
        double limit = numbers[k].value;
        p->is_match[v] = s == 0   ? value < limit
                         : s == 1 ? value <= limit
                         : s == 2 ? value == limit
                         : s == 3 ? value >= limit
                                  : value > limit;
    }
}

/* With parentheses only where they are needed: `is_part` is that of a question by `and`. */
static void make_question(rng *r, plain *p, int depth, bool is_part)
{
    uint64_t kind = rng_below(r, depth > 0 ? 5 : 2);
    plain left, right;
    if (kind == 0) {
        make_text(r, p);
    } else if (kind == 1) {
        make_number(r, p);
    } else if (kind == 2) {
        make_question(r, &left, 0, true);
        snprintf(p->text, sizeof p->text, "not %.3000s", left.text);
        for (uint32_t v = 0; v < graph.n_nodes; v++) {
            p->is_match[v] = !left.is_match[v];
        }
    } else {
        bool is_and = kind == 3;
        make_question(r, &left, depth - 1, is_and);
        make_question(r, &right, depth - 1, is_and);
        snprintf(p->text, sizeof p->text,
                 is_part && !is_and ? "(%.1500s %s %.1500s)" : "%.1500s %s %.1500s", left.text,
                 is_and ? "and" : "or", right.text);
        for (uint32_t v = 0; v < graph.n_nodes; v++) {
            p->is_match[v] = is_and ? left.is_match[v] && right.is_match[v]
                                    : left.is_match[v] || right.is_match[v];
        }
    }
}

static void check_freed(const hpf_matches *m)
{
    bool removed[MOST + 1] = {false}, reached[MOST + 1];
    uint64_t bytes = 0;
    uint32_t n = 0;
    for (uint32_t v = 0; v < graph.n_nodes; v++) {
        removed[v] = m->is_match[v];
    }
    reach(0, removed, reached);
    for (uint32_t v = 0; v < graph.n_nodes; v++) {
        bytes += reached[v] ? 0 : graph.sizes[v];
        n += !reached[v] && graph.is_object[v];
    }
    cr_assert_eq(m->freed_bytes, bytes);
    cr_assert_eq(m->n_freed, n);
}

Test(question, matches_equal_a_plain_calculation)
{
    rng r = {35};
    uint32_t n_matches = 0, n_nodes = 0;
    for (int i = 0; i < 3000; i++) {
        plain p = {0};
        hpf_matches m;
        uint32_t n = 0;
        uint64_t bytes = 0;
        make_random(&r);
        make_question(&r, &p, 3, false);
        cr_assert_eq(hpf_question_parse(&question, p.text, &err), HPF_OK, "%s: %s", p.text,
                     err.message);
        cr_assert_eq(hpf_question_ask(&m, question, &graph, &dominators, holders, &err), HPF_OK);
        cr_assert_eq(m.is_match[0], 0, "the root");
        for (uint32_t v = 1; v < graph.n_nodes; v++) {
            cr_assert_eq(m.is_match[v], p.is_match[v], "node %u: %s", v, p.text);
            n += m.is_match[v];
            bytes += m.is_match[v] ? graph.sizes[v] : 0;
        }
        cr_assert_eq(m.n, n);
        cr_assert_eq(m.self_bytes, bytes);
        check_freed(&m);
        n_matches += n;
        n_nodes += graph.n_nodes;
        hpf_matches_finish(&m);
    }
    cr_assert_gt(n_matches, n_nodes / 5);
    cr_assert_lt(n_matches, n_nodes / 5 * 4);
}

Test(question, holders_equal_a_plain_calculation)
{
    rng r = {36};
    for (int i = 0; i < 1000; i++) {
        make_random(&r);
        for (uint32_t v = 0; v < graph.n_nodes; v++) {
            cr_assert_eq(holders[v], holder_of(v));
        }
    }
}

/* ---- Ways ---- */

/* The tree has what is wanted, by the names on the shortest ways; of several, on one of them. */
Test(question, ways_lead_to_all_that_is_wanted)
{
    rng r = {37};
    for (int i = 0; i < 1000; i++) {
        hpf_dominator_tree tree;
        uint8_t is_wanted[MOST + 1];
        uint64_t bytes = 0, self_bytes = 0;
        uint32_t n = 0, n_in_groups = 0, *before;
        make_random(&r);
        before = hpf_snapshot_holders(&graph);
        for (uint32_t v = 0; v < graph.n_nodes; v++) {
            is_wanted[v] = v > 0 && graph.sizes[v] > 0 && rng_below(&r, 2);
            bytes += is_wanted[v] ? graph.sizes[v] : 0;
            n += is_wanted[v];
        }
        cr_assert_eq(hpf_path_tree_init(&tree, &graph, is_wanted, 0, 1000, NULL), HPF_OK);
        cr_assert_eq(tree.groups[0].retained_bytes, bytes);
        cr_assert_eq(tree.groups[0].n_retained, n);
        for (uint32_t g = 0; g < tree.n_groups; g++) {
            uint64_t in_group = 0;
            for (uint32_t v = 0; v < graph.n_nodes; v++) {
                uint32_t at = g, u = v; /* up both, as long as they agree */
                while (u != 0 && at != 0 && graph.names[u] == tree.groups[at].name) {
                    uint32_t above = before[u];
                    at = above != 0 && graph.names[above] == graph.names[u]
                             ? at
                             : tree.groups[at].parent;
                    u = above;
                }
                in_group += is_wanted[v] && u == 0 && at == 0 ? graph.sizes[v] : 0;
            }
            cr_assert_eq(tree.groups[g].self_bytes, in_group);
            self_bytes += tree.groups[g].self_bytes;
            n_in_groups += tree.groups[g].n_objects;
        }
        cr_assert_eq(self_bytes, bytes);
        cr_assert_eq(n_in_groups, n);
        hpf_dominator_tree_finish(&tree);
        free(before);
    }
}

/* ---- Errors ---- */

Test(question, errors_have_a_column)
{
    static const struct {
        const char *text;
        hpf_status status;
        uint32_t column;
        const char *words;
    } cases[] = {
        {"", HPF_ERR_SYNTAX, 1, "expected type"},
        {"  ", HPF_ERR_SYNTAX, 3, "expected type"},
        {"typ = 'x'", HPF_ERR_SYNTAX, 1, "expected type"},
        {"types = 'x'", HPF_ERR_SYNTAX, 1, "expected type"},
        {"and type = 'x'", HPF_ERR_SYNTAX, 1, "expected type"},
        {"type", HPF_ERR_SYNTAX, 5, "= or ~"},
        {"type > 3", HPF_ERR_SYNTAX, 6, "= or ~"},
        {"type = x", HPF_ERR_SYNTAX, 8, "a text in quotes"},
        {"held_by", HPF_ERR_SYNTAX, 8, "a text in quotes"},
        {"name = 'x\"", HPF_ERR_SYNTAX, 8, "no quote at its end"},
        {"name ~ '('", HPF_ERR_ARGUMENT, 8, "regular expression"},
        {"size ~ 'x'", HPF_ERR_SYNTAX, 6, "expected <, <=, =, >= or >"},
        {"size > x", HPF_ERR_SYNTAX, 8, "expected a number"},
        {"size > -1", HPF_ERR_SYNTAX, 8, "expected a number"},
        {"size > 1234567890123456789012345678901234567890", HPF_ERR_SYNTAX, 8, "expected a number"},
        {"size > .5", HPF_ERR_SYNTAX, 8, "expected a number"},
        {"size > 1.2.3", HPF_ERR_SYNTAX, 8, "expected a number"},
        {"size > 1.", HPF_ERR_SYNTAX, 8, "expected a number"},
        {"size > 1x", HPF_ERR_SYNTAX, 9, "and, or or the end"},
        {"size > 1 type = 'x'", HPF_ERR_SYNTAX, 10, "and, or or the end"},
        {"size > 1)", HPF_ERR_SYNTAX, 9, "and, or or the end"},
        {"(size > 1", HPF_ERR_SYNTAX, 10, "and, or or )"},
        {"size > 1 and", HPF_ERR_SYNTAX, 13, "expected type"},
        {"not", HPF_ERR_SYNTAX, 4, "expected type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_status status = hpf_question_parse(&question, cases[i].text, &err);
        cr_expect_eq(status, cases[i].status, "%s: %s", cases[i].text, err.message);
        cr_expect_eq(err.line, 1, "%s", cases[i].text);
        cr_expect_eq(err.column, cases[i].column, "%s: column %u", cases[i].text, err.column);
        cr_expect_eq(err.offset, cases[i].column - 1);
        cr_expect(strstr(err.message, cases[i].words), "%s: %s", cases[i].text, err.message);
        cr_expect_null(question);
        cr_expect_neq(hpf_question_parse(&question, cases[i].text, NULL), HPF_OK);
    }
}

Test(question, needs_the_sites_that_it_is_about)
{
    rng r = {39};
    hpf_matches m;
    make_random(&r);
    free(graph.sites);
    graph.sites = NULL;
    cr_assert_eq(hpf_question_parse(&question, "size > 3 or site = 'a'", &err), HPF_OK);
    cr_assert_eq(hpf_question_ask(&m, question, &graph, &dominators, holders, &err),
                 HPF_ERR_UNSUPPORTED);
    cr_assert(strstr(err.message, "types and sites"));
}

/* Makes `n` times `begin`, a condition, and `n` times `end`. */
static void repeat(char *out, size_t n, const char *begin, const char *end)
{
    *out = '\0';
    for (size_t i = 0; i < n; i++) {
        strcat(out, begin);
    }
    strcat(out, "size > 1");
    for (size_t i = 0; i < n; i++) {
        strcat(out, end);
    }
}

Test(question, that_is_too_long_or_deep_is_refused)
{
    char text[4000];
    static const struct {
        size_t n;
        const char *begin, *end;
        hpf_status status;
    } cases[] = {{50, "(", ")", HPF_OK},
                 {51, "(", ")", HPF_ERR_LIMIT},
                 {50, "not ", "", HPF_OK},
                 {51, "not ", "", HPF_ERR_LIMIT},
                 {99, "", " or edges = 1", HPF_OK},
                 {100, "", " or edges = 1", HPF_ERR_LIMIT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        repeat(text, cases[i].n, cases[i].begin, cases[i].end);
        cr_expect_eq(hpf_question_parse(&question, text, &err), cases[i].status, "%zu", i);
        hpf_question_destroy(question);
        question = NULL;
    }
}

Test(question, without_memory_are_an_error_without_a_leak)
{
    rng r = {38};
    make_random(&r);
    for (unsigned long nth = 1;; nth++) {
        hpf_matches m = {0};
        hpf_dominator_tree tree = {0};
        failing_alloc_arm(nth, false);
        hpf_status status =
            hpf_question_parse(&question, "type ~ 'a' or held_by 'b' or reachable_from 'a'", &err);
        status =
            status ? status : hpf_question_ask(&m, question, &graph, &dominators, holders, &err);
        status = status ? status : hpf_path_tree_init(&tree, &graph, m.is_match, 0, 100, &err);
        bool has_failed = failing_alloc_disarm();
        hpf_dominator_tree_finish(&tree);
        hpf_matches_finish(&m);
        hpf_question_destroy(question);
        question = NULL;
        if (!has_failed) {
            cr_assert_eq(status, HPF_OK);
            cr_assert_gt(nth, 10);
            return;
        }
        cr_assert_eq(status, HPF_ERR_MEMORY, "allocation %lu", nth);
    }
}
