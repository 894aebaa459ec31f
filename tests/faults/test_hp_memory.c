/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every allocation of reading, writing and surveying fails in turn, alone and with all behind it:
 * each time the answer is HPF_ERR_MEMORY or, where memory only saves time, the right one. Leaks are
 * for the sanitizer to find.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"
#include "detect/reader.h"
#include "failing_alloc.h"
#include "hpfile/survey.h"
#include "retold.h"
#include "readings.h"
#include "scratch.h"

typedef hpf_status scenario(hpf_error *err);
typedef void aftermath(hpf_status status);

static hpf_sink *profile;
static hpf_model *model;

static void put_profile(hpf_sink *to)
{
    hpf_sink_text(to, "JOB \"say \"\"hi\"\"\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n");
    for (int i = 0; i < 60; i++) {
        hpf_sink_printf(to, "BEGIN_SAMPLE %d.5\nMARK %d.0\n", i, i);
        for (int k = 0; k < 50; k++) {
            hpf_sink_printf(to, "a name that takes some room %d\t%d%s\n", i + k, k,
                            k % 7 ? "" : ".5");
        }
        hpf_sink_printf(to, "END_SAMPLE %d.5\n", i);
    }
    hpf_sink_text(to, "BEGIN_SAMPLE 99.0\nleft\t5\n");
}

static void set_up(void)
{
    scratch_begin();
    profile = hpf_sink_to_memory();
    put_profile(profile);
    model = model_of_text(hpf_sink_bytes(profile), NULL);
    cr_assert_not_null(model);
}

static void tear_down(void)
{
    hpf_model_destroy(model);
    hpf_sink_destroy(profile);
    scratch_end();
}

TestSuite(hp_memory, .init = set_up, .fini = tear_down, .timeout = 120);

static void fail_each(scenario *run, aftermath *check, bool all_after)
{
    unsigned long nth = 0;
    bool has_failed = true;
    while (has_failed) {
        hpf_error err = {0};
        failing_alloc_arm(++nth, all_after);
        hpf_status status = run(&err);
        has_failed = failing_alloc_disarm();
        if (check) {
            check(status);
        }
        if (status == HPF_ERR_MEMORY) {
            cr_assert_eq(err.status, HPF_ERR_MEMORY, "allocation %lu: the error is not told", nth);
            cr_assert_str_eq(err.message, "out of memory");
        } else {
            cr_assert_eq(status, HPF_OK, "allocation %lu: %s", nth, err.message);
        }
    }
    cr_assert_gt(nth, 2, "nothing was allocated");
}

static void fail_all_ways(scenario *run, aftermath *check)
{
    fail_each(run, check, false);
    fail_each(run, check, true);
}

/* --- reading --- */

static hpf_status read_in_pieces(hpf_error *err)
{
    hpf_str text = hpf_sink_bytes(profile);
    hpf_reader *reader = hpf_reader_create(&(hpf_events){0}, NULL, NULL);
    if (!reader) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = HPF_OK;
    for (size_t at = 0; at < text.length && status == HPF_OK; at += 777) {
        size_t n = text.length - at < 777 ? text.length - at : 777;
        status = hpf_reader_feed(reader, text.data + at, n, err);
    }
    if (status == HPF_OK) {
        status = hpf_reader_finish(reader, err);
    } else {
        cr_assert_eq(hpf_reader_feed(reader, "x", 1, NULL), status, "a failed reader stays so");
    }
    hpf_reader_destroy(reader);
    return status;
}

Test(hp_memory, reading)
{
    fail_all_ways(read_in_pieces, NULL);
}

static hpf_status read_model(hpf_error *err)
{
    hpf_source *source = NULL;
    hpf_model *m = hpf_model_create();
    hpf_status status = m ? hpf_source_from_memory(&source, hpf_sink_bytes(profile), NULL, err)
                          : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        status = hpf_read_source(source, &hpf_model_events, m, NULL, err);
    }
    cr_assert(status != HPF_OK || hpf_model_equal(m, model));
    hpf_source_destroy(source);
    hpf_model_destroy(m);
    return status;
}

Test(hp_memory, modelling)
{
    fail_all_ways(read_model, NULL);
}

static hpf_status read_packed(hpf_error *err)
{
    hpf_source *source = NULL;
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_str piece;
    hpf_status status = hpf_source_open(&source, scratch_path("packed"), &keep, err);
    while (status == HPF_OK) {
        status = hpf_source_next(source, &piece, err);
    }
    if (status == HPF_END) {
        status = hpf_source_rewind(source, err);
    }
    if (status == HPF_OK) {
        status = hpf_source_next(source, &piece, err);
    }
    hpf_source_destroy(source);
    return status;
}

Test(hp_memory, unpacking)
{
    static const char *const programs[] = {"gzip", "xz", "zstd"};
    write_file(scratch_path("plain"), hpf_sink_bytes(profile));
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (!run_filter(programs[i], "-c", scratch_path("plain"), scratch_path("packed"))) {
            cr_skip_test("%s is not installed", programs[i]);
        }
        fail_all_ways(read_packed, NULL);
    }
}

/* --- writing --- */

static hpf_status write_into(hpf_sink *sink, hpf_error *err)
{
    hpf_writer *writer = create_writer(&hpf_format_hp, sink, NULL);
    hpf_status status = writer ? hpf_model_replay(model, &hpf_writer_events, writer, err)
                               : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        status = hpf_writer_finish(writer, err);
    }
    if (status == HPF_OK) {
        status = hpf_sink_finish(sink, err);
    }
    hpf_writer_destroy(writer);
    return status;
}

static hpf_status write_to_memory(hpf_error *err)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_status status = sink ? write_into(sink, err) : hpf_error_set_memory(err);
    hpf_sink_destroy(sink);
    return status;
}

Test(hp_memory, writing)
{
    fail_all_ways(write_to_memory, NULL);
}

static hpf_status write_to_file(hpf_error *err)
{
    const char *path = scratch_path("out");
    hpf_sink *sink = hpf_sink_to_path(path, err);
    hpf_status status = sink ? write_into(sink, err) : err->status;
    hpf_sink_destroy(sink);
    /* The system reports a failed allocation as an error of its own. */
    return status == HPF_ERR_IO ? hpf_error_set_memory(err) : status;
}

/* Checked when allocations pass again. */
static void expect_old_or_new(hpf_status status)
{
    char *text = read_file(scratch_path("out"), NULL);
    cr_assert_eq(strcmp(text, "old") == 0, status != HPF_OK,
                 "the old file stays, or the new is there");
    free(text);
    if (status == HPF_OK) {
        write_file(scratch_path("out"), HPF_STR("old"));
    }
    cr_assert_eq(scratch_n_files(), 1, "nothing else is left behind");
}

Test(hp_memory, writing_a_file)
{
    write_file(scratch_path("out"), HPF_STR("old"));
    fail_all_ways(write_to_file, expect_old_or_new);
}

/* --- surveying --- */

static hpf_status check_series(hpf_survey *survey, hpf_error *err)
{
    static uint32_t bands[200];
    static double values[1000];
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert_eq(o->n_samples, 60);
    cr_assert_leq(o->n_drawn, 60);
    hpf_status status = hpf_survey_series(survey, bands, 1, values, err);
    for (size_t i = 0; i < o->n_drawn && status == HPF_OK; i++) {
        cr_assert_eq(values[i], o->drawn[i].total);
    }
    return status;
}

static hpf_status survey_with(size_t max_drawn, hpf_error *err)
{
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_survey_options options = {.size = sizeof options, .max_drawn = max_drawn};
    hpf_status status = hpf_source_from_memory(&source, hpf_sink_bytes(profile), NULL, err);
    if (status == HPF_OK) {
        status = hpf_survey_create(&survey, source, &options, err);
    }
    if (status == HPF_OK) {
        status = check_series(survey, err);
    }
    if (status == HPF_OK) {
        status = hpf_survey_emit(survey, true, &(hpf_events){0}, NULL, err);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return status;
}

static hpf_status survey_all(hpf_error *err)
{
    return survey_with(0, err);
}

static hpf_status survey_reduced(hpf_error *err)
{
    return survey_with(16, err);
}

Test(hp_memory, surveying)
{
    fail_all_ways(survey_all, NULL);
}

Test(hp_memory, surveying_and_reducing)
{
    fail_all_ways(survey_reduced, NULL);
}
