/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The places of samples, for an event log that does not have them in the order of time.
 */
#ifndef HPF_ORDER_H
#define HPF_ORDER_H

#include "hpfile/event.h"

typedef struct hpf__place {
    double time;
    uint64_t begin_offset, end_offset;
} hpf__place;

typedef struct hpf__order {
    hpf__place *places;
    size_t n_places, capacity;
} hpf__order;

/* Gathers the places of samples; the context is the order. */
extern const hpf_events hpf__order_events;

/* By time, those of one time as they stand in the input. */
void hpf__order_sort(hpf__order *order);
void hpf__order_finish(hpf__order *order);

#endif
