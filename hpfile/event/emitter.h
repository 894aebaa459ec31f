/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Emitting events, for readers of tables and documents: names get their numbers, a sample is
 * gathered and sent, and times are kept from going back.
 */
#ifndef HPF_EMITTER_H
#define HPF_EMITTER_H

#include "event/costs.h"
#include "base/intern.h"
#include "io/byte_cursor.h"

/* Begins as {.events = ..., .context = ...}. */
typedef struct hpf__emitter {
    const hpf_events *events;
    void *context;
    hpf__intern names;
    hpf__costs costs; /* of the sample being gathered */
    double time;      /* of the last sample */
    uint64_t n_samples;
} hpf__emitter;

hpf_status hpf__emitter_header(hpf__emitter *emit, hpf_header which, hpf_str text, hpf_error *err);

/* For what the input does not say: empty, or the units seconds and bytes. */
hpf_status hpf__emitter_default_header(hpf__emitter *emit, hpf_header which, hpf_error *err);

hpf_status hpf__emitter_mark(hpf__emitter *emit, double time, hpf_str label, hpf_error *err);

hpf_status hpf__emitter_line(hpf__emitter *emit, hpf_str name, hpf_quantity_point point,
                             hpf_error *err);

/* Stores the number of a name, which is defined if it is new. */
hpf_status hpf__emitter_name(hpf__emitter *emit, hpf_str text, hpf_name *number, hpf_error *err);

/* Adds a cost to the sample being gathered. */
hpf_status hpf__emitter_cost(hpf__emitter *emit, const hpf_cost *cost, hpf_error *err);

/* Emits the sample and begins an empty one. `place` is where its time is, for the error when time
 * goes back. */
hpf_status hpf__emitter_sample(hpf__emitter *emit, double time, hpf__location place,
                               hpf_error *err);

void hpf__emitter_finish(hpf__emitter *emit);

#endif
