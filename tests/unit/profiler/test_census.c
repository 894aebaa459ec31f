/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Breakdowns and restrictions without retainers and biography: names, sums, and the laws.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toy_heap.h"

static const toy_stack MAIN = {"MAIN", "MAIN", NULL, 1};
static const toy_stack MAIN_MAIN = {"main", "Main", &MAIN, 40};
static const toy_stack BUILD = {"build", "Tree", &MAIN_MAIN, 41};
static const toy_stack BUILD_GO = {"go", "Tree", &BUILD, 42};
static const toy_stack CAF = {"CAF", "Data.Tree", &MAIN, 43};

static const hpp_shape BRANCH = {
    .description = HPF_STR("Branch"), .type = HPF_STR("Tree"), .kind = HPF_STR("CONSTR")};
static const hpp_shape LEAF = {
    .description = HPF_STR("Leaf"), .type = HPF_STR("Tree"), .kind = HPF_STR("CONSTR")};
static const hpp_shape THUNK = {
    .description = HPF_STR("sat_s1"), .module = HPF_STR("Base"), .kind = HPF_STR("THUNK")};
static const hpp_shape TSO = {
    .description = HPF_STR("TSO"), .kind = HPF_STR("TSO"), .flags = HPP_STACK};

/* Eleven objects whose sizes are powers of two: a sum tells which are in it. */
static void fill(toy_heap *heap)
{
    toy_new(heap, 1, &BRANCH, &BUILD, 0);
    toy_new(heap, 2, &BRANCH, &BUILD_GO, 0);
    toy_new(heap, 4, &LEAF, &BUILD, 0);
    toy_new(heap, 8, &LEAF, &BUILD_GO, 0);
    toy_new(heap, 16, &THUNK, &BUILD, 0);
    toy_new(heap, 32, &THUNK, NULL, 0);
    toy_new(heap, 64, &LEAF, &MAIN_MAIN, 0);
    toy_new(heap, 128, &LEAF, &CAF, 0);
    toy_new(heap, 256, &BRANCH, &MAIN, 0);
    toy_new(heap, 512, &TSO, &MAIN, 0);
    toy_new(heap, 1024, &BRANCH, &MAIN, HPP_STATIC);
}

/* "name=bytes name=bytes", in the order of the bands. */
static const char *shown(const hpp_census_result *result)
{
    static char text[4096];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < result->n_bands; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s=%llu", i ? " " : "",
                              (int)result->bands[i].name.length, result->bands[i].name.data,
                              (unsigned long long)result->bands[i].size_bytes);
    }
    return text;
}

static void expect(const hpp_census_options *options, const char *expected)
{
    toy_heap heap;
    toy_init(&heap, 16, true);
    fill(&heap);
    hpp_census *census;
    hpf_error err;
    cr_assert_eq(hpp_census_create(&census, &heap.adapter, options, &err), HPF_OK, "%s",
                 err.message);
    const hpp_census_result *result = hpp_census_take(census, 1.5);
    cr_expect_str_eq(shown(result), expected);
    cr_expect_eq(result->live_bytes, options->count_stacks ? 1023 : 511);
    cr_expect_eq(result->n_live_objects, options->count_stacks ? 10 : 9);
    cr_expect_eq(result->time_s, 1.5);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

Test(census, by_stack_names_as_ghc_prints_them)
{
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_COST_CENTRE},
           "UNKNOWN=32 (41)build/main=21 (42)go/build/main=10 (40)main=64 (43)Data.Tree.CAF=128 "
           "MAIN=256");
}

Test(census, long_stack_names_are_cut)
{
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_COST_CENTRE, .max_name_bytes = 9},
           "UNKNOWN=32 (41)build...=21 (42)go/bu...=10 (40)main=64 (43)Data....=128 MAIN=256");
}

Test(census, by_module_of_the_producer_or_else_of_the_shape)
{
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_MODULE},
           "Tree=31 Base=32 Main=64 Data.Tree=128 MAIN=256");
}

Test(census, by_description)
{
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_CLOSURE_DESCR},
           "Branch=259 Leaf=204 sat_s1=48");
}

Test(census, by_type_where_an_empty_text_is_unknown)
{
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_TYPE}, "Tree=463 UNKNOWN=48");
}

Test(census, by_kind_with_stacks)
{
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_CLOSURE_TYPE, .count_stacks = true},
           "CONSTR=463 THUNK=48 TSO=512");
}

#define NAMES(...)                                                                                 \
    (const hpf_str[]){__VA_ARGS__}, sizeof((const hpf_str[]){__VA_ARGS__}) / sizeof(hpf_str)

Test(census, restricted_by_innermost_cost_centre)
{
    hpp_restriction rule = {HPF_BREAKDOWN_COST_CENTRE, NAMES(HPF_STR("build"), HPF_STR("main"))};
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_CLOSURE_DESCR,
                                 .restrictions = &rule,
                                 .n_restrictions = 1},
           "Branch=1 Leaf=68 sat_s1=16");
}

Test(census, restricted_by_any_cost_centre_in_the_stack)
{
    hpp_restriction rule = {HPF_BREAKDOWN_IN_STACK, NAMES(HPF_STR("build"))};
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_CLOSURE_DESCR,
                                 .restrictions = &rule,
                                 .n_restrictions = 1},
           "Branch=3 Leaf=12 sat_s1=16");
}

Test(census, an_object_must_pass_all_restrictions)
{
    hpp_restriction rules[] = {
        {HPF_BREAKDOWN_IN_STACK, NAMES(HPF_STR("main"))},
        {HPF_BREAKDOWN_MODULE, NAMES(HPF_STR("Tree"))},
        {HPF_BREAKDOWN_CLOSURE_DESCR, NAMES(HPF_STR("Leaf"), HPF_STR("sat_s1"), HPF_STR("none"))},
        {HPF_BREAKDOWN_TYPE, NAMES(HPF_STR("Tree"))},
        {HPF_BREAKDOWN_COST_CENTRE, NAMES(HPF_STR("go"))},
        {HPF_BREAKDOWN_CLOSURE_TYPE, NAMES(HPF_STR("CONSTR"))},
    };
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_COST_CENTRE,
                                 .restrictions = rules,
                                 .n_restrictions = 6},
           "(42)go/build/main=8");
}

Test(census, objects_without_producer_are_restricted_by_the_module_of_their_shape)
{
    hpp_restriction rule = {HPF_BREAKDOWN_MODULE, NAMES(HPF_STR("Base"))};
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_MODULE,
                                 .restrictions = &rule,
                                 .n_restrictions = 1},
           "Base=32");
}

Test(census, a_selector_without_names_selects_nothing)
{
    hpp_restriction rule = {HPF_BREAKDOWN_TYPE, NULL, 0};
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_MODULE,
                                 .restrictions = &rule,
                                 .n_restrictions = 1},
           "");
}

/* ---- Refusals ---- */

static hpf_status create_status(const hpp_heap *heap, const hpp_census_options *options)
{
    hpp_census *census;
    hpf_error err;
    hpf_status status = hpp_census_create(&census, heap, options, &err);
    cr_expect_eq(census == NULL, status != HPF_OK);
    hpp_census_destroy(census);
    return status;
}

Test(census, counts_objects_instead_of_bytes)
{
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_CLOSURE_DESCR, .count_objects = true},
           "Branch=3 Leaf=4 sat_s1=2");
    expect(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_CLOSURE_TYPE,
                                 .count_objects = true,
                                 .count_stacks = true},
           "CONSTR=7 THUNK=2 TSO=1");
}

Test(census, rejects_invalid_options)
{
    toy_heap heap;
    toy_init(&heap, 1, true);
    hpp_restriction no_phase = {HPF_BREAKDOWN_BIOGRAPHY, NAMES(HPF_STR("lagg"))};
    hpp_restriction no_selector = {(hpf_breakdown)'q', NAMES(HPF_STR("x"))};
    cr_expect_eq(create_status(&heap.adapter, NULL), HPF_OK);
    cr_expect_eq(
        create_status(&heap.adapter, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_IN_STACK}),
        HPF_ERR_ARGUMENT);
    cr_expect_eq(
        create_status(&heap.adapter, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_CLOSURE_TYPE,
                                                           .restrictions = &no_phase,
                                                           .n_restrictions = 1}),
        HPF_ERR_ARGUMENT);
    cr_expect_eq(
        create_status(&heap.adapter, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_CLOSURE_TYPE,
                                                           .restrictions = &no_selector,
                                                           .n_restrictions = 1}),
        HPF_ERR_ARGUMENT);
    cr_expect_eq(
        create_status(&heap.adapter, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_INFO_TABLE}),
        HPF_ERR_ARGUMENT);
    hpp_heap poor = heap.adapter;
    poor.stacks = NULL;
    poor.roots = NULL;
    hpp_census *census;
    hpf_error err;
    cr_expect_eq(hpp_census_create(&census, &poor,
                                   &(hpp_census_options){.breakdown = HPF_BREAKDOWN_COST_CENTRE},
                                   &err),
                 HPF_ERR_ARGUMENT);
    cr_expect_str_eq(err.message,
                     "cost centres need stacks of producers, which this heap does not have");
    cr_expect_eq(create_status(&poor, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_RETAINER}),
                 HPF_ERR_ARGUMENT);
    cr_expect_eq(create_status(&poor, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_MODULE}),
                 HPF_OK);
    toy_finish(&heap);
}

/* ---- Sums instead of objects ---- */

static int sums(hpp_visit_sum *visit, void *visit_context, void *context)
{
    (void)context;
    const hpp_object a = {.size_bytes = 300, .shape = &LEAF, .stack = &BUILD};
    const hpp_object b = {.size_bytes = 50, .shape = &LEAF, .stack = &MAIN_MAIN};
    int result = visit(&a, 3, visit_context);
    return result ? result : visit(&b, 5, visit_context);
}

Test(census, uses_the_sums_of_an_adapter)
{
    toy_heap heap;
    toy_init(&heap, 1, true);
    hpp_heap summing = {.size = sizeof summing, .sums = sums, .stacks = heap.adapter.stacks};
    hpp_census *census;
    cr_assert_eq(hpp_census_create(&census, &summing, NULL, NULL), HPF_OK);
    const hpp_census_result *result = hpp_census_take(census, 0);
    cr_expect_str_eq(shown(result), "(41)build/main=300 (40)main=50");
    cr_expect_eq(result->n_live_objects, 8);
    cr_expect_eq(result->live_bytes, 350);
    hpp_census_destroy(census);
    const hpp_census_options counting = {.count_objects = true};
    cr_assert_eq(hpp_census_create(&census, &summing, &counting, NULL), HPF_OK);
    cr_expect_str_eq(shown(hpp_census_take(census, 0)), "(41)build/main=3 (40)main=5");
    hpp_census_destroy(census);
    cr_expect_eq(
        create_status(&summing, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_BIOGRAPHY}),
        HPF_ERR_ARGUMENT);
    toy_finish(&heap);
}

/* ---- Laws, on random heaps ---- */

#define N_WORDS 7

/* A heap of `n` objects whose shapes and stacks draw their texts from a few words. */
typedef struct random_heap {
    toy_heap heap;
    hpp_shape shapes[40];
    toy_stack stacks[60];
} random_heap;

static const char *const words[N_WORDS] = {"a", "b", "cc", "d/d", "e e", "f\xc3\xa4", "g"};

static hpf_str a_word(uint64_t *seed)
{
    const char *word = words[toy_random(seed, N_WORDS)];
    return (hpf_str){word, strlen(word)};
}

static void make_random(random_heap *r, size_t n, uint64_t *seed)
{
    toy_init(&r->heap, n, true);
    for (size_t i = 0; i < 40; i++) {
        r->shapes[i] = (hpp_shape){.description = a_word(seed),
                                   .type = a_word(seed),
                                   .module = a_word(seed),
                                   .kind = a_word(seed)};
    }
    for (size_t i = 0; i < 60; i++) {
        r->stacks[i] = (toy_stack){a_word(seed).data, a_word(seed).data,
                                   i ? &r->stacks[toy_random(seed, (uint32_t)i)] : NULL, i};
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t stack = toy_random(seed, 61);
        toy_new(&r->heap, toy_random(seed, 100) + 1, &r->shapes[toy_random(seed, 40)],
                stack < 60 ? &r->stacks[stack] : NULL, 0);
    }
}

static uint64_t total(const toy_heap *heap, const hpp_census_options *options,
                      const hpp_census_result **out, hpp_census **census)
{
    cr_assert_eq(hpp_census_create(census, &heap->adapter, options, NULL), HPF_OK);
    *out = hpp_census_take(*census, 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < (*out)->n_bands; i++) {
        sum += (*out)->bands[i].size_bytes;
    }
    cr_expect_eq(sum, (*out)->size_bytes);
    return sum;
}

static const hpf_breakdown BY_OBJECT[] = {HPF_BREAKDOWN_COST_CENTRE, HPF_BREAKDOWN_MODULE,
                                          HPF_BREAKDOWN_CLOSURE_DESCR, HPF_BREAKDOWN_TYPE,
                                          HPF_BREAKDOWN_CLOSURE_TYPE};

Test(census, restriction_and_complement_add_up_in_every_band)
{
    uint64_t seed = 7;
    for (int round = 0; round < 60; round++) {
        random_heap r;
        make_random(&r, 300, &seed);
        hpf_breakdown breakdown = BY_OBJECT[toy_random(&seed, 5)];
        hpf_breakdown selector = BY_OBJECT[toy_random(&seed, 5)];
        hpf_str in[N_WORDS + 1], out[N_WORDS + 1];
        size_t n_in = 0, n_out = 0;
        for (size_t i = 0; i < N_WORDS + 1; i++) {
            hpf_str word = i < N_WORDS ? (hpf_str){words[i], strlen(words[i])} : HPF_STR("UNKNOWN");
            if (toy_random(&seed, 2)) {
                in[n_in++] = word;
            } else {
                out[n_out++] = word;
            }
        }
        hpp_restriction rule_in = {selector, in, n_in}, rule_out = {selector, out, n_out};
        hpp_census *censuses[3];
        const hpp_census_result *results[3];
        hpp_census_options options = {.breakdown = breakdown};
        uint64_t whole = total(&r.heap, &options, &results[0], &censuses[0]);
        cr_expect_eq(whole, results[0]->live_bytes);
        options = (hpp_census_options){
            .breakdown = breakdown, .restrictions = &rule_in, .n_restrictions = 1};
        uint64_t part = total(&r.heap, &options, &results[1], &censuses[1]);
        options = (hpp_census_options){
            .breakdown = breakdown, .restrictions = &rule_out, .n_restrictions = 1};
        part += total(&r.heap, &options, &results[2], &censuses[2]);
        cr_expect_eq(part, whole);
        for (size_t i = 0; i < results[0]->n_bands; i++) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)results[0]->bands[i].name.length,
                     results[0]->bands[i].name.data);
            cr_expect_eq(toy_band(results[1], name) + toy_band(results[2], name),
                         toy_band(results[0], name));
        }
        for (int i = 0; i < 3; i++) {
            hpp_census_destroy(censuses[i]);
        }
        toy_finish(&r.heap);
    }
}

Test(census, bands_keep_their_index_and_name_while_the_heap_changes)
{
    uint64_t seed = 3;
    random_heap r;
    make_random(&r, 400, &seed);
    hpp_census *census;
    cr_assert_eq(hpp_census_create(&census, &r.heap.adapter, NULL, NULL), HPF_OK);
    const char *name_of[100] = {0};
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < r.heap.n; i++) {
            toy_object *object = &r.heap.objects[i];
            object->ref = toy_random(&seed, 30) == 0 ? (hpp_ref)object : 0;
        }
        const hpp_census_result *result = hpp_census_take(census, round);
        cr_expect_eq(result->size_bytes, result->live_bytes);
        for (size_t i = 0; i < result->n_bands; i++) {
            const hpp_band *band = &result->bands[i];
            cr_assert_lt(band->index, 100);
            cr_expect(i == 0 || band->index > result->bands[i - 1].index);
            cr_expect(!name_of[band->index] || name_of[band->index] == band->name.data);
            name_of[band->index] = band->name.data;
        }
    }
    hpp_census_destroy(census);
    toy_finish(&r.heap);
}
