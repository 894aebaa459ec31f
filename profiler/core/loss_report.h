/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists in words what a profile lacks for lack of memory.
 */
#ifndef HPP_LOSS_REPORT_H
#define HPP_LOSS_REPORT_H

#include "hpfile/sink.h"
#include "ccs/ccs.h"
#include "census/result.h"

typedef struct hpp__loss_report {
    hpp_missing censuses; /* of all of them */
    hpp_losses stacks;
    uint64_t n_samples;         /* that could not be written */
    uint64_t n_retainer_passes; /* that are not in the report */
    uint64_t n_records;         /* that are not in the event log */
    uint64_t n_roots;           /* variables that could not be registered */
    uint64_t n_snapshots;       /* that could not be taken */
    bool no_title;              /* the profile's title lacks options and arguments */
    bool no_ticks;              /* the clock could not be started */
    bool no_places;             /* there was no memory to count by address */
    bool no_report;             /* there was no memory for the time and allocation report */
    bool no_final_biography;    /* the `.hp` file is provisional */
} hpp__loss_report;

/* Adds the losses of one census. */
void hpp__loss_report_add(hpp__loss_report *missing, const hpp_missing *census);

bool hpp__loss_report_is_any(const hpp__loss_report *missing);

/* Writes one line for each loss, "Missing: ...". */
void hpp__loss_report_write(const hpp__loss_report *missing, hpf_sink *sink);

#endif
