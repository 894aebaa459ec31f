/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps of hp2ps from the table of names to the bands: total order, trace removal, the orders
 * of the options, and the limit. Each step works on one list of names, lowest first.
 */
#include "hpfile/survey.h"
#include "base/arena.h"
#include "classic/classic.h"
#include "classic/auxfile.h"

#include <math.h>

#include "chart/hp2ps_sort.h"

/* Whole numbers up to here are exact in a double. */
#define EXACT_LIMIT 9007199254740992.0 /* 2^53 */
#define INT64_LIMIT 9223372036854775808.0

typedef struct selection {
    hpf_survey *survey;
    const hpr_options *options;
    hpf_arena *scratch;
    bool with_leftover;    /* costs after the last sample count */
    hpr__sort_item *items; /* lowest first */
    uint32_t n;
    uint32_t n_names; /* of the survey */
    double *figures;  /* by name: the key of the current sort */
    double *means;    /* by name: base of the deviations */
} selection;

static hpf_status sort(selection *sel, hpr__sort_compare *compare, hpf_error *err)
{
    return hpr__sort_by_swaps(sel->items, sel->n, compare, sel->scratch, err);
}

static hpf_status sort_by_figures(selection *sel, hpf_error *err)
{
    for (uint32_t i = 0; i < sel->n; i++) {
        sel->items[i].number = sel->figures[sel->items[i].name];
    }
    return sort(sel, hpr__sort_by_number, err);
}

/* Lists the names in the order of the hash table, without leftovers only those in complete samples.
 */
static hpf_status list_names(selection *sel, hpf_error *err)
{
    sel->n = 0;
    for (hpf_name name = 0; name < sel->n_names; name++) {
        if (sel->with_leftover || hpf_survey_totals(sel->survey, name)->n_samples > 0) {
            sel->items[sel->n++] = (hpr__sort_item){
                .name = name,
                .text = hpf_survey_name(sel->survey, name),
            };
        }
    }
    return hpr__sort_hash_table(sel->items, sel->n, sel->scratch, err);
}

/* Adds a cost to a total as hp2ps does: in a double that is then truncated to 64 bits. On overflow,
 * the result is the smallest 64-bit number. */
static void add_cut(double *total, double amount)
{
    double sum = trunc(*total + amount);

    *total = sum < INT64_LIMIT ? sum : -INT64_LIMIT;
}

static hpf_status add_sample_cut(void *context, const hpf_sample *sample, hpf_error *err)
{
    selection *sel = context;

    (void)err;
    for (size_t i = 0; i < sample->n_costs; i++) {
        add_cut(&sel->figures[sample->costs[i].name], hpf_cost_amount(&sample->costs[i]));
    }
    return HPF_OK;
}

/* Computes the sums of all names. Up to 2^53 they are exact; above, rounding and overflow in hp2ps
 * depend on the order of the costs, so the profile is read again. */
static hpf_status find_sums(selection *sel, hpf_error *err)
{
    static const hpf_events events = {.sample = add_sample_cut};
    double largest = 0;

    for (hpf_name name = 0; name < sel->n_names; name++) {
        double leftover = sel->with_leftover ? hpf_survey_leftover(sel->survey, name) : 0;

        sel->figures[name] = hpf_survey_totals(sel->survey, name)->sum + leftover;
        largest = fmax(largest, sel->figures[name]);
    }
    if (largest <= EXACT_LIMIT) {
        return HPF_OK;
    }
    for (hpf_name name = 0; name < sel->n_names; name++) {
        sel->figures[name] = 0;
    }
    hpf_status status = hpf_survey_emit(sel->survey, false, &events, sel, err);
    for (hpf_name name = 0; !status && sel->with_leftover && name < sel->n_names; name++) {
        add_cut(&sel->figures[name], hpf_survey_leftover(sel->survey, name));
    }
    return status;
}

/* Drops the smallest names while the sum of the dropped ones stays below the threshold. With a
 * grand total of 0 the comparison is never true, and all names are dropped. */
static void remove_traces(selection *sel)
{
    double grand_total = 0;
    double percent = 0;
    uint32_t n_dropped = 0;

    for (uint32_t i = 0; i < sel->n; i++) {
        grand_total += sel->items[i].number;
    }
    for (; n_dropped < sel->n; n_dropped++) {
        percent += 100 * sel->items[n_dropped].number / grand_total;
        if (percent >= sel->options->trace_percent) {
            break;
        }
    }
    sel->n -= n_dropped;
    sel->items += n_dropped;
}

static hpf_status select_names(selection *sel, hpf_error *err)
{
    hpf_status status = list_names(sel, err);

    status = status ? status : find_sums(sel, err);
    status = status ? status : sort_by_figures(sel, err);
    if (!status) {
        remove_traces(sel);
    }
    return status;
}

static bool leftover_survives(const selection *sel)
{
    for (uint32_t i = 0; i < sel->n; i++) {
        if (hpf_survey_leftover(sel->survey, sel->items[i].name) != 0) {
            return true;
        }
    }
    return false;
}

/* Counts costs after the last sample in the percentages of trace removal, as hp2ps does, unless a
 * name with such costs survives: then hp2ps fails, and here these costs are ignored. */
static hpf_status select_with_leftovers(selection *sel, hpf_error *err)
{
    hpr__sort_item *items = sel->items;
    hpf_status status;

    sel->with_leftover = true;
    status = select_names(sel, err);
    if (!status && leftover_survives(sel)) {
        sel->with_leftover = false;
        sel->items = items;
        status = select_names(sel, err);
    }
    return status;
}

static hpf_status add_squares(void *context, const hpf_sample *sample, hpf_error *err)
{
    selection *sel = context;

    (void)err;
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_name name = sample->costs[i].name;
        double deviation = hpf_cost_amount(&sample->costs[i]) - sel->means[name];

        sel->figures[name] += deviation * deviation;
    }
    return HPF_OK;
}

/* Sorts by the standard deviation of hp2ps: only recorded costs contribute squares, but mean and
 * divisor count all samples. */
static hpf_status sort_by_deviation(selection *sel, hpf_error *err)
{
    static const hpf_events events = {.sample = add_squares};
    double n_samples = (double)hpf_survey_overview(sel->survey)->n_samples;
    hpf_status status;

    if (n_samples < 2) {
        return HPF_OK;
    }
    for (hpf_name name = 0; name < sel->n_names; name++) {
        sel->means[name] = hpf_survey_totals(sel->survey, name)->sum / n_samples;
        sel->figures[name] = 0;
    }
    status = hpf_survey_emit(sel->survey, false, &events, sel, err);
    if (status) {
        return status;
    }
    for (hpf_name name = 0; name < sel->n_names; name++) {
        sel->figures[name] = sqrt(sel->figures[name] / (n_samples - 1));
    }
    return sort_by_figures(sel, err);
}

static hpf_status sort_as_before(selection *sel, const hpr_auxfile *previous, hpf_error *err)
{
    if (hpr__auxfile_n_orders(previous) > hpr__classic_map_capacity(sel->survey, sel->options)) {
        return hpf_error_set(err, HPF_ERR_LIMIT,
                             "%zu ORDER lines; at most %zu fit a profile of %u names",
                             hpr__auxfile_n_orders(previous),
                             hpr__classic_map_capacity(sel->survey, sel->options), sel->n_names);
    }
    for (uint32_t i = 0; i < sel->n; i++) {
        int32_t order = 0;

        hpr__auxfile_order(previous, sel->items[i].text, &order);
        sel->items[i].number = order;
    }
    return sort(sel, hpr__sort_by_number, err);
}

static hpf_status order_names(selection *sel, hpf_error *err)
{
    const hpr_options *options = sel->options;
    hpf_status status = HPF_OK;

    if (options->order == HPR_ORDER_STDDEV) {
        status = sort_by_deviation(sel, err);
    } else if (options->order == HPR_ORDER_NAME) {
        status = sort(sel, options->reverse ? hpr__sort_by_text_down : hpr__sort_by_text, err);
    }
    if (!status && options->classic.previous) {
        status = sort_as_before(sel, options->classic.previous, err);
    }
    return status;
}

/* Assigns the lowest names to OTHER if there are too many. */
static hpf_status limit(hpr__assignment *assignment, hpf_arena *arena, const selection *sel,
                        hpf_error *err)
{
    hpf_name *names = hpf_arena_array(sel->scratch, sel->n, sizeof *names);
    int n_bands = sel->options->n_bands;
    uint32_t n_folded = 0;

    if (!names) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < sel->n; i++) {
        names[i] = sel->items[i].name;
    }
    if (n_bands > 0 && sel->n > (uint32_t)n_bands) {
        n_folded = sel->n - (uint32_t)n_bands + 1;
    }
    hpr__assignment_parts parts = {
        .drawn = names + n_folded,
        .n_drawn = n_bands < 0 ? 0 : sel->n - n_folded,
        .folded = names,
        .n_folded = n_folded,
    };
    return hpr__assignment_init(assignment, arena, sel->n_names, &parts, err);
}

hpf_status hpr__classic_select(hpr__assignment *assignment, hpf_arena *arena, hpf_survey *survey,
                               const hpr_options *options, hpf_error *err)
{
    uint32_t n_names = hpf_survey_n_names(survey);
    selection sel = {
        .survey = survey, .options = options, .scratch = hpf_arena_create(), .n_names = n_names};
    hpf_status status;

    if (sel.scratch) {
        sel.items = hpf_arena_array(sel.scratch, n_names, sizeof *sel.items);
        sel.figures = hpf_arena_array(sel.scratch, n_names, sizeof *sel.figures);
        sel.means = hpf_arena_array(sel.scratch, n_names, sizeof *sel.means);
    }
    status = sel.items && sel.figures && sel.means ? HPF_OK : hpf_error_set_memory(err);
    status = status ? status : select_with_leftovers(&sel, err);
    status = status ? status : order_names(&sel, err);
    status = status ? status : limit(assignment, arena, &sel, err);
    hpf_arena_destroy(sel.scratch);
    return status;
}

size_t hpr__classic_map_capacity(const hpf_survey *survey, const hpr_options *options)
{
    size_t n_names = hpf_survey_n_names(survey);
    size_t n_bands = options->n_bands > 0 ? (size_t)options->n_bands : 0;

    return 2 * (n_names > n_bands ? n_names : n_bands);
}
