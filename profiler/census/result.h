/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The result of a census, and what it lacks.
 */
#ifndef HPP_CENSUS_RESULT_H
#define HPP_CENSUS_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/str.h"
#include "hpprof/census_types.h"

/* Bytes of bands and sets are objects if hpp_census_options.count_objects is set.
 *
 * One band of a result. `index` counts from 0 in order of first appearance, and is the same for a
 * name in all results of an engine; it can be used as an hpf_name. Names are valid until the engine
 * is destroyed. */
typedef struct hpp_band {
    uint32_t index;
    hpf_str name;
    uint64_t size_bytes; /* never 0 */
} hpp_band;

/* The bands of a census by another break-down, with indices of their own. */
typedef struct hpp_bands {
    hpf_breakdown by;
    const hpp_band *bands;
    size_t n_bands;
} hpp_bands;

/* What is missing for lack of memory; all 0 if nothing is. */
typedef struct hpp_missing {
    /* In this census. */
    uint64_t unnamed_bytes; /* in the band OUT_OF_MEMORY, or, among bands by stack, in that one if
                               it has more */
    uint64_t n_sets;        /* retainer sets that could not be created (their objects have the set
                               OUT_OF_MEMORY) or cannot be visited */
    uint64_t n_untraced;    /* objects whose children could not be followed */
    /* Since the start. */
    uint64_t n_biographies; /* objects whose last phase is unknown: they count as lag or use */
    uint64_t n_eras;        /* censuses without a record: their era continues */
} hpp_missing;

/* The retainer pass of one census. */
typedef struct hpp_retainer_figures {
    uint64_t n_objects;  /* reached from the roots */
    uint64_t n_visits;   /* n_visits / n_objects is the paper's visits per object */
    uint64_t n_scans;    /* walks over the children of an object */
    uint64_t max_frames; /* deepest work stack */
    uint64_t size_bytes; /* cost of all sets: all that is counted, except UNREACHED */
    uint32_t n_sets;     /* created since the start */
    /* Of the objects with a cost: their number, and the retainers in their sets, added up. A set
     * that is MANY has one more than the limit. */
    uint64_t n_costed, n_retainers;
    uint32_t largest_set; /* most retainers of an object */
} hpp_retainer_figures;

/* One sample. */
typedef struct hpp_census_result {
    double time_s;
    uint32_t era;          /* from 1 */
    bool is_provisional;   /* phases that are not known yet are joined */
    const hpp_band *bands; /* by index, increasing */
    size_t n_bands;
    /* With hpp__census_divide_by_stack: the parts of the bands, and by further break-downs. */
    hpp_bands by_stack;
    hpp_bands further[HPP_MAX_FURTHER_BANDS];
    uint64_t size_bytes;      /* all bands together */
    uint64_t inherited_bytes; /* of all objects in bands (hpp_object) */
    uint64_t live_bytes; /* all objects, whatever the restrictions; stacks only with count_stacks */
    uint64_t n_live_objects;
    hpp_retainer_figures retainers;
    hpp_missing missing;
} hpp_census_result;

#endif
