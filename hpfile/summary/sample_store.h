/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The costs of samples, packed in memory, so that a series can be computed without reading the
 * input again. A survey of a file stores all samples while they are few and small; a live profile
 * stores all of the latest samples and, of the older ones, those worth drawing (downsample.h).
 *
 * Compaction of a live profile's store: samples that are no longer worth drawing are removed when
 * the store is full. Half of the room is for samples worth drawing, and at least a quarter for the
 * latest ones. When the samples worth drawing need more, small names are folded: in older samples
 * their costs are added up under the name HPF__REST. The names with the smallest areas are folded,
 * the areas being those after another run of the same length in which every name keeps its amount;
 * as many as are needed for the samples worth drawing to fit in a quarter of the room, but never
 * the 512 largest. Each compaction ranks the names again: a name that is no longer folded has costs
 * of its own again, while what was folded before remains in the rest.
 */
#ifndef HPF_SAMPLE_STORE_H
#define HPF_SAMPLE_STORE_H

#include <string.h>

#include "event/costs.h"
#include "summary/downsample.h"

/* The name of costs that were folded. */
#define HPF__REST UINT32_MAX

/* --- the store --- */

typedef struct hpf__stored_sample {
    double time;
    uint64_t begin_offset, end_offset; /* in the input; the end identifies the sample */
    size_t at;                         /* its first word: the number of costs, then the costs */
} hpf__stored_sample;

typedef struct hpf__sample_store {
    hpf__stored_sample *samples; /* by time, then by offset */
    size_t n_samples, capacity;
    uint64_t *words;
    size_t n_words, words_capacity;
    size_t most_words; /* room for costs and samples together */
    size_t full_words; /* the store is full when it takes this many; most_words before compaction */
    bool is_dropped;   /* nothing is stored any more */

    size_t n_old;    /* samples before the latest ones, which are all stored */
    bool *is_folded; /* by name, for the first n_ranked names; later ones are not folded */
    size_t n_ranked, ranked_capacity;
    size_t n_kept;    /* number of names, from the largest, that are not folded */
    uint64_t n_folds; /* number of compactions that folded names */
} hpf__sample_store;

/* Initialises an empty store. */
void hpf__sample_store_init(hpf__sample_store *store, size_t most_bytes);
void hpf__sample_store_finish(hpf__sample_store *store);

/* Frees all samples, and stores none from now on. */
void hpf__sample_store_drop(hpf__sample_store *store);

/* Appends a sample, which is not earlier than the last one unless hpf__sample_store_sort follows.
 * Returns false when there is no memory. */
bool hpf__sample_store_add(hpf__sample_store *store, const hpf_sample *sample);

/* Sorts the samples by time, after samples were added out of order. */
void hpf__sample_store_sort(hpf__sample_store *store);

/* Returns whether the room is used up. */
bool hpf__sample_store_is_full(const hpf__sample_store *store);

/* What a name is worth to compaction: its area after another run of the same length. */
typedef double hpf__worth(const void *context, hpf_name name);

/* Removes all samples but the latest ones and `drawn`, which are settled, and folds names
 * if needed. `worth` ranks the `n_names` names. Returns false when there is no memory; the store is
 * unchanged then. */
bool hpf__sample_store_compact(hpf__sample_store *store, const hpf__downsample *drawn,
                               size_t n_names, hpf__worth *worth, const void *context);

/* Compares by time, then by place in the input: below 0, 0 or above 0, as for strcmp. */
static inline int hpf__stored_sample_compare(const hpf__stored_sample *sample,
                                             const hpf_drawn_sample *drawn_sample)
{
    if (sample->time != drawn_sample->time) {
        return sample->time < drawn_sample->time ? -1 : 1;
    }
    return (sample->end_offset > drawn_sample->end_offset) -
           (sample->end_offset < drawn_sample->end_offset);
}

/* Returns the index of a drawn sample's sample, which is at `from` or later; n_samples when it is
 * not stored. */
size_t hpf__sample_store_find(const hpf__sample_store *store, size_t from,
                              const hpf_drawn_sample *drawn_sample);

/* Returns the index of the first sample that is not before `time`. */
size_t hpf__sample_store_find_time(const hpf__sample_store *store, double time);

/* Returns the packed costs of a sample, `*n_costs` of them; HPF__REST may be among their names. */
static inline const uint64_t *hpf__sample_store_costs(const hpf__sample_store *store, size_t index,
                                                      uint64_t *n_costs)
{
    const uint64_t *word = store->words + store->samples[index].at;
    *n_costs = *word;
    return word + 1;
}

#endif
