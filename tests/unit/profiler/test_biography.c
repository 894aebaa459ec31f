/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Biographies: lives short enough to do by hand, and random ones against the definition of the
 * phases, also together with retainer sets.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census/biography.h"
#include "census/census.h"
#include "census/life_times.h"
#include "toy_heap.h"

static const toy_stack MAIN = {"MAIN", "MAIN", NULL, 1};
static const hpp_shape CELL = {.description = {"Cell", 4}};
static const hpp_shape ARRAY = {.description = {"Array", 5}, .flags = HPP_INHERENTLY_USED};

static hpp_census *new_census(const toy_heap *heap, const hpp_census_options *options)
{
    hpp_census *census;
    hpf_error err;
    cr_assert_eq(hpp_census_create(&census, &heap->adapter, options, &err), HPF_OK, "%s",
                 err.message);
    return census;
}

static hpp_census *biography_of(const toy_heap *heap)
{
    return new_census(heap, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_BIOGRAPHY});
}

static size_t create(hpp_census *census, toy_heap *heap, uint64_t size_bytes)
{
    size_t i = toy_new(heap, size_bytes, &CELL, &MAIN, 0);
    hpp_census_created(census, heap->objects[i].ref, toy_life_word(heap, i));
    return i;
}

static void use(hpp_census *census, toy_heap *heap, size_t i)
{
    hpp_census_used(census, heap->objects[i].ref, toy_life_word(heap, i));
}

static void kill(hpp_census *census, toy_heap *heap, size_t i)
{
    hpp_object object = toy_describe(heap, i);
    hpp_census_dead(census, heap->objects[i].ref, &object);
    heap->objects[i].ref = 0;
}

static void expect_phases(hpp_census *census, uint32_t index, uint64_t lag, uint64_t use_,
                          uint64_t drag, uint64_t void_, uint64_t inherent)
{
    const hpp_census_result *result = hpp_census_final(census, index);
    cr_expect_eq(toy_band(result, "LAG"), lag, "lag of %u", index);
    cr_expect_eq(toy_band(result, "USE"), use_, "use of %u", index);
    cr_expect_eq(toy_band(result, "DRAG"), drag, "drag of %u", index);
    cr_expect_eq(toy_band(result, "VOID"), void_, "void of %u", index);
    cr_expect_eq(toy_band(result, "INHERENT_USE"), inherent, "inherent use of %u", index);
    cr_expect_eq(result->size_bytes, result->live_bytes);
    cr_expect(!result->is_provisional);
}

/* One object of each kind: made in era 1, used in 2 and 4, dead in 6; never used, dead in 4; never
 * seen by a census; alive and in use to the end; an array. */
static void live_by_hand(bool has_headers)
{
    toy_heap heap;
    toy_init(&heap, 10, has_headers);
    hpp_census *census = biography_of(&heap);
    cr_expect_eq(hpp_census_era(census), 1);
    size_t used = create(census, &heap, 1), idle = create(census, &heap, 2);
    size_t brief = create(census, &heap, 4), lasting = create(census, &heap, 8);
    toy_new(&heap, 16, &ARRAY, &MAIN, 0);
    kill(census, &heap, brief);
    for (uint32_t era = 1; era <= 6; era++) {
        if (era == 2 || era == 4) {
            use(census, &heap, used);
        }
        if (era == 4) {
            kill(census, &heap, idle);
        }
        if (era == 6) {
            kill(census, &heap, used);
            use(census, &heap, lasting);
        }
        const hpp_census_result *result = hpp_census_take(census, era);
        cr_expect_eq(result->era, era);
        cr_expect(result->is_provisional);
        cr_expect_eq(result->size_bytes, result->live_bytes);
    }
    cr_assert_eq(hpp_census_end(census, NULL), HPF_OK);
    cr_expect_eq(hpp_census_n_eras(census), 6);
    cr_expect_eq(hpp_census_era(census), 0);
    expect_phases(census, 0, 1 + 8, 0, 0, 2, 16);
    expect_phases(census, 1, 8, 1, 0, 2, 16);
    expect_phases(census, 2, 8, 1, 0, 2, 16);
    expect_phases(census, 3, 8, 1, 0, 0, 16);
    expect_phases(census, 4, 8, 0, 1, 0, 16);
    expect_phases(census, 5, 0, 8, 0, 0, 16);
    cr_assert_eq(hpp_census_end(census, NULL), HPF_OK);
    expect_phases(census, 4, 8, 0, 1, 0, 16);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

Test(biography, by_hand_with_words_in_headers)
{
    live_by_hand(true);
}

Test(biography, by_hand_with_words_in_a_table)
{
    live_by_hand(false);
}

Test(biography, provisional_results_join_phases_not_known_yet)
{
    toy_heap heap;
    toy_init(&heap, 10, true);
    hpp_census *census = biography_of(&heap);
    size_t a = create(census, &heap, 1);
    create(census, &heap, 2);
    use(census, &heap, a);
    hpp_census_take(census, 0);
    const hpp_census_result *result = hpp_census_take(census, 1);
    cr_expect_eq(toy_band(result, "NOT_USED_SINCE"), 1);
    cr_expect_eq(toy_band(result, "NOT_YET_USED"), 2);
    result = hpp_census_final(census, 0);
    cr_expect(result->is_provisional);
    cr_expect_eq(toy_band(result, "USE"), 1);
    cr_expect_eq(toy_band(result, "NOT_YET_USED"), 2);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

/* A thunk overwritten by a smaller indirection is dead, and something else is born in its place. */
Test(biography, overwriting_is_a_death_and_a_creation)
{
    toy_heap heap;
    toy_init(&heap, 4, false);
    hpp_census *census = biography_of(&heap);
    size_t i = create(census, &heap, 100);
    use(census, &heap, i);
    hpp_census_take(census, 1);
    hpp_census_take(census, 2);
    hpp_object thunk = toy_describe(&heap, i);
    hpp_census_dead(census, heap.objects[i].ref, &thunk);
    heap.objects[i].size_bytes = 30;
    hpp_census_created(census, heap.objects[i].ref, NULL);
    hpp_census_take(census, 3);
    cr_assert_eq(hpp_census_end(census, NULL), HPF_OK);
    expect_phases(census, 0, 0, 100, 0, 0, 0);
    expect_phases(census, 1, 0, 0, 100, 0, 0);
    expect_phases(census, 2, 0, 0, 0, 30, 0);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

Test(biography, objects_older_than_the_profile_begin_with_its_first_census)
{
    toy_heap heap;
    toy_init(&heap, 4, true);
    size_t idle = toy_new(&heap, 1, &CELL, &MAIN, 0), used = toy_new(&heap, 2, &CELL, &MAIN, 0);
    hpp_census *census = biography_of(&heap);
    hpp_life_use(toy_life_word(&heap, used), hpp_census_era(census));
    hpp_census_take(census, 0);
    kill(census, &heap, idle);
    hpp_census_take(census, 1);
    cr_assert_eq(hpp_census_end(census, NULL), HPF_OK);
    expect_phases(census, 0, 0, 2, 0, 1, 0);
    expect_phases(census, 1, 0, 0, 2, 0, 0);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

/* A first use 15 eras after the creation, and less, is kept as it is; later ones are rounded down
 * by an eighth at most. */
Test(biography, a_word_keeps_the_first_use)
{
    for (uint32_t lag = 0; lag < 1 << 20; lag += 1 + lag / 50) {
        uint64_t life = hpp_life_after_use(hpp_life_created_in(1000), 1000 + lag);
        life = hpp_life_after_use(life, 1001 + lag);
        life = hpp_life_after_use(life, HPP_MAX_ERA);
        uint32_t kept = hpp_life_first_use_era(life) - 1000;
        cr_assert_eq(hpp_life_creation_era(life), 1000);
        cr_assert_eq(hpp_life_last_use_era(life), HPP_MAX_ERA);
        cr_assert(kept <= lag && (double)kept >= (lag < 16 ? lag : 0.875 * lag), "%u %u", lag,
                  kept);
    }
}

static int put_time(const hpp_life_time *time, void *context)
{
    char *text = context;
    for (size_t i = 0; i < HPP__N_DURATIONS; i++) {
        if (time->bytes[i] > 0) {
            sprintf(text + strlen(text), "%s %.*s %zu:%llu; ", time->phase,
                    (int)time->producer.length, time->producer.data, i,
                    (unsigned long long)time->bytes[i]);
        }
    }
    return 0;
}

/* An era takes a second. Made in era 1: one object that is used in 2 and 4, and dies in 6; one that
 * is never used, and dies in 4; one that no census sees; one whose first use is in the last era,
 * alive to the end; and an array. The classes of 0, 1, 3, 5 and 6 seconds have known numbers. */
static void measure_by_hand(bool has_headers)
{
    toy_heap heap;
    toy_init(&heap, 10, has_headers);
    hpp_census *census = new_census(
        &heap, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_BIOGRAPHY, .life_times = true});
    size_t used = create(census, &heap, 1), idle = create(census, &heap, 2);
    size_t brief = create(census, &heap, 4), lasting = create(census, &heap, 8);
    toy_new(&heap, 16, &ARRAY, &MAIN, 0);
    kill(census, &heap, brief);
    for (uint32_t era = 1; era <= 6; era++) {
        if (era == 2 || era == 4) {
            use(census, &heap, used);
        }
        if (era == 4) {
            kill(census, &heap, idle);
        }
        if (era == 6) {
            kill(census, &heap, used);
            use(census, &heap, lasting);
        }
        hpp_census_take(census, era);
    }
    cr_assert_eq(hpp_census_end(census, NULL), HPF_OK);
    const hpp__life_times *times = hpp__census_life_times(census);
    enum { AT_1 = 161, AT_3 = 173, AT_5 = 179 }; /* 1, 1.5 x 2, 1.25 x 4 s */
    char text[500] = "", expected[500];
    cr_assert_eq(hpp__life_times_each(times, put_time, text), 0);
    snprintf(expected, sizeof expected,
             "LAG MAIN %d:1; LAG MAIN %d:8; USE MAIN %d:8; USE MAIN %d:1; DRAG MAIN 0:8; "
             "DRAG MAIN %d:1; VOID MAIN %d:2; ",
             AT_1, AT_5, AT_1, AT_3, AT_1, AT_3);
    cr_expect_str_eq(text, expected);
    cr_expect_float_eq(hpp__life_times_seconds(times, AT_3), 3, 1e-12);
    cr_expect_float_eq(hpp__life_times_seconds(times, 0), 0, 1e-12);
    cr_expect_lt(hpp__life_times_seconds(times, 1), 0);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

Test(biography, times_of_phases_by_hand)
{
    measure_by_hand(true);
    measure_by_hand(false);
}

Test(biography, times_of_phases_need_a_biography)
{
    toy_heap heap;
    toy_init(&heap, 1, true);
    hpp_census *census;
    hpf_error err;
    const hpp_census_options options = {.life_times = true};
    cr_expect_eq(hpp_census_create(&census, &heap.adapter, &options, &err), HPF_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "-hb"));
    toy_finish(&heap);
}

/* GHC's word has room for 2^15 eras. */
Test(biography, more_eras_than_fifteen_bits)
{
    enum { N = 40000 };
    toy_heap heap;
    toy_init(&heap, 2, true);
    hpp_census *census = biography_of(&heap);
    size_t a = SIZE_MAX;
    for (uint32_t era = 1; era <= N; era++) {
        if (era == 100) {
            a = create(census, &heap, 7);
        }
        if (era == 33000 || era == 36000) {
            use(census, &heap, a);
        }
        if (era == 39000) {
            kill(census, &heap, a);
        }
        hpp_census_take(census, era);
    }
    cr_assert_eq(hpp_census_end(census, NULL), HPF_OK);
    for (uint32_t era = 1; era <= N; era++) {
        bool lag = era >= 100 && era < 33000, used = era >= 33000 && era <= 36000;
        bool drag = era > 36000 && era < 39000;
        expect_phases(census, era - 1, lag ? 7 : 0, used ? 7 : 0, drag ? 7 : 0, 0, 0);
    }
    hpp_census_destroy(census);
    toy_finish(&heap);
}

Test(biography, without_biography_the_hooks_do_nothing)
{
    toy_heap heap;
    toy_init(&heap, 2, false);
    hpp_census *census = new_census(&heap, NULL);
    size_t i = create(census, &heap, 1);
    use(census, &heap, i);
    cr_expect_eq(hpp_census_era(census), 0);
    cr_expect_eq(toy_band(hpp_census_take(census, 0), "MAIN"), 1);
    kill(census, &heap, i);
    cr_expect_eq(hpp_census_end(census, NULL), HPF_OK);
    cr_expect_eq(hpp_census_n_eras(census), 0);
    hpp_census_destroy(census);
    toy_finish(&heap);
}

/* ---- Random programs against the definition ---- */

#define N_ERAS   14u
#define ROOM     1200u
#define N_STACKS 5u

static toy_stack stacks[N_STACKS];
static hpp_shape shapes[6];

static void make_names(void)
{
    static const char *const names[] = {"s0", "s1", "s2", "s3", "s4", "s5"};
    for (size_t i = 0; i < N_STACKS; i++) {
        stacks[i] = (toy_stack){names[i], "M", NULL, i};
    }
    for (size_t i = 0; i < 6; i++) {
        shapes[i] = (hpp_shape){.description = {names[i], 2},
                                .flags = i == 4   ? HPP_RETAINER
                                         : i == 5 ? HPP_INHERENTLY_USED | HPP_RETAINER
                                                  : 0};
    }
}

/* What is written down about one object, by its index in the heap. */
typedef struct life {
    uint32_t created, first_use, last_use, dropped; /* eras; 0: never */
    bool is_known_dead;
    uint64_t size_bytes;
    const hpp_shape *shape;
    uint32_t sets[N_ERAS + 1]; /* retainers, a bit per stack, at the census of each era */
} life;

typedef struct world {
    toy_heap heap;
    hpp_census *census;
    life *lives;
    uint32_t era;
    uint64_t seed;       /* of the program */
    uint64_t collecting; /* of the collector: when it runs, what it moves */
} world;

static bool is_dropped(const world *w, size_t i)
{
    return w->lives[i].dropped != 0;
}

/* A collection tells of the dead and moves the living. */
static void collect(world *w)
{
    for (size_t i = 0; i < w->heap.n; i++) {
        if (is_dropped(w, i) && !w->lives[i].is_known_dead) {
            w->lives[i].is_known_dead = true;
            kill(w->census, &w->heap, i);
        }
    }
    for (size_t i = 0; i < w->heap.n && !w->heap.has_headers; i++) {
        if (!is_dropped(w, i) && toy_random(&w->collecting, 3) == 0) {
            hpp_census_moved(w->census, w->heap.objects[i].ref, w->heap.next_ref);
            w->heap.objects[i].ref = w->heap.next_ref;
            w->heap.next_ref += 16;
        }
    }
}

static void step_create(world *w)
{
    const hpp_shape *shape = &shapes[toy_random(&w->seed, 6)];
    uint64_t size_bytes = toy_random(&w->seed, 50) + 1;
    size_t i = toy_new(&w->heap, size_bytes, shape, &stacks[toy_random(&w->seed, N_STACKS)], 0);
    hpp_census_created(w->census, w->heap.objects[i].ref, toy_life_word(&w->heap, i));
    w->lives[i] = (life){.created = w->era, .size_bytes = size_bytes, .shape = shape};
    w->heap.objects[i].is_root = toy_random(&w->seed, 4) == 0;
    for (uint32_t n = toy_random(&w->seed, 4); n > 0; n--) {
        toy_link(&w->heap, i, toy_random(&w->seed, (uint32_t)w->heap.n));
    }
}

static void step_use(world *w, size_t i)
{
    life *l = &w->lives[i];
    use(w->census, &w->heap, i);
    l->first_use = l->first_use ? l->first_use : w->era;
    l->last_use = w->era;
}

/* Drops an object. Pointers to it are cut, as if the mutator had let go of it. */
static void step_drop(world *w, size_t i)
{
    w->lives[i].dropped = w->era;
    toy_unlink_all(&w->heap, i);
    w->heap.objects[i].is_root = false;
    for (size_t from = 0; from < w->heap.n; from++) {
        for (size_t j = 0; j < w->heap.objects[from].n_children; j++) {
            size_t *child = &w->heap.objects[from].children[j];
            *child = *child == i ? SIZE_MAX : *child;
        }
    }
}

static void step(world *w)
{
    uint32_t what = toy_random(&w->seed, 10);
    size_t i = w->heap.n ? toy_random(&w->seed, (uint32_t)w->heap.n) : 0;
    bool is_there = w->heap.n > 0 && !is_dropped(w, i);
    if (what < 3) {
        step_create(w);
    } else if (is_there && what < 7) {
        step_use(w, i);
    } else if (is_there && what == 7) {
        step_drop(w, i);
    } else if (is_there) {
        toy_unlink_all(&w->heap, i);
        toy_link(&w->heap, i, toy_random(&w->seed, (uint32_t)w->heap.n));
        w->heap.objects[i].is_root = toy_random(&w->seed, 5) == 0;
    }
    if (toy_random(&w->collecting, 15) == 0) {
        collect(w);
    }
}

/* Dropped objects are no children of anything, so the equations see only the living. */
static void solve(world *w)
{
    for (size_t i = 0; i < w->heap.n; i++) {
        const toy_object *o = &w->heap.objects[i];
        w->lives[i].sets[w->era] = o->ref && o->is_root ? 1u << o->stack->id : 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < w->heap.n; i++) {
            const toy_object *o = &w->heap.objects[i];
            uint32_t own = w->lives[i].sets[w->era];
            uint32_t from = o->shape->flags & HPP_RETAINER ? 1u << o->stack->id : own;
            for (size_t j = 0; j < o->n_children && own != 0; j++) {
                if (o->children[j] != SIZE_MAX) {
                    uint32_t *set = &w->lives[o->children[j]].sets[w->era];
                    changed |= (from & ~*set) != 0;
                    *set |= from;
                }
            }
        }
    }
}

/* Runs a program to its end, taking a census in each era. */
static void run(world *w, bool has_headers, const hpp_census_options *options, uint64_t seed,
                uint64_t collecting)
{
    make_names();
    *w = (world){.seed = seed, .collecting = collecting};
    toy_init(&w->heap, ROOM, has_headers);
    w->census = new_census(&w->heap, options);
    w->lives = calloc(ROOM, sizeof *w->lives);
    for (w->era = 1; w->era <= N_ERAS; w->era++) {
        for (uint32_t n = toy_random(&w->seed, 60); n > 0; n--) {
            step(w);
        }
        collect(w);
        solve(w);
        hpp_census_take(w->census, w->era);
    }
    cr_assert_eq(hpp_census_end(w->census, NULL), HPF_OK);
}

static void finish(world *w)
{
    hpp_census_destroy(w->census);
    toy_finish(&w->heap);
    free(w->lives);
}

enum { LAG, USE, DRAG, VOID, INHERENT, ABSENT };

/* The definition of the phases. */
static int phase_of(const life *l, uint32_t era)
{
    if (era < l->created || (l->dropped != 0 && era >= l->dropped)) {
        return ABSENT;
    }
    if (l->shape->flags & HPP_INHERENTLY_USED) {
        return INHERENT;
    }
    if (l->first_use == 0) {
        return VOID;
    }
    return era < l->first_use ? LAG : era <= l->last_use ? USE : DRAG;
}

static const char *const phase_names[] = {"LAG", "USE", "DRAG", "VOID", "INHERENT_USE"};
static const char *const selector_names[] = {"lag", "use", "drag", "void", "inherent_use"};

/* What an object costs a band in an era; the world tells in which band and whether it counts. */
typedef bool counts_in(const world *w, size_t i, uint32_t era, const char *band);

static uint64_t expected_bytes(const world *w, uint32_t era, uint32_t phases, counts_in *counts,
                               const char *band)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < w->heap.n; i++) {
        int phase = phase_of(&w->lives[i], era);
        if (phase != ABSENT && (phases >> phase & 1) && counts(w, i, era, band)) {
            bytes += w->lives[i].size_bytes;
        }
    }
    return bytes;
}

static bool any_object(const world *w, size_t i, uint32_t era, const char *band)
{
    (void)w, (void)i, (void)era, (void)band;
    return true;
}

Test(biography, random_lives_have_the_phases_of_the_definition)
{
    static world w;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        run(&w, seed % 2, &(hpp_census_options){.breakdown = HPF_BREAKDOWN_BIOGRAPHY}, seed,
            seed * 31);
        for (uint32_t era = 1; era <= N_ERAS; era++) {
            const hpp_census_result *result = hpp_census_final(w.census, era - 1);
            for (uint32_t phase = 0; phase < 5; phase++) {
                cr_assert_eq(toy_band(result, phase_names[phase]),
                             expected_bytes(&w, era, 1u << phase, any_object, NULL));
            }
            cr_assert_eq(result->size_bytes, result->live_bytes);
            cr_assert_eq(result->missing.n_biographies, 0);
        }
        finish(&w);
    }
}

static size_t select_phases(uint32_t phases, hpf_str names[5])
{
    size_t n = 0;
    for (uint32_t phase = 0; phase < 5; phase++) {
        if (phases >> phase & 1) {
            names[n++] = (hpf_str){selector_names[phase], strlen(selector_names[phase])};
        }
    }
    return n;
}

static bool has_description(const world *w, size_t i, uint32_t era, const char *band)
{
    (void)era;
    return strncmp(w->lives[i].shape->description.data, band, 2) == 0;
}

Test(biography, phases_of_another_breakdown)
{
    static world w;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        uint32_t phases = (uint32_t)seed % 31 + 1;
        hpf_str names[5];
        const hpp_restriction rule = {HPF_BREAKDOWN_BIOGRAPHY, names, select_phases(phases, names)};
        const hpp_census_options options = {
            .breakdown = HPF_BREAKDOWN_CLOSURE_DESCR, .restrictions = &rule, .n_restrictions = 1};
        run(&w, seed % 2, &options, seed, 5);
        for (uint32_t era = 1; era <= N_ERAS; era++) {
            const hpp_census_result *result = hpp_census_final(w.census, era - 1);
            for (size_t shape = 0; shape < 6; shape++) {
                const char *name = shapes[shape].description.data;
                cr_assert_eq(toy_band(result, name),
                             expected_bytes(&w, era, phases, has_description, name));
            }
        }
        finish(&w);
    }
}

static bool has_shape_0_or_3(const world *w, size_t i, uint32_t era, const char *band)
{
    (void)era, (void)band;
    return w->lives[i].shape == &shapes[0] || w->lives[i].shape == &shapes[3];
}

Test(biography, restricted_to_descriptions)
{
    static world w;
    const hpf_str names[] = {HPF_STR("s0"), HPF_STR("s3")};
    const hpp_restriction rule = {HPF_BREAKDOWN_CLOSURE_DESCR, names, 2};
    const hpp_census_options options = {
        .breakdown = HPF_BREAKDOWN_BIOGRAPHY, .restrictions = &rule, .n_restrictions = 1};
    for (uint64_t seed = 1; seed <= 50; seed++) {
        run(&w, seed % 2, &options, seed, 9);
        for (uint32_t era = 1; era <= N_ERAS; era++) {
            const hpp_census_result *result = hpp_census_final(w.census, era - 1);
            for (uint32_t phase = 0; phase < 5; phase++) {
                cr_assert_eq(toy_band(result, phase_names[phase]),
                             expected_bytes(&w, era, 1u << phase, has_shape_0_or_3, NULL));
            }
        }
        finish(&w);
    }
}

/* ---- Together with retainer sets, which change while an object lives ---- */

/* "(7)s1,s4" as bits. */
static uint32_t set_named(const char *band)
{
    uint32_t set = 0;
    for (const char *label = strchr(band, ')'); label; label = strchr(label + 1, ',')) {
        set |= 1u << (label[2] - '0');
    }
    return set;
}

static bool has_set(const world *w, size_t i, uint32_t era, const char *band)
{
    return w->lives[i].sets[era] == set_named(band);
}

Test(biography, phases_by_retainer_set)
{
    static world w;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint32_t phases = (uint32_t)seed % 31 + 1;
        hpf_str names[5];
        const hpp_restriction rule = {HPF_BREAKDOWN_BIOGRAPHY, names, select_phases(phases, names)};
        const hpp_census_options options = {.breakdown = HPF_BREAKDOWN_RETAINER,
                                            .restrictions = &rule,
                                            .n_restrictions = 1,
                                            .max_name_bytes = 100};
        run(&w, seed % 2, &options, seed, 77);
        for (uint32_t era = 1; era <= N_ERAS; era++) {
            const hpp_census_result *result = hpp_census_final(w.census, era - 1);
            uint64_t sum = 0;
            for (size_t i = 0; i < result->n_bands; i++) {
                char name[128];
                snprintf(name, sizeof name, "%.*s", (int)result->bands[i].name.length,
                         result->bands[i].name.data);
                uint64_t expected = expected_bytes(&w, era, phases, has_set, name);
                cr_assert_eq(result->bands[i].size_bytes, expected);
                sum += expected;
            }
            cr_assert_eq(sum, expected_bytes(&w, era, phases, any_object, NULL));
            cr_assert_eq(result->missing.n_biographies, 0);
        }
        finish(&w);
    }
}

static bool is_retained_by_2(const world *w, size_t i, uint32_t era, const char *band)
{
    (void)band;
    return (w->lives[i].sets[era] >> 2 & 1) != 0;
}

Test(biography, restricted_to_objects_that_a_producer_retains)
{
    static world w;
    const hpf_str names[] = {HPF_STR("s2")};
    const hpp_restriction rule = {HPF_BREAKDOWN_RETAINER, names, 1};
    const hpp_census_options options = {
        .breakdown = HPF_BREAKDOWN_BIOGRAPHY, .restrictions = &rule, .n_restrictions = 1};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        run(&w, seed % 2, &options, seed, 13);
        for (uint32_t era = 1; era <= N_ERAS; era++) {
            const hpp_census_result *result = hpp_census_final(w.census, era - 1);
            for (uint32_t phase = 0; phase < 5; phase++) {
                cr_assert_eq(toy_band(result, phase_names[phase]),
                             expected_bytes(&w, era, 1u << phase, is_retained_by_2, NULL));
            }
        }
        finish(&w);
    }
}

/* ---- When the collector runs, and what it moves, changes nothing ---- */

static void expect_same_results(world *a, world *b)
{
    for (uint32_t i = 0; i < N_ERAS; i++) {
        char names[2][2000] = {"", ""};
        for (int which = 0; which < 2; which++) {
            const hpp_census_result *r = hpp_census_final((which ? b : a)->census, i);
            for (size_t j = 0; j < r->n_bands; j++) {
                size_t n = strlen(names[which]);
                snprintf(names[which] + n, sizeof names[which] - n, "%.*s=%llu\n",
                         (int)r->bands[j].name.length, r->bands[j].name.data,
                         (unsigned long long)r->bands[j].size_bytes);
            }
        }
        cr_assert_str_eq(names[0], names[1]);
    }
}

Test(biography, results_do_not_depend_on_collections)
{
    static world a, b;
    static const hpf_breakdown breakdowns[] = {HPF_BREAKDOWN_BIOGRAPHY, HPF_BREAKDOWN_CLOSURE_DESCR,
                                               HPF_BREAKDOWN_RETAINER};
    const hpf_str names[] = {HPF_STR("drag"), HPF_STR("void")};
    const hpp_restriction rule = {HPF_BREAKDOWN_BIOGRAPHY, names, 2};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const hpp_census_options options = {
            .breakdown = breakdowns[seed % 3], .restrictions = &rule, .n_restrictions = 1};
        run(&a, false, &options, seed, 1);
        run(&b, seed % 2, &options, seed, 1000 + seed);
        expect_same_results(&a, &b);
        finish(&a);
        finish(&b);
    }
}
