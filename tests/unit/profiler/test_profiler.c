/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile from start to stop: what is in its files, when censuses are due, clocks, signals.
 */
#define HPP_MODULE "Main"
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "detect/reader.h"
#include "prof/address_bins.h"
#include "model.h"
#include "prof/prof.h"
#include "hpfile/str.h"
#include "summary/survey_details.h"
#include "core/profiler.h"
#include "ccs/ccs.h"
#include "ccs/tick_list.h"
#include "eventlog/eventlog_time.h"
#include "hpprof/log.h"
#include "hpprof/scope.h"
#include "scratch.h"
#include "tiny_language.h"

static hpp_options options;
static hpp_config config;
static uint64_t now_ns; /* the clock of most tests */

static uint64_t told_time(void *context)
{
    (void)context;
    return now_ns;
}

static void set_up(void)
{
    static const char *const arguments[] = {"30"};
    scratch_begin();
    hpp_options_init(&options);
    config = (hpp_config){.options = &options,
                          .program = "bin/toy",
                          .arguments = arguments,
                          .n_arguments = 1,
                          .date = "Sat Nov 21 02:07 2026",
                          .clock = {told_time, NULL},
                          .ticker = HPP_TICKER_NONE};
}

static void tear_down(void)
{
    hpp_options_finish(&options);
    scratch_end();
}

TestSuite(profiler, .init = set_up, .fini = tear_down);

/* Starts a profile with these options; output goes to the test's folder. */
static hpp_runtime *start(const char *text, bool has_headers)
{
    cr_assert_eq(hpp_options_parse(&options, (hpf_str){text, strlen(text)}, NULL), HPF_OK);
    options.stem = scratch_path("toy");
    hpp_language language = tiny_language(has_headers);
    hpp_runtime *runtime;
    hpf_error err;
    cr_assert_eq(hpp_runtime_start(&runtime, &language, &config, &err), HPF_OK, "%s", err.message);
    return runtime;
}

static void stop(hpp_runtime *runtime)
{
    hpf_error err;
    cr_assert_eq(hpp_runtime_stop(runtime, &err), HPF_OK, "%s", err.message);
    cr_assert_eq(hpp_runtime_stop(runtime, &err), HPF_OK, "a second stop does nothing");
    hpp_runtime_destroy(runtime);
}

static void expect_file(const char *name, const char *wanted)
{
    char *text = read_file(scratch_path(name), NULL);
    cr_assert_not_null(text);
    cr_assert_str_eq(text, wanted);
    free(text);
}

static bool file_has(const char *name, const char *wanted)
{
    char *text = read_file(scratch_path(name), NULL);
    bool found = text && strstr(text, wanted);
    free(text);
    return found;
}

static void census_at(hpp_runtime *runtime, double time_s)
{
    now_ns = (uint64_t)(time_s * 1e9);
    hpp_profiler_census(hpp_runtime_profiler(runtime));
}

/* ---- nothing to do ---- */

Test(profiler, no_options_no_profiler)
{
    hpp_runtime *runtime = start("", true);
    cr_assert_null(runtime);
    hpp_ref ref = tiny_new(runtime, &tiny_data, 8, 0);
    hpp_runtime_used(runtime, ref);
    hpp_runtime_moved(runtime, ref, ref);
    hpp_runtime_overwritten(runtime, ref, false);
    hpp_runtime_add_roots(runtime, &ref, 1);
    hpp_runtime_remove_roots(runtime, &ref);
    cr_assert_not(hpp_runtime_wants_collection(runtime));
    hpp_runtime_collected(runtime);
    hpp_profiler_mark(hpp_runtime_profiler(runtime), HPF_STR("x"));
    hpp_profiler_allocated_at(NULL, NULL, 1);
    cr_assert_null(hpp__profiler_engine(NULL));
    tiny_free(runtime, ref);
    stop(runtime);
    cr_assert_eq(scratch_n_files(), 0);
}

/* ---- the heap profile ---- */

#define HEAD(options_text)                                                                         \
    "JOB \"toy 30 +RTS " options_text "\"\nDATE \"Sat Nov 21 02:07 2026\"\n"                       \
    "SAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"                                              \
    "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"

Test(profiler, heap_profile_by_stack_is_written_while_it_runs)
{
    hpp_runtime *runtime = start("+RTS -hc -i1 -RTS", true);
    tiny_new(runtime, &tiny_data, 5, 0);
    HPP_SCC("build")
    {
        HPP_SCC("insert\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4")
        {
            tiny_new(runtime, &tiny_data, 100, 0);
            tiny_new(runtime, &tiny_data, 20, 0);
        }
    }
    now_ns = 1500000000;
    cr_assert(hpp_runtime_wants_collection(runtime));
    hpp_runtime_collected(runtime);
    static const char after_one[] =
        HEAD("-hc -i1") "BEGIN_SAMPLE 1.500000\nMAIN\t5\n"
                        "(9)insert\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4/build\t120\n"
                        "END_SAMPLE 1.500000\n";
    expect_file("toy.hp", after_one);
    now_ns = 1600000000;
    cr_assert_not(hpp_runtime_wants_collection(runtime));
    hpp_profiler_mark(hpp_runtime_profiler(runtime), HPF_STR("phase 2"));
    now_ns = 2000000000;
    stop(runtime);
    char all[1000];
    snprintf(all, sizeof all, "%sMARK 1.600000\nBEGIN_SAMPLE 2.000000\nEND_SAMPLE 2.000000\n",
             after_one);
    expect_file("toy.hp", all);
    cr_assert_eq(scratch_n_files(), 1, "no report was asked for");
}

/* ---- the event log ---- */

/* The heap profile of a log, as a reader tells it. */
static hpf_survey *survey_log(hpf_source **source)
{
    const hpf_source_options keep = {.keep = true};
    hpf_survey *survey = NULL;
    hpf_error err;
    cr_assert_eq(hpf_source_open(source, scratch_path("toy.eventlog"), &keep, &err), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, *source, NULL, &err), HPF_OK, "%s", err.message);
    return survey;
}

static hpf_name name_in(const hpf_survey *survey, const char *text)
{
    for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
        if (hpf_str_is(hpf_survey_name(survey, i), text)) {
            return i;
        }
    }
    cr_assert_fail("no %s", text);
    return 0;
}

#define LONG_LABEL "a_name_that_is_longer_than_profiles_have_room_for"

Test(profiler, an_event_log_has_the_same_samples_with_whole_stacks)
{
    hpf_source *source = NULL;
    hpf_frame frames[3];
    hpp_runtime *runtime = start("-l -i1", true);
    tiny_new(runtime, &tiny_data, 5, 0);
    HPP_SCC("build")
    {
        HPP_SCC(LONG_LABEL)
        {
            tiny_new(runtime, &tiny_data, 100, 0);
        }
    }
    census_at(runtime, 1.5);
    hpp_profiler_mark(hpp_runtime_profiler(runtime), HPF_STR("phase 2"));
    now_ns = 2000000000;
    stop(runtime);
    cr_expect(file_has("toy.hp", "...\t100\n"));
    hpf_survey *survey = survey_log(&source);
    const hpf_overview *o = hpf_survey_overview(survey);
    hpf_name deep = name_in(survey, LONG_LABEL "/build");
    cr_expect_eq(o->n_samples, 3);
    cr_expect_eq(o->last_time, 2);
    cr_expect_eq(hpf_survey_totals(survey, deep)->sum, 100);
    cr_expect_eq(hpf_survey_totals(survey, name_in(survey, "MAIN"))->sum, 5);
    cr_assert_eq(hpf_survey_frames(survey, deep, frames, 3), 2);
    cr_expect(hpf_str_is(frames[1].label, "build"));
    cr_expect(hpf_str_is(frames[1].module, "Main"));
    cr_expect(strstr(frames[1].source.data, "test_profiler.c:"));
    cr_assert_eq(o->n_marks, 1);
    cr_expect(hpf_str_is(o->marks[0].label, "phase 2"));
    cr_assert_eq(o->n_quantities, 1);
    cr_expect(hpf_str_is(o->quantities[0].name, "live"));
    cr_expect_eq(o->quantities[0].points[0].value, 105);
    cr_expect_eq(hpf_survey_eventlog_metadata(survey)->profiles[0].breakdown,
                 HPF_BREAKDOWN_COST_CENTRE);
    cr_expect_eq(hpf_survey_eventlog_metadata(survey)->profiles[0].period_ns, 1000000000);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

Test(profiler, an_event_log_of_a_biography_is_final_at_the_end)
{
    hpf_source *source = NULL;
    hpp_runtime *runtime = start("-hb -l -i1 -hyTree,Bool -hyTree -hTCONSTR -hCMAIN", true);
    hpp_ref used = tiny_new(runtime, &tiny_data, 100, 0);
    census_at(runtime, 1);
    cr_expect(file_has("toy.hp", "NOT_YET_USED\t100\n"));
    hpp_runtime_used(runtime, used);
    census_at(runtime, 2);
    stop(runtime);
    hpf_survey *survey = survey_log(&source);
    cr_expect_eq(hpf_survey_totals(survey, name_in(survey, "LAG"))->sum, 100);
    const hpf_eventlog_profile *profile = hpf_survey_eventlog_profile(survey);
    cr_expect_eq(profile->breakdown, HPF_BREAKDOWN_BIOGRAPHY);
    cr_expect(hpf_str_is(profile->filters[HPF_RESTRICT_TYPE], "Tree,Bool & Tree"));
    cr_expect(hpf_str_is(profile->filters[HPF_RESTRICT_COST_CENTRE_STACK], "MAIN"));
    cr_expect_eq(profile->filters[HPF_RESTRICT_BIOGRAPHY].length, 0);
    const hpf_eventlog *log = hpf_survey_eventlog(survey);
    for (size_t i = 0; i < hpf_eventlog_n_types(log); i++) {
        const hpf_event_type *type = hpf_eventlog_type(log, i);
        const char *name = hpf_event_name(type);
        uint64_t expected = strcmp(name, "HEAP_BIO_PROF_SAMPLE_BEGIN") == 0 ? 4 : 0;
        if (strstr(name, "SAMPLE_BEGIN")) {
            cr_expect_eq(type->n_events, expected, "%s", name);
        }
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

static hpf_status note_tick(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_time_note(context, event, err);
}

/* Reads the time profile of the log into `prof`. */
static hpf_eventlog_time *time_of_log(hpf_prof *prof)
{
    static const hpf_event_visitor visitor = {.event = note_tick};
    hpf_source *source = NULL;
    hpf_eventlog_time *time = hpf_eventlog_time_create();
    hpf_eventlog_time_keep_order(time);
    cr_assert_eq(hpf_source_open(&source, scratch_path("toy.eventlog"), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, time, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_time_profile(time, prof, NULL), HPF_OK);
    hpf_source_destroy(source);
    return time;
}

static uint64_t ticks_of(const hpf_prof *prof, const char *label)
{
    uint64_t n = 0;
    for (size_t i = 0; i < prof->n_stacks; i++) {
        const hpf_prof_centre *centre = &prof->centres[prof->stacks[i].centre_index];
        n += hpf_str_is(centre->label, label) ? prof->stacks[i].ticks : 0;
    }
    return n;
}

/* Takes two ticks in "a" and one in "b" below it, and a census. */
static void tick_in_scopes(hpp_runtime *runtime)
{
    HPP_SCC("a")
    {
        now_ns = 100000000;
        hpp_ccs_tick();
        HPP_SCC("b")
        {
            now_ns = 200000000;
            hpp_ccs_tick();
        }
        census_at(runtime, 1);
        now_ns = 1100000000;
        hpp_ccs_tick();
    }
    now_ns = 2000000000;
    stop(runtime);
}

/* Heap profiles are written while the program runs, biographies at its end. */
Test(profiler, an_event_log_has_the_ticks_of_the_time_profile)
{
    static const char *const profiles[] = {"-p -l -i1 -V0.02", "-p -l -hb -i1 -V0.02"};
    for (size_t i = 0; i < 2; i++) {
        hpf_prof prof;
        size_t n;
        now_ns = 0;
        tick_in_scopes(start(profiles[i], true));
        hpf_eventlog_time *time = time_of_log(&prof);
        cr_expect_eq(prof.tick_us, 20000);
        cr_expect_eq(ticks_of(&prof, "a"), 2, "%s", profiles[i]);
        cr_expect_eq(ticks_of(&prof, "b"), 1);
        const hpf_time_sample *samples = hpf_eventlog_time_samples(time, &n);
        cr_assert_eq(n, 3);
        cr_expect_eq(samples[0].time_ns, 100000000);
        cr_expect_eq(samples[1].time_ns, 200000000);
        cr_expect_eq(samples[2].time_ns, 1100000000);
        hpf_eventlog_time_destroy(time);
    }
}

Test(profiler, ticks_without_room_are_counted)
{
    hpp_runtime *runtime = start("-p -l -V0.02", true);
    HPP_SCC("a")
    {
        for (int i = 0; i < HPP__TICK_LIST_ROOM + 7; i++) {
            hpp_ccs_tick();
        }
    }
    stop(runtime);
    hpf_prof prof;
    hpf_eventlog_time *time = time_of_log(&prof);
    cr_expect_eq(hpf_eventlog_time_n_ticks(time), HPP__TICK_LIST_ROOM);
    cr_expect(
        file_has("toy.prof", "Missing: 7 ticks and other records are not in the event log\n"));
    hpf_eventlog_time_destroy(time);
}

static hpf_status print_record(void *context, const hpf_event *event, hpf_error *err)
{
    (void)err;
    hpf_event_print(context, event);
    return HPF_OK;
}

/* What a runtime reports is in the log with the time of the report, also in that of a biography. */
Test(profiler, an_event_log_has_what_the_runtime_reports)
{
    static const hpf_event_visitor visitor = {.event = print_record};
    static const char *const profiles[] = {"-l -i1", "-l -hb -i1"};
    for (size_t i = 0; i < 2; i++) {
        now_ns = 0;
        hpp_runtime *runtime = start(profiles[i], true);
        hpp_profiler *p = hpp_runtime_profiler(runtime);
        hpp_log_thread(p, 7, HPP_THREAD_CREATED, 0);
        hpp_log_thread_name(p, 7, HPF_STR("worker"));
        now_ns = 10;
        hpp_log_thread(p, 7, HPP_THREAD_RUNS, 1);
        now_ns = 20;
        hpp_log_gc_begin(p);
        now_ns = 30;
        hpp_log_allocated(p, 1 << 20);
        hpp_log_gc_end(p, &(hpp_log_gc){.generation = 1,
                                        .copied_bytes = 100,
                                        .heap_bytes = 400,
                                        .block_bytes = 300,
                                        .live_bytes = 200});
        hpp_log_thread(p, 7, HPP_THREAD_BLOCKED, 1);
        hpp_log_message(p, HPF_STR("half\xFF"));
        hpp_profiler_mark(p, HPF_STR("way"));
        stop(runtime);
        hpp_log_message(NULL, HPF_STR("nothing"));
        hpf_source *source = NULL;
        hpf_sink *text = hpf_sink_to_memory();
        cr_assert_eq(hpf_source_open(&source, scratch_path("toy.eventlog"), NULL, NULL), HPF_OK);
        cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, text, NULL), HPF_OK);
        hpf_sink_write(text, "", 1);
        const char *records = hpf_sink_bytes(text).data;
        cr_expect(strstr(records,
                         "0.000000000 0 CREATE_THREAD thread=7\n"
                         "0.000000000 0 THREAD_LABEL thread=7 label=\"worker\"\n"
                         "0.000000020 0 GC_START\n"
                         "0.000000030 0 HEAP_ALLOCATED capset=0 allocated_bytes=1048576\n"
                         "0.000000030 0 GC_END\n"
                         "0.000000030 0 HEAP_SIZE capset=0 size_bytes=400\n"
                         "0.000000030 0 BLOCKS_SIZE capset=0 size_bytes=300\n"
                         "0.000000030 0 GC_STATS_GHC capset=0 generation=1 copied_bytes=100 "
                         "slop_bytes=0 fragmentation_bytes=0 n_threads=1 max_copied_bytes=100 "
                         "total_copied_bytes=100 balanced_copied_bytes=0\n"
                         "0.000000030 0 HEAP_LIVE capset=0 live_bytes=200\n"
                         "0.000000030 0 USER_MSG message=\"half\xEF\xBF\xBD\"\n"
                         "0.000000030 0 USER_MARKER marker=\"way\"\n"),
                  "%s: %s", profiles[i], records);
        cr_expect(strstr(records, "0.000000010 1 RUN_THREAD thread=7\n"
                                  "0.000000030 1 STOP_THREAD thread=7 status=4:ThreadBlocked "
                                  "blocked_on=0\n"));
        cr_expect(strstr(records, "0.000000010 - CAP_CREATE cap=1\n"));
        hpf_sink_destroy(text);
        hpf_source_destroy(source);
    }
}

Test(profiler, sizes_are_the_same_with_headers_and_without)
{
    char *texts[2];
    for (int has_headers = 0; has_headers < 2; has_headers++) {
        now_ns = 0;
        memset(tiny_cells, 0, sizeof tiny_cells);
        hpp_runtime *runtime = start("-hd", has_headers);
        HPP_SCC_HERE("make");
        for (uint64_t i = 1; i < 10; i++) {
            tiny_new(runtime, i % 3 ? &tiny_data : &tiny_thunk, i, 0);
        }
        census_at(runtime, 1);
        tiny_free(runtime, (hpp_ref)&tiny_cells[4]);
        census_at(runtime, 2);
        stop(runtime);
        texts[has_headers] = read_file(scratch_path("toy.hp"), NULL);
        hpp_options_finish(&options);
        hpp_options_init(&options);
    }
    cr_assert_str_eq(texts[0], texts[1]);
    cr_assert(strstr(texts[0], "Cell\t27\nthunk\t18\n") != NULL, "%s", texts[0]);
    free(texts[0]);
    free(texts[1]);
}

Test(profiler, producers_follow_objects_that_move)
{
    for (int has_headers = 0; has_headers < 2; has_headers++) {
        now_ns = 0;
        memset(tiny_cells, 0, sizeof tiny_cells);
        hpp_runtime *runtime = start("-hc", has_headers);
        HPP_SCC("mover")
        {
            tiny_new(runtime, &tiny_data, 50, 0);
        }
        tiny_cells[9] = tiny_cells[0];
        memset(&tiny_cells[0], 0, sizeof *tiny_cells);
        hpp_runtime_moved(runtime, (hpp_ref)&tiny_cells[0], (hpp_ref)&tiny_cells[9]);
        cr_assert_eq(hpp_runtime_needs(runtime).moved, !has_headers);
        census_at(runtime, 1);
        stop(runtime);
        cr_assert(file_has("toy.hp", "mover\t50\n"));
        hpp_options_finish(&options);
        hpp_options_init(&options);
    }
}

Test(profiler, biography_is_provisional_first_and_final_at_the_end)
{
    hpp_runtime *runtime = start("-hb -i1", true);
    cr_assert(hpp_runtime_needs(runtime).used);
    hpp_ref used = tiny_new(runtime, &tiny_data, 100, 0);
    tiny_new(runtime, &tiny_data, 30, 0);
    census_at(runtime, 1);
    cr_assert(file_has("toy.hp", "NOT_YET_USED\t130\n"));
    hpp_runtime_used(runtime, used);
    census_at(runtime, 2);
    census_at(runtime, 3);
    now_ns = 4000000000;
    stop(runtime);
    expect_file("toy.hp",
                HEAD("-hb -i1") "BEGIN_SAMPLE 1.000000\nLAG\t100\nVOID\t30\nEND_SAMPLE 1.000000\n"
                                "BEGIN_SAMPLE 2.000000\nUSE\t100\nVOID\t30\nEND_SAMPLE 2.000000\n"
                                "BEGIN_SAMPLE 3.000000\nVOID\t30\nDRAG\t100\nEND_SAMPLE 3.000000\n"
                                "BEGIN_SAMPLE 4.000000\nEND_SAMPLE 4.000000\n");
}

static void mark_at(hpp_runtime *runtime, uint64_t at_ns, const char *label)
{
    now_ns = at_ns;
    hpp_profiler_mark(hpp_runtime_profiler(runtime), (hpf_str){label, strlen(label)});
}

Test(profiler, a_final_biography_has_the_marks_where_they_were)
{
    hpp_runtime *runtime = start("-hb -l -i1", true);
    mark_at(runtime, 500000000, "loaded");
    hpp_runtime_used(runtime, tiny_new(runtime, &tiny_data, 100, 0));
    census_at(runtime, 1);
    mark_at(runtime, 1500000000, "");
    mark_at(runtime, 1600000000, "served");
    census_at(runtime, 2);
    mark_at(runtime, 2500000000, "closed");
    now_ns = 4000000000;
    stop(runtime);
    expect_file("toy.hp",
                HEAD("-hb -l -i1") "MARK 0.500000\n"
                                   "BEGIN_SAMPLE 1.000000\nUSE\t100\nEND_SAMPLE 1.000000\n"
                                   "MARK 1.500000\nMARK 1.600000\n"
                                   "BEGIN_SAMPLE 2.000000\nDRAG\t100\nEND_SAMPLE 2.000000\n"
                                   "MARK 2.500000\n"
                                   "BEGIN_SAMPLE 4.000000\nEND_SAMPLE 4.000000\n");
    hpf_source *source = NULL;
    hpf_survey *survey = survey_log(&source);
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert_eq(o->n_marks, 4);
    cr_expect(hpf_str_is(o->marks[0].label, "loaded"));
    cr_expect(hpf_str_is(o->marks[2].label, "served"));
    cr_expect_eq(o->marks[3].time, 2.5);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

Test(profiler, overwritten_object_dies_and_is_created)
{
    hpp_runtime *runtime = start("-hb -i1", true);
    hpp_ref thunk = tiny_new(runtime, &tiny_thunk, 40, 0);
    census_at(runtime, 1);
    hpp_runtime_used(runtime, thunk);
    hpp_runtime_overwritten(runtime, thunk, false);
    tiny_cells[0].shape = &tiny_data;
    tiny_cells[0].payload_bytes = 16;
    hpp_runtime_overwritten(runtime, thunk, true);
    census_at(runtime, 2);
    stop(runtime);
    cr_assert(file_has("toy.hp", "BEGIN_SAMPLE 1.000000\nLAG\t40\nEND"));
    cr_assert(file_has("toy.hp", "BEGIN_SAMPLE 2.000000\nVOID\t16\nEND"));
}

Test(profiler, retainers_are_reported_with_their_sets)
{
    hpp_runtime *runtime = start("-hr -i1", true);
    hpp_ref data = tiny_new(runtime, &tiny_data, 100, 0);
    hpp_ref roots[2] = {0, 0};
    HPP_SCC("lazy")
    {
        roots[1] = tiny_new(runtime, &tiny_thunk, 10, data);
    }
    tiny_new(runtime, &tiny_data, 7, 0);
    hpp_runtime_add_roots(runtime, roots, 2);
    census_at(runtime, 1);
    stop(runtime);
    cr_assert(file_has("toy.hp", "lazy\t110\n"));
    cr_assert(file_has("toy.hp", "UNREACHED\t7\n"));
    cr_assert(file_has("toy.prof", "Retainer Profiling: 0, at 1.000000 seconds\n"));
    cr_assert(file_has("toy.prof", "object = 1.000000\n"
                                   "\tCurrent total costs = 110\n"
                                   "\tNumber of retainer sets = 1\n"));
    cr_assert(file_has("toy.prof", " = {<lazy[Main],MAIN[MAIN]>}\n"));
    cr_assert_not(file_has("toy.prof", "Missing"));
}

/* What is told to others is what is in the file. */
Test(profiler, listener_receives_the_written_events)
{
    hpf_model *heard = hpf_model_create();
    config.events = &hpf_model_events;
    config.events_context = heard;
    hpp_runtime *runtime = start("-hy", true);
    for (int i = 1; i < 5; i++) {
        tiny_new(runtime, i % 2 ? &tiny_data : &tiny_thunk, (uint64_t)i * 10, 0);
        census_at(runtime, i);
    }
    stop(runtime);
    hpf_model *written = hpf_model_create();
    hpf_source *source;
    cr_assert_eq(hpf_source_open(&source, scratch_path("toy.hp"), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_read_source(source, &hpf_model_events, written, NULL, NULL), HPF_OK);
    cr_assert(hpf_model_equal(heard, written));
    cr_assert_eq(hpf_model_n_samples(heard), 6);
    hpf_source_destroy(source);
    hpf_model_destroy(written);
    hpf_model_destroy(heard);
}

/* ---- when ---- */

static uint64_t slow_census_time(void *context)
{
    unsigned *n_calls = context;
    ++*n_calls;
    return now_ns += 100000000;
}

Test(profiler, clock_stops_during_a_census)
{
    unsigned n_calls = 0;
    config.clock = (hpp_clock){slow_census_time, &n_calls};
    hpp_runtime *runtime = start("-hc -i1", true);
    double before_s = hpp_profiler_time_s(hpp_runtime_profiler(runtime));
    hpp_profiler_census(hpp_runtime_profiler(runtime));
    double after_s = hpp_profiler_time_s(hpp_runtime_profiler(runtime));
    /* Each look at the clock takes a tenth of a second: two belong to us, the rest to the census.
     */
    cr_assert_float_eq(after_s - before_s, 0.2, 1e-9);
    hpp_runtime_destroy(runtime);
}

Test(profiler, censuses_are_due_at_intervals_and_missed_ones_are_skipped)
{
    hpp_runtime *runtime = start("-hc -i0.5", true);
    static const struct {
        double time_s;
        bool is_due;
    } looks[] = {{0.1, false}, {0.5, true},  {0.6, false}, {0.9, false}, {1.2, true},
                 {1.4, false}, {1.5, true},  {4.0, true},  {4.1, false}, {4.4, false},
                 {4.5, true},  {4.6, false}, {5.0, true}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        now_ns = (uint64_t)(looks[i].time_s * 1e9);
        cr_assert_eq(hpp_runtime_wants_collection(runtime), looks[i].is_due, "%g", looks[i].time_s);
        hpp_runtime_collected(runtime);
    }
    stop(runtime);
}

Test(profiler, interval_zero_makes_censuses_always_due)
{
    hpp_runtime *runtime = start("-hc -i0", true);
    for (int i = 0; i < 3; i++) {
        cr_assert(hpp_runtime_wants_collection(runtime));
        hpp_runtime_collected(runtime);
    }
    stop(runtime);
}

/* ---- the time and allocation report ---- */

/* The guide's second example, main = print (f 30 + g 30) with its ticks and shares of allocation.
 * The layout is that of today's GHC: a column for places, siblings by entries and label. */
Test(profiler, report_of_the_example_in_the_ghc_guide)
{
    static hpp_cc caf = HPP_CC_INIT("CAF", "Main", "<entire-module>", HPP_CC_CAF);
    static hpp_cc main_cc = HPP_CC_INIT("main", "Main", "Main.hs:1:1-29", 0);
    static hpp_cc f = HPP_CC_INIT("main.f", "Main", "Main.hs:3:5-15", 0);
    static hpp_cc g = HPP_CC_INIT("main.g", "Main", "Main.hs:4:5-23", 0);
    static hpp_cc fib = HPP_CC_INIT("fib", "Main", "Main.hs:6:1-50", 0);
    hpp_runtime *runtime = start("-P -V0.02", true);
    hpp_ccs_set(hpp_ccs_of_caf(&caf));
    HPP_SCC_OF(&main_cc)
    {
        HPP_SCC_OF(&f)
        {
            HPP_SCC_OF(&fib)
            {
                hpp_ccs_allocated(204472000);
                for (int i = 0; i < 34; i++) {
                    hpp_ccs_tick();
                }
            }
        }
        HPP_SCC_OF(&g)
        {
            HPP_SCC_OF(&fib)
            {
                hpp_ccs_allocated(205844);
            }
        }
    }
    hpp_ccs_set(hpp_ccs_builtin(HPP_CCS_GC));
    hpp_ccs_tick();
    hpp_ccs_allocated(1000000);
    stop(runtime);
    expect_file("toy.prof",
                "\tSat Nov 21 02:07 2026 Time and Allocation Profiling Report  (Final)\n\n"
                "\t   toy +RTS -P -V0.02 -RTS 30\n\n"
                "\ttotal time  =        0.68 secs   (34 ticks @ 20000 us, 1 processor)\n"
                "\ttotal alloc = 204,677,844 bytes  (excludes profiling overheads)\n\n"
                "COST CENTRE MODULE SRC             %time %alloc  ticks     bytes\n\n"
                "fib         Main   Main.hs:6:1-50  100.0  100.0     34 204677844\n\n\n"
                "                                                      individual      inherited\n"
                "COST CENTRE MODULE SRC             no.     entries  %time %alloc   %time %alloc"
                "  ticks     bytes\n\n"
                "MAIN        MAIN   <built-in>        1           0    0.0    0.0   100.0  100.0"
                "      0         0\n"
                " CAF        Main   <entire-module>   8           0    0.0    0.0   100.0  100.0"
                "      0         0\n"
                "  main      Main   Main.hs:1:1-29    9           1    0.0    0.0   100.0  100.0"
                "      0         0\n"
                "   main.f   Main   Main.hs:3:5-15   10           1    0.0    0.0   100.0   99.9"
                "      0         0\n"
                "    fib     Main   Main.hs:6:1-50   11           1  100.0   99.9   100.0   99.9"
                "     34 204472000\n"
                "   main.g   Main   Main.hs:4:5-23   12           1    0.0    0.0     0.0    0.1"
                "      0         0\n"
                "    fib     Main   Main.hs:6:1-50   13           1    0.0    0.1     0.0    0.1"
                "      0    205844\n");
}

Test(profiler, json_report_has_all_figures)
{
    hpp_runtime *runtime = start("-pj", true);
    HPP_SCC("a \"quoted\" name")
    {
        hpp_ccs_tick();
    }
    stop(runtime);
    cr_assert(file_has("toy.prof", "\"label\": \"a \\\"quoted\\\" name\", \"module\": \"Main\""));
    cr_assert(file_has("toy.prof", "\"label\": \"GC\""));
    cr_assert(
        file_has("toy.prof", "\"entries\": 1, \"alloc\": 0, \"ticks\": 1, \"children\": []}"));
}

/* ---- clocks ---- */

static double thread_time_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static void burn(double for_s)
{
    double until_s = thread_time_s() + for_s;
    volatile unsigned n = 0;
    while (thread_time_s() < until_s) {
        for (int i = 0; i < 10000; i++) {
            n = n + 1;
        }
    }
}

typedef struct scope_ticks {
    double few_s, many_s; /* burned */
    uint64_t few, many, none;
} scope_ticks;

/* Burns processor time until `stack` has n_ticks and least_s have passed, then until the next tick.
 * Returns the time in seconds, which is bounded.
 *
 * A signal comes when the system's own clock ticks while the thread runs. On a loaded machine,
 * where it runs for shorter than that at a time, it is seldom there then. The ticking thread may be
 * late: right after a tick nothing is left that it could charge to the next scope. */
static double burn_until_charged(const hpp_ccs *stack, double least_s, uint64_t n_ticks)
{
    const double begin_s = thread_time_s(), most_s = least_s + 5;
    double burned_s;
    do {
        burn(0.05);
        burned_s = thread_time_s() - begin_s;
    } while ((hpp_ccs_costs(stack).ticks < n_ticks || burned_s < least_s) && burned_s < most_s);
    uint64_t ticks = hpp_ccs_costs(stack).ticks;
    while (hpp_ccs_costs(stack).ticks == ticks && burned_s < most_s) {
        burn(0.0002);
        burned_s = thread_time_s() - begin_s;
    }
    return burned_s;
}

/* Burns processor time in two scopes, at least three times as much in one, then sleeps in a third.
 */
static scope_ticks burn_in_scopes(void)
{
    const hpp_ccs *stacks[3];
    scope_ticks result = {0};
    HPP_SCC("few")
    {
        stacks[0] = hpp_ccs_current();
        result.few_s = burn_until_charged(stacks[0], 0, 10);
    }
    HPP_SCC("many")
    {
        stacks[1] = hpp_ccs_current();
        result.many_s =
            burn_until_charged(stacks[1], 3 * result.few_s, hpp_ccs_costs(stacks[0]).ticks + 1);
    }
    HPP_SCC("none")
    {
        stacks[2] = hpp_ccs_current();
        struct timespec pause = {0, 50000000};
        nanosleep(&pause, NULL);
    }
    result.few = hpp_ccs_costs(stacks[0]).ticks;
    result.many = hpp_ccs_costs(stacks[1]).ticks;
    result.none = hpp_ccs_costs(stacks[2]).ticks;
    return result;
}

static void check_ticker(hpp_ticker ticker)
{
    config.ticker = ticker;
    config.clock = hpp_clock_cpu;
    hpp_ccs_set(hpp_ccs_builtin(HPP_CCS_MAIN));
    hpp_runtime *runtime =
        start(ticker == HPP_TICKER_SIGNAL ? "-p -B -V0.001" : "-p -V0.001", true);
    scope_ticks ticks = burn_in_scopes();
    stop(runtime);
    /* One for each millisecond at the most, but loaded machines are late. */
    cr_assert(ticks.few >= 10 && (double)ticks.few <= 1400 * ticks.few_s, "%d in %g s",
              (int)ticks.few, ticks.few_s);
    cr_assert(ticks.many > ticks.few && (double)ticks.many <= 1200 * ticks.many_s,
              "%d, and %d in %g s", (int)ticks.few, (int)ticks.many, ticks.many_s);
    cr_assert_leq(ticks.none, ticks.few / 4 + 1);
}

Test(profiler, ticker_thread_charges_the_running_thread, .timeout = 120)
{
    check_ticker(HPP_TICKER_THREAD);
}

static void read_bins(hpf_bins *bins, const char *name)
{
    hpf_source *source;
    cr_assert_eq(hpf_source_open(&source, scratch_path(name), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_bins_read(bins, source, NULL), HPF_OK);
    hpf_source_destroy(source);
}

Test(profiler, ticker_signal_charges_the_running_thread_and_address, .timeout = 120)
{
    check_ticker(HPP_TICKER_SIGNAL);
    hpf_bins bins;
    read_bins(&bins, "toy.time.bins");
    cr_assert_eq(bins.kind, HPF_BINS_TIME);
    cr_assert_eq(bins.unit, 1000000);
    uint64_t in_burn = 0;
    for (size_t i = 0; i < bins.n_bins; i++) {
        uint64_t offset = bins.bins[i].address - (uintptr_t)burn;
        in_burn += offset < 1000 ? bins.bins[i].count : 0;
    }
    cr_assert_gt(in_burn, 10);
    cr_assert_gt(bins.n_objects, 0);
    const hpf_bins_object *program = &bins.objects[0];
    cr_assert((uintptr_t)burn >= program->start && (uintptr_t)burn < program->end);
    cr_assert_eq(program->path.data[0], '/');
    cr_assert_eq(program->build_id.length, 20);
    hpf_bins_finish(&bins);
}

Test(profiler, only_one_profiler_uses_the_signal)
{
    config.ticker = HPP_TICKER_SIGNAL;
    hpp_runtime *runtime = start("-p", true);
    hpp_profiler *second;
    cr_assert_eq(hpp_profiler_start(&second, &config, NULL), HPF_ERR_UNSUPPORTED);
    cr_assert_null(second);
    stop(runtime);
}

Test(profiler, a_clock_without_addresses_refuses_time_bins)
{
    hpp_profiler *profiler;
    hpf_error err;
    cr_assert_eq(hpp_options_parse(&options, HPF_STR("-Bt"), NULL), HPF_OK);
    cr_assert_eq(hpp_profiler_start(&profiler, &config, &err), HPF_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(err.message, "-Bh"));
}

Test(profiler, allocation_is_counted_by_address)
{
    hpp_runtime *runtime = start("-Bh", true);
    hpp_profiler *profiler = hpp_runtime_profiler(runtime);
    static char code[100000];
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 1000; i++) {
            hpp_profiler_allocated_at(profiler, code + i * 16, 8);
        }
        hpp_profiler_allocated_at(profiler, NULL, 5);
    }
    stop(runtime);
    hpf_bins bins;
    read_bins(&bins, "toy.heap.bins");
    cr_assert_eq(bins.n_bins, 1000);
    cr_assert_eq(bins.unknown_count, 15);
    for (size_t i = 0; i < 1000; i++) {
        cr_assert_eq(bins.bins[i].address, (uintptr_t)code + i * 16);
        cr_assert_eq(bins.bins[i].count, 24);
    }
    hpf_bins_finish(&bins);
}

/* ---- -xc ---- */

/* What a child that aborts, or tells an exception, writes to standard error. */
static void run_child(const char *text, bool aborts, char *out, size_t n_bytes)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        hpp_runtime *runtime = start(text, true);
        HPP_SCC("outer")
        {
            HPP_SCC("inner")
            {
                hpp_profiler_exception(hpp_runtime_profiler(runtime), "Overflow", STDERR_FILENO);
                if (aborts) {
                    signal(SIGALRM, SIG_DFL);
                    abort();
                }
            }
        }
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], out + length, n_bytes - 1 - length)) > 0;) {
        length += (size_t)n;
    }
    out[length] = '\0';
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    cr_assert_eq(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, aborts);
}

Test(profiler, stack_is_printed_on_request_and_at_abort)
{
    char text[1000];
    run_child("-xc", true, text, sizeof text);
    cr_assert_str_eq(text, "*** Overflow (reporting due to -xc), stack trace:\n"
                           "  Main.inner,\n  called from Main.outer\n"
                           "*** Aborted (reporting due to -xc), stack trace:\n"
                           "  Main.inner,\n  called from Main.outer\n");
    run_child("-p", false, text, sizeof text);
    cr_assert_str_eq(text, "");
}

/* ---- failures ---- */

Test(profiler, output_that_cannot_be_created_is_an_error_at_the_start)
{
    cr_assert_eq(hpp_options_parse(&options, HPF_STR("-hc -o/nowhere/toy"), NULL), HPF_OK);
    hpp_language language = tiny_language(true);
    hpp_runtime *runtime;
    hpf_error err;
    cr_assert_eq(hpp_runtime_start(&runtime, &language, &config, &err), HPF_ERR_IO);
    cr_assert_null(runtime);
}

Test(profiler, heap_profile_needs_a_heap)
{
    cr_assert_eq(hpp_options_parse(&options, HPF_STR("-hc"), NULL), HPF_OK);
    hpp_profiler *profiler;
    cr_assert_eq(hpp_profiler_start(&profiler, &config, NULL), HPF_ERR_ARGUMENT);
}

/* ---- snapshots ---- */

Test(profiler, snapshot_is_written_when_asked_for_and_has_no_part_in_the_time)
{
    hpp_runtime *runtime = start("-hd -i100", true);
    hpp_ref leaf = tiny_new(runtime, &tiny_data, 8, 0);
    hpp_ref thunk = tiny_new(runtime, &tiny_thunk, 16, leaf);
    hpp_runtime_add_roots(runtime, &thunk, 1);
    hpf_error err;
    cr_assert_eq(hpp_profiler_snapshot(hpp_runtime_profiler(runtime), &err), HPF_OK);
    cr_assert(file_has("toy.heapsnapshot", "9,0,1,0,1,\n8,1,3,8,0,\n8,2,5,16,1]"));
    cr_assert(file_has("toy.heapsnapshot", "1,0,10,\n1,0,5]"));
    cr_assert(file_has("toy.heapsnapshot", "\"(root)\",\n\"Cell\",\n\"thunk\"]"));
    tiny_free(runtime, leaf);
    tiny_free(runtime, thunk);
    stop(runtime);
    cr_assert_eq(hpp_profiler_snapshot(NULL, NULL), HPF_OK);
}

Test(profiler, snapshot_that_cannot_be_written_is_an_error_at_the_end)
{
    hpp_runtime *runtime = start("-hd -i100 --snapshot last", true);
    hpf_error err;
    cr_assert_eq(mkdir(scratch_path("toy.heapsnapshot"), 0700), 0);
    census_at(runtime, 1);
    cr_assert_eq(hpp_runtime_stop(runtime, &err), HPF_ERR_IO);
    cr_assert(file_has("toy.hp", "END_SAMPLE 1"), "the rest is there");
    hpp_runtime_destroy(runtime);
}

Test(profiler, snapshot_of_the_largest_census_stays)
{
    hpp_runtime *runtime = start("-hd -i100 --snapshot largest", true);
    hpp_ref large = tiny_new(runtime, &tiny_data, 1000, 0);
    hpp_runtime_add_roots(runtime, &large, 1);
    census_at(runtime, 1);
    hpp_ref small = tiny_new(runtime, &tiny_thunk, 20, 0);
    census_at(runtime, 2); /* 2 % more is not enough */
    cr_assert_not(file_has("toy.heapsnapshot", "thunk"));
    hpp_ref smaller = tiny_new(runtime, &tiny_thunk, 1, 0);
    census_at(runtime, 3);
    cr_assert(file_has("toy.heapsnapshot", "thunk"));
    tiny_free(runtime, large);
    tiny_free(runtime, small);
    tiny_free(runtime, smaller);
    large = 0;
    census_at(runtime, 4);
    cr_assert(file_has("toy.heapsnapshot", "Cell"));
    stop(runtime);
}

Test(profiler, full_disk_is_an_error_at_the_end)
{
    cr_assert_eq(symlink("/dev/full", scratch_path("toy.hp")), 0);
    hpp_runtime *runtime = start("-hc", true);
    census_at(runtime, 1);
    census_at(runtime, 2);
    hpf_error err;
    cr_assert_eq(hpp_runtime_stop(runtime, &err), HPF_ERR_IO);
    hpp_runtime_destroy(runtime);
}
