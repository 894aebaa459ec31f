/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One accumulator computes the totals, one store keeps the costs; surveys are views of both.
 */
#include "hpfile/live.h"

#include "base/options.h"
#include "eventlog/eventlog_totals.h"

#include <math.h>
#include <stdlib.h>

#include "eventlog/eventlog_activity.h"
#include "summary/sidecar_merge.h"
#include "detect/reader.h"
#include "event/sidecar_reader.h"
#include "summary/live_clock.h"
#include "summary/live_survey.h"
#include "io/recording.h"

/* ---- Recordings ------------------------------------------------------------------------------ */

/* The log of one process of a recording that grows.
 *
 * A process is chosen when its log begins, and followed from then on. */

/* Begins as {.process = ...}. */
typedef struct live_recording {
    const char *process; /* as in hpf_live_options */
    char head[sizeof HPF__RECORDING_MAGIC];
    size_t n_head;
    bool is_other;            /* the input is not a recording */
    hpf_recording *recording; /* NULL: not known yet, or not one */
    hpf__chunks chunks;
    hpf_error error; /* sticky */
} live_recording;

/* Takes bytes until it is known whether the input is a recording. Returns HPF_OK if it is another
 * input, whose first bytes are `*out`. */
static hpf_status recognise(live_recording *l, hpf_str *in, hpf_str *out, hpf_error *err)
{
    while (l->n_head < sizeof l->head) {
        if (in->length == 0) {
            return HPF_MORE;
        }
        l->head[l->n_head++] = *in->data;
        *in = hpf_str_from(*in, 1);
        if (memcmp(l->head, HPF__RECORDING_MAGIC, l->n_head) != 0) {
            l->is_other = true;
            *out = (hpf_str){l->head, l->n_head};
            return l->process ? hpf__recording_fail_other(err) : HPF_OK;
        }
    }
    if (hpf__recording_is_all(l->process)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "the sum of all processes cannot be followed");
    }
    l->recording = hpf__recording_create();
    hpf_str head = {l->head, l->n_head};
    hpf__chunk_part part;
    return l->recording ? hpf__chunks_next(&l->chunks, &head, &part, err)
                        : hpf_error_set_memory(err);
}

static hpf_status next(live_recording *l, hpf_str *in, hpf_str *out, hpf_error *err)
{
    hpf__chunk_part part;
    hpf_status status = HPF_MORE;
    if (!l->is_other && !l->recording) {
        status = recognise(l, in, out, err);
        if (status != HPF_MORE) {
            return status;
        }
    }
    if (l->is_other && in->length > 0) {
        *out = *in;
        in->length = 0;
        return HPF_OK;
    }
    while (l->recording && (status = hpf__chunks_next(&l->chunks, in, &part, err)) == HPF_OK &&
           (status = hpf__recording_note(l->recording, &part, err)) == HPF_OK) {
        const hpf_process *p = hpf_recording_chosen(l->recording);
        if (!p && part.is_sample &&
            hpf__recording_choose(l->recording, l->process, NULL) == HPF_OK) {
            p = hpf_recording_chosen(l->recording);
            l->chunks.log_of = p->number;
        }
        if (p && part.process == p->number && part.bytes.length > 0 &&
            part.kind == HPF__CHUNK_LOG) {
            *out = part.bytes;
            return HPF_OK;
        }
    }
    return status;
}

/* Takes bytes from the front of `*in`, and stores the next ones of the profile. Returns HPF_MORE
 * when all bytes are taken. Errors: those of recordings; MEMORY; UNSUPPORTED. */
static hpf_status live_recording_next(live_recording *l, hpf_str *in, hpf_str *out, hpf_error *err)
{
    hpf_status status = l->error.status;
    if (status == HPF_OK) {
        status = next(l, in, out, &l->error);
    }
    if (l->error.status != HPF_OK && err) {
        *err = l->error;
    }
    return status;
}

/* Checks at the end of the input that the log of a process was there. Errors: as for choices. */
static hpf_status live_recording_end(live_recording *l, hpf_error *err)
{
    return l->recording && !hpf_recording_chosen(l->recording)
               ? hpf__recording_choose(l->recording, l->process, err)
               : HPF_OK;
}

static void live_recording_finish(live_recording *l)
{
    hpf__recording_destroy(l->recording);
    hpf__chunks_finish(&l->chunks);
}

#define DEFAULT_STORE_BYTES ((size_t)64 << 20)

struct hpf_live {
    hpf_live_options options;
    hpf_events listener;      /* all NULL without a listener */
    live_recording recording; /* takes the log of a process out of the input */
    hpf_reader *reader;
    hpf_eventlog_activity *activity; /* NULL: not kept */
    hpf__live_clock *clock;          /* NULL: elapsed time; otherwise fills the activity */
    hpf_eventlog_time *time;         /* NULL: ticks and totals are not kept */
    hpf__eventlog_totals totals;
    hpf__accumulator accumulator;
    hpf__sample_store store;
    hpf__sidecar_merge merge;
    hpf__sidecar_reader sidecar;
    hpf__live_survey whole, latest;
    bool is_disordered; /* all columns are there, maybe not by time; the accumulator is of no use */
    bool has_late;      /* samples came too late to be put in order */
    bool is_prepared;   /* marks and lines are as a survey shows them */
    bool is_fresh;      /* `whole` shows all that came */
};

/* --- events --- */

/* Passes an event on to the listener after `status`, which it returns if it is an error. */
#define PASS_ON(event, ...)                                                                        \
    (status == HPF_OK && live->listener.event                                                      \
         ? live->listener.event(live->options.listener_context, __VA_ARGS__)                       \
         : status)

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__accumulator_events.header(&live->accumulator, which, text, err);
    return PASS_ON(header, which, text, err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__accumulator_events.name(&live->accumulator, name, text, err);
    return PASS_ON(name, name, text, err);
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__accumulator_events.mark(&live->accumulator, time, label, err);
    return PASS_ON(mark, time, label, err);
}

/* The listener may keep the name, which a row of the sidecar does not. */
static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__accumulator_events.quantity(&live->accumulator, name, point, err);
    hpf_str kept = hpf__quantities_name(&live->accumulator.quantities, name);
    return PASS_ON(quantity, kept, point, err);
}

static hpf_status on_sidecar_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__sidecar_merge_events.mark(&live->merge, time, label, err);
    return PASS_ON(mark, time, label, err);
}

static hpf_status on_leftover(void *context, const hpf_cost *costs, size_t n_costs, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__accumulator_events.leftover(&live->accumulator, costs, n_costs, err);
    return PASS_ON(leftover, costs, n_costs, err);
}

/* Returns whether the costs of every sample are kept as they came. */
static bool keeps_all(const hpf_live *live)
{
    return live->store.n_samples == hpf_live_n_samples(live) && live->store.n_folds == 0;
}

static hpf_status add(hpf_live *live, const hpf_sample *sample, hpf_error *err)
{
    return hpf__sample_store_add(&live->store, sample) ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status add_again(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = hpf__accumulator_events.sample(&live->accumulator, sample, err);
    return status == HPF_OK ? add(live, sample, err) : status;
}

static size_t store_bytes(const hpf_live *live)
{
    return live->options.most_bytes ? live->options.most_bytes : DEFAULT_STORE_BYTES;
}

/* Adds all samples up once more, in the order of their times. Without memory for it the columns
 * stay, for another try. */
static hpf_status restore_order(hpf_live *live, hpf_error *err)
{
    static const hpf_events again = {.sample = add_again};
    hpf__sample_store before = live->store;
    hpf__live_survey all = {.store = &before};
    hpf__sample_store_sort(&before);
    hpf__sample_store_init(&live->store, store_bytes(live));
    hpf__accumulator_forget_samples(&live->accumulator);
    hpf__sample_store_drop(&live->accumulator.store);
    hpf_status status =
        hpf__live_survey_emit(&all, 0, before.n_samples, HPF__REST, &again, live, err);
    hpf__live_survey_finish(&all);
    live->accumulator.has_input_sums = false;
    hpf__sample_store_finish(status == HPF_OK ? &before : &live->store);
    if (status == HPF_OK) {
        live->is_disordered = false;
    } else {
        live->store = before;
    }
    return status;
}

/* Returns a name's area after another run of the same length in which it keeps its amount; its sum
 * in a profile without duration. */
static double worth_of(const void *context, hpf_name name)
{
    const hpf__accumulator *t = context;
    const hpf__account *account = &t->accounts[name];
    double duration = t->overview.last_time - t->overview.first_time;
    bool is_alive = account->stamp == t->overview.n_samples;
    if (duration > 0) {
        return account->trapezium + (is_alive ? account->current * duration : 0);
    }
    return hpf__account_sum(account);
}

/* The last survey is out of date by now: its drawn samples serve as scratch. */
static bool sweep(hpf_live *live)
{
    hpf__downsample *drawn = &live->whole.base.accumulator.drawn;
    return hpf__downsample_copy(drawn, &live->accumulator.drawn) && hpf__downsample_settle(drawn) &&
           hpf__sample_store_compact(&live->store, drawn, live->accumulator.n_accounts, worth_of,
                                     &live->accumulator);
}

static hpf_status make_room(hpf_live *live, hpf_error *err)
{
    hpf_status status = live->is_disordered ? restore_order(live, err) : HPF_OK;
    return status != HPF_OK || sweep(live) ? status : hpf_error_set_memory(err);
}

/* Counts a sample. One that is earlier than the one before it gets that one's time, if only until
 * order is restored; for good when some samples that it belongs between are kept no more. */
static hpf_status count(hpf_live *live, hpf_sample *sample, hpf_error *err)
{
    hpf_sample timely = *sample;
    if (hpf_live_n_samples(live) > 0 && sample->time < live->accumulator.pending.time) {
        bool can_wait = keeps_all(live);
        timely.time = live->accumulator.pending.time;
        sample->time = can_wait ? sample->time : timely.time;
        live->is_disordered |= can_wait;
        live->has_late |= !can_wait;
    }
    return hpf__accumulator_events.sample(&live->accumulator, &timely, err);
}

/* When it is counted, the accumulator holds the sample without the names that are not wanted. */
static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_live *live = context;
    hpf_sample wanted = *sample;
    hpf_status status = count(live, &wanted, err);
    wanted.costs = live->accumulator.pending.costs;
    wanted.n_costs = live->accumulator.pending.n_costs;
    status = status == HPF_OK ? add(live, &wanted, err) : status;
    if (status == HPF_OK && live->listener.sample) {
        status = live->listener.sample(live->options.listener_context, &wanted, err);
    }
    return status == HPF_OK && hpf__sample_store_is_full(&live->store) ? make_room(live, err)
                                                                       : status;
}

static const hpf_events events = {.header = on_header,
                                  .name = on_name,
                                  .sample = on_sample,
                                  .mark = on_mark,
                                  .quantity = on_line,
                                  .leftover = on_leftover};

static const hpf_events sidecar_events = {.mark = on_sidecar_mark, .quantity = on_line};

static void on_warning(void *context, const hpf_error *warning)
{
    hpf_live *live = context;
    live->accumulator.overview.truncated |= warning->status == HPF_END;
    if (live->options.warning && warning->status != HPF_ERR_UNSUPPORTED) { /* that is a diagnosis */
        live->options.warning(live->options.warning_context, warning);
    }
}

/* --- feeding --- */

static hpf_status on_record_type(void *context, const hpf_event_type *type, bool *is_wanted,
                                 hpf_error *err)
{
    const hpf_live *live = context;
    (void)err;
    *is_wanted =
        (live->activity && !live->clock && hpf__eventlog_activity_wants(type->id)) ||
        (live->time && (type->id == HPF__EVENT_PROF_SAMPLE_COST_CENTRE ||
                        type->id == HPF__EVENT_USER_BINARY_MSG || hpf__eventlog_totals_want(type)));
    return HPF_OK;
}

static hpf_status on_record(void *context, const hpf_event *event, hpf_error *err)
{
    hpf_live *live = context;
    hpf_status status = live->activity && !live->clock
                            ? hpf_eventlog_activity_note(live->activity, event, err)
                            : HPF_OK;
    if (status != HPF_OK || !live->time) {
        return status;
    }
    if (hpf__eventlog_totals_want(event->type)) {
        return hpf__eventlog_totals_note(&live->totals, event, err);
    }
    if (event->type->id == HPF__EVENT_HEAP_PROF_COST_CENTRE &&
        hpf__eventlog_names_define_centre(&live->totals.names, event->payload) != HPF_OK) {
        return hpf_error_set_memory(err);
    }
    return hpf_eventlog_time_note(live->time, event, err);
}

static const hpf_event_visitor records = {.type = on_record_type, .event = on_record};

static bool init(hpf_live *live)
{
    bool has_clock = live->options.uses_mutator_clock;
    bool has_activity = has_clock || live->options.has_activity;
    live->activity = has_activity ? hpf_eventlog_activity_create() : NULL;
    live->clock = has_clock && live->activity ? hpf__live_clock_create(live->activity) : NULL;
    live->time = live->options.has_costs ? hpf_eventlog_time_create() : NULL;
    hpf_reader_options reader_options = {.max_name_bytes = live->options.max_name_bytes,
                                         .warning = on_warning,
                                         .warning_context = live,
                                         .has_log_profile = live->options.has_log_profile,
                                         .log_profile = live->options.log_profile,
                                         .value = live->options.value,
                                         .clock = has_clock ? live->activity : NULL,
                                         .view = live->options.view,
                                         .symbolise = live->options.symbolise,
                                         .symbolise_context = live->options.symbolise_context,
                                         .keeps_times = true,
                                         .visitor = &records,
                                         .visitor_context = live};
    if ((has_activity && !live->activity) || (has_clock && !live->clock) ||
        (live->options.has_costs && !live->time)) {
        return false;
    }
    if (!hpf__accumulator_init(&live->accumulator, live->options.max_drawn)) {
        return false;
    }
    hpf__sample_store_drop(&live->accumulator.store); /* live->store serves instead */
    live->accumulator.is_wanted = live->options.is_wanted;
    live->accumulator.is_wanted_context = live->options.is_wanted_context;
    hpf__sample_store_init(&live->store, store_bytes(live));
    live->merge.accumulator = &live->accumulator;
    live->sidecar = (hpf__sidecar_reader){.events = &sidecar_events, .context = live};
    live->reader = hpf_reader_create(&events, live, &reader_options);
    hpf__live_survey kept = {
        .base = {.reader = live->reader, .second_pass = &hpf__live_second_pass},
        .store = &live->store,
        .growing = &live->accumulator,
    };
    live->whole = live->latest = kept;
    return live->reader != NULL;
}

hpf_status hpf_live_create(hpf_live **out, const hpf_live_options *options, hpf_error *err)
{
    hpf_live_options own;
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    if (status != HPF_OK) {
        return status;
    }
    hpf_live *live = calloc(1, sizeof *live);
    if (!live) {
        return hpf_error_set_memory(err);
    }
    live->options = own;
    live->recording.process = live->options.process;
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
        hpf__live_survey_finish(&live->whole);
        hpf__live_survey_finish(&live->latest);
        hpf__sidecar_reader_finish(&live->sidecar);
        hpf__sidecar_merge_finish(&live->merge);
        hpf__sample_store_finish(&live->store);
        hpf__accumulator_finish(&live->accumulator);
        hpf_reader_destroy(live->reader);
        hpf__live_clock_destroy(live->clock);
        live_recording_finish(&live->recording);
        hpf_eventlog_activity_destroy(live->activity);
        hpf_eventlog_time_destroy(live->time);
        hpf__eventlog_totals_finish(&live->totals);
        free(live);
    }
}

/* Reads the bytes that do not wait for the clock, or all. */
static hpf_status read_waiting(hpf_live *live, bool takes_all, hpf_error *err)
{
    hpf_str piece;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && live->clock &&
           hpf__live_clock_next(live->clock, takes_all, &piece)) {
        status = hpf_reader_feed(live->reader, piece.data, piece.length, err);
    }
    return status;
}

static hpf_status feed_profile(hpf_live *live, hpf_str bytes, hpf_error *err)
{
    if (!live->clock) {
        return hpf_reader_feed(live->reader, bytes.data, bytes.length, err);
    }
    hpf_status status = hpf__live_clock_feed(live->clock, bytes.data, bytes.length, err);
    return status == HPF_OK ? read_waiting(live, false, err) : status;
}

hpf_status hpf_live_feed(hpf_live *live, const char *bytes, size_t n_bytes, hpf_error *err)
{
    hpf_str in = {bytes, n_bytes}, piece = {NULL, 0};
    hpf_status status = HPF_OK;
    live->is_prepared = live->is_fresh = false;
    while (status == HPF_OK) {
        status = live_recording_next(&live->recording, &in, &piece, err);
        status = status == HPF_OK ? feed_profile(live, piece, err) : status;
    }
    return status == HPF_MORE ? HPF_OK : status;
}

hpf_status hpf_live_read(hpf_live *live, hpf_source *source, const hpf_format *format,
                         hpf_error *err)
{
    size_t failed;
    hpf_str piece;
    hpf_status status = format ? HPF_OK : hpf_format_detect(&format, source, err);
    live->is_prepared = live->is_fresh = false;
    if (status == HPF_OK && !format->is_streamed) {
        return hpf__reader_read(live->reader, format, &source, 1, NULL, &failed, err);
    }
    while (status == HPF_OK && (status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        status = feed_profile(live, piece, err);
    }
    return status == HPF_END ? HPF_OK : status;
}

size_t hpf_live_frames(const hpf_live *live, hpf_name name, hpf_frame *frames, size_t room)
{
    return hpf_reader_frames(live->reader, name, frames, room);
}

size_t hpf_live_calls(const hpf_live *live, hpf_name name, hpf_frame *frames, size_t room)
{
    return hpf_reader_calls(live->reader, name, frames, room);
}

hpf_status hpf_live_feed_sidecar(hpf_live *live, const char *bytes, size_t n_bytes, hpf_error *err)
{
    live->is_prepared = live->is_fresh = false;
    return hpf__sidecar_reader_feed(&live->sidecar, (hpf_str){bytes, n_bytes}, err);
}

hpf_status hpf_live_finish(hpf_live *live, hpf_error *err)
{
    live->is_prepared = live->is_fresh = false;
    hpf_status status = live_recording_end(&live->recording, err);
    status = status == HPF_OK ? read_waiting(live, true, err) : status;
    return status == HPF_OK ? hpf_reader_finish(live->reader, err) : status;
}

bool hpf_live_is_whole(const hpf_live *live)
{
    return hpf_live_n_samples(live) > 0 && hpf_reader_is_between(live->reader);
}

uint64_t hpf_live_n_samples(const hpf_live *live)
{
    return live->is_disordered
               ? live->store.n_samples
               : live->accumulator.overview.n_samples + live->accumulator.pending.is_there;
}

hpf_eventlog_time *hpf_live_time(const hpf_live *live)
{
    return live->time && hpf_eventlog_time_has_begun(live->time) ? live->time : NULL;
}

const hpf_process *hpf_live_process(const hpf_live *live)
{
    const hpf_recording *recording = live->recording.recording;
    return recording ? hpf_recording_chosen(recording) : NULL;
}

size_t hpf_live_n_totals(const hpf_live *live)
{
    return live->totals.n;
}

size_t hpf_live_totals(const hpf_live *live, size_t index, hpf_stack_totals *totals,
                       hpf_frame *frames, size_t room)
{
    *totals = live->totals.list[index].amounts;
    return hpf__eventlog_names_frames(&live->totals.names, live->totals.list[index].name, frames,
                                      room);
}

hpf_status hpf_live_check_view(const hpf_live *live, hpf_error *err)
{
    return hpf__reader_check_view(live->reader, err);
}

bool hpf_live_has_end(const hpf_live *live)
{
    const hpf__eventlog_heap *log = hpf__reader_log(live->reader);
    return log && hpf__eventlog_heap_has_end(log);
}

hpf_status hpf_live_diagnosis(const hpf_live *live, hpf_error *diagnosis)
{
    const hpf__eventlog_heap *log = hpf__reader_log(live->reader);
    if (live->has_late) {
        return hpf_error_set(
            diagnosis, HPF_ERR_ORDER,
            "samples came too late to be sorted: they are shown at the time of the sample before");
    }
    hpf_status status = log ? hpf__eventlog_heap_diagnose(log, diagnosis) : HPF_OK;
    if (status == HPF_OK && hpf__reader_check_view(live->reader, diagnosis) != HPF_OK) {
        if (diagnosis) {
            diagnosis->status = HPF_ERR_ARGUMENT;
        }
        return HPF_ERR_ARGUMENT;
    }
    bool has_lanes =
        !live->options.has_activity || hpf__eventlog_activity_has_records(live->activity);
    if (status != HPF_OK || has_lanes || hpf_live_n_samples(live) == 0) {
        return status;
    }
    return hpf_error_set(diagnosis, HPF_ERR_ARGUMENT, "%s",
                         log ? "no lanes so far: no allocation, collections, threads, sparks or "
                               "messages in the event log (run the program with +RTS -l)"
                             : "no lanes: they need an event log");
}

/* --- surveys --- */

/* An event log may lack headers. */
static bool has_headers(const hpf_live *live)
{
    bool has_all = true;
    for (int i = 0; i < HPF_N_HEADERS; i++) {
        has_all = has_all && live->accumulator.headers[i].data;
    }
    return has_all || hpf__reader_log(live->reader);
}

/* Returns whether there is something to survey. Does the work that is delayed until a survey. */
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
    if (hpf__reader_log(live->reader) && !hpf__accumulator_sort_marks(&live->accumulator)) {
        return hpf_error_set_memory(err);
    }
    hpf__sidecar_merge_catch_up(&live->merge);
    hpf_status status = live->is_disordered ? restore_order(live, err) : HPF_OK;
    status = status == HPF_OK ? hpf__accumulator_settle_lines(&live->accumulator, err) : status;
    live->is_prepared = status == HPF_OK;
    return status;
}

hpf_status hpf_live_survey(hpf_survey **out, hpf_live *live, hpf_error *err)
{
    hpf__accumulator *view = &live->whole.base.accumulator;
    hpf_status status = prepare(live, err);
    if (status == HPF_OK && !live->is_fresh) {
        status = hpf__accumulator_view(view, &live->accumulator)
                     ? hpf__accumulator_settle(view, err)
                     : hpf_error_set_memory(err);
    }
    live->is_fresh = status == HPF_OK;
    *out = live->is_fresh ? &live->whole.base : NULL;
    return status;
}

static hpf_status survey_latest(hpf_live *live, double from_time, hpf_error *err)
{
    hpf__accumulator *view = &live->latest.base.accumulator;
    size_t begin = hpf__sample_store_find_time(&live->store, from_time);
    if (!hpf__accumulator_view_names(view, &live->accumulator)) {
        return hpf_error_set_memory(err);
    }
    view->overview.n_before = hpf_live_n_samples(live) - (live->store.n_samples - begin);
    hpf_status status = hpf__live_survey_emit(&live->latest, begin, live->store.n_samples,
                                              (hpf_name)live->accumulator.n_accounts,
                                              &hpf__accumulator_events, view, err);
    return status == HPF_OK ? hpf__accumulator_settle(view, err) : status;
}

hpf_status hpf_live_survey_last(hpf_survey **out, hpf_live *live, double duration, hpf_error *err)
{
    *out = NULL;
    if (isnan(duration) || duration < 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "a duration cannot be negative");
    }
    hpf_status status = prepare(live, err);
    if (status == HPF_OK) {
        status = survey_latest(live, live->accumulator.pending.time - duration, err);
    }
    *out = status == HPF_OK ? &live->latest.base : NULL;
    return status;
}

const hpf_activity *hpf_live_activity(hpf_live *live, hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    if (!live->options.has_activity || !hpf__reader_log(live->reader) || o->first_time < 0 ||
        o->last_time <= o->first_time) {
        return NULL;
    }
    const hpf_activity *a =
        hpf_eventlog_activity_between(live->activity, o->first_time, o->last_time);
    return hpf_activity_is_empty(a) ? NULL : a;
}
