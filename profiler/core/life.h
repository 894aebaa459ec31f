/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of one object: when it was created, first used, last used and destroyed. (The figure of
 * Park and Marlow, "Implementation of Lag/Drag/Void/Use Profiling".) And how long all were in each
 * phase.
 */
#ifndef HPP_LIFE_H
#define HPP_LIFE_H

#include "census/life_times.h"
#include "hpprof/heap.h"
#include "output.h"

typedef enum hpp__life_state {
    HPP__LIFE_NONE, /* no object is followed */
    HPP__LIFE_AWAITED,
    HPP__LIFE_LIVES,
    HPP__LIFE_ENDED,
} hpp__life_state;

typedef struct hpp__life {
    hpp__life_state state;
    hpp_ref ref; /* of the object while it lives, else 0 */
    uint64_t size_bytes, n_uses;
    bool is_inherently_used; /* has no other phases */
    double created_s, first_use_s, last_use_s, ended_s;
} hpp__life;

/* Record events of the object at `time_s`. If the clock goes back, like the clock of a runtime
 * after a collection may, the event gets the time of the one before. */
void hpp__life_created(hpp__life *life, hpp_ref ref, const hpp_object *object, double time_s);
void hpp__life_used(hpp__life *life, double time_s);
void hpp__life_ended(hpp__life *life, double time_s);

/* Sends the life as a biography of one object, with marks at its events: one sample before and one
 * after each event. An object that lives has no end; its last sample is at `end_s`. */
void hpp__life_send(const hpp__life *life, hpp__output *output, double end_s);

/* Sends how long objects were in each phase, as a profile over durations: the bytes whose phase
 * lasted as long, by phase and producer. Returns false without memory. */
bool hpp__life_times_send(const hpp__life_times *times, hpp__output *output);

#endif
