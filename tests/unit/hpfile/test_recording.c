/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Recordings: what the writer writes of several processes is read as the log of each.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sanitizer.h"
#include "hpfile/format.h"
#include "hpfile/live.h"
#include "hpfile/recording.h"
#include "hpfile/recording_writer.h"
#include "hpfile/source.h"
#include "hpfile/survey.h"
#include "hpfile/writer.h"

/* A process of a run: `largest` bytes in the middle of its `n_samples` samples. */
typedef struct made_process {
    const char *name;
    uint32_t pid;
    double start_s;
    uint64_t n_samples, largest, inherited_bytes;
    hpf_writer *writer;
    hpf_sink *log;
    uint32_t number;
} made_process;

static void begin(hpf_recording_writer *w, made_process *p)
{
    const hpf_writer_options options = {.size = sizeof options, .writes_changes = true};
    const hpf_process row = {.pid = p->pid,
                             .parent = p->pid > 100,
                             .start_s = p->start_s,
                             .date_s = 1700000000,
                             .name = {p->name, strlen(p->name)},
                             .command = HPF_STR("/bin/x --y"),
                             .host = HPF_STR("here")};
    cr_assert_eq(hpf_recording_writer_begin(w, &row, &p->number, NULL), HPF_OK);
    p->log = hpf_recording_writer_log(w, p->number);
    cr_assert_eq(hpf_writer_create(&p->writer, &hpf_format_eventlog, p->log, &options, NULL),
                 HPF_OK);
    hpf_writer_events.header(p->writer, HPF_HEADER_JOB, HPF_STR("x"), NULL);
    hpf_writer_events.name(p->writer, 0, HPF_STR("small"), NULL);
    hpf_writer_events.name(p->writer, 1, HPF_STR("large"), NULL);
}

static void add_sample(hpf_recording_writer *w, made_process *p, uint64_t i)
{
    uint64_t large = i == p->n_samples / 2 ? p->largest - 1 : p->largest / 2;
    const hpf_cost costs[] = {{.name = 0, .whole = 1}, {.name = 1, .whole = large}};
    const hpf_sample sample = {.time = (double)i, .costs = costs, .n_costs = 2};
    cr_assert_eq(hpf_writer_events.sample(p->writer, &sample, NULL), HPF_OK);
    const hpf_recorded_sample recorded = {(double)i, large + 1, p->inherited_bytes};
    cr_assert_eq(hpf_recording_writer_sample(w, p->number, &recorded, NULL), HPF_OK);
}

static void end(hpf_recording_writer *w, made_process *p, hpf_process_end how)
{
    const hpf_process row = {.end = how, .code = 3, .end_s = p->start_s + 20, .left_bytes = 7};
    cr_assert_eq(hpf_writer_finish(p->writer, NULL), HPF_OK);
    cr_assert_eq(hpf_recording_writer_end(w, p->number, &row, NULL), HPF_OK);
    hpf_writer_destroy(p->writer);
}

/* Returns the bytes of a file, which it closes. */
static hpf_str take_bytes(FILE *file)
{
    static char bytes[4 << 20];
    rewind(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return (hpf_str){bytes, length};
}

/* Writes a run whose processes take samples in turns, and returns its bytes. */
static hpf_str write_run(made_process *all, size_t n, bool ends)
{
    FILE *file = tmpfile();
    hpf_recording_writer *w;
    cr_assert_eq(hpf_recording_writer_create(&w, fileno(file), NULL), HPF_OK);
    for (size_t i = 0; i < n; i++) {
        begin(w, &all[i]);
    }
    for (uint64_t t = 0; t < 20; t++) {
        for (size_t i = 0; i < n; i++) {
            uint64_t start = (uint64_t)all[i].start_s;
            if (t >= start && t - start < all[i].n_samples) {
                add_sample(w, &all[i], t - start);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (ends) {
            end(w, &all[i], HPF_PROCESS_EXITED);
        } else {
            hpf_writer_destroy(all[i].writer);
        }
    }
    hpf_recording_writer_destroy(w);
    return take_bytes(file);
}

static made_process run[] = {
    {.name = "make", .pid = 100, .n_samples = 20, .largest = 100},
    {.name = "cc one.c", .pid = 101, .start_s = 2, .n_samples = 9, .largest = 5000},
    {.name = "sh", .pid = 102, .start_s = 2, .n_samples = 2, .largest = 90},
    {.name = "cc two.c", .pid = 103, .start_s = 3, .n_samples = 5, .largest = 4000}};
enum { N = sizeof run / sizeof *run };

/* Surveys a process, and returns its peak; 0 with an error. */
static double peak_of(hpf_str bytes, const char *which, hpf_error *err)
{
    const hpf_source_options options = {.size = sizeof options, .keep = true, .process = which};
    hpf_source *source;
    hpf_survey *survey;
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &options, NULL), HPF_OK);
    double peak = hpf_survey_create(&survey, source, NULL, err) == HPF_OK
                      ? hpf_survey_overview(survey)->peak_total
                      : 0;
    hpf_survey_destroy(peak > 0 ? survey : NULL);
    hpf_source_destroy(source);
    return peak;
}

Test(recording, a_process_is_chosen_by_its_peak_name_or_number)
{
    hpf_str bytes = write_run(run, N, true);
    cr_expect_eq(peak_of(bytes, NULL, NULL), 5000);
    cr_expect_eq(peak_of(bytes, "1", NULL), 100);
    cr_expect_eq(peak_of(bytes, "103", NULL), 4000);
    cr_expect_eq(peak_of(bytes, "make", NULL), 100);
    cr_expect_eq(peak_of(bytes, "cc", NULL), 5000); /* the larger one */
    cr_expect_eq(peak_of(bytes, "cc two.c", NULL), 4000);
}

Test(recording, a_process_that_is_not_there_is_an_error)
{
    hpf_str bytes = write_run(run, N, true);
    hpf_error err;
    cr_expect_eq(peak_of(bytes, "ld", &err), 0);
    cr_expect_eq(err.status, HPF_ERR_ARGUMENT);
    cr_expect_str_eq(err.message, "no process \"ld\" in the recording: census info lists them");
    cr_expect_eq(peak_of(bytes, "sh", &err), 0);
    cr_expect_str_eq(err.message, "process 3 (sh) was too short or too small for a profile");
    cr_expect_eq(peak_of(HPF_STR("JOB \"x\"\n"), "sh", &err), 0);
    cr_expect_str_eq(err.message, "only recordings (.census) have processes");
}

Test(recording, processes_are_rows)
{
    for (int ends = 0; ends < 2; ends++) {
        hpf_source *source;
        hpf_str piece;
        hpf_str bytes = write_run(run, N, ends);
        cr_assert_eq(hpf_source_from_memory(&source, bytes, NULL, NULL), HPF_OK);
        cr_assert_eq(hpf_source_next(source, &piece, NULL), HPF_OK);
        const hpf_recording *r = hpf_source_recording(source);
        cr_assert_eq(hpf_recording_n_processes(r), N);
        cr_expect_eq(hpf_recording_chosen(r), hpf_recording_process(r, 1));
        for (size_t i = 0; i < N; i++) {
            const hpf_process *p = hpf_recording_process(r, i);
            cr_expect(hpf_str_is(p->name, run[i].name));
            cr_expect_eq(p->pid, run[i].pid);
            cr_expect_eq(p->parent, i > 0);
            cr_expect_eq(p->start_s, run[i].start_s);
            cr_expect(hpf_str_is(p->host, "here"));
            cr_expect_eq(p->has_log, i != 2);
            cr_expect_eq(p->n_samples, ends || i != 2 ? run[i].n_samples : 0);
            cr_expect_eq(p->peak_bytes, ends || i != 2 ? run[i].largest : 0);
            cr_expect_eq(p->end, ends ? HPF_PROCESS_EXITED : HPF_PROCESS_RUNS);
            cr_expect_eq(p->code, ends ? 3 : 0);
            cr_expect_eq(p->left_bytes, ends ? 7 : i == 2 ? 0 : run[i].largest / 2 + 1);
        }
        hpf_source_destroy(source);
    }
}

/* The pieces of a log are the bytes that were written, also a second time and at any place. */
Test(recording, a_log_is_read_again)
{
    hpf_str bytes = write_run(run, N, true);
    const hpf_source_options options = {.size = sizeof options, .keep = true, .process = "4"};
    char first[1 << 16], again[1 << 16];
    size_t length = 0, n = 0;
    hpf_source *source;
    hpf_str piece;
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &options, NULL), HPF_OK);
    for (; hpf_source_next(source, &piece, NULL) == HPF_OK; length += piece.length) {
        memcpy(first + length, piece.data, piece.length);
    }
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    for (; hpf_source_next(source, &piece, NULL) == HPF_OK; n += piece.length) {
        memcpy(again + n, piece.data, piece.length);
    }
    cr_expect(n == length && memcmp(first, again, n) == 0);
    for (size_t at = 0; at < length; at += 37) {
        size_t rest = length - at < 1000 ? length - at : 1000;
        cr_assert_eq(hpf_source_read_at(source, at, again, rest, NULL), HPF_OK);
        cr_expect(memcmp(first + at, again, rest) == 0);
    }
    int next = dup(STDERR_FILENO);
    hpf_source_destroy(source);
    cr_expect_eq(dup(STDERR_FILENO), next + 1, "a source of memory has closed a descriptor");
}

Test(recording, a_pipe_is_read_like_a_file)
{
    hpf_str bytes = write_run(run, N, true);
    const hpf_source_options options = {.size = sizeof options, .keep = true};
    int ends[2];
    hpf_source *source;
    hpf_survey *survey;
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], bytes.data, bytes.length), (ssize_t)bytes.length);
    close(ends[1]);
    cr_assert_eq(hpf_source_from_fd(&source, ends[0], &options, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_expect_eq(hpf_survey_overview(survey)->peak_total, 5000);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    close(ends[0]);
}

Test(recording, all_processes_are_bands_on_one_clock)
{
    hpf_str bytes = write_run(run, N, true);
    const hpf_source_options options = {.size = sizeof options, .keep = true, .process = "all"};
    hpf_source *source;
    hpf_survey *survey;
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &options, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_expect(hpf_str_is(hpf_survey_header(survey, HPF_HEADER_JOB), "/bin/x --y · by process"));
    cr_assert_eq(hpf_survey_n_names(survey), 3);
    double amounts[3], time;
    cr_expect(hpf_str_is(hpf_survey_name(survey, 0), "make"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 1), "cc one.c"));
    cr_expect(hpf_str_is(hpf_survey_name(survey, 2), "cc two.c"));
    cr_assert_eq(hpf_survey_amounts_at(survey, 6, amounts, &time, NULL), HPF_OK);
    cr_expect_eq(time, 6);
    cr_expect_eq(amounts[0], 51);
    cr_expect_eq(amounts[1], 5000);
    cr_expect_eq(amounts[2], 2001);
    const hpf_overview *o = hpf_survey_overview(survey);
    size_t n_begins = 0; /* steps up */
    for (size_t i = 1; i < o->n_drawn; i++) {
        n_begins +=
            o->drawn[i].time == o->drawn[i - 1].time && o->drawn[i].total > o->drawn[i - 1].total;
    }
    cr_expect_eq(n_begins, 2, "%zu steps up", n_begins); /* the first process begins with the run */
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

/* A process is held until its third sample. */
Test(recording, held_samples_are_in_the_sum_at_their_times)
{
    made_process all[] = {{.name = "first", .pid = 1, .n_samples = 20, .largest = 100},
                          {.name = "second", .pid = 2, .n_samples = 20, .largest = 200}};
    FILE *file = tmpfile();
    hpf_recording_writer *w;
    cr_assert_eq(hpf_recording_writer_create(&w, fileno(file), NULL), HPF_OK);
    begin(w, &all[0]);
    begin(w, &all[1]);
    for (uint64_t t = 0; t < 8; t++) {
        add_sample(w, &all[0], t);
        if (t >= 2 && t < 5) {
            add_sample(w, &all[1], t);
        }
    }
    end(w, &all[1], HPF_PROCESS_EXITED);
    end(w, &all[0], HPF_PROCESS_EXITED);
    hpf_recording_writer_destroy(w);
    const hpf_source_options options = {.size = sizeof options, .keep = true, .process = "all"};
    hpf_source *source;
    hpf_survey *survey;
    double amounts[2], time;
    cr_assert_eq(hpf_source_from_memory(&source, take_bytes(file), &options, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_n_names(survey), 2);
    for (int t = 1; t < 8; t++) {
        cr_assert_eq(hpf_survey_amounts_at(survey, t, amounts, &time, NULL), HPF_OK);
        cr_expect_eq(time, t, "%g instead of %d", time, t);
        cr_expect_eq(amounts[0], 51);
        cr_expect(t != 3 || amounts[1] == 101, "%g bytes at %d", amounts[1], t);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

/* A forked process has blocks of its parent, and may give itself a title. */
Test(recording, what_a_process_inherits_counts_once)
{
    made_process all[] = {
        {.name = "server", .pid = 1, .n_samples = 8, .largest = 100},
        {.name = "server", .pid = 2, .n_samples = 8, .largest = 130, .inherited_bytes = 51}};
    FILE *file = tmpfile();
    hpf_recording_writer *w;
    cr_assert_eq(hpf_recording_writer_create(&w, fileno(file), NULL), HPF_OK);
    begin(w, &all[0]);
    begin(w, &all[1]);
    for (uint64_t t = 0; t < 8; t++) {
        all[1].inherited_bytes -= t == 5 ? 20 : 0;
        add_sample(w, &all[0], t);
        add_sample(w, &all[1], t);
    }
    const hpf_process row = {
        .end = HPF_PROCESS_EXITED, .end_s = 20, .name = HPF_STR("server: worker")};
    cr_assert_eq(hpf_writer_finish(all[1].writer, NULL), HPF_OK);
    cr_assert_eq(hpf_recording_writer_end(w, all[1].number, &row, NULL), HPF_OK);
    hpf_writer_destroy(all[1].writer);
    end(w, &all[0], HPF_PROCESS_EXITED);
    hpf_recording_writer_destroy(w);
    hpf_str bytes = take_bytes(file);
    cr_expect_eq(peak_of(bytes, "server: worker", NULL), 130);
    const hpf_source_options options = {.size = sizeof options, .keep = true, .process = "all"};
    hpf_source *source;
    hpf_survey *survey;
    double amounts[2], time;
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &options, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_n_names(survey), 2);
    cr_expect(hpf_str_is(hpf_survey_name(survey, 1), "server: worker"));
    cr_assert_eq(hpf_survey_amounts_at(survey, 4, amounts, &time, NULL), HPF_OK);
    cr_expect_eq(amounts[0], 100);
    cr_expect_eq(amounts[1], 130 - 51);
    cr_assert_eq(hpf_survey_amounts_at(survey, 6, amounts, &time, NULL), HPF_OK);
    cr_expect_eq(amounts[1], 66 - 31);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

/* The final log of a process comes when it has ended, after the samples of others. */
Test(recording, a_provisional_log_is_replaced)
{
    made_process other = {.name = "other", .pid = 1, .n_samples = 8, .largest = 100};
    made_process again = other;
    again.largest = 2000; /* not to be in the sum */
    made_process first = {.name = "server", .pid = 2, .n_samples = 8, .largest = 900};
    made_process last = first;
    FILE *file = tmpfile();
    hpf_recording_writer *w;
    cr_assert_eq(hpf_recording_writer_create(&w, fileno(file), NULL), HPF_OK);
    begin(w, &other);
    begin(w, &first);
    for (uint64_t t = 0; t < 8; t++) {
        add_sample(w, &other, t);
        add_sample(w, &first, t);
    }
    begin(w, &again);
    end(w, &other, HPF_PROCESS_REPLACED);
    for (uint64_t t = 0; t < 8; t++) {
        add_sample(w, &again, t);
    }
    begin(w, &last);
    end(w, &first, HPF_PROCESS_REPLACED);
    for (uint64_t t = 0; t < 8; t++) {
        add_sample(w, &last, t);
    }
    end(w, &last, HPF_PROCESS_EXITED);
    end(w, &again, HPF_PROCESS_EXITED);
    hpf_recording_writer_destroy(w);
    hpf_str bytes = take_bytes(file);
    cr_expect_eq(peak_of(bytes, "server", NULL), 900);
    cr_expect_eq(peak_of(bytes, "2", NULL), 0);
    cr_expect_eq(peak_of(bytes, "4", NULL), 900);
    cr_expect_eq(peak_of(bytes, "all", NULL), 1000);
}

/* Feeds a recording in small pieces, and returns the peak. */
static double live_peak_of(hpf_str bytes, const char *which, hpf_error *err)
{
    const hpf_live_options options = {.size = sizeof options, .process = which};
    hpf_live *live;
    hpf_survey *survey;
    hpf_status status = HPF_OK;
    cr_assert_eq(hpf_live_create(&live, &options, NULL), HPF_OK);
    for (size_t at = 0; at < bytes.length && status == HPF_OK; at += 7) {
        size_t n = bytes.length - at < 7 ? bytes.length - at : 7;
        status = hpf_live_feed(live, bytes.data + at, n, err);
    }
    status = status == HPF_OK ? hpf_live_finish(live, err) : status;
    double peak = status == HPF_OK && hpf_live_survey(&survey, live, NULL) == HPF_OK
                      ? hpf_survey_overview(survey)->peak_total
                      : 0;
    hpf_live_destroy(live);
    return peak;
}

Test(recording, a_recording_that_grows_is_the_log_of_a_process)
{
    hpf_error err;
    hpf_str bytes = write_run(run, N, true);
    cr_expect_eq(live_peak_of(bytes, NULL, &err), 100); /* the first one with a log */
    cr_expect_eq(live_peak_of(bytes, "2", &err), 5000);
    cr_expect_eq(live_peak_of(bytes, "two", &err), 4000);
    cr_expect_eq(live_peak_of(bytes, "sh", &err), 0);
    cr_expect_str_eq(err.message, "process 3 (sh) was too short or too small for a profile");
    cr_expect_eq(live_peak_of(bytes, "all", &err), 0);
    cr_expect_str_eq(err.message, "the sum of all processes cannot be followed");
    cr_expect_eq(live_peak_of(HPF_STR("JOB \"x\"\n"), "two", &err), 0);
    cr_expect_str_eq(err.message, "only recordings (.census) have processes");
}

/* The name of the first one contains the number of the second one. */
Test(recording, a_number_waits_for_its_process)
{
    made_process first = {.name = "make 2", .pid = 100, .n_samples = 4, .largest = 900};
    made_process second = {.name = "cc", .pid = 101, .start_s = 1, .n_samples = 4, .largest = 8};
    FILE *file = tmpfile();
    hpf_recording_writer *w;
    hpf_error err;
    cr_assert_eq(hpf_recording_writer_create(&w, fileno(file), NULL), HPF_OK);
    begin(w, &first);
    for (uint64_t t = 0; t < 4; t++) {
        add_sample(w, &first, t);
    }
    begin(w, &second);
    for (uint64_t t = 0; t < 4; t++) {
        add_sample(w, &second, t);
    }
    end(w, &second, HPF_PROCESS_EXITED);
    end(w, &first, HPF_PROCESS_EXITED);
    hpf_recording_writer_destroy(w);
    hpf_str bytes = take_bytes(file);
    cr_expect_eq(live_peak_of(bytes, "2", &err), 8);
    cr_expect_eq(live_peak_of(bytes, "make", &err), 900);
}

Test(recording, a_recording_that_is_cut_has_all_samples_before)
{
    enum { HEAD_BYTES = 8 };
    hpf_str bytes = write_run(run, 1, true);
    uint64_t before = 0;
    for (size_t length = 0; length <= bytes.length; length++) {
        const hpf_source_options options = {.size = sizeof options, .keep = true};
        hpf_source *source;
        hpf_survey *survey;
        hpf_error err;
        cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){bytes.data, length}, &options, NULL),
                     HPF_OK);
        if (hpf_survey_create(&survey, source, NULL, &err) == HPF_OK) {
            uint64_t n = hpf_survey_overview(survey)->n_samples;
            cr_assert(n == before || n == before + 1);
            before = n;
            hpf_survey_destroy(survey);
        } else {
            cr_assert_eq(before, 0);
            cr_expect(length <= HEAD_BYTES ||
                          strstr(err.message, "the recording has no sample yet"),
                      "%zu bytes: %s", length, err.message);
        }
        hpf_source_destroy(source);
    }
    cr_expect_eq(before, 20);
}

Test(recording, a_newer_version_is_refused_in_one_line)
{
    hpf_error err;
    hpf_str bytes = write_run(run, N, true);
    char *copy = malloc(bytes.length);
    memcpy(copy, bytes.data, bytes.length);
    copy[7] = 3;
    cr_expect_eq(peak_of((hpf_str){copy, bytes.length}, NULL, &err), 0);
    cr_expect_eq(err.status, HPF_ERR_VERSION);
    cr_expect_str_eq(err.message, "a recording of version 3, which a newer census wrote: this one "
                                  "reads up to version 2");
    copy[7] = 1;
    cr_expect_eq(peak_of((hpf_str){copy, bytes.length}, NULL, &err), 5000);
    free(copy);
}

/* Writes a recording of one log, with samples of sizes below and above those of frames, and without
 * a repetition in every fifth. Appends the log to `log`, and returns the recording. */
static hpf_str write_packed(char *log, size_t *length)
{
    static const size_t sizes[] = {100,     4095, 4096,   5000, 3 << 20,
                                   1 << 20, 40,   300000, 9000, 77777};
    const hpf_process row = {.pid = 7, .name = HPF_STR("x"), .command = HPF_STR("x")};
    hpf_recording_writer *w;
    uint32_t number, state = 1;
    FILE *file = tmpfile();
    cr_assert_eq(hpf_recording_writer_create(&w, fileno(file), NULL), HPF_OK);
    cr_assert_eq(hpf_recording_writer_begin(w, &row, &number, NULL), HPF_OK);
    hpf_sink *sink = hpf_recording_writer_log(w, number);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t n = 0; n < sizes[i]; n++) {
            state = state * 1664525 + 1013904223;
            bool repeats = i % 5 != 4 || i == 4;
            char byte = repeats && n >= 50 && state >> 28 ? log[*length - 50] : (char)(state >> 24);
            hpf_sink_write(sink, &byte, 1);
            log[(*length)++] = byte;
        }
        const hpf_recorded_sample sample = {(double)i, 1 << 20, 0};
        cr_assert_eq(hpf_recording_writer_sample(w, number, &sample, NULL), HPF_OK);
    }
    hpf_recording_writer_destroy(w);
    return take_bytes(file);
}

static size_t read_all(hpf_source *source, char *out, size_t room)
{
    hpf_str piece;
    size_t n = 0;
    while (hpf_source_next(source, &piece, NULL) == HPF_OK) {
        cr_assert_leq(piece.length, room - n);
        memcpy(out + n, piece.data, piece.length);
        n += piece.length;
    }
    return n;
}

enum { MOST_LOG_BYTES = 5 << 20 };

Test(recording, a_packed_log_is_read_as_it_was_written)
{
    static char log[MOST_LOG_BYTES], read[MOST_LOG_BYTES];
    size_t length = 0;
    uint32_t state = 1;
    hpf_str bytes = write_packed(log, &length);
    cr_expect_lt(bytes.length, length / 2);
    const hpf_source_options options = {.size = sizeof options, .keep = true};
    hpf_source *source;
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &options, NULL), HPF_OK);
    for (int times = 0; times < 2; times++) {
        cr_assert_eq(read_all(source, read, sizeof read), length);
        cr_expect_arr_eq(log, read, length);
        cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    }
    for (int i = 0; i < 300; i++) {
        state = state * 1664525 + 1013904223;
        size_t at = state % length, n = state % 7 ? state % 3000 : state % 3000000;
        n = n < length - at ? n : length - at;
        cr_assert_eq(hpf_source_read_at(source, at, read, n, NULL), HPF_OK);
        cr_assert_arr_eq(log + at, read, n);
    }
    hpf_source_destroy(source);
}

/* The sanitizers watch this. */
Test(recording, wrong_bytes_of_a_packed_log_do_no_harm)
{
    static char log[MOST_LOG_BYTES], read[64 * MOST_LOG_BYTES];
    size_t length = 0;
    uint32_t state = 1;
    hpf_str bytes = write_packed(log, &length);
    const hpf_source_options options = {.size = sizeof options, .keep = true};
    for (int i = 0; i < 60; i++) {
        state = state * 1664525 + 1013904223;
        size_t at = state % bytes.length;
        char was = bytes.data[at];
        hpf_source *source;
        ((char *)(uintptr_t)bytes.data)[at] = (char)(state >> 8);
        hpf_str some = {bytes.data, i % 2 ? bytes.length : at + 1};
        cr_assert_eq(hpf_source_from_memory(&source, some, &options, NULL), HPF_OK);
        size_t n = read_all(source, read, sizeof read);
        for (size_t begin = 0; begin < n; begin += 100000) {
            size_t rest = n - begin < 100000 ? n - begin : 100000;
            (void)!hpf_source_read_at(source, begin, log, rest, NULL);
        }
        hpf_source_destroy(source);
        ((char *)(uintptr_t)bytes.data)[at] = was;
    }
}

/* The sanitizers watch this. */
Test(recording, wrong_bytes_do_no_harm)
{
    hpf_str bytes = write_run(run, N, true);
    char *copy = malloc(bytes.length);
    for (size_t i = 0; i < bytes.length; i += CASE_STEP) {
        for (int value = 0; value < 256; value += 255) {
            memcpy(copy, bytes.data, bytes.length);
            copy[i] = (char)value;
            hpf_error err;
            peak_of((hpf_str){copy, bytes.length}, NULL, &err);
        }
    }
    free(copy);
}

/* How close a process was to its limits, the last time and at its end. */
Test(recording, limits_and_the_killer)
{
    for (int is_killed = 0; is_killed <= 1; is_killed++) {
        made_process one = {.name = "one", .pid = 100, .n_samples = 4, .largest = 5000000};
        hpf_memory memory = {.holder = HPF_STR("")};
        FILE *file = tmpfile();
        hpf_recording_writer *w;
        cr_assert_eq(hpf_recording_writer_create(&w, fileno(file), NULL), HPF_OK);
        begin(w, &one);
        memory.limits[HPF_MEMORY_MAX].used_bytes = 50;
        memory.limits[HPF_MEMORY_MAX].most_bytes = 100;
        memory.limits[HPF_MEMORY_COMMIT].used_bytes = UINT64_MAX - 1;
        memory.limits[HPF_MEMORY_COMMIT].most_bytes = UINT64_MAX;
        memory.stalled_percent = 12;
        cr_assert_eq(hpf_recording_writer_memory(w, one.number, &memory, NULL), HPF_OK);
        for (uint64_t i = 0; i < one.n_samples; i++) {
            add_sample(w, &one, i);
        }
        memory = (hpf_memory){.killer = HPF_KILLER_CGROUP,
                              .n_killed = 2,
                              .is_whole_cgroup = true,
                              .holder = HPF_STR("cache@a.c:1"),
                              .holder_bytes = 77};
        memory.limits[HPF_MEMORY_DATA].most_bytes = 9;
        if (is_killed) {
            cr_assert_eq(hpf_recording_writer_memory(w, one.number, &memory, NULL), HPF_OK);
            end(w, &one, HPF_PROCESS_KILLED);
        } else {
            hpf_writer_destroy(one.writer);
        }
        hpf_recording_writer_destroy(w);
        const hpf_source_options options = {.size = sizeof options, .keep = true};
        hpf_source *source;
        hpf_str bytes = take_bytes(file);
        cr_assert_eq(hpf_source_from_memory(&source, bytes, &options, NULL), HPF_OK);
        hpf_str piece;
        cr_assert_eq(hpf_source_next(source, &piece, NULL), HPF_OK);
        const hpf_memory *m = &hpf_recording_process(hpf_source_recording(source), 0)->memory;
        cr_expect_eq(m->killer, is_killed ? HPF_KILLER_CGROUP : HPF_KILLER_UNKNOWN);
        cr_expect_eq(m->n_killed, is_killed ? 2 : 0);
        cr_expect_eq(m->is_whole_cgroup, is_killed);
        cr_expect(hpf_str_is(m->holder, is_killed ? "cache@a.c:1" : ""));
        cr_expect_eq(m->holder_bytes, is_killed ? 77 : 0);
        cr_expect_eq(m->stalled_percent, is_killed ? 0 : 12);
        cr_expect_eq(m->limits[HPF_MEMORY_MAX].used_bytes, is_killed ? 0 : 50);
        cr_expect_eq(hpf_memory_part(m, HPF_MEMORY_MAX), is_killed ? 0 : 0.5);
        cr_expect_eq(m->limits[HPF_MEMORY_COMMIT].most_bytes, is_killed ? 0 : UINT64_MAX);
        cr_expect_eq(hpf_memory_nearest(m), is_killed ? HPF_MEMORY_DATA : HPF_MEMORY_COMMIT);
        hpf_source_destroy(source);
    }
    hpf_memory none = {.holder = HPF_STR("")};
    cr_expect_eq(hpf_memory_nearest(&none), HPF_N_MEMORY_LIMITS);
    cr_expect_eq(hpf_memory_part(&none, HPF_N_MEMORY_LIMITS), 0);
}
