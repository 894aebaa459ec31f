/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What each capability of an event log did over time: which thread it ran, when it collected, and
 * its sparks.
 *
 * Memory: at most 496 KiB for each of 16 capabilities, and the labels of 4096 threads;
 * all further threads are one.
 */
#ifndef HPF_EVENTLOG_PROCESSORS_H
#define HPF_EVENTLOG_PROCESSORS_H

#include "hpfile/eventlog.h"

typedef struct hpf__processors hpf__processors;

/* Returns NULL without memory. */
hpf__processors *hpf__processors_create(void);
void hpf__processors_destroy(hpf__processors *processors);

/* Returns whether events of this type do something. */
bool hpf__processors_want(uint16_t type);

/* Notes an event. Errors: MEMORY. */
hpf_status hpf__processors_note(hpf__processors *processors, const hpf_event *event,
                                hpf_error *err);

/* Adds sparks that a capability created, or ran, between two times. Errors: MEMORY. */
hpf_status hpf__processors_add_sparks(hpf__processors *processors, uint16_t cap, bool are_run,
                                      double begin_s, double end_s, double n, hpf_error *err);
void hpf__processors_forget_sparks(hpf__processors *processors);

/* The clock of the cells that are shown. */
typedef double hpf__processors_time(const void *context, double elapsed_s);

/* Sets the processors and threads of an activity between the times that it has; none if more than
 * 16 processors have run threads. What has not ended lasts until the elapsed time `until_s`.
 * Borrowed until the next call. */
void hpf__processors_show(hpf__processors *processors, hpf_activity *activity, double until_s,
                          hpf__processors_time *time, const void *context);

#endif
