/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The hooks of a biography, called by many threads at once: objects with words in the engine's
 * table, and one object with a header that all use. A program of its own, so that it runs under
 * the thread sanitizer, which the test framework does not.
 */
#include <pthread.h>
#include <stdio.h>

#include "census/biography.h"
#include "toy_heap.h"

enum { N_THREADS = 4, N_PER_THREAD = 5000, N_ROUNDS = 3 };

static const toy_stack MAIN = {"MAIN", "MAIN", NULL, 1};
static const hpp_shape CELL = {.description = {"Cell", 4}};

typedef struct worker {
    hpp_census *census;
    toy_heap *heap;
    size_t first;
    bool again; /* the objects are there since the last round */
    uint64_t *shared_word;
} worker;

/* Each object dies, if it was there, and is made and used; every other one dies once more and is
 * left unused. */
static void *work(void *context)
{
    const worker *me = context;
    for (size_t i = me->first; i < me->first + N_PER_THREAD; i++) {
        hpp_ref ref = me->heap->objects[i].ref;
        hpp_object object = toy_describe(me->heap, i);
        if (me->again) {
            hpp_census_dead(me->census, ref, &object);
        }
        hpp_census_created(me->census, ref, NULL);
        hpp_census_used(me->census, ref, NULL);
        if (i % 2) {
            hpp_census_dead(me->census, ref, &object);
            hpp_census_created(me->census, ref, NULL);
        }
        hpp_life_use(me->shared_word, hpp_census_era(me->census));
    }
    return NULL;
}

static void run_round(hpp_census *census, toy_heap *heap, bool again, uint64_t *shared_word)
{
    pthread_t threads[N_THREADS];
    worker workers[N_THREADS];
    for (size_t i = 0; i < N_THREADS; i++) {
        workers[i] = (worker){census, heap, i * N_PER_THREAD, again, shared_word};
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* Half of the objects are used in the era in which they are made, half never. */
static int check(hpp_census *census)
{
    const uint64_t half = N_THREADS * N_PER_THREAD / 2;
    for (uint32_t i = 0; i < N_ROUNDS; i++) {
        const hpp_census_result *result = hpp_census_final(census, i);
        uint64_t used = toy_band(result, "USE"), idle = toy_band(result, "VOID");
        if (used != half || idle != half || result->size_bytes != 2 * half) {
            printf("era %u: %llu used, %llu void, not %llu each\n", i + 1, (unsigned long long)used,
                   (unsigned long long)idle, (unsigned long long)half);
            return 1;
        }
    }
    return 0;
}

int main(void)
{
    toy_heap heap;
    toy_init(&heap, N_THREADS * N_PER_THREAD, false);
    for (size_t i = 0; i < N_THREADS * N_PER_THREAD; i++) {
        toy_new(&heap, 1, &CELL, &MAIN, 0);
    }
    hpp_census *census;
    const hpp_census_options options = {.breakdown = HPF_BREAKDOWN_BIOGRAPHY, .many_threads = true};
    uint64_t shared_word = hpp_life_created_in(1);
    int failed = hpp_census_create(&census, &heap.adapter, &options, NULL) != HPF_OK;
    for (int round = 0; round < N_ROUNDS && !failed; round++) {
        run_round(census, &heap, round > 0, &shared_word);
        hpp_census_take(census, round);
    }
    failed = failed || hpp_life_last_use_era(shared_word) != N_ROUNDS ||
             hpp_census_end(census, NULL) != HPF_OK || check(census);
    hpp_census_destroy(census);
    toy_finish(&heap);
    return failed;
}
