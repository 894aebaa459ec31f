/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A survey of a profile that is still growing. Its second pass reads the sample store, and the last
 * series are cached: the same bands again cost only the samples that are new.
 *
 * Where names were folded, their rest is divided among the bands of the folded names in proportion
 * to the sums of these names; usually all of them belong to one band.
 */
#ifndef HPF_LIVE_SURVEY_H
#define HPF_LIVE_SURVEY_H

#include "summary/sample_store.h"
#include "summary/survey.h"

/* Series that were computed. All zero is an empty cache. */
typedef struct hpf__series_cache {
    uint32_t *band_of_name;
    size_t n_names, names_capacity;
    double *values; /* n_bands rows of n_drawn */
    uint32_t n_bands;
    size_t values_capacity;
    uint64_t *ends; /* of the drawn samples in the input, which identify them */
    size_t n_drawn, ends_capacity;
    uint64_t n_folds; /* of the store */
    uint32_t rest;    /* the row that the rest was added to; HPF_NO_BAND: none */
} hpf__series_cache;

/* Number of views that can divide the names into bands of their own without losing their cache. */
#define HPF__N_SERIES_CACHES 4

typedef struct hpf__live_survey {
    hpf_survey base; /* its accumulator is a view */
    const hpf__sample_store *store;
    const hpf__accumulator *growing; /* the accumulator of which it is a view */
    hpf__series_cache caches[HPF__N_SERIES_CACHES];
    uint32_t next_cache; /* the one to be replaced next */
    hpf_cost *costs;     /* of the sample being emitted */
    size_t costs_capacity;
} hpf__live_survey;

extern const hpf__second_pass hpf__live_second_pass;

/* Emits the stored samples [begin, end). A rest has the name `rest`, or is left out if that is
 * HPF__REST. Errors: MEMORY; from `events`. */
hpf_status hpf__live_survey_emit(hpf__live_survey *survey, size_t begin, size_t end, hpf_name rest,
                                 const hpf_events *events, void *context, hpf_error *err);

/* Frees everything but what is borrowed. */
void hpf__live_survey_finish(hpf__live_survey *survey);

#endif
