/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes below the plot: allocation, pauses, threads and sparks of a run-time system.
 */
#ifndef HPR_LANES_H
#define HPR_LANES_H

#include "chart/chart.h"

enum { HPR__MOST_LANES = 4, HPR__NOTE_BYTES = 160 };

typedef enum hpr__lane_kind {
    HPR__LANE_ALLOCATION,
    HPR__LANE_GC,
    HPR__LANE_THREADS,
    HPR__LANE_SPARKS
} hpr__lane_kind;

/* What a lane shows. */
typedef struct hpr__lane_source {
    hpr__lane_kind kind;
    const char *name, *unit;
    const double *cells, *parts; /* amounts; parts of them, or NULL */
    double high;                 /* the amount per second at the upper edge */
} hpr__lane_source;

/* Lists what an activity has records of, top lane first. Returns how many there are. */
size_t hpr__lanes_list(hpr__lane_source out[HPR__MOST_LANES], const hpf_activity *activity);

/* Writes the figure that sums up a lane: "12 % of time". */
void hpr__lane_note(char note[HPR__NOTE_BYTES], const hpr__lane_source *source,
                    const hpf_activity *activity, bool si_units);

/* Creates the lanes for which there are records, with their names and notes, and reserves their
 * height. Call it before the heights of the rows are set. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__lanes_create(hpr__chart *chart, const hpr_options *options,
                                          hpf_error *err);

/* Fills in the places and amounts of the lanes. The plot and the x axis must be final. Errors:
 * MEMORY. */
HPF_MUST_USE hpf_status hpr__lanes_place(hpr__chart *chart, const hpr_options *options,
                                         hpf_error *err);

#endif
