/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How long the objects of each producer were lag, use, drag or void, in bytes by duration.
 * Durations are sums of the times between censuses. They are counted in classes of an eighth of an
 * octave, and shown as the mean of their class.
 *
 * Memory: 10 KiB for each of the first 256 producers; all others are one.
 */
#ifndef HPP_LIFE_TIMES_H
#define HPP_LIFE_TIMES_H

#include "band_key.h"
#include "biography.h"

/* A phase of the objects of a producer, or of all others than the first. Returns 0, or a number
 * that ends the visit. The texts are borrowed for the call. */
typedef struct hpp_life_time {
    const char *phase; /* "LAG", "USE", "DRAG" or "VOID" */
    hpf_str producer;
    const uint64_t *bytes; /* by class of durations */
} hpp_life_time;
typedef int hpp_visit_life_time(const hpp_life_time *time, void *context);

enum { HPP__N_DURATIONS = 1 + 40 * 8, HPP__MOST_PRODUCERS = 256 };

typedef struct hpp__life_times {
    hpp__band_keys producers;
    struct hpp__life_bytes {
        uint64_t of[HPP__N_PHASES][HPP__N_DURATIONS];
    } * rows; /* by key; of the last one, all further keys */
    size_t capacity;
    double sums_s[HPP__N_DURATIONS]; /* of the durations of a class */
    uint64_t n[HPP__N_DURATIONS];
    uint64_t n_lost; /* objects without memory for them */
} hpp__life_times;

/* Initialises the times. Texts are copied into `arena`, which must outlive them. Errors: MEMORY. */
hpf_status hpp__life_times_init(hpp__life_times *times, const hpp_heap *heap, hpf_arena *arena,
                                hpf_error *err);
void hpp__life_times_finish(hpp__life_times *times);

/* Adds an object that has died. */
void hpp__life_times_add(hpp__life_times *times, const hpp_object *object,
                         const hpp__life_seconds *life);

/* Returns the mean of the durations of a class; negative if there were none. */
double hpp__life_times_seconds(const hpp__life_times *times, size_t class_index);

/* Visits the phases that have bytes. Returns what the visit returned. */
int hpp__life_times_each(const hpp__life_times *times, hpp_visit_life_time *visit, void *context);

#endif
