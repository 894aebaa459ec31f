/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is written as an event log is read back as the same profile.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <string.h>

#include "detect/reader.h"
#include "retold.h"
#include "model.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"
#include "hpfile/breakdown.h"
#include "hpfile/eventlog.h"
#include "hpfile/eventlog_writer.h"
#include "log_build.h"
#include "source_dir.h"

#define LOGS    CENSUS_SOURCE_DIR "/tests/data/eventlog/"
#define SAMPLES CENSUS_SOURCE_DIR "/samples/"

/* --- round trips --- */

static hpf_model *model_of(hpf_source *source)
{
    hpf_model *model = hpf_model_create();
    hpf_error err = {0};
    cr_assert_eq(hpf_read_source(source, &hpf_model_events, model, NULL, &err), HPF_OK, "%s",
                 err.message);
    hpf_source_destroy(source);
    return model;
}

static hpf_source *source_of_path(const char *path)
{
    hpf_source *source = NULL;
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    cr_assert_eq(hpf_source_open(&source, path, &keep, NULL), HPF_OK, "%s", path);
    return source;
}

static hpf_source *source_of_sink(const hpf_sink *sink)
{
    hpf_source *source = NULL;
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(sink), &keep, NULL), HPF_OK);
    return source;
}

static size_t survey_frames(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    return hpf_survey_frames(context, name, frames, room);
}

static hpf_sink *write_log(hpf_source *source, hpf_breakdown breakdown)
{
    hpf_survey *survey = NULL;
    hpf_error err = {0};
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, &err), HPF_OK, "%s", err.message);
    hpf_writer_options options = {.size = sizeof options,
                                  .breakdown = breakdown,
                                  .frames = survey_frames,
                                  .frames_context = survey};
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_eventlog, sink, &options);
    cr_assert_eq(hpf_survey_emit(survey, true, &hpf_writer_events, writer, &err), HPF_OK, "%s",
                 err.message);
    cr_assert_eq(hpf_writer_finish(writer, &err), HPF_OK);
    hpf_writer_destroy(writer);
    hpf_survey_destroy(survey);
    return sink;
}

/* Written, read, and written again: the same profile, and then the same bytes. */
static void expect_same(const char *path, hpf_breakdown breakdown)
{
    hpf_source *source = source_of_path(path);
    hpf_sink *first = write_log(source, breakdown);
    hpf_source *again = source_of_sink(first);
    hpf_sink *second = write_log(again, breakdown);
    hpf_str a = hpf_sink_bytes(first);
    hpf_str b = hpf_sink_bytes(second);
    cr_expect(hpf_str_equal(a, b), "%s", path);
    hpf_source_destroy(source);
    hpf_source_destroy(again);
    hpf_model *given = model_of(source_of_path(path));
    hpf_model *written = model_of(source_of_sink(first));
    cr_expect(hpf_model_equal(given, written), "%s", path);
    hpf_model_destroy(given);
    hpf_model_destroy(written);
    hpf_sink_destroy(first);
    hpf_sink_destroy(second);
}

Test(eventlog_writer, logs_survive_writing_and_reading)
{
    expect_same(LOGS "oddnames-prof-pair-hc.eventlog", HPF_BREAKDOWN_COST_CENTRE);
    expect_same(SAMPLES "eventlog/foldleak-prof-small-l-hc.eventlog.xz", HPF_BREAKDOWN_COST_CENTRE);
    expect_same(SAMPLES "eventlog/foldleak-prof-lu-hc.eventlog", HPF_BREAKDOWN_COST_CENTRE);
    expect_same(SAMPLES "eventlog/dragvoid-prof-l-au-hb.eventlog", HPF_BREAKDOWN_BIOGRAPHY);
    expect_same(LOGS "interp-prof-l-au-hy-long.eventlog.xz", HPF_BREAKDOWN_TYPE);
    expect_same(LOGS "pathgrid-plain-l-hT.eventlog.xz", HPF_BREAKDOWN_CLOSURE_TYPE);
}

Test(eventlog_writer, text_survives_as_a_log)
{
    expect_same(SAMPLES "hp/foldleak-prof-hc.hp", HPF_BREAKDOWN_NONE);
    expect_same(SAMPLES "hp/oddnames-prof-hc-long.hp", HPF_BREAKDOWN_NONE);
    expect_same(SAMPLES "hp/pathgrid-prof-hc-i0.005.hp", HPF_BREAKDOWN_NONE);
}

/* --- what is in the log --- */

static hpf_status print(void *context, const hpf_event *event, hpf_error *err)
{
    (void)err;
    hpf_event_print(context, event);
    return HPF_OK;
}

Test(eventlog_writer, stacks_marks_and_lines_are_records)
{
    static const hpf_event_visitor visitor = {.event = print};
    hpf_sink *log = hpf_sink_to_memory();
    log_put_example(log);
    hpf_source *source = source_of_sink(log);
    hpf_sink *written = write_log(source, HPF_BREAKDOWN_COST_CENTRE);
    hpf_source_destroy(source);
    source = source_of_sink(written);
    hpf_sink *said = hpf_sink_to_memory();
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, said, NULL), HPF_OK);
    hpf_str text = hpf_sink_bytes(said);
    static const char expected[] =
        "0.000000000 - BLOCK_MARKER block_bytes=226 end_ns=0 cap=65535\n"
        "0.000000000 - CAP_CREATE cap=0\n"
        "0.000000000 - CAPSET_CREATE capset=0 type=2:OsProcess\n"
        "0.000000000 - CAPSET_ASSIGN_CAP capset=0 cap=0\n"
        "0.000000000 - CAPSET_CREATE capset=1 type=3:ClockDomain\n"
        "0.000000000 - CAPSET_ASSIGN_CAP capset=1 cap=0\n"
        "0.000000000 - RTS_IDENTIFIER capset=0 name=\"heapcensus rts\"\n"
        "0.000000000 - PROGRAM_ARGS capset=0 args=[\"prog\",\"word\",\"+RTS\",\"-hc\",\"-l\"]\n"
        "0.000000000 - WALL_CLOCK_TIME capset=1 unix_s=1699999980 ns=0\n"
        "0.000000000 - HEAP_PROF_BEGIN profile=0 period_ns=0 breakdown=1:-hc module=\"\" "
        "closure_descr=\"\" type_descr=\"\" cost_centre=\"\" cost_centre_stack=\"\" retainer=\"\" "
        "biography=\"\"\n"
        "0.000000000 0 BLOCK_MARKER block_bytes=84 end_ns=4500 cap=0\n"
        "0.000004000 0 HEAP_SIZE capset=0 size_bytes=4096\n"
        "0.000004000 0 HEAP_LIVE capset=0 live_bytes=2048\n"
        "0.000004500 0 USER_MARKER marker=\"late\"\n"
        "0.000000000 - BLOCK_MARKER block_bytes=263 end_ns=1500000000 cap=65535\n"
        "0.000000000 - HEAP_PROF_COST_CENTRE cost_centre=1 label=\"go\" module=\"Main\" "
        "source=\"Main.hs:5:1-9\" flags=0\n"
        "0.000000000 - HEAP_PROF_COST_CENTRE cost_centre=2 label=\"main\" module=\"Main\" "
        "source=\"Main.hs:3:1-10\" flags=0\n"
        "0.000000000 - HEAP_PROF_COST_CENTRE cost_centre=3 label=\"CAF\" module=\"GHC.Show\" "
        "source=\"<no location>\" flags=1\n"
        "1.500000000 - HEAP_PROF_SAMPLE_BEGIN sample=0\n"
        "1.500000000 - HEAP_PROF_SAMPLE_COST_CENTRE profile=0 bytes=48 stack=[1,2]\n"
        "1.500000000 - HEAP_PROF_SAMPLE_COST_CENTRE profile=0 bytes=16 stack=[3]\n"
        "1.500000000 - HEAP_PROF_SAMPLE_COST_CENTRE profile=0 bytes=8 stack=[]\n"
        "1.500000000 - HEAP_PROF_SAMPLE_END sample=0\n"
        "0.000004500 0 BLOCK_MARKER block_bytes=71 end_ns=1600000001 cap=0\n"
        "1.600000000 0 USER_MARKER marker=\"phase two\"\n"
        "1.600000001 0 MEM_RETURN capset=0 current_mblocks=6 needed_mblocks=4 returned_mblocks=2\n"
        "1.500000000 - BLOCK_MARKER block_bytes=90 end_ns=2500000000 cap=65535\n"
        "2.500000000 - HEAP_PROF_SAMPLE_BEGIN sample=1\n"
        "2.500000000 - HEAP_PROF_SAMPLE_COST_CENTRE profile=0 bytes=64 stack=[1,2]\n"
        "2.500000000 - HEAP_PROF_SAMPLE_END sample=1\n";
    cr_expect(hpf_str_is(text, expected), "%.*s", (int)text.length, text.data);
    hpf_source_destroy(source);
    hpf_sink_destroy(said);
    hpf_sink_destroy(written);
    hpf_sink_destroy(log);
}

typedef struct emitted {
    hpf_sink *sink;
    hpf_writer *writer;
} emitted;

/* A sample of a biography is known at the end: its records have the time of the end, and a field
 * has the time of the sample. */
Test(eventlog_writer, biographies_have_the_time_of_the_sample_in_a_field)
{
    static const hpf_event_visitor visitor = {.event = print};
    static const struct {
        hpf_writer_options options;
        const char *records; /* of a sample */
    } cases[] = {
        {{.breakdown = HPF_BREAKDOWN_BIOGRAPHY, .end_time = 3},
         "3.000000000 - HEAP_BIO_PROF_SAMPLE_BEGIN sample=0 taken_ns=1500000000\n"
         "3.000000000 - HEAP_PROF_SAMPLE_STRING profile=0 bytes=7 label=\"LAG\"\n"
         "3.000000000 - HEAP_PROF_SAMPLE_END sample=0\n"},
        {{.breakdown = HPF_BREAKDOWN_RETAINER,
          .filters[HPF_RESTRICT_BIOGRAPHY] = HPF_STR("lag,drag")},
         "1.500000000 - HEAP_BIO_PROF_SAMPLE_BEGIN sample=0 taken_ns=1500000000\n"
         "1.500000000 - HEAP_PROF_SAMPLE_STRING profile=0 bytes=7 label=\"LAG\"\n"
         "1.500000000 - HEAP_PROF_SAMPLE_END sample=0\n"},
        {{.breakdown = HPF_BREAKDOWN_RETAINER, .end_time = 3},
         "1.500000000 - HEAP_PROF_SAMPLE_BEGIN sample=0\n"
         "1.500000000 - HEAP_PROF_SAMPLE_STRING profile=0 bytes=7 label=\"LAG\"\n"
         "1.500000000 - HEAP_PROF_SAMPLE_END sample=0\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hpf_writer_options options = cases[i].options;
        options.size = sizeof options;
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_writer *writer = create_writer(&hpf_format_eventlog, sink, &options);
        hpf_cost cost = {.name = 0, .whole = 7};
        hpf_sample sample = {.time = 1.5, .costs = &cost, .n_costs = 1};
        cr_assert_eq(hpf_writer_events.name(writer, 0, HPF_STR("LAG"), NULL), HPF_OK);
        cr_assert_eq(hpf_writer_events.sample(writer, &sample, NULL), HPF_OK);
        cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
        hpf_writer_destroy(writer);
        hpf_source *source = source_of_sink(sink);
        hpf_sink *printed = hpf_sink_to_memory();
        cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, printed, NULL), HPF_OK);
        hpf_sink_write(printed, "", 1);
        const char *text = hpf_sink_bytes(printed).data;
        cr_expect(strstr(text, cases[i].records), "%zu: %s", i, text);
        hpf_source_destroy(source);
        hpf_model *model = model_of(source_of_sink(sink));
        cr_expect_eq(hpf_model_sample(model, 0).time, 1.5);
        hpf_model_destroy(model);
        hpf_sink_destroy(printed);
        hpf_sink_destroy(sink);
    }
}

Test(eventlog_writer, restrictions_survive)
{
    static const hpf_writer_options options = {
        .size = sizeof options,
        .breakdown = HPF_BREAKDOWN_TYPE,
        .filters = {HPF_STR("Main,Lib"), HPF_STR("(,)"), HPF_STR("Int"), HPF_STR("go"),
                    HPF_STR("main"), HPF_STR("CAF"), HPF_STR("drag,void")},
    };
    emitted t = {.sink = hpf_sink_to_memory()};
    t.writer = create_writer(&hpf_format_eventlog, t.sink, &options);
    hpf_sample sample = {.time = 1};
    hpf_survey *survey = NULL;
    cr_assert_eq(hpf_writer_events.sample(t.writer, &sample, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(t.writer, NULL), HPF_OK);
    hpf_writer_destroy(t.writer);
    hpf_source *source = source_of_sink(t.sink);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    const hpf_eventlog_profile *profile = hpf_survey_eventlog_profile(survey);
    for (int i = 0; i < HPF_N_RESTRICTIONS; i++) {
        cr_expect(hpf_str_equal(profile->filters[i], options.filters[i]), "%d", i);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(t.sink);
}

Test(eventlog_writer, amounts_and_times_are_rounded_to_whole_numbers)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_eventlog, sink, NULL);
    hpf_cost costs[] = {{.name = 0, .is_real = 1, .real = 2.5000001},
                        {.name = 1, .is_real = 1, .real = 1e99},
                        {.name = 1, .whole = UINT64_MAX}};
    hpf_sample sample = {.time = 1.9999999996, .costs = costs, .n_costs = 3};
    const hpf_events *e = &hpf_writer_events;
    cr_assert_eq(e->name(writer, 0, HPF_STR("a"), NULL), HPF_OK);
    cr_assert_eq(e->name(writer, 1, HPF_STR("b\0c"), NULL), HPF_OK);
    cr_assert_eq(e->sample(writer, &sample, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    hpf_model *model = model_of(source_of_sink(sink));
    hpf_sample read = hpf_model_sample(model, 0);
    cr_expect_eq(read.time, 2);
    cr_expect_eq(read.costs[0].whole, 3);
    cr_expect_eq(read.costs[1].whole, UINT64_MAX);
    cr_expect_eq(read.costs[2].whole, UINT64_MAX);
    cr_expect(hpf_str_is(hpf_model_name(model, 1), "b"));
    hpf_model_destroy(model);
    hpf_sink_destroy(sink);
}

/* --- records besides the heap profile --- */

static hpf_status note_tick(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_time_note(context, event, err);
}

static hpf_eventlog_time *time_of(hpf_source *source)
{
    static const hpf_event_visitor visitor = {.event = note_tick};
    hpf_eventlog_time *time = hpf_eventlog_time_create();
    hpf_eventlog_time_keep_order(time);
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, time, NULL), HPF_OK);
    return time;
}

Test(eventlog_writer, ticks_are_read_back_with_their_stacks)
{
    const hpf_frame go[] = {{.label = HPF_STR("go"), .module = HPF_STR("M")},
                            {.label = HPF_STR("main"), .module = HPF_STR("M")}};
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_eventlog, sink, NULL);
    cr_assert_eq(hpf_eventlog_writer_begin_time(writer, 2000000, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_writer_tick(writer, 2000000, 0, 1, go, 2, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_writer_tick(writer, 4000000, 1, 2, go, 2, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_writer_tick(writer, 6000000, 0, 3, &go[1], 1, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_writer_tick(writer, 8000000, 0, 4, NULL, 0, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    hpf_source *source = source_of_sink(sink);
    hpf_eventlog_time *time = time_of(source);
    hpf_prof prof;
    cr_assert_eq(hpf_eventlog_time_profile(time, &prof, NULL), HPF_OK);
    cr_expect_eq(prof.tick_us, 2000);
    cr_expect_eq(prof.n_processors, 2);
    cr_assert_eq(prof.n_stacks, 3);
    for (size_t i = 0; i < 3; i++) {
        static const char *const labels[] = {"MAIN", "main", "go"};
        cr_expect(hpf_str_is(prof.centres[prof.stacks[i].centre_index].label, labels[i]));
        cr_expect_eq(prof.stacks[i].ticks, i == 2 ? 2 : 1);
    }
    hpf_eventlog_time_destroy(time);
    hpf_source_destroy(source);
    hpf_sink_destroy(sink);
}

/* Returns an amount of the stacks of a log, as a profile. */
static hpf_model *totals_of(hpf_source *source, const char *amount)
{
    const hpf_reader_options options = {.size = sizeof options, .value = {amount, strlen(amount)}};
    hpf_model *model = hpf_model_create();
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    cr_assert_eq(
        hpf_format_read(&hpf_format_eventlog, source, &hpf_model_events, model, &options, NULL),
        HPF_OK);
    return model;
}

/* The stacks of tests of totals: go/main, main, and from the third on main called by others. */
static size_t frames_of_total(void *context, size_t stack, hpf_frame *frames, size_t room)
{
    static const hpf_frame go[] = {{.label = HPF_STR("go"), .module = HPF_STR("M")},
                                   {.label = HPF_STR("main"), .module = HPF_STR("M")}};
    static char labels[100][2];
    (void)context;
    cr_assert_geq(room, 2);
    frames[0] = go[stack > 0];
    frames[1] = go[1];
    if (stack > 1) {
        labels[stack][0] = (char)('a' + stack / 10);
        labels[stack][1] = (char)('0' + stack % 10);
        frames[1] = (hpf_frame){.label = {labels[stack], 2}};
    }
    return stack == 1 ? 1 : 2;
}

Test(eventlog_writer, totals_of_stacks_are_read_back_also_from_a_copy)
{
    static const double whole[] = {-HUGE_VAL, HUGE_VAL};
    const hpf_writer_options options = {.size = sizeof options, .writes_totals = true};
    static const char *const amounts[] = {"allocated", "peak", "blocks"};
    const hpf_stack_totals totals[] = {{1000, 300, 3}, {UINT64_MAX, 40, 4}};
    hpf_sink *sinks[] = {hpf_sink_to_memory(), hpf_sink_to_memory()};
    hpf_writer *writer = create_writer(&hpf_format_eventlog, sinks[0], &options);
    const hpf_stack_totals early[] = {{1, 0, 0}, {0, 0, 0}};
    cr_assert_eq(
        hpf_eventlog_writer_totals(writer, 1000000, early, 2, frames_of_total, NULL, false, NULL),
        HPF_OK);
    cr_assert_eq(
        hpf_eventlog_writer_totals(writer, 2000000, totals, 2, frames_of_total, NULL, true, NULL),
        HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    hpf_source *sources[] = {source_of_sink(sinks[0]), NULL};
    hpf_eventlog *log;
    cr_assert_eq(hpf_eventlog_read_source(&log, sources[0], &(hpf_event_visitor){0}, NULL, NULL),
                 HPF_OK);
    writer = create_writer(&hpf_format_eventlog, sinks[1], NULL);
    cr_assert_eq(hpf_eventlog_writer_declare(writer, log, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_writer_copy(writer, sources[0], whole, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    hpf_eventlog_destroy(log);
    sources[1] = source_of_sink(sinks[1]);
    for (int i = 0; i < 6; i++) {
        hpf_model *model = totals_of(sources[i % 2], amounts[i / 2]);
        cr_assert_eq(hpf_model_n_samples(model), 1);
        hpf_sample read = hpf_model_sample(model, 0);
        cr_expect_eq(read.time, 0.002);
        cr_assert_eq(read.n_costs, 2);
        for (int k = 0; k < 2; k++) {
            const uint64_t written[] = {totals[k].allocated_bytes, totals[k].peak_bytes,
                                        totals[k].peak_blocks};
            const char *name = k ? "(2)main" : "(1)go/main";
            cr_expect_eq(read.costs[k].whole, written[i / 2]);
            cr_expect(hpf_str_is(hpf_model_name(model, read.costs[k].name), name));
        }
        hpf_model_destroy(model);
    }
    for (int i = 0; i < 2; i++) {
        hpf_source_destroy(sources[i]);
        hpf_sink_destroy(sinks[i]);
    }
}

/* Everything but definitions, blocks, and the numbers of cost centres. */
static hpf_status count_record(void *context, const hpf_event *event, hpf_error *err)
{
    uint64_t *sums = context;
    (void)err;
    uint64_t sum = event->time_ns * 31 + event->cap;
    for (size_t i = 0; i < event->payload.length; i++) {
        sum = sum * 131 + (unsigned char)event->payload.data[i];
    }
    if (event->type->id < 256) {
        sums[event->type->id] += sum * sum;
    }
    return HPF_OK;
}

/* A log of GHC with a heap profile, a time profile, threads and collections. */
Test(eventlog_writer, other_records_of_a_log_are_copied)
{
    static const hpf_event_visitor visitor = {.event = count_record};
    static const double whole[] = {0, HUGE_VAL};
    static uint64_t sums[2][256];
    hpf_source *given =
        source_of_path(CENSUS_SOURCE_DIR "/tests/cli/fixtures/time_and_heap.eventlog.xz");
    hpf_survey *survey = NULL;
    cr_assert_eq(hpf_survey_create(&survey, given, NULL, NULL), HPF_OK);
    const hpf_writer_options options = {
        .size = sizeof options, .breakdown = HPF_BREAKDOWN_COST_CENTRE, .period_ns = 50000000};
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_eventlog, sink, &options);
    cr_assert_eq(hpf_eventlog_writer_declare(writer, hpf_survey_eventlog(survey), NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_writer_copy(writer, given, whole, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    hpf_source *copied = source_of_sink(sink);
    cr_assert_eq(hpf_source_rewind(given, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_read_source(NULL, given, &visitor, sums[0], NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_read_source(NULL, copied, &visitor, sums[1], NULL), HPF_OK);
    static const int others[] = {0,  1,  2,  9,  10, 20, 21, 22, 26, 28, 32,
                                 34, 46, 49, 50, 51, 52, 53, 54, 55, 168};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_expect_eq(sums[0][others[i]], sums[1][others[i]], "type %d", others[i]);
    }
    cr_expect_neq(sums[0][53], 0);
    hpf_eventlog_time *times[] = {time_of(given), time_of(copied)};
    size_t n[2];
    const hpf_time_sample *samples[2];
    for (int i = 0; i < 2; i++) {
        samples[i] = hpf_eventlog_time_samples(times[i], &n[i]);
    }
    cr_assert_eq(n[0], 119);
    cr_assert_eq(n[1], n[0]);
    for (size_t i = 0; i < n[0]; i++) {
        cr_expect_eq(samples[0][i].time_ns, samples[1][i].time_ns);
        cr_expect_eq(samples[0][i].stack, samples[1][i].stack, "nodes are in the order of use");
    }
    hpf_eventlog_time_destroy(times[0]);
    hpf_eventlog_time_destroy(times[1]);
    hpf_source_destroy(copied);
    hpf_sink_destroy(sink);
    hpf_survey_destroy(survey);
    hpf_source_destroy(given);
}

Test(eventlog_writer, records_of_another_length_or_type_are_omitted)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_eventlog, sink, NULL);
    static const hpf_event_visitor visitor = {.event = print};
    cr_expect_eq(
        hpf_eventlog_writer_record(writer, 1, 5, 3, HPF_STR("\0\0\0\7"), HPF_STR(""), NULL),
        HPF_OK);
    cr_expect_eq(hpf_eventlog_writer_record(writer, 1, 6, 3, HPF_STR("\0\0\0"), HPF_STR(""), NULL),
                 HPF_OK);
    cr_expect_eq(hpf_eventlog_writer_record(writer, 999, 7, 3, HPF_STR(""), HPF_STR(""), NULL),
                 HPF_OK);
    cr_expect_eq(
        hpf_eventlog_writer_record(writer, 19, 8, 3, HPF_STR("hel"), HPF_STR("lo\xCE"), NULL),
        HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    hpf_source *source = source_of_sink(sink);
    hpf_sink *printed = hpf_sink_to_memory();
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, printed, NULL), HPF_OK);
    hpf_sink_write(printed, "", 1);
    const char *text = hpf_sink_bytes(printed).data;
    cr_expect(strstr(text, "end_ns=8 cap=3\n0.000000005 3 RUN_THREAD thread=7\n"
                           "0.000000008 3 USER_MSG message=\"hello\xEF\xBF\xBD\"\n"),
              "%s", text);
    cr_expect_not(strstr(text, "0.000000006"));
    cr_expect_not(strstr(text, "0.000000007"));
    hpf_sink_destroy(printed);
    hpf_source_destroy(source);
    hpf_sink_destroy(sink);
}

/* --- what tools ask of logs --- */

static emitted begin_telling(double units_per_s)
{
    hpf_writer_options options = {.size = sizeof options, .units_per_s = units_per_s};
    hpf_sink *sink = hpf_sink_to_memory();
    return (emitted){sink, create_writer(&hpf_format_eventlog, sink, &options)};
}

/* One sample of all names, each of which costs one more than the one before it. */
static hpf_model *end_telling(emitted *t, uint32_t n_names, double time)
{
    hpf_cost costs[8];
    for (uint32_t i = 0; i < n_names; i++) {
        costs[i] = (hpf_cost){.name = i, .whole = i + 1};
    }
    hpf_sample sample = {.time = time, .costs = costs, .n_costs = n_names};
    cr_assert_eq(hpf_writer_events.sample(t->writer, &sample, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(t->writer, NULL), HPF_OK);
    hpf_writer_destroy(t->writer);
    hpf_model *model = model_of(source_of_sink(t->sink));
    hpf_sink_destroy(t->sink);
    return model;
}

static void expect_names(const hpf_model *model, const char *const *names, uint32_t n)
{
    cr_assert_eq(hpf_model_n_names(model), n);
    for (uint32_t i = 0; i < n; i++) {
        hpf_str name = hpf_model_name(model, i);
        cr_expect(hpf_str_is(name, names[i]), "%u: %.*s", i, (int)name.length, name.data);
    }
}

Test(eventlog_writer, text_is_utf_8_and_names_stay_apart)
{
    static const char *const written[] = {"ab\xEF\xBF\xBD", "(1)ab\xEF\xBF\xBD", "b", "(3)b",
                                          "\xEF\xBF\xBD\xEF\xBF\xBDz"};
    const hpf_str given[] = {HPF_STR("ab\xCE"), HPF_STR("ab\xCF"), HPF_STR("b\0c"), HPF_STR("b"),
                             HPF_STR("\xED\xA0z")};
    const hpf_events *e = &hpf_writer_events;
    emitted t = begin_telling(0);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(e->name(t.writer, i, given[i], NULL), HPF_OK);
    }
    cr_assert_eq(e->mark(t.writer, 1, HPF_STR("\xFFmark"), NULL), HPF_OK);
    hpf_model *model = end_telling(&t, 5, 1);
    expect_names(model, written, 5);
    hpf_str label;
    hpf_model_mark(model, 0, &label);
    cr_expect(hpf_str_is(label, "\xEF\xBF\xBDmark"));
    hpf_model_destroy(model);
}

Test(eventlog_writer, texts_end_where_a_record_has_no_room)
{
    static char longest[70000];
    memset(longest, 'x', sizeof longest);
    const hpf_events *e = &hpf_writer_events;
    emitted t = begin_telling(0);
    hpf_str text = {longest, sizeof longest};
    cr_assert_eq(e->header(t.writer, HPF_HEADER_JOB, text, NULL), HPF_OK);
    cr_assert_eq(e->name(t.writer, 0, text, NULL), HPF_OK);
    longest[sizeof longest - 1] = 'y';
    cr_assert_eq(e->name(t.writer, 1, text, NULL), HPF_OK);
    memcpy(longest + 65499, "\xE2\x82\xAC", 3);
    cr_assert_eq(e->name(t.writer, 2, text, NULL), HPF_OK);
    cr_assert_eq(e->mark(t.writer, 1, text, NULL), HPF_OK);
    hpf_model *model = end_telling(&t, 3, 1);
    cr_assert_eq(hpf_model_n_names(model), 3);
    cr_expect_eq(hpf_model_header(model, HPF_HEADER_JOB).length, 65530);
    cr_expect_eq(hpf_model_name(model, 0).length, 65500);
    cr_expect_eq(hpf_model_name(model, 1).length, 65503);
    cr_expect_eq(hpf_model_name(model, 2).length, 65499);
    hpf_model_mark(model, 0, &text);
    cr_expect_eq(text.length, 65535);
    hpf_model_destroy(model);
}

Test(eventlog_writer, the_job_is_read_as_it_was)
{
    static const char *const jobs[] = {"./server --port 80 ", " a  b", "p +RTS -hc -RTS x", "",
                                       "/"};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        emitted t = begin_telling(0);
        hpf_str job = {jobs[i], strlen(jobs[i])};
        const hpf_events *e = &hpf_writer_events;
        cr_assert_eq(e->header(t.writer, HPF_HEADER_JOB, job, NULL), HPF_OK);
        hpf_model *model = end_telling(&t, 0, 1);
        cr_expect(hpf_str_equal(hpf_model_header(model, HPF_HEADER_JOB), job), "%s", jobs[i]);
        hpf_model_destroy(model);
    }
}

Test(eventlog_writer, times_in_another_unit_become_seconds)
{
    emitted t = begin_telling(1000);
    hpf_model *model = end_telling(&t, 0, 137.5);
    cr_expect_eq(hpf_model_sample(model, 0).time, 0.1375);
    hpf_model_destroy(model);
}

static size_t one_stack(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    (void)context;
    (void)name;
    cr_assert_gt(room, 1);
    frames[0] = (hpf_frame){.label = HPF_STR("go")};
    frames[1] = (hpf_frame){.label = HPF_STR("main")};
    return 2;
}

Test(eventlog_writer, names_of_the_same_frames_stay_apart)
{
    static const char *const names[] = {"go/main", "(2)go/main", "(3)go/main"};
    hpf_writer_options options = {
        .size = sizeof options, .breakdown = HPF_BREAKDOWN_COST_CENTRE, .frames = one_stack};
    emitted t = {.sink = hpf_sink_to_memory()};
    t.writer = create_writer(&hpf_format_eventlog, t.sink, &options);
    for (uint32_t i = 0; i < 3; i++) {
        hpf_str text = {names[i], strlen(names[i])};
        cr_assert_eq(hpf_writer_events.name(t.writer, i, text, NULL), HPF_OK);
    }
    hpf_model *model = end_telling(&t, 3, 1);
    expect_names(model, names, 3);
    hpf_model_destroy(model);
}

static size_t two_tables(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    (void)context;
    (void)name;
    cr_assert_gt(room, 0);
    frames[0] = (hpf_frame){.table = HPF_STR("sat_info"),
                            .closure_type = HPF_STR("THUNK"),
                            .type = HPF_STR("Int"),
                            .label = HPF_STR("main"),
                            .module = HPF_STR("Main"),
                            .source = HPF_STR("Main.hs:5:1-30")};
    return 1;
}

Test(eventlog_writer, info_tables_are_defined)
{
    static const char *const names[] = {"sat_info Main.main Main.hs:5:1-30",
                                        "(2)sat_info Main.main Main.hs:5:1-30"};
    hpf_writer_options options = {
        .size = sizeof options, .breakdown = HPF_BREAKDOWN_INFO_TABLE, .frames = two_tables};
    emitted t = {.sink = hpf_sink_to_memory()};
    t.writer = create_writer(&hpf_format_eventlog, t.sink, &options);
    for (uint32_t i = 0; i < 2; i++) {
        hpf_str text = {names[i], strlen(names[i])};
        cr_assert_eq(hpf_writer_events.name(t.writer, i, text, NULL), HPF_OK);
    }
    hpf_model *model = end_telling(&t, 2, 1);
    expect_names(model, names, 2);
    hpf_model_destroy(model);
}

static hpf_status add_points(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    double *sums = context;
    (void)err;
    cr_expect(hpf_str_is(name, "heap") || hpf_str_is(name, "resident"));
    sums[hpf_str_is(name, "resident")] += point.value;
    return HPF_OK;
}

Test(eventlog_writer, size_of_the_process_is_not_the_size_of_the_heap)
{
    const hpf_events *e = &hpf_writer_events;
    emitted t = begin_telling(0);
    cr_assert_eq(e->quantity(t.writer, HPF_STR("resident"), (hpf_quantity_point){1, 10}, NULL),
                 HPF_OK);
    cr_assert_eq(e->quantity(t.writer, HPF_STR("heap"), (hpf_quantity_point){1, 20}, NULL), HPF_OK);
    cr_assert_eq(e->quantity(t.writer, HPF_STR("resident"), (hpf_quantity_point){2, 30}, NULL),
                 HPF_OK);
    hpf_model *model = end_telling(&t, 0, 1);
    static const hpf_events counting = {.quantity = add_points};
    double sums[2] = {0, 0};
    cr_assert_eq(hpf_model_replay(model, &counting, &sums, NULL), HPF_OK);
    cr_expect_eq(sums[0], 20);
    cr_expect_eq(sums[1], 40);
    hpf_model_destroy(model);
}

/* --- dates --- */

Test(eventlog_writer, dates_are_written_and_read)
{
    /* The day of the week is not read: the one of the second column is computed. */
    static const char *const cases[][2] = {
        {"Xxx Jan  1 00:00 1970", "Thu Jan  1 00:00 1970"},
        {"Xxx Feb 29 00:00 2000", "Tue Feb 29 00:00 2000"},
        {"Xxx Feb 29 23:59 2000", "Tue Feb 29 23:59 2000"},
        {"Xxx Dec 31 12:34 2024", "Tue Dec 31 12:34 2024"},
        {"Xxx Nov 21 02:04 2026", "Sat Nov 21 02:04 2026"},
        {"Xxx Nov 21 02:04:33 2026", "Sat Nov 21 02:04 2026"},
        {"Xxx Nov 21 02:04:60 2026", "Sat Nov 21 02:05 2026"},
        {"Xxx Feb 28 00:00 2100", "Sun Feb 28 00:00 2100"},
        {"Xxx Mar  1 00:00 2100", "Mon Mar  1 00:00 2100"},
        {"Xxx Dec 31 23:59 9999", "Fri Dec 31 23:59 9999"},
        {"Xxx Dec 31 23:59:60 9999", "Fri Dec 31 23:59 9999"},
        {"Sat Nov 21 02:04:71 2026", ""},
        {"Sat Nov 21 02:04x33 2026", ""},
        {"Tue Nov 21 2026", ""},
        {"Tue Nov 41 00:00 2026", ""},
        {"Tue Nov  0 00:00 2026", ""},
        {"Tue Nov 21 24:00 2026", ""},
        {"Tue Nov 21 00:60 2026", ""},
        {"Tue Nov 21 00:00 1969", ""},
        {"Tue Nov 2x 00:00 2026", ""},
        {"Tue Nox 21 00:00 2026", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        emitted t = begin_telling(0);
        hpf_str date = {cases[i][0], strlen(cases[i][0])};
        const hpf_events *e = &hpf_writer_events;
        cr_assert_eq(e->header(t.writer, HPF_HEADER_DATE, date, NULL), HPF_OK);
        hpf_model *model = end_telling(&t, 0, 1);
        hpf_str read = hpf_model_header(model, HPF_HEADER_DATE);
        cr_expect(hpf_str_is(read, cases[i][1]), "%s: %.*s", cases[i][0], (int)read.length,
                  read.data);
        hpf_model_destroy(model);
    }
}

/* --- restrictions in jobs --- */

Test(eventlog_writer, restrictions_are_found_in_jobs)
{
    static const struct {
        const char *job;
        hpf_restriction which;
        const char *names;
    } cases[] = {
        {"p -hmNo +RTS -hy -hmA,B", HPF_RESTRICT_MODULE, "A,B"},
        {"p +RTS -hd{(,),x} -RTS -hdNo", HPF_RESTRICT_CLOSURE_DESCR, "(,),x"},
        {"p +RTS -hyInt -hyBool", HPF_RESTRICT_TYPE, "Bool"},
        {"p +RTS -hc\"a b\" -hc", HPF_RESTRICT_COST_CENTRE, "\"a b\""},
        {"p +RTS -hCmain\\ x", HPF_RESTRICT_COST_CENTRE_STACK, "main\\ x"},
        {"p +RTS -hc -hrCAF -l", HPF_RESTRICT_RETAINER, "CAF"},
        {"p +RTS -hr -hbdrag,void", HPF_RESTRICT_BIOGRAPHY, "drag,void"},
        {"p -x \xC2\xB7 by call stack, -hmlibc.so, -hCmain", HPF_RESTRICT_MODULE, "libc.so"},
        {"p -x \xC2\xB7 by call stack, -hmlibc.so, -hCmain", HPF_RESTRICT_COST_CENTRE_STACK,
         "main"},
        {"p \" +RTS -hTTHUNK -hc -hb", HPF_N_RESTRICTIONS, ""},
        {"", HPF_N_RESTRICTIONS, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hpf_str found[HPF_N_RESTRICTIONS + 1] = {{0}};
        int n_found = 0;
        hpf_restrictions_of_job((hpf_str){cases[i].job, strlen(cases[i].job)}, found);
        for (int k = 0; k < HPF_N_RESTRICTIONS; k++) {
            n_found += found[k].length > 0;
        }
        cr_expect(hpf_str_is(found[cases[i].which], cases[i].names), "%s", cases[i].job);
        bool has_two = strstr(cases[i].job, "libc") != NULL;
        cr_expect_eq(n_found, has_two + (cases[i].which < HPF_N_RESTRICTIONS), "%s", cases[i].job);
    }
}

/* Writes a growing log whose 100 stacks allocate with each sample, with or without their totals,
 * and stores its length after each sample. */
static hpf_str write_growing(hpf_sink *sink, size_t lengths[], int n, bool has_totals)
{
    const hpf_writer_options options = {
        .size = sizeof options, .writes_totals = true, .flush_samples = true};
    hpf_writer *writer = create_writer(&hpf_format_eventlog, sink, &options);
    for (int i = 0; i < n; i++) {
        hpf_stack_totals totals[100];
        for (uint64_t k = 0; k < 100; k++) {
            totals[k] = (hpf_stack_totals){1000 * ((uint64_t)i + 1) + k, (uint64_t)i, k};
        }
        cr_assert_eq(hpf_eventlog_writer_totals(writer, (uint64_t)i * 1000000, totals,
                                                has_totals ? 100 : 0, frames_of_total, NULL, false,
                                                NULL),
                     HPF_OK);
        const hpf_sample sample = {.time = i * 1e-3};
        cr_assert_eq(hpf_writer_events.sample(writer, &sample, NULL), HPF_OK);
        lengths[i] = hpf_sink_bytes(sink).length;
    }
    hpf_writer_destroy(writer);
    return hpf_sink_bytes(sink);
}

Test(eventlog_writer, totals_of_a_growing_log_are_recent_and_a_small_part_of_it)
{
    enum { N = 2000 };
    static size_t without[N], lengths[N];
    hpf_sink *sinks[] = {hpf_sink_to_memory(), hpf_sink_to_memory()};
    write_growing(sinks[0], without, N, false);
    hpf_str log = write_growing(sinks[1], lengths, N, true);
    cr_expect_leq(lengths[N - 1] - lengths[0], (without[N - 1] - without[0]) * 16 / 15 + lengths[0],
                  "%zu %zu", lengths[N - 1], without[N - 1]);
    uint64_t before = 0;
    for (int i = 0; i < N; i += 97) {
        hpf_source *source;
        cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){log.data, lengths[i]}, NULL, NULL),
                     HPF_OK);
        hpf_model *model = totals_of(source, "allocated");
        hpf_sample read = hpf_model_sample(model, 0);
        cr_assert_eq(read.n_costs, 100);
        cr_expect_geq(read.costs[0].whole, before);
        cr_expect_leq(read.costs[0].whole, 1000 * ((uint64_t)i + 1));
        for (uint64_t k = 0; k < 100; k++) {
            cr_expect_eq(read.costs[k].whole, read.costs[0].whole + k);
        }
        before = read.costs[0].whole;
        hpf_model_destroy(model);
        hpf_source_destroy(source);
    }
    cr_expect_gt(before, 1000 * N / 2);
    hpf_sink_destroy(sinks[0]);
    hpf_sink_destroy(sinks[1]);
}
