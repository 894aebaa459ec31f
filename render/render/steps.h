/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinates for back ends that write text: whole steps of 1/100 pt, a third of what the finest
 * printer can show. Whole numbers print fast and short, and differences of them never add up to a
 * drift.
 */
#ifndef HPRENDER_STEPS_H
#define HPRENDER_STEPS_H

#include "hpfile/sink.h"
#include "hprender/scene.h"

#define HPR__STEPS_PER_PT 100

/* Room for any number of steps that hpr__steps_print writes. */
#define HPR__STEPS_BYTES 16

typedef struct hpr__step {
    int64_t x, y;
} hpr__step;

/* Rounded to the nearest step; what lies absurdly far away is brought to 10^9 steps. */
int64_t hpr__steps_of(double value_pt);

/* Writes a whole number with its sign; returns the length, without a NUL. */
size_t hpr__steps_print(char *out, int64_t steps);
void hpr__steps_put(hpf_sink *sink, int64_t steps);

/* The corners of a shape, less those that change nothing: a point that rounds to the one before, or
 * lies straight between its neighbours. */
typedef struct hpr__trace {
    const hpr_item *item;
    size_t next;  /* point not yet looked at */
    hpr__step at; /* the last corner */
    size_t n_corners;
} hpr__trace;

hpr__trace hpr__trace_begin(const hpr_item *item);

/* The next corner; false after the last. */
bool hpr__trace_next(hpr__trace *trace, hpr__step *corner);

#endif
