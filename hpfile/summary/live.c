/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One tally adds up what comes, columns keep the costs; surveys are views of the tally over the
 * columns.
 */
#include "hpfile/live.h"

#include <math.h>
#include <stdlib.h>

#include "summary/sidecar_merge.h"
#include "detect/reader.h"
#include "event/sidecar_reader.h"
#include "summary/survey_kept.h"

struct hpf_live {
    hpf_live_options options;
    hpf_events listener; /* all NULL when nobody listens */
    hpf_reader *reader;
    hpf__tally tally;
    hpf__columns columns;
    hpf__beside beside;
    hpf__sidecar_rows sidecar;
    hpf__kept_survey whole, latest;
    uint64_t n_bytes;
    bool is_disordered; /* all columns are there, maybe not by time; the tally is of no use */
    bool has_late;      /* samples came too late to be put in order */
    bool is_prepared;   /* marks and lines are as a survey shows them */
    bool is_fresh;      /* `whole` shows all that came */
};

/* --- events --- */

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__tally_events.header(&live->tally, which, text, err);
    return status == HPF_OK && live->listener.header
               ? live->listener.header(live->options.listener_context, which, text, err)
               : status;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__tally_events.name(&live->tally, name, text, err);
    return status == HPF_OK && live->listener.name
               ? live->listener.name(live->options.listener_context, name, text, err)
               : status;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__tally_events.mark(&live->tally, time, label, err);
    return status == HPF_OK && live->listener.mark
               ? live->listener.mark(live->options.listener_context, time, label, err)
               : status;
}

/* The listener may keep the name, which a row of the sidecar does not. */
static hpf_status on_line(void *context, hpf_str name, hpf_line_point point, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__tally_events.line(&live->tally, name, point, err);
    hpf_str kept = hpf__lines_name(&live->tally.lines, name);
    return status == HPF_OK && live->listener.line
               ? live->listener.line(live->options.listener_context, kept, point, err)
               : status;
}

static hpf_status on_beside_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__beside_events.mark(&live->beside, time, label, err);
    return status == HPF_OK && live->listener.mark
               ? live->listener.mark(live->options.listener_context, time, label, err)
               : status;
}

static hpf_status on_leftover(void *context, const hpf_cost *costs, size_t n_costs, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__tally_events.leftover(&live->tally, costs, n_costs, err);
    return status == HPF_OK && live->listener.leftover
               ? live->listener.leftover(live->options.listener_context, costs, n_costs, err)
               : status;
}

/* Whether the costs of every sample are kept as they came. */
static bool keeps_all(const hpf_live *live)
{
    return live->columns.n_columns == hpf_live_n_samples(live) && live->columns.n_folds == 0;
}

static hpf_status add(hpf_live *live, const hpf_sample *sample, hpf_error *err)
{
    return hpf__columns_add(&live->columns, sample) ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status add_again(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__tally_events.sample(&live->tally, sample, err);
    return status == HPF_OK ? add(live, sample, err) : status;
}

/* Adds all samples up once more, in the order of their times. Without memory for it the columns
 * stay, for another try. */
static hpf_status restore_order(hpf_live *live, hpf_error *err)
{
    static const hpf_events again = {.sample = add_again};
    hpf__columns before = live->columns;
    hpf__kept_survey all = {.columns = &before};
    hpf__columns_sort(&before);
    hpf__columns_init(&live->columns, live->options.most_bytes);
    hpf__tally_forget_samples(&live->tally);
    hpf__recall_lose(&live->tally.recall);
    hpf_status status = hpf__kept_tell(&all, 0, before.n_columns, HPF__REST, &again, live, err);
    hpf__kept_finish(&all);
    hpf__columns_finish(status == HPF_OK ? &before : &live->columns);
    if (status == HPF_OK) {
        live->is_disordered = false;
    } else {
        live->columns = before;
    }
    return status;
}

/* The last survey is out of date by now: its picks serve as scratch. */
static bool sweep(hpf_live *live)
{
    hpf__picks *picks = &live->whole.base.tally.picks;
    return hpf__picks_copy(picks, &live->tally.picks) && hpf__picks_settle(picks) &&
           hpf__columns_sweep(&live->columns, &live->tally, picks);
}

static hpf_status make_room(hpf_live *live, hpf_error *err)
{
    hpf_status status = live->is_disordered ? restore_order(live, err) : HPF_OK;
    return status != HPF_OK || sweep(live) ? status : hpf_error_set_memory(err);
}

/* Counts a sample. One that is earlier than the one before it gets that one's time, if only until
 * order is restored; for good when some of those that it belongs between are kept no more. */
static hpf_status count(hpf_live *live, hpf_sample *sample, hpf_error *err)
{
    hpf_sample timely = *sample;
    if (hpf_live_n_samples(live) > 0 && sample->time < live->tally.held.time) {
        bool can_wait = keeps_all(live);
        timely.time = live->tally.held.time;
        sample->time = can_wait ? sample->time : timely.time;
        live->is_disordered |= can_wait;
        live->has_late |= !can_wait;
    }
    return hpf__tally_events.sample(&live->tally, &timely, err);
}

/* When it is counted, the tally holds the sample without the names that are not wanted. */
static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_live *live = context;
    hpf_sample wanted = *sample;
    hpf_status status = count(live, &wanted, err);
    wanted.costs = live->tally.held.costs;
    wanted.n_costs = live->tally.held.n_costs;
    status = status == HPF_OK ? add(live, &wanted, err) : status;
    if (status == HPF_OK && live->listener.sample) {
        status = live->listener.sample(live->options.listener_context, &wanted, err);
    }
    return status == HPF_OK && hpf__columns_are_full(&live->columns) ? make_room(live, err)
                                                                     : status;
}

static const hpf_events events = {.header = on_header,
                                  .name = on_name,
                                  .sample = on_sample,
                                  .mark = on_mark,
                                  .line = on_line,
                                  .leftover = on_leftover};

static const hpf_events sidecar_events = {.mark = on_beside_mark, .line = on_line};

static void on_warning(void *context, const hpf_error *warning)
{
    hpf_live *live = context;
    live->tally.overview.truncated |= warning->status == HPF_END;
    if (live->options.warning && warning->status != HPF_ERR_UNSUPPORTED) { /* that is a caveat */
        live->options.warning(live->options.warning_context, warning);
    }
}

/* --- feeding --- */

static bool init(hpf_live *live)
{
    hpf_reader_options reader_options = {.warning = on_warning,
                                         .warning_context = live,
                                         .has_log_profile = live->options.has_log_profile,
                                         .log_profile = live->options.log_profile,
                                         .keeps_times = true};
    if (!hpf__tally_init(&live->tally, live->options.max_picks)) {
        return false;
    }
    hpf__recall_lose(&live->tally.recall); /* columns serve instead */
    live->tally.is_wanted = live->options.is_wanted;
    live->tally.is_wanted_context = live->options.is_wanted_context;
    hpf__columns_init(&live->columns, live->options.most_bytes);
    live->beside.tally = &live->tally;
    live->sidecar = (hpf__sidecar_rows){.events = &sidecar_events, .context = live};
    live->reader = hpf_reader_create(&events, live, &reader_options);
    hpf__kept_survey kept = {
        .base = {.reader = live->reader, .second_pass = &hpf__survey_keeps_columns},
        .columns = &live->columns,
        .growing = &live->tally,
    };
    live->whole = live->latest = kept;
    return live->reader != NULL;
}

hpf_status hpf_live_create(hpf_live **out, const hpf_live_options *options, hpf_error *err)
{
    *out = NULL;
    hpf_live *live = calloc(1, sizeof *live);
    if (!live) {
        return hpf_error_set_memory(err);
    }
    live->options = options ? *options : (hpf_live_options){0};
    live->listener = live->options.listener ? *live->options.listener : (hpf_events){0};
    if (!init(live)) {
        hpf_live_destroy(live);
        return hpf_error_set_memory(err);
    }
    *out = live;
    return HPF_OK;
}

void hpf_live_destroy(hpf_live *live)
{
    if (live) {
        hpf__kept_finish(&live->whole);
        hpf__kept_finish(&live->latest);
        hpf__sidecar_rows_finish(&live->sidecar);
        hpf__beside_finish(&live->beside);
        hpf__columns_finish(&live->columns);
        hpf__tally_finish(&live->tally);
        hpf_reader_destroy(live->reader);
        free(live);
    }
}

hpf_status hpf_live_feed(hpf_live *live, const char *bytes, size_t n_bytes, hpf_error *err)
{
    live->is_prepared = live->is_fresh = false;
    live->n_bytes += n_bytes;
    return hpf_reader_feed(live->reader, bytes, n_bytes, err);
}

hpf_status hpf_live_feed_sidecar(hpf_live *live, const char *bytes, size_t n_bytes, hpf_error *err)
{
    live->is_prepared = live->is_fresh = false;
    return hpf__sidecar_rows_feed(&live->sidecar, (hpf_str){bytes, n_bytes}, err);
}

hpf_status hpf_live_finish(hpf_live *live, hpf_error *err)
{
    live->is_prepared = live->is_fresh = false;
    return hpf_reader_finish(live->reader, err);
}

bool hpf_live_is_whole(const hpf_live *live)
{
    return hpf_live_n_samples(live) > 0 && hpf_reader_is_between(live->reader);
}

uint64_t hpf_live_n_samples(const hpf_live *live)
{
    return live->is_disordered ? live->columns.n_columns
                               : live->tally.overview.n_samples + live->tally.held.is_there;
}

uint64_t hpf_live_n_bytes(const hpf_live *live)
{
    return live->n_bytes;
}

bool hpf_live_has_end(const hpf_live *live)
{
    const hpf__log_heap *log = hpf__reader_log(live->reader);
    return log && hpf__log_heap_has_end(log);
}

hpf_status hpf_live_caveat(const hpf_live *live, hpf_error *caveat)
{
    const hpf__log_heap *log = hpf__reader_log(live->reader);
    if (!live->has_late) {
        return log ? hpf__log_heap_caveat(log, caveat) : HPF_OK;
    }
    return hpf_error_set(caveat, HPF_ERR_ORDER,
                         "samples came too late to be put in order: they have the times of those "
                         "before");
}

/* --- surveys --- */

/* A log may never tell all headers. */
static bool has_headers(const hpf_live *live)
{
    bool has_all = true;
    for (int i = 0; i < HPF_N_HEADERS; i++) {
        has_all = has_all && live->tally.headers[i].data;
    }
    return has_all || hpf__reader_log(live->reader);
}

/* Whether there is something to survey; does what is put off until somebody looks. */
static hpf_status prepare(hpf_live *live, hpf_error *err)
{
    if (live->is_prepared) {
        return HPF_OK;
    }
    if (hpf_reader_feed(live->reader, NULL, 0, NULL) == HPF_ERR_MEMORY) {
        return hpf_error_set_memory(err);
    }
    if (hpf_live_n_samples(live) == 0 || !has_headers(live)) {
        return HPF_MORE;
    }
    if (hpf__reader_log(live->reader) && !hpf__tally_sort_marks(&live->tally)) {
        return hpf_error_set_memory(err);
    }
    hpf__beside_catch_up(&live->beside);
    hpf_status status = live->is_disordered ? restore_order(live, err) : HPF_OK;
    status = status == HPF_OK ? hpf__tally_settle_lines(&live->tally, err) : status;
    live->is_prepared = status == HPF_OK;
    return status;
}

hpf_status hpf_live_snapshot(hpf_survey **out, hpf_live *live, hpf_error *err)
{
    hpf__tally *view = &live->whole.base.tally;
    hpf_status status = prepare(live, err);
    if (status == HPF_OK && !live->is_fresh) {
        status = hpf__tally_view(view, &live->tally) ? hpf__tally_settle(view, err)
                                                     : hpf_error_set_memory(err);
    }
    live->is_fresh = status == HPF_OK;
    *out = live->is_fresh ? &live->whole.base : NULL;
    return status;
}

/* The first column that is not before `time`. */
static size_t find_time(const hpf__columns *columns, double time)
{
    size_t from = 0, end = columns->n_columns;
    while (from < end) {
        size_t middle = from + (end - from) / 2;
        if (columns->all[middle].time < time) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    return from;
}

static hpf_status survey_latest(hpf_live *live, double from_time, hpf_error *err)
{
    hpf__tally *view = &live->latest.base.tally;
    size_t begin = find_time(&live->columns, from_time);
    if (!hpf__tally_view_names(view, &live->tally)) {
        return hpf_error_set_memory(err);
    }
    view->overview.n_before = hpf_live_n_samples(live) - (live->columns.n_columns - begin);
    hpf_status status =
        hpf__kept_tell(&live->latest, begin, live->columns.n_columns,
                       (hpf_name)live->tally.n_accounts, &hpf__tally_events, view, err);
    return status == HPF_OK ? hpf__tally_settle(view, err) : status;
}

hpf_status hpf_live_snapshot_last(hpf_survey **out, hpf_live *live, double duration, hpf_error *err)
{
    *out = NULL;
    if (isnan(duration) || duration < 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "a duration cannot be negative");
    }
    hpf_status status = prepare(live, err);
    if (status == HPF_OK) {
        status = survey_latest(live, live->tally.held.time - duration, err);
    }
    *out = status == HPF_OK ? &live->latest.base : NULL;
    return status;
}
