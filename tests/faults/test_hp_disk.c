/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The disk is full, and files become shorter while they are read.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "hpfile/survey.h"
#include "readings.h"
#include "scratch.h"

TestSuite(hp_disk, .init = scratch_begin, .fini = scratch_end);

/* From now on, no file can be made longer than that: writing fails as on a full disk. */
static void limit_files(rlim_t most_bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most_bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void put_profile(hpf_sink *to, int n_samples)
{
    hpf_sink_text(to, "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n");
    for (int i = 0; i < n_samples; i++) {
        hpf_sink_printf(to, "BEGIN_SAMPLE %d.0\nfoo\t%d\nbar\t%d\nEND_SAMPLE %d.0\n", i, i, i % 7,
                        i);
    }
}

Test(hp_disk, a_full_disk_keeps_the_old_file)
{
    const char *path = scratch_path("out");
    write_file(path, HPF_STR("old"));
    limit_files(1 << 20);
    hpf_error err;
    hpf_sink *sink = hpf_sink_to_path(path, &err);
    put_profile(sink, 50000);
    cr_assert_eq(hpf_sink_finish(sink, &err), HPF_ERR_IO);
    cr_assert_eq(err.os_errno, EFBIG);
    hpf_sink_destroy(sink);
    char *text = read_file(path, NULL);
    cr_assert_str_eq(text, "old");
    free(text);
    cr_assert_eq(scratch_n_files(), 1);
}

Test(hp_disk, a_full_disk_while_spooling)
{
    hpf_sink *text = hpf_sink_to_memory();
    put_profile(text, 200000);
    write_file(scratch_path("plain"), hpf_sink_bytes(text));
    if (!run_filter("gzip", "-c", scratch_path("plain"), scratch_path("packed"))) {
        cr_skip_test("gzip is not installed");
    }
    limit_files(1 << 20);
    hpf_source_options keep = {
        .size = sizeof keep, .keep = true, .temporary_dir = scratch_path(".")};
    hpf_source *source;
    hpf_survey *survey;
    hpf_error err;
    cr_assert_eq(hpf_source_open(&source, scratch_path("packed"), &keep, &err), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, &err), HPF_ERR_IO);
    cr_assert_eq(err.os_errno, EFBIG);
    hpf_source_destroy(source);
    hpf_sink_destroy(text);
}

typedef struct shortening {
    const char *path;
    off_t bytes;
    uint64_t when_read;
} shortening;

static void shorten(void *context, uint64_t read_bytes, uint64_t all_bytes)
{
    shortening *s = context;
    (void)all_bytes;
    if (read_bytes >= s->when_read) {
        cr_assert_eq(truncate(s->path, s->bytes), 0);
        s->when_read = UINT64_MAX;
    }
}

/* Shortens the file during the first pass: the survey succeeds or reports an I/O error. */
static void survey_while_shortening(shortening *s)
{
    hpf_source *source;
    hpf_survey *survey;
    hpf_error err = {0};
    hpf_survey_options options = {
        .size = sizeof options, .max_drawn = 64, .progress = shorten, .progress_context = s};
    cr_assert_eq(hpf_source_open(&source, s->path, NULL, &err), HPF_OK);
    hpf_status status = hpf_survey_create(&survey, source, &options, &err);
    cr_expect(status == HPF_OK || status == HPF_ERR_IO, "%s", err.message);
    if (survey) {
        const hpf_overview *o = hpf_survey_overview(survey);
        uint32_t bands[] = {0, 0};
        double *values = malloc(o->n_drawn * sizeof *values);
        status = hpf_survey_series(survey, bands, 1, values, &err);
        cr_expect(status == HPF_OK || status == HPF_ERR_IO, "%s", err.message);
        free(values);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

Test(hp_disk, a_file_that_becomes_shorter_while_it_is_read)
{
    static const off_t lengths[] = {0, 10, 100000, 700000, 1500000};
    hpf_sink *text = hpf_sink_to_memory();
    put_profile(text, 50000);
    cr_assert_gt(hpf_sink_position(text), 2000000);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        shortening s = {scratch_path("in"), lengths[i], 300000};
        write_file(s.path, hpf_sink_bytes(text));
        survey_while_shortening(&s);
    }
    hpf_sink_destroy(text);
}

Test(hp_disk, a_file_that_grows_while_it_is_read_is_read_to_its_new_end_or_its_old)
{
    hpf_sink *text = hpf_sink_to_memory();
    put_profile(text, 50000);
    const char *path = scratch_path("in");
    hpf_str bytes = hpf_sink_bytes(text);
    write_file(path, (hpf_str){bytes.data, bytes.length / 2});
    hpf_source *source;
    hpf_survey *survey;
    cr_assert_eq(hpf_source_open(&source, path, NULL, NULL), HPF_OK);
    write_file(path, bytes);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_overview(survey)->n_samples, 50000);
    cr_assert(!hpf_survey_overview(survey)->truncated);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(text);
}
