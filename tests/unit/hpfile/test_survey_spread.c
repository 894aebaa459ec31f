/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Margins of the names of a recording of a sample, by the totals of its stacks.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "failing_alloc.h"
#include "hpfile/eventlog_writer.h"
#include "hpfile/margin.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"
#include "retold.h"

enum { RATE = 65536, N_STACKS = 3, N_WITH_TOTALS = 2 };
static const char *const labels[N_STACKS] = {"small", "large", "later"};

/* Stack i is labels[i], called by main. */
static size_t frames_of(void *context, size_t stack, hpf_frame *frames, size_t room)
{
    (void)context;
    cr_assert_geq(room, 2);
    frames[0] = (hpf_frame){.label = hpf_str_of(labels[stack])};
    frames[1] = (hpf_frame){.label = HPF_STR("main")};
    return 2;
}

static size_t frames_of_name(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    return frames_of(context, name, frames, room);
}

/* Writes a log whose largest sample has 1000 small blocks and two large ones; all stacks have live
 * blocks in its sample. */
static hpf_sink *write_log(uint64_t rate_bytes)
{
    static const hpf_stack_totals totals[] = {{100000, 100000, 1000}, {4000000, 4000000, 2}};
    const hpf_writer_options options = {.size = sizeof options,
                                        .breakdown = HPF_BREAKDOWN_COST_CENTRE,
                                        .writes_totals = true,
                                        .rate_bytes = rate_bytes,
                                        .frames = frames_of_name};
    const hpf_cost costs[] = {
        {.name = 0, .whole = 90000}, {.name = 1, .whole = 1000000}, {.name = 2, .whole = 50000}};
    const hpf_sample sample = {.time = 1, .costs = costs, .n_costs = N_STACKS};
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_eventlog, sink, &options);
    for (hpf_name i = 0; i < N_STACKS; i++) {
        cr_assert_eq(hpf_writer_events.name(writer, i, hpf_str_of(labels[i]), NULL), HPF_OK);
    }
    cr_assert_eq(hpf_eventlog_writer_totals(writer, 1000000000, totals, N_WITH_TOTALS, frames_of,
                                            NULL, true, NULL),
                 HPF_OK);
    cr_assert_eq(hpf_writer_events.sample(writer, &sample, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    return sink;
}

/* Surveys a log, and stores the spreads of its names and of all. */
static hpf_status read_spreads(double spreads[N_STACKS + 1], const hpf_sink *log, hpf_error *err)
{
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    const hpf_survey_options options = {.size = sizeof options};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_status status = hpf_source_from_memory(&source, hpf_sink_bytes(log), &keeping, err);
    status = status ? status : hpf_survey_create(&survey, source, &options, err);
    status = status ? status : hpf_survey_find_spreads(survey, err);
    for (hpf_name i = 0; i < N_STACKS && status == HPF_OK; i++) {
        cr_assert(hpf_str_find(hpf_survey_name(survey, i), labels[i]));
        spreads[i] = hpf_survey_spread(survey, i);
    }
    spreads[N_STACKS] = status == HPF_OK ? hpf_survey_spread_of_all(survey) : 0;
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return status;
}

Test(survey_spread, is_by_the_mean_size_of_blocks)
{
    double found[N_STACKS + 1];
    hpf_error err = {0};
    hpf_sink *log = write_log(RATE);
    cr_assert_eq(read_spreads(found, log, &err), HPF_OK, "%s", err.message);
    double small = 100 / expm1(100.0 / RATE), large = 2000000 / expm1(2000000.0 / RATE);
    cr_expect_float_eq(found[0], small, 1e-6 * small);
    cr_expect_float_eq(found[1], large, 1e-6);
    cr_expect_eq(found[2], RATE, "none of its blocks was live in the largest sample");
    double all = (100000 * small + 4000000 * large) / 4100000;
    cr_expect_float_eq(found[3], all, 1e-6 * all);
    hpf_sink_destroy(log);
}

Test(survey_spread, is_none_if_all_blocks_were_counted)
{
    double found[N_STACKS + 1];
    hpf_sink *log = write_log(0);
    cr_assert_eq(read_spreads(found, log, NULL), HPF_OK);
    for (int i = 0; i <= N_STACKS; i++) {
        cr_expect_eq(found[i], 0);
    }
    hpf_sink_destroy(log);
}

Test(survey_spread, each_allocation_may_fail)
{
    double expected[N_STACKS + 1], found[N_STACKS + 1];
    hpf_error err = {0};
    hpf_sink *log = write_log(RATE);
    cr_assert_eq(read_spreads(expected, log, &err), HPF_OK, "%s", err.message);
    bool has_failed = true;
    unsigned n_errors = 0;
    for (unsigned long nth = 1; has_failed; nth++) {
        failing_alloc_arm(nth, nth % 2);
        hpf_status status = read_spreads(found, log, &err);
        has_failed = failing_alloc_disarm();
        n_errors += status != HPF_OK;
        cr_assert(status == HPF_OK || status == HPF_ERR_MEMORY, "allocation %lu: %s", nth,
                  err.message);
        for (int i = 0; i <= N_STACKS && status == HPF_OK; i++) {
            cr_assert_eq(found[i], expected[i], "allocation %lu", nth);
        }
    }
    cr_assert_gt(n_errors, 50);
    hpf_sink_destroy(log);
}
