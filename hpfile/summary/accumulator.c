/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Adding up. add_cost is the inner loop of every first pass: one name in one sample costs four sums
 * and a maximum, all in one or two cache lines.
 */
#include "base/arena.h"
#include "summary/accumulator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/array.h"

#define STORE_BYTES ((size_t)32 << 20)

bool hpf__accumulator_init(hpf__accumulator *t, size_t max_drawn)
{
    *t = (hpf__accumulator){.arena = hpf_arena_create(),
                            .from_time = -HUGE_VAL,
                            .to_time = HUGE_VAL,
                            .seen_from = HUGE_VAL};
    hpf__downsample_init(&t->drawn, max_drawn);
    hpf__sample_store_init(&t->store, STORE_BYTES);
    return t->arena != NULL;
}

void hpf__accumulator_finish(hpf__accumulator *t)
{
    hpf_arena_destroy(t->arena);
    hpf__downsample_finish(&t->drawn);
    hpf__quantities_finish(&t->quantities);
    hpf__sample_store_finish(&t->store);
    free(t->accounts);
    free(t->pending.costs);
    free(t->marks);
    free(t->totals);
    free(t->unwanted);
    free(t->input_sums);
}

/* Returns whether some amounts do not count. */
static bool is_partial(const hpf__accumulator *t)
{
    return t->is_wanted || t->from_time > -HUGE_VAL || t->to_time < HUGE_VAL;
}

double hpf__accumulator_input_sum(const hpf__accumulator *t, hpf_name name)
{
    return t->input_sums ? t->input_sums[name] : hpf__account_sum(&t->accounts[name]);
}

/* --- events --- */

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf__accumulator *t = context;
    t->headers[which] = hpf_arena_str(t->arena, text);
    return t->headers[which].data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status ask_if_wanted(hpf__accumulator *t, hpf_name name, hpf_str text, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(t->unwanted, t->unwanted_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    t->unwanted[name] = !t->is_wanted(t->is_wanted_context, t->headers[HPF_HEADER_JOB], text);
    return HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf__accumulator *t = context;
    if (!HPF__ARRAY_RESERVE(t->accounts, t->accounts_capacity, (size_t)name + 1) ||
        (is_partial(t) &&
         !HPF__ARRAY_RESERVE(t->input_sums, t->input_sums_capacity, (size_t)name + 1))) {
        return hpf_error_set_memory(err);
    }
    t->accounts[name] = (hpf__account){0};
    if (t->input_sums) {
        t->input_sums[name] = 0;
    }
    t->n_accounts = (size_t)name + 1;
    return t->is_wanted ? ask_if_wanted(t, name, text, err) : HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf__accumulator *t = context;
    hpf_overview *o = &t->overview;
    if (!HPF__ARRAY_RESERVE(t->marks, t->marks_capacity, o->n_marks + 1)) {
        return hpf_error_set_memory(err);
    }
    hpf_str copy = hpf_arena_str(t->arena, label);
    if (!copy.data) {
        return hpf_error_set_memory(err);
    }
    t->marks[o->n_marks++] = (hpf_mark){time, copy};
    return HPF_OK;
}

static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf__accumulator *t = context;
    return hpf__quantities_add(&t->quantities, name, point) ? HPF_OK : hpf_error_set_memory(err);
}

/* What all names of a sample need for their sums. */
typedef struct moment {
    uint64_t stamp;
    double since_first; /* time from the first sample */
    double weight;      /* half the time from the sample before to the sample after */
} moment;

/* Notes that the sample has the name. Most names were in the sample before: then there is next to
 * nothing to note. */
static inline void open_account(hpf__account *a, const moment *now)
{
    if (HPF__UNLIKELY(a->stamp + 1 != now->stamp)) {
        if (a->stamp == 0) {
            a->first_sample = now->stamp - 1;
        } else {
            a->n_missed += now->stamp - 1 - a->stamp;
        }
    }
    a->stamp = now->stamp;
    a->current = 0;
}

/* Adds an amount; a sample may have several of one name, so the maximum is of their sum so far. */
static inline void add_amount(hpf__account *a, double amount, const moment *now)
{
    double current = a->current + amount;
    a->trapezium += amount * now->weight;
    a->sum_time += amount * now->since_first;
    a->sum_squares += amount * (current + a->current);
    a->max = current > a->max ? current : a->max;
    a->current = current;
}

static inline double add_cost(hpf__account *a, const hpf_cost *cost, const moment *now)
{
    double amount;
    if (HPF__UNLIKELY(cost->is_real)) {
        amount = cost->real;
        a->real_sum += amount;
    } else {
        amount = (double)cost->whole;
        a->wrapped += cost->whole;
        if (HPF__UNLIKELY(a->wrapped < cost->whole)) {
            a->wraps++;
        }
    }
    if (HPF__LIKELY(a->stamp != now->stamp)) {
        open_account(a, now);
    }
    add_amount(a, amount, now);
    return amount;
}

static hpf_status add_total(hpf__accumulator *t, double total, const moment *now, hpf_error *err)
{
    hpf_overview *o = &t->overview;
    const hpf__pending *h = &t->pending;
    open_account(&t->all_names, now);
    add_amount(&t->all_names, total, now);
    o->sum_times += now->since_first;
    o->sum_times_squared += now->since_first * now->since_first;
    if (o->n_samples == 0 || total > o->peak_total) {
        o->peak_total = total;
        o->peak_time = h->time;
        o->peak_sample = o->n_samples;
    }
    hpf_drawn_sample drawn_sample = {h->time, total, o->n_samples, h->begin_offset, h->end_offset};
    return hpf__downsample_add(&t->drawn, &drawn_sample) ? HPF_OK : hpf_error_set_memory(err);
}

/* Stores the pending sample, for a second pass without reading. Without memory nothing is stored.
 */
static void store_costs(hpf__accumulator *t)
{
    const hpf__pending *h = &t->pending;
    hpf_sample sample = {h->time, h->costs, h->n_costs, h->begin_offset, h->end_offset};
    if (!t->store.is_dropped &&
        (t->overview.n_samples >= t->drawn.max_drawn ||
         !hpf__sample_store_add(&t->store, &sample) || hpf__sample_store_is_full(&t->store))) {
        hpf__sample_store_drop(&t->store);
    }
}

/* Adds the pending sample to all sums; `time_after` is the time of the next one. */
static hpf_status add_pending(hpf__accumulator *t, double time_after, hpf_error *err)
{
    hpf__pending *h = &t->pending;
    hpf_overview *o = &t->overview;
    if (!h->is_there) {
        return HPF_OK;
    }
    moment now = {o->n_samples + 1, h->time - o->first_time, (time_after - h->time_before) / 2};
    double total = 0;
    for (size_t i = 0; i < h->n_costs; i++) {
        total += add_cost(&t->accounts[h->costs[i].name], &h->costs[i], &now);
    }
    store_costs(t);
    hpf_status status = add_total(t, total, &now, err);
    o->last_time = h->time;
    o->n_samples++;
    h->is_there = false;
    return status;
}

/* Removes the costs of names that do not count. Returns how many are left. */
static size_t keep_wanted(const hpf__accumulator *t, hpf_cost *costs, size_t n_costs)
{
    size_t n = 0;
    if (!t->is_wanted) {
        return n_costs;
    }
    for (size_t i = 0; i < n_costs; i++) {
        if (!t->unwanted[costs[i].name]) {
            costs[n++] = costs[i];
        }
    }
    return n;
}

static hpf_status copy_sample(hpf__accumulator *t, const hpf_sample *sample, hpf_error *err)
{
    hpf__pending *h = &t->pending;
    if (!HPF__ARRAY_RESERVE(h->costs, h->costs_capacity, sample->n_costs + 1)) {
        return hpf_error_set_memory(err);
    }
    if (sample->n_costs) {
        memcpy(h->costs, sample->costs, sample->n_costs * sizeof *h->costs);
    }
    h->n_costs = sample->n_costs;
    h->time_before = h->time;
    h->time = sample->time;
    h->begin_offset = sample->begin_offset;
    h->end_offset = sample->end_offset;
    h->is_there = true;
    return HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf__accumulator *t = context;
    t->seen_from = fmin(t->seen_from, sample->time);
    t->seen_to = sample->time;
    for (size_t i = 0; t->input_sums && !t->has_input_sums && i < sample->n_costs; i++) {
        t->input_sums[sample->costs[i].name] += hpf_cost_amount(&sample->costs[i]);
    }
    if (!hpf__accumulator_has(t, sample->time)) {
        t->overview.n_before += sample->time < t->from_time;
        return HPF_OK;
    }
    hpf_status status = HPF_OK;
    if (t->pending.is_there) {
        status = add_pending(t, sample->time, err);
    } else {
        t->overview.first_time = t->pending.time = sample->time;
    }
    if (status == HPF_OK && (status = copy_sample(t, sample, err)) == HPF_OK) {
        t->pending.n_costs = keep_wanted(t, t->pending.costs, t->pending.n_costs);
    }
    return status;
}

static hpf_status on_leftover(void *context, const hpf_cost *costs, size_t n_costs, hpf_error *err)
{
    hpf__accumulator *t = context;
    (void)err;
    for (size_t i = 0; i < n_costs; i++) {
        if (!t->is_wanted || !t->unwanted[costs[i].name]) {
            t->accounts[costs[i].name].leftover += hpf_cost_amount(&costs[i]);
        }
    }
    return HPF_OK;
}

const hpf_events hpf__accumulator_events = {.header = on_header,
                                            .name = on_name,
                                            .sample = on_sample,
                                            .mark = on_mark,
                                            .quantity = on_line,
                                            .leftover = on_leftover};

/* --- order --- */

void hpf__accumulator_forget_samples(hpf__accumulator *t)
{
    hpf_overview kept = {.n_marks = t->overview.n_marks, .truncated = t->overview.truncated};
    size_t max_drawn = t->drawn.max_drawn;
    for (size_t i = 0; i < t->n_accounts; i++) {
        t->accounts[i] = (hpf__account){.leftover = t->accounts[i].leftover};
    }
    t->all_names = (hpf__account){0};
    t->has_input_sums = true;
    t->overview = kept;
    t->pending.is_there = false;
    hpf__downsample_finish(&t->drawn);
    hpf__downsample_init(&t->drawn, max_drawn);
    hpf__sample_store_finish(&t->store);
    hpf__sample_store_init(&t->store, STORE_BYTES);
}

typedef struct ranked_mark {
    hpf_mark mark;
    size_t rank;
} ranked_mark;

static int compare_marks(const void *left, const void *right)
{
    const ranked_mark *a = left;
    const ranked_mark *b = right;
    if (a->mark.time != b->mark.time) {
        return a->mark.time < b->mark.time ? -1 : 1;
    }
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool marks_are_sorted(const hpf__accumulator *t)
{
    size_t i = 1;
    while (i < t->overview.n_marks && t->marks[i - 1].time <= t->marks[i].time) {
        i++;
    }
    return i >= t->overview.n_marks;
}

bool hpf__accumulator_sort_marks(hpf__accumulator *t)
{
    size_t n = t->overview.n_marks;
    if (marks_are_sorted(t)) {
        return true;
    }
    ranked_mark *ranked = malloc((n + 1) * sizeof *ranked);
    if (!ranked) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        ranked[i] = (ranked_mark){t->marks[i], i};
    }
    qsort(ranked, n, sizeof *ranked, compare_marks);
    for (size_t i = 0; i < n; i++) {
        t->marks[i] = ranked[i].mark;
    }
    free(ranked);
    return true;
}

/* --- the end --- */

static void add_wrapped(hpf__account *a, const hpf__account *b)
{
    a->wrapped += b->wrapped;
    a->wraps += b->wraps + (a->wrapped < b->wrapped);
    a->real_sum += b->real_sum;
}

static hpf_totals totals_of(const hpf__account *a)
{
    const double two_to_64 = 18446744073709551616.0;
    return (hpf_totals){
        .sum = hpf__account_sum(a),
        .sum_wrapped = a->wrapped + (a->real_sum < two_to_64 ? (uint64_t)a->real_sum : 0),
        .trapezium = a->trapezium,
        .sum_squares = a->sum_squares,
        .sum_time = a->sum_time,
        .max = a->max,
        .first_sample = a->first_sample,
        .last_sample = a->stamp ? a->stamp - 1 : 0,
        .n_samples = hpf__account_n_samples(a),
    };
}

hpf_status hpf__accumulator_settle_lines(hpf__accumulator *t, hpf_error *err)
{
    if (!hpf__quantities_settle(&t->quantities)) {
        return hpf_error_set_memory(err);
    }
    t->overview.quantities = t->quantities.settled;
    t->overview.n_quantities = t->quantities.names.n_names;
    return HPF_OK;
}

hpf_status hpf__accumulator_settle(hpf__accumulator *t, hpf_error *err)
{
    hpf_overview *o = &t->overview;
    hpf_status status = add_pending(t, t->pending.time, err);
    if (status != HPF_OK) {
        return status;
    }
    if (o->n_samples == 0) {
        return hpf_error_set(err, HPF_ERR_RANGE,
                             "no sample in the selected range: the samples are from %g to %g",
                             t->seen_from, t->seen_to);
    }
    size_t n_accounts = t->n_accounts + t->n_hidden;
    if (!HPF__ARRAY_RESERVE(t->totals, t->totals_capacity, n_accounts) ||
        !hpf__downsample_settle(&t->drawn)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n_accounts; i++) {
        t->totals[i] = totals_of(&t->accounts[i]);
        add_wrapped(&t->all_names, &t->accounts[i]);
    }
    o->total = totals_of(&t->all_names);
    o->marks = t->marks;
    o->drawn = t->drawn.all;
    o->n_drawn = t->drawn.n_all;
    o->reduced = o->n_drawn < o->n_samples;
    return HPF_OK;
}

/* --- views --- */

/* Copies the borrowed members, and allocates the others. */
static bool borrow(hpf__accumulator *view, const hpf__accumulator *of)
{
    if (!HPF__ARRAY_RESERVE(view->accounts, view->accounts_capacity, of->n_accounts + 1) ||
        !HPF__ARRAY_RESERVE(view->input_sums, view->input_sums_capacity, of->n_accounts)) {
        return false;
    }
    hpf__accumulator own = *view;
    *view = *of;
    view->accounts = own.accounts;
    view->accounts_capacity = own.accounts_capacity;
    view->pending.costs = own.pending.costs;
    view->pending.costs_capacity = own.pending.costs_capacity;
    view->drawn = own.drawn;
    view->totals = own.totals;
    view->totals_capacity = own.totals_capacity;
    view->input_sums = own.input_sums;
    view->input_sums_capacity = own.input_sums_capacity;
    view->has_input_sums = true;
    view->store = (hpf__sample_store){.is_dropped = true};
    for (size_t i = 0; i < of->n_accounts; i++) {
        view->input_sums[i] = hpf__accumulator_input_sum(of, (hpf_name)i);
    }
    for (size_t i = 0; !of->input_sums && of->pending.is_there && i < of->pending.n_costs; i++) {
        const hpf_cost *cost = &of->pending.costs[i];
        view->input_sums[cost->name] += hpf_cost_amount(cost);
    }
    return true;
}

static bool copy_pending(hpf__pending *to, const hpf__pending *from)
{
    if (!HPF__ARRAY_RESERVE(to->costs, to->costs_capacity, from->n_costs)) {
        return false;
    }
    if (from->n_costs) {
        memcpy(to->costs, from->costs, from->n_costs * sizeof *to->costs);
    }
    return true;
}

bool hpf__accumulator_view(hpf__accumulator *view, const hpf__accumulator *of)
{
    if (!borrow(view, of) || !copy_pending(&view->pending, &of->pending) ||
        !hpf__downsample_copy(&view->drawn, &of->drawn)) {
        return false;
    }
    if (of->n_accounts) {
        memcpy(view->accounts, of->accounts, of->n_accounts * sizeof *of->accounts);
    }
    return true;
}

bool hpf__accumulator_view_names(hpf__accumulator *view, const hpf__accumulator *of)
{
    if (!borrow(view, of)) {
        return false;
    }
    view->n_hidden = 1;
    view->all_names = (hpf__account){0};
    view->pending.is_there = false;
    view->is_wanted = NULL; /* only wanted costs will come */
    view->overview = (hpf_overview){.n_marks = of->overview.n_marks,
                                    .n_quantities = of->overview.n_quantities,
                                    .quantities = of->overview.quantities,
                                    .truncated = of->overview.truncated};
    hpf__downsample_finish(&view->drawn);
    hpf__downsample_init(&view->drawn, of->drawn.max_drawn);
    for (size_t i = 0; i < of->n_accounts; i++) {
        view->accounts[i] = (hpf__account){.leftover = of->accounts[i].leftover};
    }
    view->accounts[of->n_accounts] = (hpf__account){0};
    return true;
}

void hpf__accumulator_view_finish(hpf__accumulator *view)
{
    hpf__downsample_finish(&view->drawn);
    free(view->pending.costs);
    free(view->accounts);
    free(view->totals);
    free(view->input_sums);
    *view = (hpf__accumulator){0};
}
