/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Event logs: the laws of all profiles, and the same records with the same fields however the bytes
 * are cut.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"
#include "detect/reader.h"
#include "fuzz.h"
#include "event/format_row.h"
#include "hpfile/format.h"
#include "hpfile/eventlog.h"
#include "hpfile/eventlog_activity.h"
#include "hpfile/eventlog_writer.h"
#include "laws.h"
#include "log_mutator.h"
#include "readings.h"

/* Few enough that logs of a few hundred bytes are reduced too. */
#define FEW_DRAWN 16

static hpf_status print(void *context, const hpf_event *event, hpf_error *err)
{
    (void)err;
    hpf_event_print(context, event);
    return HPF_OK;
}

/* Every record as text, then how the log ends. */
static hpf_sink *print_records(hpf_str bytes, size_t most_bytes, rng *chance)
{
    static const hpf_event_visitor visitor = {.event = print};
    hpf_sink *said = hpf_sink_to_memory();
    hpf_eventlog *log = hpf_eventlog_create(&visitor, said);
    hpf_error err = {0};
    for (size_t at = 0; at < bytes.length;) {
        size_t n = 1 + (size_t)rng_below(chance, most_bytes);
        n = n < bytes.length - at ? n : bytes.length - at;
        hpf_status status = hpf_eventlog_feed(log, bytes.data + at, n, &err);
        at = status == HPF_OK ? at + n : bytes.length;
    }
    hpf_sink_printf(said, "%d %llu %s %d %llu\n", (int)err.status, (unsigned long long)err.offset,
                    err.message, (int)hpf_eventlog_state(log),
                    (unsigned long long)hpf_eventlog_offset(log));
    for (size_t i = 0; i < hpf_eventlog_n_types(log); i++) {
        hpf_sink_printf(said, "%llu ", (unsigned long long)hpf_eventlog_type(log, i)->n_events);
    }
    hpf_eventlog_destroy(log);
    return said;
}

static void check_records(hpf_str bytes, rng *chance)
{
    hpf_sink *whole = print_records(bytes, bytes.length + 1, chance);
    hpf_sink *pieces = print_records(bytes, 1 + (size_t)rng_below(chance, 40), chance);
    hpf_str a = hpf_sink_bytes(whole);
    hpf_str b = hpf_sink_bytes(pieces);
    fuzz_require(a.length == b.length && memcmp(a.data, b.data, a.length) == 0,
                 "cutting the log changes its records");
    hpf_sink_destroy(whole);
    hpf_sink_destroy(pieces);
}

/* What reports beside the heap gather from a log, all at once. */
typedef struct gathered {
    hpf_eventlog_ticky *ticky;
    hpf_eventlog_time *time;
    hpf_eventlog_nonmoving nonmoving;
    hpf_eventlog_activity *activity;
} gathered;

static hpf_status gather(void *context, const hpf_event *event, hpf_error *err)
{
    gathered *g = context;
    hpf_status status = hpf_eventlog_ticky_note(g->ticky, event, err);
    status = status == HPF_OK ? hpf_eventlog_time_note(g->time, event, err) : status;
    status = status == HPF_OK ? hpf_eventlog_activity_note(g->activity, event, err) : status;
    return status == HPF_OK ? hpf_eventlog_nonmoving_note(&g->nonmoving, event, err) : status;
}

static void check_cells(const double *cells, const hpf_activity *a, double most)
{
    for (size_t i = 0; cells && i < a->n_cells; i++) {
        fuzz_require(cells[i] >= 0 && cells[i] <= most, "a cell has an impossible amount");
    }
}

static void check_sums(gathered *g)
{
    const hpf_activity *a = hpf_eventlog_activity_between(g->activity, 0, 10);
    check_cells(a->allocated_bytes, a, HUGE_VAL);
    check_cells(a->paused_s, a, a->cell_s * 1.000001);
    check_cells(a->running_s, a, HUGE_VAL);
    check_cells(a->sparks, a, HUGE_VAL);
    check_cells(a->run_sparks, a, HUGE_VAL);
    fuzz_require(!a->sparks == !a->run_sparks, "one of two arrays is missing");
    hpf_prof prof;
    size_t n_samples;
    uint64_t n_ticks = 0;
    fuzz_require(hpf_eventlog_time_profile(g->time, &prof, NULL) == HPF_OK, "there is no profile");
    for (size_t i = 0; i < prof.n_stacks; i++) {
        n_ticks += prof.stacks[i].ticks;
    }
    hpf_eventlog_time_samples(g->time, &n_samples);
    fuzz_require(n_ticks == n_samples, "stacks have other ticks than there are samples");
    hpf_ticky_counter *counters =
        calloc(hpf_eventlog_ticky_n_counters(g->ticky) + 1, sizeof *counters);
    hpf_eventlog_ticky_list(g->ticky, counters);
    free(counters);
    fuzz_require(g->nonmoving.n_censuses <= g->nonmoving.n_blocks, "a census without blocks");
}

static void check_reports(hpf_str bytes)
{
    static const hpf_event_visitor visitor = {.event = gather};
    gathered g = {.ticky = hpf_eventlog_ticky_create(),
                  .time = hpf_eventlog_time_create(),
                  .activity = hpf_eventlog_activity_create()};
    hpf_eventlog_time_keep_order(g.time);
    hpf_eventlog *log = hpf_eventlog_create(&visitor, &g);
    if (hpf_eventlog_feed(log, bytes.data, bytes.length, NULL) == HPF_OK) {
        check_sums(&g);
    }
    hpf_eventlog_destroy(log);
    hpf_eventlog_ticky_destroy(g.ticky);
    hpf_eventlog_time_destroy(g.time);
    hpf_eventlog_nonmoving_finish(&g.nonmoving);
    hpf_eventlog_activity_destroy(g.activity);
}

static hpf_status add_costs(void *context, const hpf_sample *sample, hpf_error *err)
{
    (void)err;
    for (size_t i = 0; i < sample->n_costs; i++) {
        *(double *)context += hpf_cost_amount(&sample->costs[i]);
    }
    return HPF_OK;
}

/* Sums what the stacks of a log have allocated. */
static hpf_status sum_allocated(hpf_str bytes, double *sum)
{
    const hpf_reader_options options = {.size = sizeof options, .value = HPF_STR("allocated")};
    const hpf_events events = {.sample = add_costs};
    hpf_source *source = NULL;
    hpf_error err = {0};
    *sum = 0;
    fuzz_require(hpf_source_from_memory(&source, bytes, NULL, NULL) == HPF_OK, "no source");
    hpf_status status = hpf_format_read(&hpf_format_eventlog, source, &events, sum, &options, &err);
    fuzz_require(status == HPF_OK || err.message[0], "no message");
    hpf_source_destroy(source);
    return status;
}

static hpf_status note_time(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_time_note(context, event, err);
}

/* The ticks and totals of a log and of its copy are the same. Stacks that have allocated nothing
 * are left out of the copy. */
static void check_copied(hpf_str bytes, hpf_str copy)
{
    static const hpf_event_visitor visitor = {.event = note_time};
    uint64_t n_ticks[2];
    double sums[2];
    hpf_status status[2];
    for (int i = 0; i < 2; i++) {
        hpf_eventlog_time *time = hpf_eventlog_time_create();
        hpf_eventlog *log = hpf_eventlog_create(&visitor, time);
        hpf_str all = i == 0 ? bytes : copy;
        fuzz_require(hpf_eventlog_feed(log, all.data, all.length, NULL) == HPF_OK,
                     "the copy is not a log");
        n_ticks[i] = hpf_eventlog_time_n_ticks(time);
        status[i] = sum_allocated(all, &sums[i]);
        hpf_eventlog_destroy(log);
        hpf_eventlog_time_destroy(time);
    }
    fuzz_require(n_ticks[0] == n_ticks[1], "the copy has other ticks");
    bool is_left_out = status[0] == HPF_OK && sums[0] == 0 && status[1] == HPF_ERR_ARGUMENT;
    fuzz_require(status[0] == status[1] || is_left_out,
                 "the copy has totals of stacks, or the log");
    fuzz_require(fabs(sums[0] - sums[1]) <= 1e-9 * sums[0], "the copy has other totals");
}

/* Everything but the heap profile, written and read again: as many ticks, as many bytes. A log with
 * impossible totals has no copy. */
static void check_copy(hpf_str bytes)
{
    static const hpf_event_visitor nothing = {.event = NULL};
    const double whole[] = {0, HUGE_VAL};
    const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_source *given = NULL;
    hpf_eventlog *log = NULL;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = NULL;
    fuzz_require(hpf_source_from_memory(&given, bytes, &keep, NULL) == HPF_OK, "no source");
    bool is_read = hpf_eventlog_read_source(&log, given, &nothing, NULL, NULL) == HPF_OK;
    if (is_read && hpf_writer_create(&writer, &hpf_format_eventlog, sink, NULL, NULL) == HPF_OK) {
        double sum;
        fuzz_require(hpf_eventlog_writer_declare(writer, log, NULL) == HPF_OK, "no types");
        hpf_status status = hpf_eventlog_writer_copy(writer, given, whole, NULL);
        fuzz_require(status == HPF_OK || status == sum_allocated(bytes, &sum), "no copy");
        fuzz_require(hpf_writer_finish(writer, NULL) == HPF_OK, "no end");
        if (status == HPF_OK) {
            check_copied(bytes, hpf_sink_bytes(sink));
        }
    }
    hpf_writer_destroy(writer);
    hpf_eventlog_destroy(log);
    hpf_source_destroy(given);
    hpf_sink_destroy(sink);
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    (void)sample;
    (void)err;
    *(bool *)context = true;
    return HPF_OK;
}

static void on_warning(void *context, const hpf_error *warning)
{
    *(bool *)context &= warning->status != HPF_ERR_ORDER;
}

/* Whether samples come in the order of time. */
static bool is_in_order(hpf_str bytes)
{
    bool in_order = true;
    bool has_samples = false;
    hpf_events events = {.sample = on_sample};
    hpf_reader_options options = {
        .size = sizeof options, .warning = on_warning, .warning_context = &in_order};
    hpf_reader *reader = hpf_reader_create(&events, &has_samples, &options);
    if (hpf_reader_feed(reader, bytes.data, bytes.length, NULL) == HPF_OK) {
        hpf_status status = hpf_reader_finish(reader, NULL);
        fuzz_require((status == HPF_OK) == has_samples, "samples that were told are not there");
    }
    hpf_reader_destroy(reader);
    return in_order;
}

/* Lines of calls divide stacks: the sums of samples, and of totals, do not depend on them. */
static void check_lines(hpf_str bytes)
{
    static const hpf_events events = {.sample = add_costs};
    const hpf_reader_options options[] = {
        {.size = sizeof *options, .keeps_times = true},
        {.size = sizeof *options, .keeps_times = true, .by_line = true, .by_stack = true}};
    const hpf_reader_options of_totals[] = {
        {.size = sizeof *of_totals, .value = HPF_STR("allocated")},
        {.size = sizeof *of_totals, .value = HPF_STR("allocated"), .by_line = true}};
    double sums[2] = {0}, totals[2] = {0};
    hpf_status status[2], status_of_totals[2];
    for (int i = 0; i < 2; i++) {
        hpf_source *source;
        fuzz_require(hpf_source_from_memory(&source, bytes, NULL, NULL) == HPF_OK, "no source");
        status[i] = hpf_read_source(source, &events, &sums[i], &options[i], NULL);
        hpf_source_destroy(source);
        fuzz_require(hpf_source_from_memory(&source, bytes, NULL, NULL) == HPF_OK, "no source");
        status_of_totals[i] =
            hpf_format_read(&hpf_format_eventlog, source, &events, &totals[i], &of_totals[i], NULL);
        hpf_source_destroy(source);
    }
    fuzz_require(status[0] == status[1] && fabs(sums[0] - sums[1]) <= 1e-9 * sums[0],
                 "lines change samples");
    fuzz_require(status_of_totals[0] == status_of_totals[1] &&
                     fabs(totals[0] - totals[1]) <= 1e-9 * totals[0],
                 "lines change totals");
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    rng chance = {seed};
    return log_mutate(data, size, max_size, &chance);
}

static void check_survey(hpf_str bytes, rng *chance)
{
    hpf_error err;
    hpf_model *model = model_of_text(bytes, &err);
    law_survey_memory(bytes, model, rng_below(chance, 2) ? FEW_DRAWN : 0, is_in_order(bytes));
    hpf_model_destroy(model);
}

/* libFuzzer makes one of five groups of comparisons at each run, chosen by the input, since it
 * makes similar inputs for all of them: that is five times as many inputs. Kept inputs are compared
 * in all ways by the test. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hpf_str bytes = {(const char *)data, size};
    rng chance = {fuzz_seed(data, size)};
    if (size < 4 || memcmp(data, HPF_EVENTLOG_MAGIC, 4) != 0) {
        return 0;
    }
#ifdef CENSUS_BUILD_FUZZERS
    const unsigned groups = 1u << rng_below(&chance, 5);
#else
    const unsigned groups = ~0u;
#endif
    if (groups & 1) {
        check_records(bytes, &chance);
        check_reports(bytes);
    }
    if (groups & 2) {
        check_copy(bytes);
    }
    if (groups & 4) {
        check_lines(bytes);
    }
    if (groups & 8) {
        law_cuts(bytes, &chance);
    }
    if (groups & 16) {
        check_survey(bytes, &chance);
    }
    return 0;
}
