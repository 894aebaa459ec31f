/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticky counters over time.
 */
#ifndef HPF_EVENTLOG_TICKY_H
#define HPF_EVENTLOG_TICKY_H

#include "hpfile/eventlog.h"

/* The amounts of a counter over time (hpf_reader_options.value): "ticky-entries", "ticky-allocs",
 * "ticky-allocd", in the order of their fields in a sample; ends with NULL. */
extern const char *const hpf__ticky_values[];

/* Returns the name of the counter of a sample, borrowed until the next call of
 * hpf_eventlog_ticky_note; its number, "0x409f78", if it is not defined. */
hpf_str hpf__eventlog_ticky_name(hpf_eventlog_ticky *ticky, const hpf_event *sample);

#endif
