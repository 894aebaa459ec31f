/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where the input of a live profile may end, and what its stacks cost.
 */
#ifndef HPF_LIVE_H
#define HPF_LIVE_H

#include "eventlog/eventlog_time.h"
#include "eventlog/eventlog_totals.h"
#include "hpfile/live.h"

/* Returns whether the input may end here: there are samples, and no statement is incomplete, so
 * that hpf_live_finish would change nothing. */
HPF_API bool hpf_live_is_whole(const hpf_live *live);

/* Returns whether the input has an end marker, as event logs do. */
HPF_API bool hpf_live_has_end(const hpf_live *live);

/* Returns the number of bytes fed so far, without the sidecar. */
HPF_API uint64_t hpf_live_n_bytes(const hpf_live *live);

/* Checks that the view of the options shows something of the names so far. Errors: RANGE,
 * UNSUPPORTED. */
HPF_API hpf_status hpf_live_check_view(const hpf_live *live, hpf_error *err);

/* Returns the time profile so far, borrowed; NULL without `has_costs`, and if the input is not an
 * event log with a time profile. */
HPF_API hpf_eventlog_time *hpf_live_time(const hpf_live *live);

/* Returns the latest totals of the stacks, borrowed until the next feed; NULL without `has_costs`,
 * and if the input is not an event log with totals. */
HPF_API const hpf__eventlog_totals *hpf_live_totals(const hpf_live *live);

#endif
