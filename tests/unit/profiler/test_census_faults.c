/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every allocation of the engine fails in turn, alone or with all behind it. The program goes on,
 * bands add up to what is alive, and a result that is not what it would have been says so.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitizer.h"
#include "failing_alloc.h"
#include "toy_heap.h"

enum { N_OBJECTS = 1200, N_STACKS = 120, N_CENSUSES = 4 };

static toy_stack stacks[N_STACKS];
static char labels[N_STACKS][8];
static const hpp_shape CELL = {.description = {"Cell", 4}, .type = {"cell", 4}};
static const hpp_shape THUNK = {
    .description = {"Thunk", 5}, .type = {"thunk", 5}, .flags = HPP_RETAINER};

/* A list, each cell of which leads to another one, too; some thunks that hold pieces of it. */
static void make_heap(toy_heap *heap, bool has_headers)
{
    for (uint64_t i = 0; i < N_STACKS; i++) {
        snprintf(labels[i], sizeof labels[i], "f%u", (unsigned)i);
        stacks[i] = (toy_stack){labels[i], "M", i ? &stacks[(i - 1) / 2] : NULL, i};
    }
    toy_init(heap, N_OBJECTS, has_headers);
    for (size_t i = 0; i < N_OBJECTS; i++) {
        bool is_thunk = i % 150 == 0;
        toy_new(heap, i % 7 + 1, is_thunk ? &THUNK : &CELL, &stacks[i % N_STACKS], 0);
        heap->objects[i].is_root = is_thunk;
    }
    for (size_t i = 0; i + 1 < N_OBJECTS; i++) {
        toy_link(heap, i, i + 1);
        toy_link(heap, i, (i * 7919) % N_OBJECTS);
    }
}

/* What a run has shown: its results as text, and whether it said that something is missing. */
typedef struct account {
    char *text;
    size_t length, room;
    bool is_partial;
} account;

/* A number for a band: its bytes, and its name without what depends on earlier failures: the number
 * of a retainer set, and the order of its labels. */
static uint64_t mix(const hpp_band *band)
{
    const char *number_end = memchr(band->name.data, ')', band->name.length);
    const char *end = band->name.data + band->name.length;
    uint64_t all = 0, label = 1;
    for (const char *c = number_end ? number_end + 1 : band->name.data; c < end; c++) {
        all += *c == ',' ? label * label : 0;
        label = *c == ',' ? 1 : (label ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    return (all + label * label) * band->size_bytes;
}

/* Adds up the bands by stack, with the frames of each. */
static void add_up_by_stack(hpp_census *census, const hpp_census_result *result, uint64_t *sum,
                            uint64_t *mixed)
{
    for (size_t i = 0; i < result->by_stack.n_bands; i++) {
        const hpp_band *band = &result->by_stack.bands[i];
        hpf_frame frames[16];
        size_t n = hpp__census_frames(census, band->index, frames, 16);
        uint64_t number = mix(band);
        cr_assert(n > 0 && n < 16 && hpf_str_equal(frames[0].type, band->name));
        for (size_t f = 1; f < n; f++) {
            const hpp_band part = {0, frames[f].label, band->size_bytes};
            number = number * 31 + mix(&part);
        }
        *sum += band->size_bytes;
        *mixed += number;
    }
}

static void write_down(account *a, hpp_census *census, const hpp_census_result *result)
{
    const hpp_missing *m = &result->missing;
    a->is_partial |=
        (m->unnamed_bytes | m->n_sets | m->n_untraced | m->n_biographies | m->n_eras) != 0;
    cr_assert_leq(m->n_untraced, N_OBJECTS);
    cr_assert_leq(m->unnamed_bytes, result->size_bytes);
    uint64_t sum = 0, mixed = 0;
    for (size_t i = 0; i < result->n_bands; i++) {
        mixed += mix(&result->bands[i]);
        sum += result->bands[i].size_bytes;
    }
    cr_assert_eq(sum, result->size_bytes);
    if (result->by_stack.bands) {
        sum = 0;
        add_up_by_stack(census, result, &sum, &mixed);
        cr_assert_eq(sum, result->size_bytes);
    }
    for (int i = 0; i < HPP_MAX_FURTHER_BANDS; i++) {
        const hpp_bands *further = &result->further[i];
        sum = 0;
        for (size_t k = 0; k < further->n_bands; k++) {
            mixed += mix(&further->bands[k]);
            sum += further->bands[k].size_bytes;
        }
        cr_assert(further->by == HPF_BREAKDOWN_NONE || sum == result->size_bytes);
    }
    a->length += (size_t)snprintf(
        a->text + a->length, a->room - a->length, "%g: %zu bands, %llu bytes, %016llx\n",
        result->time_s, result->n_bands, (unsigned long long)sum, (unsigned long long)mixed);
}

static void mutate(hpp_census *census, toy_heap *heap, size_t round)
{
    for (size_t i = round; i < N_OBJECTS; i += 3) {
        if (heap->objects[i].ref != 0) {
            hpp_census_used(census, heap->objects[i].ref, toy_life_word(heap, i));
        }
    }
    for (size_t i = round * 40 + 1; i < N_OBJECTS; i += 400) {
        hpp_object object = toy_describe(heap, i);
        hpp_census_dead(census, heap->objects[i].ref, &object);
        hpp_census_created(census, heap->objects[i].ref, toy_life_word(heap, i));
    }
}

static void take_all(hpp_census *census, toy_heap *heap, bool is_whole, account *a)
{
    for (size_t i = 0; i < N_CENSUSES; i++) {
        mutate(census, heap, i);
        const hpp_census_result *result = hpp_census_take(census, (double)i);
        cr_assert(!is_whole || result->size_bytes == result->live_bytes);
        write_down(a, census, result);
    }
    a->is_partial |= hpp_census_end(census, NULL) != HPF_OK;
    for (uint32_t i = 0; i < hpp_census_n_eras(census); i++) {
        const hpp_census_result *result = hpp_census_final(census, i);
        cr_assert(!is_whole || result->size_bytes == result->live_bytes);
        write_down(a, census, result);
    }
}

/* Runs a program with the `nth` allocation failing; returns whether there was such a one. */
static bool run(const hpp_census_options *options, bool has_headers, unsigned long nth, bool all,
                account *a)
{
    toy_heap heap;
    make_heap(&heap, has_headers);
    a->length = 0;
    a->is_partial = false;
    hpp_census *census;
    failing_alloc_arm(nth, all);
    hpf_status status = hpp_census_create(&census, &heap.adapter, options, NULL);
    bool is_divided = options->breakdown == HPF_BREAKDOWN_TYPE || options->n_further > 0;
    if (status == HPF_OK && is_divided) {
        status = hpp__census_divide_by_stack(census, options, NULL);
    }
    if (status == HPF_OK) {
        take_all(census, &heap, options->n_restrictions == 0, a);
    } else {
        cr_assert_eq(status, HPF_ERR_MEMORY);
        a->is_partial = true;
    }
    bool has_failed = failing_alloc_disarm();
    hpp_census_destroy(census);
    toy_finish(&heap);
    return has_failed;
}

static void fail_in_turn(const hpp_census_options *options)
{
    static char texts[2][4096];
    for (int has_headers = 0; has_headers < 2; has_headers++) {
        account good = {texts[0], 0, sizeof texts[0], false};
        account bad = {texts[1], 0, sizeof texts[1], false};
        cr_assert(!run(options, has_headers, 0, false, &good));
        cr_assert(!good.is_partial);
        for (unsigned long nth = 1;; nth += CASE_STEP * (1 + nth / 15)) {
            bool has_failed = run(options, has_headers, nth, false, &bad);
            cr_assert(bad.is_partial || strcmp(good.text, bad.text) == 0,
                      "allocation %lu fails, nothing is said\n%s%s", nth, good.text, bad.text);
            if (!has_failed) {
                break;
            }
            run(options, has_headers, nth, true, &bad);
            cr_assert(bad.is_partial || strcmp(good.text, bad.text) == 0,
                      "all from %lu fail, nothing is said\n%s%s", nth, good.text, bad.text);
        }
    }
}

Test(census_faults, by_stack)
{
    fail_in_turn(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_COST_CENTRE});
}

Test(census_faults, by_description_restricted)
{
    const hpf_str names[] = {HPF_STR("f3"), HPF_STR("f4")};
    const hpp_restriction rules[] = {{HPF_BREAKDOWN_IN_STACK, names, 1},
                                     {HPF_BREAKDOWN_COST_CENTRE, names, 2}};
    fail_in_turn(&(hpp_census_options){
        .breakdown = HPF_BREAKDOWN_CLOSURE_DESCR, .restrictions = rules, .n_restrictions = 2});
}

Test(census_faults, by_type_and_stack)
{
    fail_in_turn(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_TYPE});
}

Test(census_faults, by_type_and_retainers_and_use)
{
    static const hpf_breakdown first[] = {HPF_BREAKDOWN_TYPE, HPF_BREAKDOWN_RETAINER,
                                          HPF_BREAKDOWN_BIOGRAPHY};
    for (int i = 0; i < 3; i++) {
        hpp_census_options options = {.breakdown = first[i], .n_further = 2, .max_name_bytes = 200};
        options.further[0] = first[(i + 1) % 3];
        options.further[1] = first[(i + 2) % 3];
        fail_in_turn(&options);
        options.n_further = 1;
        fail_in_turn(&options);
    }
}

Test(census_faults, by_retainers)
{
    fail_in_turn(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_RETAINER, .max_name_bytes = 200});
}

Test(census_faults, by_biography)
{
    fail_in_turn(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_BIOGRAPHY});
}

Test(census_faults, by_stack_in_some_phases)
{
    const hpf_str names[] = {HPF_STR("drag"), HPF_STR("void")};
    const hpp_restriction rule = {HPF_BREAKDOWN_BIOGRAPHY, names, 2};
    fail_in_turn(&(hpp_census_options){
        .breakdown = HPF_BREAKDOWN_COST_CENTRE, .restrictions = &rule, .n_restrictions = 1});
}

Test(census_faults, by_retainers_in_some_phases)
{
    const hpf_str names[] = {HPF_STR("lag"), HPF_STR("use"), HPF_STR("drag")};
    const hpp_restriction rule = {HPF_BREAKDOWN_BIOGRAPHY, names, 3};
    fail_in_turn(&(hpp_census_options){.breakdown = HPF_BREAKDOWN_RETAINER,
                                       .restrictions = &rule,
                                       .n_restrictions = 1,
                                       .max_name_bytes = 200});
}

/* A list whose cells have the rest as their first child, then leaves: the walk's stack grows with
 * its length. With no memory for that, the walk goes on in another way, to the same end. */
Test(census_faults, traversal_stack_cannot_grow)
{
    enum { N_CELLS = 1000, N_LEAVES = 28 };
    static const toy_stack main_stack = {"MAIN", "MAIN", NULL, 1};
    toy_heap heap;
    toy_init(&heap, (size_t)N_CELLS * (N_LEAVES + 1), true);
    for (size_t i = 0; i < N_CELLS; i++) {
        toy_new(&heap, 1, &CELL, &main_stack, 0);
    }
    for (size_t i = 0; i < N_CELLS; i++) {
        if (i + 1 < N_CELLS) {
            toy_link(&heap, i, i + 1);
        }
        for (size_t j = 0; j < N_LEAVES; j++) {
            toy_link(&heap, i, toy_new(&heap, 1, &CELL, &main_stack, 0));
        }
    }
    heap.objects[0].is_root = true;
    hpp_census *census;
    const hpp_census_options options = {.breakdown = HPF_BREAKDOWN_RETAINER};
    cr_assert_eq(hpp_census_create(&census, &heap.adapter, &options, NULL), HPF_OK);
    cr_expect_eq(toy_band(hpp_census_take(census, 0), "(3)MAIN"), heap.n);
    failing_alloc_arm(1, true);
    const hpp_census_result *result = hpp_census_take(census, 1);
    cr_expect(failing_alloc_disarm());
    cr_expect_eq(toy_band(result, "(3)MAIN"), heap.n);
    cr_expect_eq(result->retainers.n_objects, heap.n);
    cr_expect_eq(result->missing.n_untraced, 0);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

/* ---- Sums ---- */

enum { N_SUMS = 40 };

static uint32_t band_words[N_SUMS];

static int visit_sums(hpp_visit_sum *visit, void *visit_context, void *context)
{
    (void)context;
    for (size_t i = 0; i < N_SUMS; i++) {
        const hpp_object sum = {
            .size_bytes = i + 1, .shape = &CELL, .stack = &stacks[i], .band_word = &band_words[i]};
        visit(&sum, 1, visit_context);
    }
    return 0;
}

/* Without memory for its band, a sum counts as OUT_OF_MEMORY, but only until there is memory. */
Test(census_faults, a_sum_gets_its_band_when_there_is_memory_again)
{
    toy_heap heap;
    make_heap(&heap, false);
    const hpp_heap summing = {
        .size = sizeof summing, .sums = visit_sums, .stacks = heap.adapter.stacks};
    bool has_failed = true;
    for (unsigned long nth = 1; has_failed; nth++) {
        hpp_census *census;
        memset(band_words, 0, sizeof band_words);
        cr_assert_eq(hpp_census_create(&census, &summing, NULL, NULL), HPF_OK);
        failing_alloc_arm(nth, true);
        const hpp_census_result *result = hpp_census_take(census, 0);
        has_failed = failing_alloc_disarm();
        uint64_t lost_bytes = toy_band(result, "OUT_OF_MEMORY");
        cr_expect_eq(lost_bytes > 0, has_failed, "allocation %lu", nth);
        cr_expect_eq(lost_bytes, result->missing.unnamed_bytes);
        cr_expect_eq(result->size_bytes, N_SUMS * (N_SUMS + 1) / 2);
        result = hpp_census_take(census, 1);
        cr_expect_eq(result->n_bands, N_SUMS, "allocation %lu", nth);
        cr_expect_eq(toy_band(result, "OUT_OF_MEMORY"), 0);
        cr_expect_eq(toy_band(result, "f0"), 1);
        cr_expect_eq(toy_band(result, "(39)f39/f19/f9/f4/f1"), 40);
        cr_expect_eq(result->missing.unnamed_bytes, 0);
        hpp_census_destroy(census);
    }
    toy_finish(&heap);
}

/* Each thunk holds a cell of its own, so there are as many sets as stacks. What has no memory for
 * its set or its band costs OUT_OF_MEMORY; nothing is taken for a leak. */
Test(census_faults, without_memory_nothing_is_unreached)
{
    enum { N_THUNKS = 300 };
    toy_heap heap;
    make_heap(&heap, true);
    toy_finish(&heap);
    toy_init(&heap, (size_t)2 * N_THUNKS, true);
    for (size_t i = 0; i < N_THUNKS; i++) {
        size_t thunk = toy_new(&heap, 1, &THUNK, &stacks[i % N_STACKS], 0);
        heap.objects[thunk].is_root = true;
        toy_link(&heap, thunk, toy_new(&heap, 2, &CELL, &stacks[0], 0));
    }
    const hpp_census_options options = {.breakdown = HPF_BREAKDOWN_RETAINER};
    bool has_failed = true;
    for (unsigned long nth = 2; has_failed; nth++) {
        hpp_census *census;
        cr_assert_eq(hpp_census_create(&census, &heap.adapter, &options, NULL), HPF_OK);
        failing_alloc_arm(nth / 2, nth % 2);
        const hpp_census_result *result = hpp_census_take(census, 0);
        has_failed = failing_alloc_disarm();
        cr_expect_eq(result->size_bytes, 3 * N_THUNKS);
        cr_expect_eq(toy_band(result, "UNREACHED"), 0, "allocation %lu", nth / 2);
        cr_expect_eq(toy_band(result, "OUT_OF_MEMORY"), result->missing.unnamed_bytes);
        hpp_census_destroy(census);
    }
    toy_finish(&heap);
}
