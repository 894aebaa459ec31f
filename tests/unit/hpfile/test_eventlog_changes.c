/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Event logs whose samples are changes: they are read as the samples that were written, in full, up
 * to any byte at which they end, and in the second pass.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "detect/reader.h"
#include "event/format_row.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"
#include "hpfile/writer.h"
#include "rng.h"
#include "hpfile/survey.h"

enum { N_NAMES = 12, N_SAMPLES = 30 };

typedef struct truth {
    uint64_t amounts[N_SAMPLES][N_NAMES];
} truth;

/* Few names change from sample to sample; they come, go, and come back. */
static void fill(truth *t, uint64_t seed)
{
    rng chance = {seed};
    memset(t, 0, sizeof *t);
    for (int s = 1; s < N_SAMPLES; s++) {
        memcpy(t->amounts[s], t->amounts[s - 1], sizeof t->amounts[s]);
        for (uint64_t n = rng_below(&chance, 4); n > 0; n--) {
            uint64_t amount = rng_next(&chance) >> rng_below(&chance, 64);
            t->amounts[s][rng_below(&chance, N_NAMES)] = rng_below(&chance, 3) ? amount : 0;
        }
    }
}

static size_t frames_of(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    static const char letters[] = "abcdefghijkl";
    (void)context;
    (void)room;
    frames[0] = (hpf_frame){.label = {letters + name, 1}};
    frames[1] = (hpf_frame){.label = HPF_STR("main")};
    return name % 2 ? 2 : 0; /* stacks and labels */
}

static hpf_sink *write_log(const truth *t, bool writes_changes)
{
    const hpf_writer_options options = {.size = sizeof options,
                                        .writes_changes = writes_changes,
                                        .breakdown = HPF_BREAKDOWN_COST_CENTRE,
                                        .frames = frames_of};
    const hpf_events *to = &hpf_writer_events;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer;
    cr_assert_eq(hpf_writer_create(&writer, &hpf_format_eventlog, sink, &options, NULL), HPF_OK);
    cr_assert_eq(to->header(writer, HPF_HEADER_JOB, HPF_STR("p +RTS -hc"), NULL), HPF_OK);
    for (hpf_name i = 0; i < N_NAMES; i++) {
        char name[8];
        int length = snprintf(name, sizeof name, "name%u", i);
        cr_assert_eq(to->name(writer, i, (hpf_str){name, (size_t)length}, NULL), HPF_OK);
    }
    for (int s = 0; s < N_SAMPLES; s++) {
        hpf_cost costs[N_NAMES + 1];
        size_t n = 0;
        for (hpf_name i = 0; i < N_NAMES; i++) {
            if (t->amounts[s][i] > 0) {
                costs[n++] = (hpf_cost){.name = i, .whole = t->amounts[s][i]};
            }
        }
        if (n > 0 && costs[0].whole > 1) { /* one name twice: the amounts add up */
            costs[n++] = (hpf_cost){.name = costs[0].name, .whole = 1};
            costs[0].whole--;
        }
        const hpf_sample sample = {.time = s, .costs = costs, .n_costs = n};
        cr_assert_eq(to->sample(writer, &sample, NULL), HPF_OK);
    }
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    return sink;
}

/* Compares samples with the truth, name by name: by the last letter or digits of names. */
typedef struct comparison {
    const truth *t;
    int number_of[N_NAMES]; /* by name of the reader */
    size_t n_samples;
    bool is_wrong;
} comparison;

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    comparison *c = context;
    (void)err;
    cr_assert(name < N_NAMES);
    hpf_str number = hpf_str_begins(text, "name") ? hpf_str_from(text, 4) : text;
    int value = 0;
    for (size_t i = 0; i < number.length && number.data != text.data; i++) {
        value = 10 * value + number.data[i] - '0';
    }
    c->number_of[name] = number.data == text.data ? *text.data - 'a' : value;
    return HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    comparison *c = context;
    uint64_t found[N_NAMES] = {0};
    (void)err;
    for (size_t i = 0; i < sample->n_costs; i++) {
        found[c->number_of[sample->costs[i].name]] += sample->costs[i].whole;
    }
    size_t at = (size_t)sample->time;
    c->is_wrong |= at >= N_SAMPLES || memcmp(found, c->t->amounts[at], sizeof found) != 0;
    c->n_samples++;
    return HPF_OK;
}

static const hpf_events comparing = {.name = on_name, .sample = on_sample};

static hpf_status read_log(hpf_str bytes, comparison *c, hpf_error *err)
{
    hpf_reader *reader = hpf_reader_create(&comparing, c, NULL);
    hpf_status status = hpf_reader_feed(reader, bytes.data, bytes.length, err);
    status = status == HPF_OK ? hpf_reader_finish(reader, err) : status;
    hpf_reader_destroy(reader);
    return status;
}

Test(eventlog_changes, samples_are_read_as_they_were_written)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        truth t;
        fill(&t, seed);
        for (int writes_changes = 0; writes_changes < 2; writes_changes++) {
            hpf_sink *log = write_log(&t, writes_changes);
            comparison c = {.t = &t};
            cr_assert_eq(read_log(hpf_sink_bytes(log), &c, NULL), HPF_OK);
            cr_expect(!c.is_wrong && c.n_samples == N_SAMPLES);
            hpf_sink_destroy(log);
        }
    }
}

/* A recording whose program or collector was killed. */
Test(eventlog_changes, a_cut_log_has_all_samples_before_the_cut)
{
    truth t;
    fill(&t, 7);
    hpf_sink *log = write_log(&t, true);
    hpf_str bytes = hpf_sink_bytes(log);
    size_t n_before = 0;
    for (size_t length = 0; length < bytes.length; length++) {
        comparison c = {.t = &t};
        hpf_error err;
        hpf_status status = read_log((hpf_str){bytes.data, length}, &c, &err);
        cr_assert(!c.is_wrong && c.n_samples >= n_before && c.n_samples <= n_before + 1);
        cr_assert(status == HPF_OK || c.n_samples == 0);
        n_before = c.n_samples;
    }
    cr_expect_eq(n_before, N_SAMPLES);
    hpf_sink_destroy(log);
}

Test(eventlog_changes, the_second_pass_reads_what_the_first_did)
{
    truth t;
    fill(&t, 9);
    hpf_sink *log = write_log(&t, true);
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    const hpf_survey_options options = {.size = sizeof options,
                                        .expects_no_series = true}; /* stores no costs */
    hpf_source *source;
    hpf_survey *survey;
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), &keeping, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, &options, NULL), HPF_OK);
    comparison c = {.t = &t};
    for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
        on_name(&c, i, hpf_survey_name(survey, i), NULL);
    }
    cr_assert_eq(hpf_survey_overview(survey)->n_drawn, N_SAMPLES);
    for (size_t drawn_sample = N_SAMPLES; drawn_sample-- > 0;) {
        double amounts[N_NAMES] = {0};
        cr_assert_eq(hpf_survey_drawn_amounts(survey, drawn_sample, amounts, NULL), HPF_OK);
        for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
            cr_expect_eq(amounts[i], (double)t.amounts[drawn_sample][c.number_of[i]]);
        }
    }
    cr_assert_eq(hpf_survey_emit(survey, true, &comparing, &c, NULL), HPF_OK);
    cr_expect(!c.is_wrong && c.n_samples == N_SAMPLES);

    uint32_t band_of_name[N_NAMES];
    double values[(N_NAMES + 1) * N_SAMPLES] = {0};
    for (hpf_name i = 0; i < N_NAMES; i++) {
        band_of_name[i] = i;
    }
    cr_assert_eq(hpf_survey_series(survey, band_of_name, N_NAMES, values, NULL), HPF_OK);
    for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
        for (size_t s = 0; s < N_SAMPLES; s++) {
            cr_expect_eq(values[i * N_SAMPLES + s], (double)t.amounts[s][c.number_of[i]]);
        }
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

/* The sanitizers watch this. */
Test(eventlog_changes, wrong_bytes_are_errors)
{
    truth t;
    fill(&t, 3);
    hpf_sink *log = write_log(&t, true);
    hpf_str bytes = hpf_sink_bytes(log);
    char *copy = malloc(bytes.length);
    size_t n_refused = 0;
    for (size_t i = 0; i < bytes.length; i++) {
        comparison c = {.t = &t};
        hpf_error err = {0};
        memcpy(copy, bytes.data, bytes.length);
        copy[i] = '\x7f';
        hpf_reader *reader = hpf_reader_create(&(hpf_events){0}, &c, NULL);
        hpf_status status = hpf_reader_feed(reader, copy, bytes.length, &err);
        n_refused += status == HPF_ERR_SYNTAX && strstr(err.message, "expected changes of") != NULL;
        hpf_reader_destroy(reader);
    }
    cr_expect(n_refused > 0);
    free(copy);
    hpf_sink_destroy(log);
}
