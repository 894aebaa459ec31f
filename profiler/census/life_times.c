/* SPDX-License-Identifier: BSD-2-Clause */
#include "life_times.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "hpfile/str.h"

enum { LEAST_EXPONENT = -20, PER_OCTAVE = 8, MOST_NAME_BYTES = 256 };

hpf_status hpp__life_times_init(hpp__life_times *t, const hpp_heap *heap, hpf_arena *arena,
                                hpf_error *err)
{
    hpf_breakdown kind = heap->stacks ? HPF_BREAKDOWN_COST_CENTRE : HPF_BREAKDOWN_CLOSURE_DESCR;
    return hpp__band_keys_init(&t->producers, kind, heap, arena, err);
}

void hpp__life_times_finish(hpp__life_times *t)
{
    hpp__band_keys_finish(&t->producers);
    free(t->rows);
    *t = (hpp__life_times){0};
}

/* Returns the class of a duration: 0 for less than a microsecond, then eighths of octaves. */
static size_t class_of(double seconds)
{
    int exponent;
    double fraction = 2 * frexp(seconds, &exponent) - 1;
    if (seconds < ldexp(1, LEAST_EXPONENT)) {
        return 0;
    }
    size_t octave = (size_t)(exponent - 1 - LEAST_EXPONENT);
    size_t i = 1 + octave * PER_OCTAVE + (size_t)(fraction * PER_OCTAVE);
    return i < HPP__N_DURATIONS ? i : HPP__N_DURATIONS - 1;
}

void hpp__life_times_add(hpp__life_times *t, const hpp_object *object,
                         const hpp__life_seconds *life)
{
    size_t key = hpp__band_keys_get(&t->producers, object);
    key = key < HPP__MOST_PRODUCERS ? key : HPP__MOST_PRODUCERS;
    if (!HPF__ARRAY_RESERVE_ZEROED(t->rows, t->capacity, key + 1)) {
        t->n_lost++;
        return;
    }
    for (size_t phase = 0; phase < HPP__N_PHASES; phase++) {
        if (phase == HPP__PHASE_VOID ? !life->is_used : life->is_used) {
            double seconds = life->of[phase];
            size_t i = class_of(seconds);
            t->rows[key].of[phase][i] += object->size_bytes;
            t->sums_s[i] += seconds;
            t->n[i]++;
        }
    }
}

double hpp__life_times_seconds(const hpp__life_times *t, size_t i)
{
    return t->n[i] > 0 ? round(t->sums_s[i] / (double)t->n[i] * 1e9) / 1e9 : -1;
}

static bool has_bytes(const uint64_t *bytes)
{
    size_t i = 0;
    while (i < HPP__N_DURATIONS && bytes[i] == 0) {
        i++;
    }
    return i < HPP__N_DURATIONS;
}

int hpp__life_times_each(const hpp__life_times *t, hpp_visit_life_time *visit, void *context)
{
    static const char *const phases[HPP__N_PHASES] = {"LAG", "USE", "DRAG", "VOID"};
    int result = 0;
    for (uint32_t key = 0; key < t->capacity && result == 0; key++) {
        hpp__text name = {0};
        if (key < HPP__MOST_PRODUCERS && key < t->producers.n_keys) {
            hpp__band_keys_write_name(&t->producers, key, MOST_NAME_BYTES, &name);
        } else {
            hpp__text_add(&name, HPF_STR("OTHER"));
        }
        for (size_t i = 0; i < HPP__N_PHASES && result == 0; i++) {
            if (has_bytes(t->rows[key].of[i])) {
                result = visit(
                    &(hpp_life_time){phases[i], hpp__text_str(&name), t->rows[key].of[i]}, context);
            }
        }
        hpp__text_finish(&name);
    }
    return result;
}
