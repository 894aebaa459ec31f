/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of the resident set: profiles of their parts and of what is pinned, and the finding.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "event/format_row.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/eventlog_writer.h"
#include "hpfile/findings.h"
#include "hpfile/resident.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"
#include "hpfile/survey.h"

enum { MIB = 1 << 20, N_SAMPLES = 3 };

typedef struct record {
    char bytes[1000];
    size_t length;
} record;

static void put_row(record *to, unsigned kind, uint64_t bytes, uint64_t second, const char *name)
{
    to->bytes[to->length++] = (char)kind;
    for (int i = 0; i < 16; i++) {
        uint64_t number = i < 8 ? bytes : second;
        to->bytes[to->length++] = (char)(number >> 8 * (7 - i % 8));
    }
    strcpy(to->bytes + to->length, name);
    to->length += strlen(name) + 1;
}

/* In sample 2, 90 MiB of 100 MiB are not live, 60 of them pinned in ranges of 64 KiB. */
static record record_of(int sample)
{
    record r = {.length = 0};
    uint64_t gaps = sample == 1 ? 50 : 40;
    for (int i = 0; i < HPF_N_RESIDENT_PARTS; i++) {
        uint64_t mib = i == HPF_RESIDENT_LIVE   ? 10
                       : i == HPF_RESIDENT_GAPS ? gaps
                       : i == HPF_RESIDENT_FREE ? 40
                                                : 0;
        put_row(&r, HPF_RESIDENT_ROW_PART, mib * MIB, mib * MIB / 2,
                hpf_resident_part_name((hpf_resident_part)i));
    }
    put_row(&r, HPF_RESIDENT_ROW_PAGE_TABLES, 4096, 0, "");
    put_row(&r, HPF_RESIDENT_ROW_PINNED, 30 * MIB, MIB, "first");
    put_row(&r, HPF_RESIDENT_ROW_PINNED + 1, 55 * MIB, 2 * MIB, "first");
    put_row(&r, HPF_RESIDENT_ROW_PINNED + 1, 5 * MIB, MIB, "second");
    return r;
}

static hpf_source *write_log(hpf_sink *sink, size_t n_cut)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    const hpf_writer_options options = {
        .size = sizeof options, .writes_resident = true, .writes_generations = true};
    const hpf_events *to = &hpf_writer_events;
    const hpf_cost cost = {.name = 0, .whole = 10 * MIB};
    hpf_writer *writer;
    hpf_source *source;
    cr_assert_eq(hpf_writer_create(&writer, &hpf_format_eventlog, sink, &options, NULL), HPF_OK);
    cr_assert_eq(
        to->header(writer, HPF_HEADER_JOB, HPF_STR("p" HPF_NATIVE_JOB_BY "allocation site"), NULL),
        HPF_OK);
    cr_assert_eq(to->name(writer, 0, HPF_STR("site"), NULL), HPF_OK);
    for (int i = 0; i < N_SAMPLES; i++) {
        const hpf_sample sample = {.time = i, .costs = &cost, .n_costs = 1};
        record r = record_of(i);
        cr_assert_eq(hpf_eventlog_writer_record(
                         writer, HPF__EVENT_HEAP_PROF_RESIDENT, (uint64_t)i * 1000000000, 0,
                         (hpf_str){r.bytes, r.length - n_cut}, HPF_STR(""), NULL),
                     HPF_OK);
        r.length = 0;
        put_row(&r, HPF_RESIDENT_ROW_PART, 3 * MIB, 0, "generation 0");
        put_row(&r, HPF_RESIDENT_ROW_PART, 7 * MIB, 0, "generation 1");
        cr_assert_eq(hpf_eventlog_writer_record(
                         writer, HPF__EVENT_HEAP_PROF_GENERATIONS, (uint64_t)i * 1000000000, 0,
                         (hpf_str){r.bytes, r.length - n_cut}, HPF_STR(""), NULL),
                     HPF_OK);
        cr_assert_eq(to->sample(writer, &sample, NULL), HPF_OK);
    }
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(sink), &keep, NULL), HPF_OK);
    return source;
}

/* The sums of a value, by sample, and the name of its largest cost. */
typedef struct seen {
    int n_samples;
    double sums[N_SAMPLES], page_tables;
    char names[20][40], largest[40];
} seen;

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    seen *s = context;
    (void)err;
    snprintf(s->names[name], sizeof s->names[name], "%.*s", (int)text.length, text.data);
    return HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    seen *s = context;
    uint64_t most = 0;
    (void)err;
    for (size_t i = 0; i < sample->n_costs; i++) {
        s->sums[s->n_samples] += (double)sample->costs[i].whole;
        if (sample->costs[i].whole > most) {
            most = sample->costs[i].whole;
            strcpy(s->largest, s->names[sample->costs[i].name]);
        }
    }
    s->n_samples++;
    return HPF_OK;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    seen *s = context;
    (void)err;
    s->page_tables = hpf_str_is(name, "page tables") ? point.value : s->page_tables;
    return HPF_OK;
}

static seen read_value(hpf_source *source, const char *value, hpf_status wanted)
{
    const hpf_events events = {.name = on_name, .sample = on_sample, .quantity = on_quantity};
    const hpf_reader_options options = {
        .size = sizeof options,
        .value = {value, strlen(value)},
    };
    seen s = {.n_samples = 0};
    cr_assert_eq(hpf_source_rewind(source, NULL), HPF_OK);
    cr_expect_eq(hpf_format_read(&hpf_format_eventlog, source, &events, &s, &options, NULL), wanted,
                 "%s", value);
    return s;
}

Test(eventlog_resident, each_record_is_a_sample)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_source *source = write_log(sink, 0);
    static const struct {
        const char *value, *largest;
        double mib;
    } values[] = {{"resident", "rest of pages with live blocks", 100},
                  {"pss", "rest of pages with live blocks", 50},
                  {"pinned", "first", 30},
                  {"pinned-64K", "first", 60},
                  {"pinned-2M", "", 0},
                  {"generations", "generation 1", 10}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        seen s = read_value(source, values[i].value, HPF_OK);
        cr_expect_eq(s.n_samples, N_SAMPLES);
        cr_expect_eq(s.sums[1], values[i].mib * MIB, "%s", values[i].value);
        cr_expect_str_eq(s.largest, i == 0 ? "rest of pages with live blocks" : values[i].largest);
        cr_expect_eq(s.page_tables, i < 5 ? 4096 : 0);
    }
    hpf_source_destroy(source);
    hpf_sink_destroy(sink);
}

Test(eventlog_resident, rows_that_are_cut_are_left_out)
{
    for (size_t n_cut = 1; n_cut < 40; n_cut++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_source *source = write_log(sink, n_cut);
        double mib = n_cut <= strlen("second") + 18 ? 55 : 0;
        cr_expect_eq(read_value(source, "pinned-64K", HPF_OK).sums[1], mib * MIB, "%zu", n_cut);
        hpf_source_destroy(source);
        hpf_sink_destroy(sink);
    }
}

Test(eventlog_resident, a_log_without_records)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_source *source = write_log(sink, record_of(0).length);
    /* Empty records are of nothing. */
    cr_expect_eq(read_value(source, "resident", HPF_OK).sums[1], 0);
    cr_expect_eq(read_value(source, "residents", HPF_ERR_ARGUMENT).n_samples, 0);
    hpf_source_destroy(source);
    hpf_sink_destroy(sink);
}

Test(eventlog_resident, the_finding_is_of_the_smallest_ranges_with_half_of_it)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_source *source = write_log(sink, 0);
    hpf_survey *survey;
    hpf_findings found;
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    const hpf_recording recording = {.name = "p",
                                     .survey = survey,
                                     .source = source,
                                     .format = &hpf_format_eventlog,
                                     .from_time = -HUGE_VAL,
                                     .to_time = HUGE_VAL};
    cr_assert_eq(hpf_findings_find(&found, &recording, NULL), HPF_OK);
    cr_assert_eq(found.n, 1);
    const hpf_finding *f = &found.all[0];
    cr_assert_eq(f->kind, HPF_FINDING_PINNED);
    cr_expect_eq(f->of.pinned.time, 1);
    cr_expect_eq(f->of.pinned.resident, 100 * MIB);
    cr_expect_eq(f->of.pinned.live, 10 * MIB);
    cr_expect_eq(f->of.pinned.free, 40 * MIB);
    cr_expect_eq(f->of.pinned.range, 65536);
    cr_expect_eq(f->of.pinned.bytes, 60 * MIB);
    cr_expect_float_eq(f->of.pinned.share, 3.0 / 63, 1e-12);
    cr_expect_eq(f->of.pinned.most, 55 * MIB);
    cr_expect_str_eq(f->of.pinned.name, "first");
    cr_expect_str_eq(f->of.pinned.value, "pinned-64K");
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(sink);
}
