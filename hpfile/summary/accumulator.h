/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The consumer of events that computes a survey in one pass: totals of each name, the drawn
 * samples, and the overview.
 *
 * A name's trapezium is the sum of amount * (time after - time before) / 2, the times being of the
 * neighbouring samples. So a sample is pending until the next one comes, and only then added to the
 * account of each of its names, to the account of all names, to the drawn samples and to the store.
 *
 * Options can leave out times and names. The accounts then sum up what is left, and `input_sums`
 * the whole input. hpf__accumulator_settle turns accounts into totals; no samples can follow. A
 * view of a growing profile is settled instead, and the accumulator goes on.
 */
#ifndef HPF_ACCUMULATOR_H
#define HPF_ACCUMULATOR_H

#include "base/arena.h"
#include "hpfile/overview.h"
#include "summary/quantity.h"
#include "summary/sample_store.h"

/* The running totals of one name. */
typedef struct hpf__account {
    uint64_t stamp;   /* 1 + index of the last sample that has the name */
    double current;   /* amount in that sample */
    uint64_t wrapped; /* whole amounts added modulo 2^64, and how often that wrapped */
    uint64_t wraps;
    double real_sum; /* the others */
    double trapezium, sum_time, sum_squares, max;
    uint64_t first_sample;
    uint64_t n_missed; /* samples between the first and the last without the name */
    double leftover;
} hpf__account;

/* Returns the sum of all its amounts. */
static inline double hpf__account_sum(const hpf__account *account)
{
    const double two_to_64 = 18446744073709551616.0;
    return (double)account->wraps * two_to_64 + (double)account->wrapped + account->real_sum;
}

static inline uint64_t hpf__account_n_samples(const hpf__account *account)
{
    return account->stamp ? account->stamp - account->first_sample - account->n_missed : 0;
}

/* The last sample: its weight depends on the time of the next one. */
typedef struct hpf__pending {
    hpf_cost *costs;
    size_t n_costs, costs_capacity;
    double time, time_before;
    uint64_t begin_offset, end_offset;
    bool is_there;
} hpf__pending;

typedef struct hpf__accumulator {
    hpf_arena *arena; /* texts */
    hpf_str headers[HPF_N_HEADERS];
    hpf__account *accounts; /* by name */
    size_t n_accounts, accounts_capacity;
    size_t n_hidden; /* accounts after the last that belong to no name, but count in `all_names` */
    hpf__account all_names;
    hpf__pending pending;
    hpf_mark *marks;
    size_t marks_capacity;
    hpf__quantities quantities;
    hpf__downsample drawn;
    hpf__sample_store store; /* all samples, while they are at most 32 MiB and all drawn samples */
    hpf_overview overview;   /* total and drawn samples only after settling */
    hpf_totals *totals;      /* by name, after settling */
    size_t totals_capacity;
    double from_time, to_time; /* samples at other times do not count */
    bool (*is_wanted)(void *context, hpf_str job, hpf_str name); /* NULL: all names count */
    void *is_wanted_context;
    bool *unwanted; /* by name, where is_wanted is given */
    size_t unwanted_capacity;
    /* By name: sum of its amounts in the whole input. NULL if all amounts count, except in views.
     */
    double *input_sums;
    size_t input_sums_capacity;
    bool has_input_sums;       /* the samples that come are in it already */
    double seen_from, seen_to; /* times of the first and the last sample, counted or not */
} hpf__accumulator;

/* The events that an accumulator accepts; the context is the accumulator. */
extern const hpf_events hpf__accumulator_events;

/* Returns whether a sample at this time counts. */
static inline bool hpf__accumulator_has(const hpf__accumulator *accumulator, double time)
{
    return time >= accumulator->from_time && time <= accumulator->to_time;
}

/* For samples at all times. */
bool hpf__accumulator_init(hpf__accumulator *accumulator, size_t max_drawn);
void hpf__accumulator_finish(hpf__accumulator *accumulator);

/* Forgets all samples, which then must be sent again, until `has_input_sums` is unset; names,
 * headers, marks, quantities, leftovers and `input_sums` stay. */
void hpf__accumulator_forget_samples(hpf__accumulator *accumulator);

/* Returns the sum of the amounts of a name in the whole input. */
double hpf__accumulator_input_sum(const hpf__accumulator *accumulator, hpf_name name);

/* Sorts marks by time, stably. Returns false when there is no memory. */
bool hpf__accumulator_sort_marks(hpf__accumulator *accumulator);

/* Ends the samples: adds the last one, and fills totals and overview, without quantities. */
hpf_status hpf__accumulator_settle(hpf__accumulator *accumulator, hpf_error *err);

/* Stores all quantities in the overview. */
hpf_status hpf__accumulator_settle_lines(hpf__accumulator *accumulator, hpf_error *err);

/* --- views --- */

/* A view is what another accumulator would be if no more samples came; begins all zero, and may be
 * made again. It has sums, drawn samples and the pending sample of its own; texts, marks and
 * quantities are borrowed until the other accumulator receives an event. Returns false when there
 * is no memory. */
bool hpf__accumulator_view(hpf__accumulator *view, const hpf__accumulator *of);

/* Creates a view without samples, and with one account after the accounts of the names. */
bool hpf__accumulator_view_names(hpf__accumulator *view, const hpf__accumulator *of);
void hpf__accumulator_view_finish(hpf__accumulator *view);

#endif
