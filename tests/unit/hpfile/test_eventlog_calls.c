/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Event logs with the lines of calls: stacks that differ only in lines are one name, of functions,
 * unless lines are asked for.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "event/format_row.h"
#include "hpfile/live.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"
#include "hpfile/stack_view.h"
#include "hpfile/survey.h"
#include "hpfile/writer.h"
#include "log_build.h"

enum { N_NAMES = 8, N_SAMPLES = 5 };

static hpf_frame call_of(const char *label, const char *source, const char *function_source)
{
    return (hpf_frame){.label = {label, strlen(label)},
                       .module = HPF_STR("m"),
                       .source = {source, strlen(source)},
                       .function_source = {function_source, strlen(function_source)}};
}

/* Six stacks of leaf and main, from three lines of leaf and two of main; then g, of which no line
 * is known, in both lines of main. */
static size_t frames_of(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    static const char *const lines[] = {"l.c:10", "l.c:11", "l.c:12"};
    static const char *const mains[] = {"m.c:20", "m.c:21"};
    (void)context;
    (void)room;
    frames[0] = name < 6 ? call_of("leaf", lines[name / 2], "l.c:9") : call_of("g", "g.c:1", "");
    frames[1] = call_of("main", mains[name % 2], "m.c:5");
    return 2;
}

static uint64_t amount_of(int sample, hpf_name name)
{
    return (uint64_t)(sample + 1) << 4 * name;
}

static hpf_source *write_log(hpf_sink *sink, bool writes_changes)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    const hpf_writer_options options = {.size = sizeof options,
                                        .writes_changes = writes_changes,
                                        .writes_calls = true,
                                        .breakdown = HPF_BREAKDOWN_COST_CENTRE,
                                        .frames = frames_of};
    const hpf_events *to = &hpf_writer_events;
    hpf_writer *writer;
    hpf_source *source;
    cr_assert_eq(hpf_writer_create(&writer, &hpf_format_eventlog, sink, &options, NULL), HPF_OK);
    cr_assert_eq(to->header(writer, HPF_HEADER_JOB, HPF_STR("p +RTS -hc"), NULL), HPF_OK);
    for (int s = 0; s < N_SAMPLES; s++) {
        hpf_cost costs[N_NAMES];
        for (hpf_name i = 0; i < N_NAMES; i++) {
            if (s == 0) {
                cr_assert_eq(to->name(writer, i, HPF_STR("stack"), NULL), HPF_OK);
            }
            costs[i] = (hpf_cost){.name = i, .whole = amount_of(s, i)};
        }
        const hpf_sample sample = {.time = s, .costs = costs, .n_costs = N_NAMES};
        cr_assert_eq(to->sample(writer, &sample, NULL), HPF_OK);
    }
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(sink), &keep, NULL), HPF_OK);
    return source;
}

/* Returns the last amount of a name. */
static double last_of(hpf_survey *survey, hpf_name name)
{
    double amounts[N_NAMES];
    size_t n_drawn = hpf_survey_overview(survey)->n_drawn;
    cr_assert_eq(n_drawn, N_SAMPLES);
    cr_assert_eq(hpf_survey_drawn_amounts(survey, n_drawn - 1, amounts, NULL), HPF_OK);
    return amounts[name];
}

static hpf_survey *survey_of(hpf_source *source, const hpf_survey_options *options)
{
    hpf_survey *survey;
    hpf_error err = {0};
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, options, &err), HPF_OK, "%s", err.message);
    return survey;
}

static void expect_frame(hpf_survey *survey, hpf_name name, size_t index, const char *source,
                         const char *function_source)
{
    hpf_frame frames[2];
    cr_assert_eq(hpf_survey_frames(survey, name, frames, 2), 2);
    cr_expect(hpf_str_is(frames[index].source, source));
    cr_expect(hpf_str_is(frames[index].function_source, function_source));
}

static void check(bool writes_changes)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_source *source = write_log(sink, writes_changes);
    const double leaf = 0x555555, g = 0x55000000;

    hpf_survey *survey = survey_of(source, NULL);
    cr_assert_eq(hpf_survey_n_names(survey), 2);
    cr_expect(hpf_str_is(hpf_survey_name(survey, 0), "leaf/main"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 1), "g/main"));
    cr_expect_eq(last_of(survey, 0), leaf);
    cr_expect_eq(last_of(survey, 1), g);
    expect_frame(survey, 0, 0, "l.c:9", "");
    expect_frame(survey, 0, 1, "m.c:5", "");
    expect_frame(survey, 1, 0, "g.c:1", "");
    hpf_survey_destroy(survey);

    survey = survey_of(source,
                       &(hpf_survey_options){.size = sizeof(hpf_survey_options), .by_line = true});
    cr_assert_eq(hpf_survey_n_names(survey), N_NAMES);
    for (hpf_name i = 0; i < N_NAMES; i++) {
        cr_expect_eq(last_of(survey, i), amount_of(N_SAMPLES - 1, i));
    }
    expect_frame(survey, 3, 0, "l.c:11", "l.c:9");
    expect_frame(survey, 3, 1, "m.c:21", "m.c:5");
    expect_frame(survey, 7, 0, "g.c:1", "");
    hpf_survey_destroy(survey);

    static const struct {
        hpf_stack_view_options options;
        const char *names[4];
        double first;
    } views[] = {
        {{.part = HPF_PART_LINE}, {"leaf l.c:10", "leaf l.c:11", "leaf l.c:12", "g g.c:1"}, 0x55},
        {{.part = HPF_PART_LINE, .callers_of = "leaf"}, {"main m.c:20", "main m.c:21"}, 0x50505},
        {{.part = HPF_PART_FUNCTION}, {"leaf", "g"}, leaf},
        {{.part = HPF_PART_STACK, .under = "leaf"}, {"leaf/main"}, leaf},
    };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        hpf_stack_view_options options = views[i].options;
        options.size = sizeof options;
        hpf_stack_view *view;
        cr_assert_eq(hpf_stack_view_create(&view, &options, NULL), HPF_OK);
        survey = survey_of(source,
                           &(hpf_survey_options){.size = sizeof(hpf_survey_options), .view = view});
        uint32_t n = 0;
        for (; n < 4 && views[i].names[n]; n++) {
            cr_assert_lt(n, hpf_survey_n_names(survey));
            cr_expect(hpf_str_is(hpf_survey_name(survey, n), views[i].names[n]));
        }
        cr_expect_eq(hpf_survey_n_names(survey), n);
        cr_expect_eq(last_of(survey, 0), views[i].first);
        hpf_survey_destroy(survey);
        hpf_stack_view_destroy(view);
    }
    hpf_source_destroy(source);
    hpf_sink_destroy(sink);
}

Test(eventlog_calls, stacks_that_differ_in_lines_are_one_name)
{
    check(false);
}

Test(eventlog_calls, the_same_in_samples_that_are_changes)
{
    check(true);
}

/* Both stacks call in one line of main, and in two lines of leaf. */
static size_t two_stacks(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    return frames_of(context, 2 * name + 1, frames, room);
}

static void expect_calls(const hpf_live *live, const char *leaf, const char *main)
{
    hpf_frame frames[2];
    cr_expect_eq(hpf_live_calls(live, 0, frames, 1), 2);
    cr_expect(hpf_str_is(frames[0].source, "l.c:9"), "without room for all frames");
    cr_assert_eq(hpf_live_calls(live, 0, frames, 2), 2);
    cr_expect(hpf_str_is(frames[0].source, leaf));
    cr_expect(hpf_str_is(frames[0].function_source, "l.c:9"));
    cr_expect(hpf_str_is(frames[1].source, main));
    cr_expect(hpf_str_is(frames[1].function_source, "m.c:5"));
    cr_assert_eq(hpf_live_frames(live, 0, frames, 2), 2);
    cr_expect(hpf_str_is(frames[0].source, "l.c:9") && hpf_str_is(frames[1].source, "m.c:5"));
}

Test(eventlog_calls, a_growing_profile_has_the_calls_that_its_stacks_share)
{
    const hpf_writer_options options = {.size = sizeof options,
                                        .writes_calls = true,
                                        .breakdown = HPF_BREAKDOWN_COST_CENTRE,
                                        .frames = two_stacks};
    const hpf_events *to = &hpf_writer_events;
    const hpf_cost costs[] = {{.name = 0, .whole = 8}, {.name = 1, .whole = 9}};
    hpf_sink *log = hpf_sink_to_memory();
    hpf_writer *writer;
    hpf_live *live;
    size_t read = 0;
    cr_assert_eq(hpf_live_create(&live, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_create(&writer, &hpf_format_eventlog, log, &options, NULL), HPF_OK);
    cr_assert_eq(to->header(writer, HPF_HEADER_JOB, HPF_STR("p +RTS -hc"), NULL), HPF_OK);
    for (hpf_name n = 1; n <= 2; n++) {
        cr_assert_eq(to->name(writer, n - 1, HPF_STR("stack"), NULL), HPF_OK);
        const hpf_sample sample = {.time = n, .costs = costs, .n_costs = n};
        cr_assert_eq(to->sample(writer, &sample, NULL), HPF_OK);
        if (n == 2) {
            cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
        }
        hpf_str bytes = hpf_str_from(hpf_sink_bytes(log), read);
        cr_assert_eq(hpf_live_feed(live, bytes.data, bytes.length, NULL), HPF_OK);
        read += bytes.length;
        cr_assert_eq(hpf_live_n_samples(live), n);
        expect_calls(live, n == 1 ? "l.c:10" : "", "m.c:21");
    }
    hpf_writer_destroy(writer);
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

/* Calls in themselves, in other calls, and in functions that are not defined. */
Test(eventlog_calls, odd_calls_are_read)
{
    static const unsigned long long calls[][2] = {{1, 1}, {2, 1}, {1, 2}, {9, 1}, {1, 9}, {3, 2}};
    static const char *const labels[] = {"a", "b", "c"};
    hpf_sink *log = hpf_sink_to_memory();
    hpf_source *source;
    log_begin(log, 0);
    log_declare(log, 1003, 8, "call");
    log_end_header(log);
    for (unsigned long long i = 0; i < 3; i++) {
        log_put(log, 161, 1, "4sss1", i + 1, labels[i], "", "", 0ull);
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        log_put(log, 1003, 1, "44", calls[i][0], calls[i][1]);
    }
    log_put(log, 160, 2, "184sssssss", 0ull, 10ull, 2ull, "", "", "", "", "", "", "");
    log_put(log, 162, 5, "8", 0ull);
    for (unsigned long long i = 0; i < 3; i++) {
        log_put(log, 163, 5, "1814", 0ull, 1ull << i, 1ull, i + 1);
    }
    log_put(log, 165, 5, "8", 0ull);
    log_end(log);
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), NULL, NULL), HPF_OK);
    hpf_survey *survey = survey_of(source, NULL);
    double sum = 0;
    for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
        sum += hpf_survey_totals(survey, i)->max;
    }
    cr_expect_eq(sum, 7);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}
