/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Heap profiles out of event logs: names, samples, marks, lines, headers.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/str.h"
#include "hpfile/survey.h"
#include "log_build.h"
#include "readings.h"

static hpf_sink *open_log(unsigned but)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, but);
    log_end_header(log);
    return log;
}

static void define(hpf_sink *log, unsigned id, const char *label, const char *module)
{
    log_put(log, 161, 1, "4sss1", (unsigned long long)id, label, module, "", 0ull);
}

static void begin_profile(hpf_sink *log, unsigned profile, unsigned breakdown)
{
    log_put(log, 160, 2, "184sssssss", (unsigned long long)profile, 10ull,
            (unsigned long long)breakdown, "", "", "", "", "", "", "");
}

static void sample(hpf_sink *log, unsigned long long time_ns, const char *label,
                   unsigned long long bytes)
{
    log_put(log, 162, time_ns, "8", 0ull);
    log_put(log, 164, time_ns, "18s", 0ull, bytes, label);
    log_put(log, 165, time_ns, "8", 0ull);
}

/* Reads the log, compares what was said without the offsets of samples, and destroys it. */
static void expect_said(hpf_sink *log, const char *expected)
{
    reading r = read_text(hpf_sink_bytes(log), SIZE_MAX, 0);
    hpf_str text = hpf_sink_bytes(r.text);
    hpf_sink *said = hpf_sink_to_memory();
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '[' && i > 0 && text.data[i - 1] == ' ') {
            while (text.data[i] != ')') {
                i++;
            }
            i++;
        }
        hpf_sink_write(said, &text.data[i], 1);
    }
    cr_expect(hpf_str_is(hpf_sink_bytes(said), expected), "%.*s", (int)hpf_sink_bytes(said).length,
              hpf_sink_bytes(said).data);
    hpf_sink_destroy(said);
    reading_finish(&r);
    hpf_sink_destroy(log);
}

#define UNITS "SAMPLE_UNIT seconds\nVALUE_UNIT bytes\n"

Test(log_heap, all_records_become_events)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_put_example(log);
    expect_said(log, UNITS "JOB prog word +RTS -hc -l\n"
                           "DATE Tue Nov 14 22:13 2023\n"
                           "line heap 4e-06 4096\n"
                           "line live 4e-06 2048\n"
                           "mark 4.5e-06 late\n"
                           "name 0 go/main\n"
                           "name 1 GHC.Show.CAF\n"
                           "name 2 MAIN\n"
                           "sample 1.5  0=48 1=16 2=8\n"
                           "mark 1.6 phase two\n"
                           "line held 1.600000001 6291456\n"
                           "line needed 1.600000001 4194304\n"
                           "line returned 1.600000001 2097152\n"
                           "sample 2.5  0=64\n");
}

Test(log_heap, stacks_that_read_the_same_are_numbered)
{
    hpf_sink *log = open_log(0);
    define(log, 1, "go", "A");
    define(log, 2, "go", "B");
    define(log, 3, "go", "C");
    begin_profile(log, 0, 1);
    log_put(log, 162, 5, "8", 0ull);
    log_put(log, 163, 5, "1814", 0ull, 10ull, 1ull, 1ull);
    log_put(log, 163, 5, "1814", 0ull, 20ull, 1ull, 2ull);
    log_put(log, 163, 5, "1814", 0ull, 30ull, 1ull, 3ull);
    log_put(log, 163, 5, "1814", 0ull, 40ull, 1ull, 9ull);
    log_put(log, 163, 5, "1814", 0ull, 50ull, 1ull, 2ull);
    log_put(log, 165, 5, "8", 0ull);
    log_end(log);
    expect_said(log, UNITS "name 0 go\nname 1 (2)go\nname 2 (3)go\nname 3 cost centre 9\n"
                           "sample 5e-09  0=10 1=20 2=30 3=40 1=50\n");
}

Test(log_heap, biographical_samples_have_their_own_time)
{
    hpf_sink *log = open_log(0);
    begin_profile(log, 0, 6);
    log_put(log, 166, 9000000000, "88", 0ull, 1000000000ull);
    log_put(log, 164, 9000000000, "18s", 0ull, 5ull, "LAG");
    log_put(log, 165, 9000000000, "8", 0ull);
    log_put(log, 166, 9000000001, "88", 1ull, 2000000000ull);
    log_put(log, 165, 9000000001, "8", 1ull);
    log_end(log);
    expect_said(log, UNITS "name 0 LAG\nsample 1  0=5\nsample 2 \n");
}

Test(log_heap, without_ends_a_sample_lasts_until_the_next_or_the_end)
{
    hpf_sink *log = open_log(165);
    begin_profile(log, 0, 4);
    log_put(log, 162, 5, "8", 0ull);
    log_put(log, 164, 5, "18s", 0ull, 1ull, "a");
    log_put(log, 9, 6, "");
    log_put(log, 162, 7, "8", 1ull);
    log_put(log, 164, 7, "18s", 0ull, 2ull, "a");
    size_t whole = hpf_sink_bytes(log).length;
    log_end(log);
    reading cut = read_text((hpf_str){hpf_sink_bytes(log).data, whole}, SIZE_MAX, 0);
    cr_expect_eq(cut.n_warnings, 1);
    cr_expect_str_eq(cut.warning.message,
                     "the event log ends inside a sample: kept the 1 complete sample before");
    reading_finish(&cut);
    expect_said(log, UNITS "name 0 a\nsample 5e-09  0=1\nsample 7e-09  0=2\n");
}

/* The first damage is inside a sample, the second between samples. */
Test(log_heap, a_damaged_sample_is_left_out)
{
    char expected[400];
    hpf_sink *log = open_log(0);
    begin_profile(log, 0, 4);
    sample(log, 1000000000, "a", 1);
    log_put(log, 162, 2000000000, "8", 1ull);
    log_put(log, 164, 2000000000, "18s", 0ull, 2ull, "a");
    size_t at = hpf_sink_bytes(log).length;
    hpf_sink_write(log, "\x55\xaa", 2);
    log_put(log, 164, 2000000000, "18s", 0ull, 3ull, "b");
    log_put(log, 165, 2000000000, "8", 1ull);
    sample(log, 3000000000, "c", 4);
    sample(log, 4000000000, "c", 5);
    hpf_sink_write(log, "\x55\xaa\x55", 3);
    sample(log, 5000000000, "c", 6);
    log_end(log);
    snprintf(expected, sizeof expected,
             UNITS "name 0 a\nsample 1  0=1\nname 1 c\nsample 3  1=4\nsample 4  1=5\n"
                   "sample 5  1=6\nwarning: syntax error at %zu 0:0 the event log is damaged in 2 "
                   "places, first at byte %zu: skipped 5 bytes, left out 1 sample\n",
             at, at);
    expect_said(log, expected);
}

static hpf_sink *log_of_two(void)
{
    hpf_sink *log = open_log(0);
    begin_profile(log, 3, 4);
    begin_profile(log, 1, 2);
    log_put(log, 162, 5, "8", 0ull);
    log_put(log, 164, 5, "18s", 1ull, 10ull, "Module");
    log_put(log, 165, 5, "8", 0ull);
    log_put(log, 162, 6, "8", 0ull);
    log_put(log, 164, 6, "18s", 1ull, 10ull, "Module");
    log_put(log, 164, 6, "18s", 3ull, 20ull, "Type");
    log_put(log, 165, 6, "8", 0ull);
    log_end(log);
    return log;
}

Test(log_heap, the_first_of_several_profiles_is_read)
{
    expect_said(log_of_two(),
                UNITS "name 0 Type\nsample 6e-09  0=20\n"
                      "warning: not supported at 1491 0:0 the event log has several heap "
                      "profiles (3, 1): using number 3\n");
}

/* As GHC 8.8 writes them; later versions have sample ends. */
Test(log_heap, retainers_without_costs_are_of_an_old_version)
{
    hpf_sink *log = open_log(165);
    begin_profile(log, 0, 5);
    log_put(log, 162, 5, "8", 0ull);
    log_put(log, 162, 6, "8", 0ull);
    log_end(log);
    expect_said(log, UNITS "sample 5e-09 \nsample 6e-09 \n"
                           "warning: not supported at 1295 0:0 GHC 8.8 and earlier write no "
                           "retainer sets and no biographies into event logs: use the .hp file of "
                           "the same run\n");
}

static void count_warning(void *context, const hpf_error *warning)
{
    (void)warning;
    ++*(unsigned *)context;
}

/* A survey of the profile of this number in the log, which is destroyed; NULL and `err` if there is
 * none. */
static hpf_survey *survey_one(hpf_sink *log, hpf_source **source, uint8_t number, hpf_error *err)
{
    const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    unsigned n_warnings = 0;
    const hpf_survey_options options = {.size = sizeof options,
                                        .has_log_profile = true,
                                        .log_profile = number,
                                        .warning = count_warning,
                                        .warning_context = &n_warnings};
    hpf_survey *survey = NULL;
    cr_assert_eq(hpf_source_from_memory(source, hpf_sink_bytes(log), &keep, NULL), HPF_OK);
    hpf_status status = hpf_survey_create(&survey, *source, &options, err);
    cr_expect_eq(status == HPF_OK, survey != NULL);
    hpf_sink_destroy(log);
    cr_expect_eq(n_warnings, 0);
    return survey;
}

Test(log_heap, one_of_several_profiles_is_read_when_asked_for)
{
    for (uint8_t number = 1; number <= 3; number += 2) {
        hpf_source *source;
        hpf_survey *survey = survey_one(log_of_two(), &source, number, NULL);
        cr_assert_not_null(survey);
        cr_expect_eq(hpf_survey_eventlog_profile(survey)->id, number);
        cr_expect_eq(hpf_survey_overview(survey)->n_samples, number == 1 ? 2 : 1);
        cr_expect(hpf_str_is(hpf_survey_name(survey, 0), number == 1 ? "Module" : "Type"));
        hpf_survey_destroy(survey);
        hpf_source_destroy(source);
    }
}

Test(log_heap, a_profile_that_does_not_exist_is_an_error)
{
    hpf_source *source;
    hpf_error err;
    cr_expect_null(survey_one(log_of_two(), &source, 2, &err));
    cr_expect_eq(err.status, HPF_ERR_ARGUMENT);
    cr_expect_str_eq(err.message, "no heap profile number 2 in the event log, which has 3, 1");
    hpf_source_destroy(source);
}

Test(log_heap, eras_and_labels_keep_their_words)
{
    hpf_sink *log = open_log(0);
    begin_profile(log, 0, 9);
    log_put(log, 162, 5, "8", 0ull);
    log_put(log, 164, 5, "18s", 0ull, 10ull, "12");
    log_put(log, 164, 5, "18t", 0ull, 20ull, "no NUL");
    log_put(log, 164, 5, "18s", 0ull, 30ull, "");
    log_put(log, 165, 5, "8", 0ull);
    log_end(log);
    expect_said(log, UNITS "name 0 12\nname 1 no NUL\nname 2 (no name)\n"
                           "sample 5e-09  0=10 1=20 2=30\n");
}

static hpf_survey *survey_of(hpf_sink *log, hpf_source **source, size_t max_drawn)
{
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_survey_options options = {.size = sizeof options, .max_drawn = max_drawn};
    hpf_survey *survey = NULL;
    hpf_error err = {0};
    cr_assert_eq(hpf_source_from_memory(source, hpf_sink_bytes(log), &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, *source, &options, &err), HPF_OK, "%s", err.message);
    return survey;
}

static void put_info(hpf_sink *log, unsigned long long address, const char *source)
{
    log_put(log, 169, 1, "8ssssss", address, "sat_info", "21", "[Int]", "main", "Main", source);
}

Test(log_heap, zeros_at_the_end_of_a_marker_are_no_part_of_it)
{
    hpf_sink *log = open_log(0);
    begin_profile(log, 0, 8);
    sample(log, 5, "x", 10);
    log_put(log, 58, 6000000000, "s1", "late", 0ull);
    sample(log, 7, "x", 10);
    log_end(log);
    hpf_source *source;
    hpf_survey *survey = survey_of(log, &source, 0);
    const hpf_overview *overview = hpf_survey_overview(survey);
    cr_assert_eq(overview->n_marks, 1);
    cr_expect(hpf_str_is(overview->marks[0].label, "late"));
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_heap, info_tables_are_named_by_where_they_come_from)
{
    hpf_sink *log = open_log(0);
    put_info(log, 0x409f78, "Main.hs:5:1-30");
    put_info(log, 0x409fd8, "Main.hs:5:1-30");
    put_info(log, 0x7, "Main.hs:6:1-3");
    put_info(log, 0, "Main.hs:7:1-3");
    put_info(log, 0xfedcba9876543210, "Main.hs:8:1-3");
    begin_profile(log, 0, 8);
    sample(log, 5, "0x409f78", 10);
    sample(log, 6, "0x409fd8", 20);
    sample(log, 7, "0xdead", 30);
    sample(log, 8, "0x7", 40);
    sample(log, 9, "0x", 50);
    sample(log, 10, "0xfedcba9876543210", 60);
    sample(log, 11, "0x0fedcba9876543210", 70); /* too long */
    log_end(log);
    hpf_source *source;
    hpf_frame frame[2];
    hpf_survey *survey = survey_of(log, &source, 0);
    cr_expect(hpf_str_is(hpf_survey_name(survey, 0), "sat_info Main.main Main.hs:5:1-30"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 1), "(2)sat_info Main.main Main.hs:5:1-30"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 2), "0xdead"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 3), "sat_info Main.main Main.hs:6:1-3"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 4), "0x"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 5), "sat_info Main.main Main.hs:8:1-3"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 6), "0x0fedcba9876543210"));
    cr_expect_eq(hpf_survey_frames(survey, 1, frame, 2), 1);
    cr_expect(hpf_str_is(frame[0].type, "[Int]") && hpf_str_is(frame[0].closure_type, "21"));
    cr_expect_eq(hpf_survey_frames(survey, 2, frame, 2), 0);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_heap, info_tables_of_a_type_are_one_band_by_type)
{
    hpf_sink *log = open_log(0);
    put_info(log, 0x409f78, "Main.hs:5:1-30");
    put_info(log, 0x409fd8, "Main.hs:9:1-30");
    begin_profile(log, 0, 8);
    sample(log, 5, "0x409f78", 10);
    sample(log, 6, "0x409fd8", 20);
    sample(log, 7, "0xdead", 40);
    log_end(log);
    hpf_stack_view *view;
    const hpf_stack_view_options by_type = {.size = sizeof by_type, .part = HPF_PART_TYPE};
    cr_assert_eq(hpf_stack_view_create(&view, &by_type, NULL), HPF_OK);
    const hpf_survey_options options = {.size = sizeof options, .view = view};
    const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_source *source;
    hpf_survey *survey;
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, &options, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_n_names(survey), 2);
    cr_expect(hpf_str_is(hpf_survey_name(survey, 0), "[Int]"));
    cr_expect_eq(hpf_survey_totals(survey, 0)->sum, 30);
    cr_expect(hpf_str_is(hpf_survey_name(survey, 1), "(no type)"));
    cr_expect_eq(hpf_survey_totals(survey, 1)->sum, 40);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_stack_view_destroy(view);
    hpf_sink_destroy(log);
}

Test(log_heap, info_tables_before_a_profile_that_is_asked_for_are_known)
{
    hpf_sink *log = open_log(0);
    put_info(log, 0x409f78, "Main.hs:5:1-30");
    begin_profile(log, 3, 1);
    begin_profile(log, 1, 8);
    log_put(log, 162, 5, "8", 0ull);
    log_put(log, 164, 5, "18s", 1ull, 10ull, "0x409f78");
    log_put(log, 165, 5, "8", 0ull);
    log_end(log);
    hpf_source *source;
    hpf_survey *survey = survey_one(log, &source, 1, NULL);
    cr_assert_not_null(survey);
    cr_expect(hpf_str_is(hpf_survey_name(survey, 0), "sat_info Main.main Main.hs:5:1-30"));
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

Test(log_heap, cost_centres_without_definition_are_known_by_their_numbers)
{
    hpf_sink *log = open_log(0);
    begin_profile(log, 0, 1);
    log_put(log, 162, 5, "8", 0ull);
    log_put(log, 163, 5, "1814", 0ull, 10ull, 1ull, 77ull);
    log_put(log, 165, 5, "8", 0ull);
    log_end(log);
    hpf_source *source;
    hpf_frame frame[1];
    hpf_survey *survey = survey_of(log, &source, 0);
    cr_expect(hpf_str_is(hpf_survey_name(survey, 0), "cost centre 77"));
    cr_expect_eq(hpf_survey_frames(survey, 0, frame, 1), 1);
    cr_expect(hpf_str_is(frame[0].label, "cost centre 77"));
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_heap, frames_are_the_whole_stack)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_put_example(log);
    hpf_source *source;
    hpf_frame frames[2];
    hpf_survey *survey = survey_of(log, &source, 0);
    cr_expect_eq(hpf_survey_frames(survey, 0, frames, 1), 2);
    cr_expect_eq(hpf_survey_frames(survey, 0, frames, 2), 2);
    cr_expect(hpf_str_is(frames[0].label, "go") && hpf_str_is(frames[0].source, "Main.hs:5:1-9"));
    cr_expect(hpf_str_is(frames[1].label, "main") && hpf_str_is(frames[1].module, "Main"));
    cr_expect_not(frames[0].is_caf);
    cr_expect_eq(hpf_survey_frames(survey, 1, frames, 2), 1);
    cr_expect(frames[0].is_caf);
    cr_expect_eq(hpf_survey_frames(survey, 2, frames, 2), 0);
    const hpf_eventlog_metadata *facts = hpf_survey_eventlog_metadata(survey);
    cr_expect(hpf_str_is(facts->rts, "GHC-9.2.8 rts_p"));
    cr_expect_eq(facts->profiles[0].period_ns, 100000000);
    cr_expect_eq(facts->mblock_bytes, 2097152);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_heap, a_survey_puts_marks_in_order_and_keeps_lines)
{
    hpf_sink *log = open_log(0);
    begin_profile(log, 0, 4);
    log_put(log, 58, 8, "t", "c");
    log_put(log, 58, 8, "t", "d");
    sample(log, 5, "a", 1);
    log_put(log, 58, 3, "t", "a");
    log_put(log, 58, 8, "t", "e");
    log_put(log, 91, 4, "48", 0ull, 77ull);
    log_end(log);
    hpf_source *source;
    hpf_survey *survey = survey_of(log, &source, 0);
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert_eq(o->n_marks, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(o->marks[i].label.data[0], "acde"[i]);
    }
    cr_assert_eq(o->n_quantities, 1);
    cr_expect(hpf_str_is(o->quantities[0].name, "blocks"));
    cr_expect_eq(o->quantities[0].points[0].value, 77);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

/* Blocks of three capabilities, one behind the other, with samples in all of them. */
static hpf_sink *disordered(unsigned n_samples)
{
    hpf_sink *log = open_log(0);
    begin_profile(log, 0, 4);
    for (unsigned cap = 0; cap < 3; cap++) {
        for (unsigned i = cap; i < n_samples; i += 3) {
            sample(log, 1000000000ull * (i + 1), i % 2 ? "odd" : "even", 10 + i);
        }
    }
    log_put(log, 58, 1500000000, "t", "m");
    log_end(log);
    return log;
}

static hpf_status expect_next(void *context, const hpf_sample *s, hpf_error *err)
{
    unsigned *n = context;
    (void)err;
    cr_expect_eq(s->time, *n + 1);
    cr_expect_eq(s->costs[0].whole, 10 + *n);
    ++*n;
    return HPF_OK;
}

static void expect_ordered(unsigned n_samples, size_t max_drawn)
{
    hpf_sink *log = disordered(n_samples);
    hpf_source *source;
    unsigned n = 0;
    uint32_t bands[] = {0, 0};
    hpf_survey *survey = survey_of(log, &source, max_drawn);
    const hpf_overview *o = hpf_survey_overview(survey);
    double *values = calloc(o->n_drawn, sizeof *values);
    cr_expect_eq(o->n_samples, n_samples);
    cr_expect_eq(o->first_time, 1);
    cr_expect_eq(o->last_time, n_samples);
    cr_expect_eq(o->n_marks, 1);
    cr_expect_eq(o->total.trapezium, (10 + (n_samples - 1) / 2.0) * (n_samples - 1));
    cr_assert_eq(hpf_survey_series(survey, bands, 1, values, NULL), HPF_OK);
    for (size_t i = 0; i < o->n_drawn; i++) {
        cr_expect_eq(values[i], 10 + (double)o->drawn[i].sample_index);
        cr_expect_eq(o->drawn[i].time, 1 + (double)o->drawn[i].sample_index);
    }
    hpf_events events = {.sample = expect_next};
    cr_expect_eq(hpf_survey_emit(survey, true, &events, &n, NULL), HPF_OK);
    cr_expect_eq(n, n_samples);
    free(values);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_heap, a_survey_puts_samples_of_several_blocks_in_order)
{
    expect_ordered(30, 0);
    expect_ordered(3001, 64);
}

static hpf_eventlog *counted(hpf_str bytes)
{
    const hpf_event_visitor none = {0};
    hpf_eventlog *log = hpf_eventlog_create(&none, NULL);
    cr_assert_eq(hpf_eventlog_feed(log, bytes.data, bytes.length, NULL), HPF_OK);
    return log;
}

/* A survey, and whatever is asked of it, leaves the records as a reader finds them that only
 * counts. */
static void expect_counted(hpf_sink *log)
{
    hpf_source *source;
    hpf_survey *survey = survey_of(log, &source, 4);
    hpf_eventlog *expected = counted(hpf_sink_bytes(log));
    const hpf_eventlog *records = hpf_survey_eventlog(survey);
    const hpf_events none = {0};
    cr_assert_eq(hpf_survey_emit(survey, true, &none, NULL, NULL), HPF_OK);
    cr_expect_eq(hpf_eventlog_n_events(records), hpf_eventlog_n_events(expected));
    cr_expect_eq(hpf_eventlog_last_ns(records), hpf_eventlog_last_ns(expected));
    cr_expect_eq(hpf_eventlog_state(records), hpf_eventlog_state(expected));
    for (size_t i = 0; i < hpf_eventlog_n_types(expected); i++) {
        cr_expect_eq(hpf_eventlog_type(records, i)->n_events,
                     hpf_eventlog_type(expected, i)->n_events);
    }
    hpf_eventlog_destroy(expected);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_heap, a_survey_counts_all_records)
{
    expect_counted(disordered(3));
    expect_counted(disordered(100));
    hpf_sink *cut = open_log(0);
    for (unsigned time_ns = 10; time_ns < 60; time_ns += 10) {
        log_put(cut, 162, time_ns, "8", 0ull);
        log_put(cut, 164, time_ns + 1, "18s", 0ull, 1ull, "a");
        log_put(cut, 164, time_ns + 2, "18s", 0ull, 1ull, "b");
        if (time_ns < 50) {
            log_put(cut, 165, time_ns + 3, "8", 0ull);
        }
    }
    expect_counted(cut);
}

/* A label, one that differs in one byte, and the first again. */
static void expect_distinct(const char *label, const char *other)
{
    hpf_sink *log = open_log(0);
    sample(log, 1, label, 5);
    sample(log, 2, other, 7);
    sample(log, 3, label, 9);
    log_end(log);
    hpf_source *source;
    hpf_survey *survey = survey_of(log, &source, 0);
    cr_assert_eq(hpf_survey_n_names(survey), 2, "%s and %s", label, other);
    cr_expect_eq(hpf_survey_totals(survey, 0)->sum, 14);
    cr_expect_eq(hpf_survey_totals(survey, 1)->sum, 7);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_heap, keys_of_any_length_differ_by_any_byte)
{
    char label[81], other[81];
    for (size_t n = 1; n < sizeof label; n++) {
        memset(label, 'x', n);
        label[n] = '\0';
        for (size_t at = 0; at < n; at++) {
            memcpy(other, label, n + 1);
            other[at] = 'y';
            expect_distinct(label, other);
        }
    }
}

Test(log_heap, read_once_a_late_sample_gets_the_time_before_with_a_warning)
{
    expect_said(disordered(4),
                UNITS "name 0 even\nsample 1  0=10\nname 1 odd\nsample 4  1=13\nsample 4  1=11\n"
                      "sample 4  0=12\nmark 1.5 m\n"
                      "warning: out of order at 1564 0:0 2 samples are earlier than the sample "
                      "before, and shown at its time\n");
}

Test(log_heap, drawn_samples_of_a_log_without_ends_are_read_again)
{
    hpf_sink *log = open_log(165);
    hpf_source *source;
    uint32_t bands[] = {0, 0};
    begin_profile(log, 0, 4);
    for (unsigned i = 0; i < 500; i++) {
        log_put(log, 162, 1000 + i, "8", 0ull);
        log_put(log, 164, 1000 + i, "18s", 0ull, 10ull + i % 7, i % 2 ? "a" : "b");
        if (i % 3 == 0) {
            log_put(log, 9, 1000 + i, "");
        }
    }
    log_end(log);
    hpf_survey *survey = survey_of(log, &source, 32);
    const hpf_overview *o = hpf_survey_overview(survey);
    double *values = calloc(o->n_drawn, sizeof *values);
    cr_expect(o->reduced);
    cr_assert_eq(hpf_survey_series(survey, bands, 1, values, NULL), HPF_OK);
    for (size_t i = 0; i < o->n_drawn; i++) {
        cr_expect_eq(values[i], 10 + (double)(o->drawn[i].sample_index % 7));
    }
    free(values);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_heap, a_log_without_samples_is_refused_with_what_would_help)
{
    hpf_sink *log = open_log(0);
    log_end(log);
    reading r = read_text(hpf_sink_bytes(log), SIZE_MAX, 0);
    cr_expect_eq(r.status, HPF_ERR_SYNTAX);
    cr_expect(strstr(r.error.message, "-hT"));
    reading_finish(&r);
    hpf_sink_destroy(log);
}
