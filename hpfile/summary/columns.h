/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The costs of samples that may be drawn, kept in memory while a profile grows: of the latest
 * samples all, of older ones those that are picks. A column is one sample; columns lie one behind
 * the other in the order of time, those of one time in that of the input.
 *
 * Columns that are picks no more leave garbage, which is swept out when there is no room. Of the
 * room, half is for picks and a quarter at least for the latest samples. When the picks take more,
 * names are folded: in columns that are not among the latest their costs are added up to one
 * rest, which belongs to no name. The names that are folded are those of the smallest areas, as
 * they will be when the run has lasted twice as long with every name staying as it is; and so many
 * that the picks take a quarter of the room, but never the 512 largest. From then on names are
 * judged at each sweep: one that comes to be among those that are kept has its own costs
 * again; what it had before stays in the rest.
 */
#ifndef HPF_COLUMNS_H
#define HPF_COLUMNS_H

#include "summary/packed.h"
#include "summary/accumulator.h"

/* The name of the rest. */
#define HPF__REST UINT32_MAX

typedef struct hpf__column {
    double time;
    uint64_t begin_offset, end_offset; /* in the input; the end tells one from all others */
    size_t at;                         /* its first word: the number of costs, then they, packed */
} hpf__column;

typedef struct hpf__columns {
    hpf__column *all; /* by time, then by offset */
    size_t n_columns, capacity;
    uint64_t *words;
    size_t n_words, words_capacity;
    size_t most_words;  /* that columns should take, their places in `all` included */
    size_t sweep_words; /* so many are taken when it is time to sweep */
    size_t n_old;       /* columns before the latest, which are all there */
    bool *is_folded;    /* by name, the first n_judged of them; others are not */
    size_t n_judged, judged_capacity;
    size_t n_kept;    /* so many names of the largest worth are not folded */
    uint64_t n_folds; /* how often costs may have become a rest; 0: there is none */
} hpf__columns;

void hpf__columns_init(hpf__columns *columns, size_t most_bytes);
void hpf__columns_finish(hpf__columns *columns);

/* The costs of one more sample, behind all others. False when there is no memory. */
bool hpf__columns_add(hpf__columns *columns, const hpf_sample *sample);

/* Samples that are earlier than one before them may have been added: puts the columns in order, but
 * not their words. They can only be read then. */
void hpf__columns_sort(hpf__columns *columns);

/* Where a column stands to that of a pick: below 0 before it, 0 it is that one, above 0 behind. */
static inline int hpf__column_compare(const hpf__column *column, const hpf_pick *pick)
{
    if (column->time != pick->time) {
        return column->time < pick->time ? -1 : 1;
    }
    return (column->end_offset > pick->end_offset) - (column->end_offset < pick->end_offset);
}

/* Whether it is time to sweep. */
bool hpf__columns_are_full(const hpf__columns *columns);

/* Leaves the settled picks of a tally and the latest samples. `tally` knows what names are worth.
 * False when there is no memory; then all is as it was. */
bool hpf__columns_sweep(hpf__columns *columns, const hpf__tally *tally, const hpf__picks *picks);

/* The column of a pick, at or behind `from`; n_columns when it is not there. */
size_t hpf__columns_find(const hpf__columns *columns, size_t from, const hpf_pick *pick);

/* Its costs, among which may be one of the name HPF__REST: `*n_costs` of them, packed. */
static inline const uint64_t *hpf__columns_costs(const hpf__columns *columns, size_t index,
                                                 uint64_t *n_costs)
{
    const uint64_t *word = columns->words + columns->all[index].at;
    *n_costs = *word;
    return word + 1;
}

#endif
