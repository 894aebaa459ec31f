/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is written as an event log is read back as the same profile.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <string.h>

#include "hpfile/eventlog_writer.h"
#include "hpfile/model.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"
#include "log_build.h"
#include "log_date.h"

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
    hpf_source_options keep = {.keep = true};
    cr_assert_eq(hpf_source_open(&source, path, &keep, NULL), HPF_OK, "%s", path);
    return source;
}

static hpf_source *source_of_sink(const hpf_sink *sink)
{
    hpf_source *source = NULL;
    hpf_source_options keep = {.keep = true};
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
    hpf_eventlog_writer_options options = {
        .breakdown = breakdown, .frames = survey_frames, .frames_context = survey};
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_eventlog_writer *writer = hpf_eventlog_writer_create(sink, &options);
    cr_assert_eq(hpf_survey_emit(survey, true, &hpf_eventlog_writer_events, writer, &err), HPF_OK,
                 "%s", err.message);
    cr_assert_eq(hpf_eventlog_writer_finish(writer, &err), HPF_OK);
    hpf_eventlog_writer_destroy(writer);
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
        "0.000000000 0 BLOCK_MARKER block_bytes=525 end_ns=1500000000 cap=0\n"
        "0.000000000 0 CAP_CREATE cap=0\n"
        "0.000000000 0 CAPSET_CREATE capset=0 type=2\n"
        "0.000000000 0 CAPSET_ASSIGN_CAP capset=0 cap=0\n"
        "0.000000000 0 CAPSET_CREATE capset=1 type=3\n"
        "0.000000000 0 CAPSET_ASSIGN_CAP capset=1 cap=0\n"
        "0.000000000 0 RTS_IDENTIFIER capset=0 name=\"heapcensus rts\"\n"
        "0.000000000 0 PROGRAM_ARGS capset=0 args=[\"prog\",\"word\",\"+RTS\",\"-hc\",\"-l\"]\n"
        "0.000000000 0 WALL_CLOCK_TIME capset=1 unix_s=1699999980 ns=0\n"
        "0.000000000 0 HEAP_PROF_BEGIN profile=0 period_ns=0 breakdown=1 module=\"\" "
        "closure_descr=\"\" type_descr=\"\" cost_centre=\"\" cost_centre_stack=\"\" retainer=\"\" "
        "biography=\"\"\n"
        "0.000000000 0 HEAP_PROF_COST_CENTRE cost_centre=1 label=\"go\" module=\"Main\" "
        "source=\"Main.hs:5:1-9\" flags=0\n"
        "0.000000000 0 HEAP_PROF_COST_CENTRE cost_centre=2 label=\"main\" module=\"Main\" "
        "source=\"Main.hs:3:1-10\" flags=0\n"
        "0.000000000 0 HEAP_PROF_COST_CENTRE cost_centre=3 label=\"CAF\" module=\"GHC.Show\" "
        "source=\"<no location>\" flags=1\n"
        "0.000004000 0 HEAP_SIZE capset=0 size_bytes=4096\n"
        "0.000004000 0 HEAP_LIVE capset=0 live_bytes=2048\n"
        "0.000004500 0 USER_MARKER marker=\"late\"\n"
        "1.500000000 0 HEAP_PROF_SAMPLE_BEGIN sample=0\n"
        "1.500000000 0 HEAP_PROF_SAMPLE_COST_CENTRE profile=0 bytes=48 stack=[1,2]\n"
        "1.500000000 0 HEAP_PROF_SAMPLE_COST_CENTRE profile=0 bytes=16 stack=[3]\n"
        "1.500000000 0 HEAP_PROF_SAMPLE_COST_CENTRE profile=0 bytes=8 stack=[]\n"
        "1.500000000 0 HEAP_PROF_SAMPLE_END sample=0\n"
        "1.500000000 0 BLOCK_MARKER block_bytes=137 end_ns=2500000000 cap=0\n"
        "1.600000000 0 USER_MARKER marker=\"phase two\"\n"
        "1.600000001 0 MEM_RETURN capset=0 current_mblocks=6 needed_mblocks=4 returned_mblocks=2\n"
        "2.500000000 0 HEAP_PROF_SAMPLE_BEGIN sample=1\n"
        "2.500000000 0 HEAP_PROF_SAMPLE_COST_CENTRE profile=0 bytes=64 stack=[1,2]\n"
        "2.500000000 0 HEAP_PROF_SAMPLE_END sample=1\n";
    cr_expect(hpf_str_is(text, expected), "%.*s", (int)text.length, text.data);
    hpf_source_destroy(source);
    hpf_sink_destroy(said);
    hpf_sink_destroy(written);
    hpf_sink_destroy(log);
}

Test(eventlog_writer, amounts_and_times_are_rounded_to_whole_numbers)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_eventlog_writer *writer = hpf_eventlog_writer_create(sink, NULL);
    hpf_cost costs[] = {{.name = 0, .is_real = 1, .real = 2.5000001},
                        {.name = 1, .is_real = 1, .real = 1e300},
                        {.name = 1, .whole = UINT64_MAX}};
    hpf_sample sample = {.time = 1.9999999996, .costs = costs, .n_costs = 3};
    const hpf_events *e = &hpf_eventlog_writer_events;
    cr_assert_eq(e->name(writer, 0, HPF_STR("a"), NULL), HPF_OK);
    cr_assert_eq(e->name(writer, 1, HPF_STR("b\0c"), NULL), HPF_OK);
    cr_assert_eq(e->sample(writer, &sample, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_writer_finish(writer, NULL), HPF_OK);
    hpf_eventlog_writer_destroy(writer);
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

/* --- dates --- */

Test(eventlog_writer, dates_are_written_and_read)
{
    static const struct {
        uint64_t unix_s;
        const char *text;
    } cases[] = {
        {0, "Thu Jan  1 00:00 1970"},          {951782400, "Tue Feb 29 00:00 2000"},
        {951868740, "Tue Feb 29 23:59 2000"},  {1795226640, "Sat Nov 21 02:04 2026"},
        {4107542400, "Mon Mar  1 00:00 2100"}, {253402300740, "Fri Dec 31 23:59 9999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[HPF__LOG_DATE_BYTES];
        uint64_t unix_s = 1;
        hpf__log_date_write(text, cases[i].unix_s);
        cr_expect_str_eq(text, cases[i].text);
        cr_expect(hpf__log_date_parse((hpf_str){text, sizeof text - 1}, &unix_s));
        cr_expect_eq(unix_s, cases[i].unix_s);
    }
    uint64_t unix_s;
    cr_expect_not(hpf__log_date_parse(HPF_STR("Tue Nov 21 2026"), &unix_s));
    cr_expect_not(hpf__log_date_parse(HPF_STR("Tue Nov 41 00:00 2026"), &unix_s));
    cr_expect_not(hpf__log_date_parse(HPF_STR("Tue Nox 21 00:00 2026"), &unix_s));
}
