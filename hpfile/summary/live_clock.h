/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes of a growing event log that wait for the mutator's clock. Each capability writes blocks of
 * its own, later than others, so the clock at a sample is known when the records of all
 * capabilities up to its time have been read.
 */
#ifndef HPF_LIVE_CLOCK_H
#define HPF_LIVE_CLOCK_H

#include "hpfile/eventlog_activity.h"

typedef struct hpf__live_clock hpf__live_clock;

/* Creates an empty queue. `activity` becomes the clock; it is borrowed. Returns NULL without
 * memory.
 */
hpf__live_clock *hpf__live_clock_create(hpf_eventlog_activity *activity);
void hpf__live_clock_destroy(hpf__live_clock *clock);

/* Appends bytes. Errors: MEMORY. Input that is not a sound event log does not wait. */
hpf_status hpf__live_clock_feed(hpf__live_clock *clock, const char *bytes, size_t n_bytes,
                                hpf_error *err);

/* Removes the next bytes whose time is known, or of all, into `*piece`, which is valid until the
 * next feed. Returns false if there are none. */
bool hpf__live_clock_next(hpf__live_clock *clock, bool takes_all, hpf_str *piece);

#endif
