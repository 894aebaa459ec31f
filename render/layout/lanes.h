/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes below the plot: allocation, pauses, threads and sparks of a run-time system.
 */
#ifndef HPR_LANES_H
#define HPR_LANES_H

#include "chart/chart.h"

enum {
    HPR__MOST_PROCESSORS = 16,
    HPR__MOST_LANES = 3 + 2 * HPR__MOST_PROCESSORS,
    HPR__NOTE_BYTES = 160
};

typedef enum hpr__lane_kind {
    HPR__LANE_ALLOCATION,
    HPR__LANE_GC,
    HPR__LANE_THREADS,   /* of all processors */
    HPR__LANE_PROCESSOR, /* instead: one for each */
    HPR__LANE_SPARKS     /* of all processors, or of one */
} hpr__lane_kind;

/* What a lane shows. */
typedef struct hpr__lane_source {
    hpr__lane_kind kind;
    const char *name, *unit;
    const double *cells, *parts;         /* amounts; parts of them, or NULL */
    double high;                         /* the amount per second at the upper edge */
    const hpf_processor_cell *processor; /* instead of cells; or NULL */
    const hpf_processor *sparks_of;      /* whose sparks it shows; NULL: the sparks of all */
} hpr__lane_source;

/* Lists what an activity has records of, top lane first. Returns how many there are. */
size_t hpr__lanes_list(hpr__lane_source out[HPR__MOST_LANES], const hpf_activity *activity);

/* Returns the colour of a thread, by its index: the longest have different ones. */
uint32_t hpr__thread_colour(uint32_t thread);
enum { HPR__COLLECTION_COLOUR = 0xd1495b };

/* Stores the threads that ran longest on a processor, among those with colours of their own.
 * Returns how many there are. */
enum { HPR__LANE_KEYS = 2, HPR__KEY_BYTES = 24 };
size_t hpr__lane_keys(uint32_t keys[HPR__LANE_KEYS], const hpf_processor_cell *cells,
                      size_t n_cells);

/* Writes the name of a thread, shortened. */
void hpr__lane_key(char out[HPR__KEY_BYTES], const char *name);

/* Writes the figure that sums up a lane, "12 % of time", or the names of these threads. */
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
