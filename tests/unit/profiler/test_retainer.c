/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Retainer sets: graphs small enough to do by hand, and random ones against the least fixed point
 * of the retainer equations, computed by the definition.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitizer.h"
#include "base/arena.h"
#include "census/retainer.h"
#include "toy_heap.h"

static const hpp_shape CONS = {.flags = 0};
static const hpp_shape THUNK = {.flags = HPP_RETAINER};

/* Stacks that are one cost centre each, labelled by their number. */
#define N_STACKS 60
static char labels[N_STACKS][4];
static toy_stack stacks[N_STACKS];

static void make_stacks(void)
{
    for (uint64_t i = 0; i < N_STACKS; i++) {
        snprintf(labels[i], sizeof labels[i], "%u", (unsigned)i);
        stacks[i] = (toy_stack){labels[i], "M", NULL, i};
    }
}

/* ---- By hand ---- */

static hpp_census *census_by_retainers(const toy_heap *heap, const hpp_census_options *options)
{
    hpp_census *census;
    hpp_census_options with = options ? *options : (hpp_census_options){0};
    with.breakdown = HPF_BREAKDOWN_RETAINER;
    cr_assert_eq(hpp_census_create(&census, &heap->adapter, &with, NULL), HPF_OK);
    return census;
}

static int collect(uint32_t id, hpf_str text, void *context)
{
    char *all = context;
    snprintf(all + strlen(all), 4096 - strlen(all), "SET %u = {%.*s}\n", id, (int)text.length,
             text.data);
    return 0;
}

/* A stack that holds two thunks, both of which hold the same cell; the second one also holds a
 * static object that leads to another cell. A third cell is held by nothing. */
Test(retainer, sets_of_a_small_graph)
{
    static const toy_stack main_stack = {"MAIN", "MAIN", NULL, 1};
    static const toy_stack doing = {"doFile", "Main", &main_stack, 2};
    static const toy_stack synth = {"synth_2", "Main", &doing, 3};
    static const hpp_shape TSO = {.flags = HPP_STACK};
    toy_heap heap;
    toy_init(&heap, 10, true);
    size_t tso = toy_new(&heap, 1000, &TSO, &main_stack, 0);
    size_t first = toy_new(&heap, 1, &THUNK, &doing, 0);
    size_t second = toy_new(&heap, 2, &THUNK, &synth, 0);
    size_t shared = toy_new(&heap, 4, &CONS, &main_stack, 0);
    size_t bridge = toy_new(&heap, 500, &CONS, &main_stack, HPP_STATIC);
    size_t behind = toy_new(&heap, 8, &CONS, &main_stack, 0);
    toy_new(&heap, 16, &CONS, &main_stack, 0);
    heap.objects[tso].is_root = true;
    toy_link(&heap, tso, first);
    toy_link(&heap, tso, second);
    toy_link(&heap, first, shared);
    toy_link(&heap, second, shared);
    toy_link(&heap, second, bridge);
    toy_link(&heap, bridge, behind);
    toy_link(&heap, bridge, bridge);

    hpp_census *census = census_by_retainers(&heap, &(hpp_census_options){.max_name_bytes = 40});
    const hpp_census_result *result = hpp_census_take(census, 3.5);
    cr_expect_eq(toy_band(result, "(3)MAIN"), 3);
    cr_expect_eq(toy_band(result, "(5)synth_2"), 8);
    cr_expect_eq(toy_band(result, "(6)doFile,synth_2"), 4);
    cr_expect_eq(toy_band(result, "UNREACHED"), 16);
    cr_expect_eq(result->size_bytes, 31);
    cr_expect_eq(result->retainers.size_bytes, 15);
    cr_expect_eq(result->retainers.n_objects, 6);
    cr_expect_eq(result->retainers.n_visits, 8);
    cr_expect_eq(result->retainers.n_sets, 4);

    char sets[4096] = "";
    cr_expect_eq(hpp_census_each_set(census, collect, sets), 0);
    cr_expect_str_eq(
        sets, "SET 3 = {<MAIN[MAIN]>}\n"
              "SET 5 = {<synth_2[Main],doFile[Main],MAIN[MAIN]>}\n"
              "SET 6 = {<doFile[Main],MAIN[MAIN]>, <synth_2[Main],doFile[Main],MAIN[MAIN]>}\n");
    hpp_census_destroy(census);
    toy_finish(&heap);
}

/* A weak pointer is a root and holds its key, value and finalizer; what is left of a dead one holds
 * nothing any more. */
Test(retainer, weak_pointers_alive_and_dead)
{
    static const hpp_shape WEAK = {.flags = HPP_WEAK}, DEAD = {.flags = HPP_DEAD_WEAK};
    make_stacks();
    toy_heap heap;
    toy_init(&heap, 10, false);
    size_t weak = toy_new(&heap, 1, &WEAK, &stacks[1], 0);
    size_t dead = toy_new(&heap, 2, &DEAD, &stacks[2], 0);
    heap.objects[weak].is_root = true;
    heap.objects[dead].is_root = true;
    for (size_t i = 0; i < 3; i++) {
        toy_link(&heap, weak, toy_new(&heap, 4, &CONS, &stacks[3], 0));
    }
    toy_link(&heap, dead, toy_new(&heap, 100, &CONS, &stacks[3], 0));
    hpp_census *census = census_by_retainers(&heap, NULL);
    const hpp_census_result *result = hpp_census_take(census, 0);
    cr_expect_eq(toy_band(result, "(3)1"), 13);
    cr_expect_eq(toy_band(result, "(4)2"), 2);
    cr_expect_eq(toy_band(result, "UNREACHED"), 100);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

Test(retainer, sets_above_the_limit_are_many)
{
    make_stacks();
    toy_heap heap;
    toy_init(&heap, 20, true);
    size_t two = toy_new(&heap, 1, &CONS, &stacks[0], 0);
    size_t three = toy_new(&heap, 2, &CONS, &stacks[0], 0);
    for (size_t i = 0; i < 3; i++) {
        size_t thunk = toy_new(&heap, 0, &THUNK, &stacks[10 + i], 0);
        heap.objects[thunk].is_root = true;
        toy_link(&heap, thunk, three);
        if (i < 2) {
            toy_link(&heap, thunk, two);
        }
    }
    hpp_census *census = census_by_retainers(&heap, &(hpp_census_options){.max_retainers = 2});
    const hpp_census_result *result = hpp_census_take(census, 0);
    cr_expect_eq(toy_band(result, "MANY"), 2);
    cr_expect_eq(result->size_bytes, 3);
    cr_expect_eq(result->n_bands, 2);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

static bool is_any(hpp_ref ref, const hpp_object *object, void *context)
{
    (void)ref;
    (void)object;
    ++*(int *)context;
    return true;
}

/* R() by type and everything a retainer: the set of an object is the types of its parents. */
Test(retainer, retainers_and_their_identity_are_parameters)
{
    static const hpp_shape red = {.type = {"red", 3}}, blue = {.type = {"blue", 4}};
    make_stacks();
    toy_heap heap;
    toy_init(&heap, 10, true);
    size_t a = toy_new(&heap, 1, &red, NULL, 0), b = toy_new(&heap, 2, &blue, NULL, 0);
    size_t c = toy_new(&heap, 4, &red, NULL, 0), d = toy_new(&heap, 8, &red, NULL, 0);
    heap.objects[a].is_root = true;
    toy_link(&heap, a, b);
    toy_link(&heap, a, c);
    toy_link(&heap, b, c);
    toy_link(&heap, c, d);
    int n_asked = 0;
    const hpp_retaining scheme = {
        .identity = HPF_BREAKDOWN_TYPE, .is_retainer = is_any, .context = &n_asked};
    hpp_census *census = census_by_retainers(&heap, &(hpp_census_options){.retaining = scheme});
    const hpp_census_result *result = hpp_census_take(census, 0);
    cr_expect_eq(toy_band(result, "(3)red"), 1 + 2 + 8);
    cr_expect_eq(toy_band(result, "(5)red,blue"), 4);
    cr_expect_gt(n_asked, 0);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

/* A root that holds a map, which holds two boxes, of different shapes with one description; both
 * hold a cell. */
typedef struct scheme_case {
    hpp_retaining scheme;
    const char *sets;
    uint64_t n_objects; /* in the set of the cell */
} scheme_case;

Test(retainer, schemes_by_rule_and_info_table)
{
    static const hpp_shape root_shape = {.description = HPF_STR("Root"), .flags = HPP_STACK};
    static const hpp_shape map = {.description = HPF_STR("Map"), .type = HPF_STR("Map")};
    static const hpp_shape boxes[2] = {
        {.description = HPF_STR("Box"), .flags = HPP_RETAINER},
        {.description = HPF_STR("Box"), .flags = HPP_RETAINER},
    };
    static const hpf_str names[] = {HPF_STR("Map")};
    static const scheme_case cases[] = {
        {{.identity = HPF_BREAKDOWN_CLOSURE_DESCR}, "SET 3 = {<Root>}\nSET 4 = {<Box>}\n", 1},
        {{.identity = HPF_BREAKDOWN_INFO_TABLE}, "SET 3 = {<Root>}\nSET 6 = {<Box>, <Box>}\n", 1},
        {{.identity = HPF_BREAKDOWN_CLOSURE_DESCR, .rule = HPP_RETAINERS_ALL},
         "SET 3 = {<Root>}\nSET 4 = {<Map>}\nSET 5 = {<Box>}\n",
         1},
        {{.identity = HPF_BREAKDOWN_CLOSURE_DESCR, .rule = HPP_RETAINERS_ROOTS},
         "SET 3 = {<Root>}\n",
         4},
        {{.identity = HPF_BREAKDOWN_CLOSURE_DESCR,
          .rule = HPP_RETAINERS_NAMED,
          .named = {HPF_BREAKDOWN_TYPE, names, 1}},
         "SET 3 = {<Root>}\nSET 4 = {<Map>}\n",
         3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy_heap heap;
        toy_init(&heap, 10, true);
        size_t root = toy_new(&heap, 0, &root_shape, NULL, 0);
        size_t holder = toy_new(&heap, 10, &map, NULL, 0);
        size_t cell = toy_new(&heap, 40, &CONS, NULL, 0);
        heap.objects[root].is_root = true;
        toy_link(&heap, root, holder);
        for (int k = 0; k < 2; k++) {
            size_t box = toy_new(&heap, 20, &boxes[k], NULL, 0);
            toy_link(&heap, holder, box);
            toy_link(&heap, box, cell);
        }
        hpp_census *census = census_by_retainers(
            &heap, &(hpp_census_options){.retaining = cases[i].scheme, .count_objects = true});
        const hpp_census_result *result = hpp_census_take(census, 0);
        char sets[4096] = "";
        hpp_census_each_set(census, collect, sets);
        cr_expect_str_eq(sets, cases[i].sets, "case %zu: %s", i, sets);
        cr_expect_eq(result->bands[result->n_bands - 1].size_bytes, cases[i].n_objects, "case %zu",
                     i);
        hpp_census_destroy(census);
        toy_finish(&heap);
    }
}

static int collect_holding(const hpp_holding *h, void *context)
{
    char *all = context;
    snprintf(all + strlen(all), 4096 - strlen(all), "%.*s %s%.*s %llu in %llu\n",
             (int)h->retainer.length, h->retainer.data, h->is_root ? "root" : "by ",
             (int)h->by.length, h->by.data, (unsigned long long)h->size_bytes,
             (unsigned long long)h->n_objects);
    return 0;
}

/* A thunk of `a` on the stack holds two of `b`, which hold a cell; later only one of `b` is left.
 */
Test(retainer, holdings_lead_from_a_retainer_to_the_root)
{
    static const hpp_shape shape_of[] = {
        {.description = HPF_STR("stack"), .flags = HPP_STACK},
        {.description = HPF_STR("a"), .flags = HPP_RETAINER},
        {.description = HPF_STR("b"), .flags = HPP_RETAINER},
    };
    toy_heap heap;
    toy_init(&heap, 10, true);
    size_t stack = toy_new(&heap, 100, &shape_of[0], NULL, 0);
    size_t a = toy_new(&heap, 8, &shape_of[1], NULL, 0);
    size_t b[2] = {toy_new(&heap, 20, &shape_of[2], NULL, 0),
                   toy_new(&heap, 20, &shape_of[2], NULL, 0)};
    size_t cell = toy_new(&heap, 1000, &CONS, NULL, 0);
    heap.objects[stack].is_root = true;
    toy_link(&heap, stack, a);
    toy_link(&heap, a, b[0]);
    toy_link(&heap, a, b[1]);
    toy_link(&heap, b[0], cell);
    const hpf_str names[] = {HPF_STR("nothing")};
    const hpp_restriction none = {HPF_BREAKDOWN_CLOSURE_DESCR, names, 1};
    hpp_census *census = census_by_retainers(
        &heap, &(hpp_census_options){.retaining = {.identity = HPF_BREAKDOWN_CLOSURE_DESCR},
                                     .restrictions = &none,
                                     .n_restrictions = 1});
    hpp_census_take(census, 0);
    heap.objects[b[1]].ref = 0;
    heap.objects[a].n_children = 1;
    hpp_census_take(census, 1);
    char all[4096] = "";
    cr_expect_eq(hpp_census_each_holding(census, collect_holding, all), 0);
    cr_expect_str_eq(all, "stack root 0 in 1\n"
                          "stack by <stack> 100 in 1\n"
                          "a by <stack> 8 in 1\n"
                          "b by <a> 40 in 2\n");
    hpp_census_destroy(census);
    toy_finish(&heap);
}

Test(retainer, restriction_by_retainer)
{
    make_stacks();
    toy_heap heap;
    toy_init(&heap, 10, true);
    size_t cells[3];
    for (size_t i = 0; i < 3; i++) {
        cells[i] = toy_new(&heap, 1u << i, &CONS, &stacks[20 + i], 0);
    }
    for (size_t i = 0; i < 2; i++) {
        size_t thunk = toy_new(&heap, 100, &THUNK, &stacks[i], 0);
        heap.objects[thunk].is_root = true;
        toy_link(&heap, thunk, cells[i]);
        toy_link(&heap, thunk, cells[2]);
    }
    const hpf_str names[] = {HPF_STR("1"), HPF_STR("7")};
    const hpp_restriction rule = {HPF_BREAKDOWN_RETAINER, names, 2};
    hpp_census *census;
    const hpp_census_options options = {.restrictions = &rule, .n_restrictions = 1};
    cr_assert_eq(hpp_census_create(&census, &heap.adapter, &options, NULL), HPF_OK);
    const hpp_census_result *result = hpp_census_take(census, 0);
    cr_expect_eq(toy_band(result, "21"), 2);
    cr_expect_eq(toy_band(result, "22"), 4);
    cr_expect_eq(toy_band(result, "1"), 100);
    cr_expect_eq(result->size_bytes, 106);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

/* ---- Random graphs against the equations ---- */

/* The least solution: a bit per stack in each object's set. */
static void solve(const toy_heap *heap, uint64_t *sets)
{
    for (size_t i = 0; i < heap->n; i++) {
        const toy_object *o = &heap->objects[i];
        sets[i] = o->ref != 0 && o->is_root ? UINT64_C(1) << o->stack->id : 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < heap->n; i++) {
            const toy_object *o = &heap->objects[i];
            bool retains = ((o->flags | o->shape->flags) & HPP_RETAINER) != 0;
            uint64_t from = retains ? UINT64_C(1) << o->stack->id : sets[i];
            for (size_t j = 0; j < o->n_children && sets[i] != 0; j++) {
                size_t child = o->children[j];
                uint64_t more = child == SIZE_MAX ? 0 : from & ~sets[child];
                if (more) {
                    sets[child] |= more;
                    changed = true;
                }
            }
        }
    }
}

static uint32_t size_of(uint64_t set)
{
    uint32_t n = 0;
    for (; set; set &= set - 1) {
        n++;
    }
    return n;
}

/* The set that the engine found, as bits; sets that are too large as all bits. */
static uint64_t found(hpp__retainer *r, toy_heap *heap, size_t index)
{
    hpp_object object = toy_describe(heap, index);
    uint32_t set = hpp__retainer_set(r, heap->objects[index].ref, &object);
    if (set < HPP__FIRST_SET) {
        return set == HPP__SET_MANY ? UINT64_MAX : 0;
    }
    uint32_t n;
    const uint32_t *elements = hpp__sets_elements(&r->sets, set, &n);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        bits |= UINT64_C(1) << atoi(hpp__band_keys_label(&r->identity, elements[i]).data);
    }
    cr_expect_eq(size_of(bits), n);
    return bits;
}

static void rewire(toy_heap *heap, size_t n, uint32_t most_children, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++) {
        toy_unlink_all(heap, i);
        heap->objects[i].is_root = toy_random(seed, (uint32_t)n / 3 + 1) == 0;
        uint32_t n_children = toy_random(seed, most_children + 1);
        for (uint32_t j = 0; j < n_children; j++) {
            toy_link(heap, i, toy_random(seed, 20) == 0 ? SIZE_MAX : toy_random(seed, (uint32_t)n));
        }
    }
    heap->objects[toy_random(seed, (uint32_t)n)].is_root = true;
}

static void check_graph(uint32_t n, uint32_t most_children, bool has_headers,
                        uint32_t max_retainers, uint64_t *seed)
{
    toy_heap heap;
    toy_init(&heap, n, has_headers);
    uint32_t rarity = toy_random(seed, 6) + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t flags = toy_random(seed, rarity) == 0 ? HPP_RETAINER : 0;
        flags |= toy_random(seed, 5) == 0 ? HPP_STATIC : 0;
        toy_new(&heap, 1, &CONS, &stacks[toy_random(seed, N_STACKS)], flags);
    }
    hpf_arena *arena = hpf_arena_create();
    hpp__retainer *r = malloc(sizeof *r);
    cr_assert_eq(
        hpp__retainer_init(r, &heap.adapter, &(hpp_retaining){0}, max_retainers, arena, NULL),
        HPF_OK);
    uint64_t *sets = malloc(n * sizeof *sets);
    for (int pass = 0; pass < 4; pass++) {
        rewire(&heap, n, most_children, seed);
        hpp__retainer_pass(r);
        solve(&heap, sets);
        uint64_t n_reached = 0;
        for (size_t i = 0; i < n; i++) {
            uint64_t expected = size_of(sets[i]) > max_retainers ? UINT64_MAX : sets[i];
            cr_assert_eq(found(r, &heap, i), expected);
            n_reached += sets[i] != 0;
        }
        cr_expect_eq(r->figures.n_objects, n_reached);
        cr_expect_geq(r->figures.n_visits, n_reached);
    }
    free(sets);
    hpp__retainer_finish(r);
    free(r);
    hpf_arena_destroy(arena);
    toy_finish(&heap);
}

Test(retainer, least_fixed_point_on_small_graphs)
{
    make_stacks();
    uint64_t seed = 1;
    for (int round = 0; round < CASES(1500); round++) {
        check_graph(toy_random(&seed, 12) + 1, 3, round % 2, toy_random(&seed, 5) + 1, &seed);
    }
}

Test(retainer, least_fixed_point_on_larger_graphs)
{
    make_stacks();
    uint64_t seed = 2;
    for (int round = 0; round < CASES(60); round++) {
        check_graph(toy_random(&seed, 400) + 1, 4, round % 2, 8, &seed);
    }
}

/* More children than a frame of the walk's stack holds. */
Test(retainer, least_fixed_point_on_wide_graphs)
{
    make_stacks();
    uint64_t seed = 3;
    for (int round = 0; round < CASES(30); round++) {
        check_graph(100, 130, round % 2, 60, &seed);
    }
}

/* ---- Depth ---- */

#define LIST_LENGTH CASES(10000000u)

/* A list that is an array of words: object i is followed by object i + 1. */
typedef struct long_list {
    uint64_t *words;
    bool rest_is_first; /* among the children; the other child is the last object */
} long_list;

static void describe_cell(hpp_object *out, hpp_ref ref, void *context)
{
    long_list *list = context;
    out->size_bytes = 1;
    out->shape = &CONS;
    out->retainer_word = &list->words[ref];
}

static size_t cell_children(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                            void *context)
{
    const long_list *list = context;
    cr_assert(capacity >= 2 && from_index == 0);
    hpp_ref rest = ref < LIST_LENGTH ? ref + 1 : 0;
    out[0] = list->rest_is_first ? rest : LIST_LENGTH;
    out[1] = list->rest_is_first ? LIST_LENGTH : rest;
    return ref < LIST_LENGTH ? 2 : 0;
}

static int list_objects(hpp_visit_object *visit, void *visit_context, void *context)
{
    for (hpp_ref ref = 1; ref <= LIST_LENGTH; ref++) {
        hpp_object object = {0};
        describe_cell(&object, ref, context);
        visit(ref, &object, visit_context);
    }
    return 0;
}

static int list_roots(hpp_visit_root *visit, void *visit_context, void *context)
{
    (void)context;
    return visit(1, visit_context);
}

Test(retainer, millions_of_cells_deep)
{
    for (int order = 0; order < 2; order++) {
        long_list list = {calloc(LIST_LENGTH + 1, sizeof(uint64_t)), order == 1};
        toy_heap any;
        toy_init(&any, 1, true);
        hpp_heap heap = {.size = sizeof heap,
                         .objects = list_objects,
                         .describe = describe_cell,
                         .children = cell_children,
                         .roots = list_roots,
                         .stacks = any.adapter.stacks,
                         .context = &list};
        hpp_census *census;
        const hpp_census_options options = {.breakdown = HPF_BREAKDOWN_RETAINER};
        cr_assert_eq(hpp_census_create(&census, &heap, &options, NULL), HPF_OK);
        const hpp_census_result *result = hpp_census_take(census, 0);
        cr_expect_eq(toy_band(result, "(3)UNKNOWN"), LIST_LENGTH);
        cr_expect_eq(result->retainers.n_objects, LIST_LENGTH);
        cr_expect_eq(result->retainers.n_scans, LIST_LENGTH);
        hpp_census_destroy(census);
        toy_finish(&any);
        free(list.words);
    }
}
