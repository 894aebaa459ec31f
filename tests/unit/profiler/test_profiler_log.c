/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The event log of a profile: samples, ticks, and what the runtime reports.
 */
#define HPP_MODULE "Main"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ccs/ccs.h"
#include "ccs/tick_list.h"
#include "hpfile/eventlog.h"
#include "hpfile/str.h"
#include "hpprof/log.h"
#include "hpprof/scope.h"
#include "scratch.h"
#include "hpfile/survey.h"
#include "tiny_language.h"
#include "toy_profile.h"

TestSuite(profiler_log, .init = set_up, .fini = tear_down);

/* The heap profile of a log, as a reader tells it. */
static hpf_survey *survey_log(hpf_source **source)
{
    const hpf_source_options keep = {.size = sizeof keep, .keep = true};
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

Test(profiler_log, an_event_log_has_the_same_samples_with_whole_stacks)
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
    cr_expect(strstr(frames[1].source.data, "test_profiler_log.c:"));
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

Test(profiler_log, an_event_log_of_a_biography_is_final_at_the_end)
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
Test(profiler_log, an_event_log_has_the_ticks_of_the_time_profile)
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

Test(profiler_log, ticks_without_room_are_counted)
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

/* What a runtime reports is in the log with the time of the report, also in the log of a
 * biography. */
Test(profiler_log, an_event_log_has_what_the_runtime_reports)
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

/* Writes one record of each class that letters after -l choose, and returns the records. */
static hpf_sink *log_all_classes(const char *words)
{
    static const hpf_event_visitor visitor = {.event = print_record};
    now_ns = 0;
    hpp_runtime *runtime = start(words, true);
    hpp_profiler *p = hpp_runtime_profiler(runtime);
    now_ns = 5;
    hpp_log_thread(p, 1, HPP_THREAD_COLLECTS, 0);
    hpp_log_thread(p, 9, HPP_THREAD_FOR_SPARKS, 0);
    hpp_log_task_created(p, 1, 0, 4711);
    hpp_log_task_moved(p, 1, 0, 2);
    hpp_log_task_ended(p, 1, 2);
    hpp_log_allocated(p, 100);
    hpp_log_unmoved(p, &(hpp_log_blocks){4, 1, 2, 3});
    hpp_log_spark(p, HPP_SPARK_STOLEN, 0, 2);
    hpp_log_spark(p, HPP_SPARK_COLLECTED, 0, 0);
    hpp_log_sparks(p, &(hpp_log_spark_counts){1, 2, 3, 4, 5, 6, 7}, 0);
    hpp_log_message(p, HPF_STR("hello"));
    hpp_profiler_mark(p, HPF_STR("here"));
    hpp_log_counter(p, 77, "f", 2, ">>");
    hpp_log_counts(p, &(hpp_log_count){77, 1, 16, 32}, 1);
    stop(runtime);
    hpf_source *source = NULL;
    hpf_sink *text = hpf_sink_to_memory();
    cr_assert_eq(hpf_source_open(&source, scratch_path("toy.eventlog"), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, text, NULL), HPF_OK);
    hpf_sink_write(text, "", 1);
    hpf_source_destroy(source);
    return text;
}

static const struct {
    char letter;
    const char *records; /* of capability 0 */
} classes[] = {
    {'s', "STOP_THREAD thread=1 status=1:HeapOverflow blocked_on=0"},
    {'s', "TASK_CREATE task=1 cap=0 kernel_thread=4711"},
    {'s', "TASK_MIGRATE task=1 cap=0 new_cap=2"},
    {'f', "CREATE_SPARK_THREAD spark_thread=9"},
    {'g', "HEAP_ALLOCATED capset=0 allocated_bytes=100"},
    {'n', "NONMOVING_HEAP_CENSUS log2_block=4 n_active=1 n_filled=2 n_live_blocks=3"},
    {'f', "SPARK_STEAL victim_cap=2"},
    {'f', "SPARK_GC"},
    {'p', "SPARK_COUNTERS created=1 dud=2 overflowed=3 converted=4 collected=5 fizzled=6 "
          "remaining=7"},
    {'u', "USER_MSG message=\"hello\""},
    {'u', "USER_MARKER marker=\"here\""},
    {'T', "TICKY_COUNTER_DEF counter=77 arity=2 kinds=\">>\" name=\"f\""},
    {'T', "TICKY_COUNTER_BEGIN_SAMPLE"},
    {'T', "TICKY_COUNTER_SAMPLE counter=77 entries=1 allocs=16 allocd=32"},
};

/* Each -l begins with sgpu, as GHC's does. */
Test(profiler_log, letters_choose_what_the_log_has)
{
    static const struct {
        const char *words, *letters;
    } cases[] = {
        {"-l -i1", "sgpu"},     {"-la -i1", "sgnpfuT"},  {"-lnT -i1", "sgpunT"},
        {"-l-a -i1", ""},       {"-la-g -i1", "snpfuT"}, {"-l-ap -i1", "p"},
        {"-l-u-sf -i1", "gpf"}, {"-la -l-s -i1", "gpu"}, {"-hb -lT-p -i1", "sguT"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_sink *text = log_all_classes(cases[i].words);
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
            bool is_there = strstr(hpf_sink_bytes(text).data, classes[k].records) != NULL;
            bool is_wanted = strchr(cases[i].letters, classes[k].letter) != NULL;
            cr_expect_eq(is_there, is_wanted, "%s: %s", cases[i].words, classes[k].records);
        }
        hpf_sink_destroy(text);
    }
}

static void mark_at(hpp_runtime *runtime, uint64_t at_ns, const char *label)
{
    now_ns = at_ns;
    hpp_profiler_mark(hpp_runtime_profiler(runtime), (hpf_str){label, strlen(label)});
}

Test(profiler_log, a_final_biography_has_the_marks_where_they_were)
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
