/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every allocation of reading an event log fails in turn: the answer is HPF_ERR_MEMORY, or the
 * right one where memory only saves time. Leaks are for the sanitizer to find.
 */
#include <criterion/criterion.h>

#include <math.h>

#include "event/format_row.h"
#include "hpfile/eventlog_activity.h"
#include "hpfile/eventlog.h"
#include "hpfile/eventlog_writer.h"
#include "failing_alloc.h"
#include "hpfile/survey.h"
#include "log_build.h"

static hpf_sink *profile;
static hpf_sink *disordered;

static void put_sample(hpf_sink *log, unsigned i)
{
    log_put(log, 162, 1000ull + i, "8", 0ull);
    for (unsigned k = 0; k < 40; k++) {
        log_put(log, 163, 1000ull + i, "18144", 0ull, 8ull + k, 2ull, (i + k) % 60ull, 1ull);
    }
    log_put(log, 165, 1000ull + i, "8", 0ull);
    log_put(log, 167, 1000ull + i, "48144", 0ull, 1ull, 2ull, i % 60ull, 1ull);
    log_put(log, 58, 1000ull - i, "t", "marked");
    log_put(log, 51, 1000ull - i, "48", 0ull, 5ull);
}

static hpf_sink *make_log(unsigned n_samples, unsigned step)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_end_header(log);
    log_put(log, 30, 1, "4ss", 0ull, "./prog", "+RTS");
    for (unsigned i = 0; i < 60; i++) {
        log_put(log, 161, 2, "4sss1", (unsigned long long)i, i % 2 ? "go" : "build", "Module", "",
                0ull);
        log_put(log, 169, 2, "8ssssss", (unsigned long long)i, "t", "1", "ty", "l", "M", "s");
    }
    log_put(log, 160, 2, "184sssssss", 0ull, 10ull, 1ull, "", "", "", "", "", "", "");
    for (unsigned i = 0; i < n_samples; i++) {
        put_sample(log, i * step % n_samples);
    }
    log_end(log);
    return log;
}

static void set_up(void)
{
    profile = make_log(60, 1);
    disordered = make_log(60, 7);
}

static void tear_down(void)
{
    hpf_sink_destroy(profile);
    hpf_sink_destroy(disordered);
}

TestSuite(log_memory, .init = set_up, .fini = tear_down, .timeout = 120);

static hpf_status survey_log(hpf_sink *log, hpf_error *err)
{
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_survey_options options = {.size = sizeof options, .max_drawn = 16};
    hpf_status status = hpf_source_from_memory(&source, hpf_sink_bytes(log), &keep, err);
    if (status == HPF_OK) {
        status = hpf_survey_create(&survey, source, &options, err);
    }
    if (status == HPF_OK) {
        cr_assert_eq(hpf_survey_overview(survey)->n_samples, 60);
        cr_assert_eq(hpf_survey_overview(survey)->total.sum, 60 * (40 * 8 + 39 * 20));
        cr_assert_eq(hpf_survey_overview(survey)->n_marks, 60);
        cr_assert_eq(hpf_survey_n_names(survey), 60);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return status;
}

static void fail_each(hpf_sink *log, bool all_after)
{
    unsigned long nth = 0;
    bool has_failed = true;
    while (has_failed) {
        hpf_error err = {0};
        failing_alloc_arm(++nth, all_after);
        hpf_status status = survey_log(log, &err);
        has_failed = failing_alloc_disarm();
        cr_assert(status == HPF_OK || status == HPF_ERR_MEMORY, "allocation %lu: %s", nth,
                  err.message);
        cr_assert_eq(err.status, status == HPF_OK ? err.status : HPF_ERR_MEMORY);
    }
    cr_assert_gt(nth, 50, "little was allocated");
}

Test(log_memory, surveying)
{
    fail_each(profile, false);
    fail_each(profile, true);
}

Test(log_memory, sorting)
{
    fail_each(disordered, false);
    fail_each(disordered, true);
}

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_metadata_note(context, event, err);
}

static hpf_status read_facts(hpf_error *err)
{
    hpf_event_visitor visitor = {.event = note};
    hpf_eventlog_metadata facts = {0};
    hpf_source *source = NULL;
    hpf_status status = hpf_source_from_memory(&source, hpf_sink_bytes(profile), NULL, err);
    if (status == HPF_OK) {
        status = hpf_eventlog_read_source(NULL, source, &visitor, &facts, err);
    }
    hpf_eventlog_metadata_finish(&facts);
    hpf_source_destroy(source);
    return status;
}

Test(log_memory, collecting_metadata)
{
    bool has_failed = true;
    for (unsigned long nth = 1; has_failed; nth++) {
        hpf_error err = {0};
        failing_alloc_arm(nth, false);
        hpf_status status = read_facts(&err);
        has_failed = failing_alloc_disarm();
        cr_assert_eq(status, has_failed ? HPF_ERR_MEMORY : HPF_OK, "allocation %lu", nth);
        cr_assert_eq(err.status, status);
    }
}

static hpf_status note_activity(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_activity_note(context, event, err);
}

static hpf_status read_activity(hpf_source *source, hpf_eventlog **log, hpf_error *err)
{
    static const hpf_event_visitor visitor = {.event = note_activity};
    hpf_eventlog_activity *activity = hpf_eventlog_activity_create();
    if (!activity) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_eventlog_read_source(log, source, &visitor, activity, err);
    hpf_eventlog_activity_between(activity, 0, 1);
    hpf_eventlog_activity_destroy(activity);
    return status;
}

static hpf_status copy_records(hpf_error *err)
{
    static const double whole[] = {0, HUGE_VAL};
    const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    const hpf_writer_options options = {.size = sizeof options, .filters = {HPF_STR("Main")}};
    hpf_source *source = NULL;
    hpf_eventlog *log = NULL;
    hpf_writer *writer = NULL;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_status status = sink ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        status = hpf_source_from_memory(&source, hpf_sink_bytes(profile), &keep, err);
    }
    status = status == HPF_OK ? read_activity(source, &log, err) : status;
    if (status == HPF_OK) {
        status = hpf_writer_create(&writer, &hpf_format_eventlog, sink, &options, err);
    }
    status = status == HPF_OK ? hpf_eventlog_writer_declare(writer, log, err) : status;
    status = status == HPF_OK ? hpf_eventlog_writer_copy(writer, source, whole, err) : status;
    status = status == HPF_OK ? hpf_writer_finish(writer, err) : status;
    status = status == HPF_OK ? hpf_sink_flush(sink, err) : status;
    hpf_writer_destroy(writer);
    hpf_eventlog_destroy(log);
    hpf_source_destroy(source);
    hpf_sink_destroy(sink);
    return status;
}

Test(log_memory, copying_records)
{
    for (int all_after = 0; all_after < 2; all_after++) {
        bool has_failed = true;
        for (unsigned long nth = 1; has_failed; nth++) {
            hpf_error err = {0};
            failing_alloc_arm(nth, all_after);
            hpf_status status = copy_records(&err);
            has_failed = failing_alloc_disarm();
            cr_assert_eq(status, has_failed ? HPF_ERR_MEMORY : HPF_OK, "allocation %lu: %s", nth,
                         err.message);
            cr_assert_eq(err.status, status);
        }
    }
}
