/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of waste in event logs, and the finding that they give.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "hpfile/eventlog_tags.h"
#include "hpfile/eventlog_writer.h"
#include "hpfile/findings.h"
#include "hpfile/format.h"
#include "hpfile/waste.h"
#include "hpfile/writer.h"

#define KIB 1024

typedef struct record {
    char bytes[400];
    size_t length;
} record;

static void put_number(record *r, uint64_t number)
{
    for (int i = 0; i < 8; i++) {
        r->bytes[r->length++] = (char)(number >> 8 * (7 - i));
    }
}

static void put_row(record *r, int kind, uint64_t bytes, uint64_t n_blocks, const char *type,
                    const char *site)
{
    r->bytes[r->length++] = (char)kind;
    put_number(r, bytes);
    put_number(r, n_blocks);
    strcpy(r->bytes + r->length, type);
    r->length += strlen(type) + 1;
    strcpy(r->bytes + r->length, site);
    r->length += strlen(site) + 1;
}

static hpf_findings findings_of(const record *records, size_t n)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    const hpf_writer_options options = {.size = sizeof options, .writes_waste = true};
    const hpf_events *to = &hpf_writer_events;
    const hpf_cost cost = {.name = 0, .whole = 1000 * KIB};
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer;
    hpf_source *source;
    hpf_survey *survey;
    hpf_findings found;
    cr_assert_eq(hpf_writer_create(&writer, &hpf_format_eventlog, sink, &options, NULL), HPF_OK);
    cr_assert_eq(to->header(writer, HPF_HEADER_JOB, HPF_STR("p" HPF_NATIVE_JOB_BY "type"), NULL),
                 HPF_OK);
    cr_assert_eq(to->name(writer, 0, HPF_STR("type"), NULL), HPF_OK);
    for (size_t i = 0; i < n; i++) {
        const hpf_sample sample = {.time = (double)i, .costs = &cost, .n_costs = 1};
        cr_assert_eq(hpf_eventlog_writer_record(
                         writer, HPF__EVENT_HEAP_PROF_WASTE, (uint64_t)i * 1000000000, 0,
                         (hpf_str){records[i].bytes, records[i].length}, HPF_STR(""), NULL),
                     HPF_OK);
        cr_assert_eq(to->sample(writer, &sample, NULL), HPF_OK);
    }
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_writer_destroy(writer);
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(sink), &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    const hpf_recording recording = {.name = "p",
                                     .survey = survey,
                                     .source = source,
                                     .format = &hpf_format_eventlog,
                                     .from_time = -HUGE_VAL,
                                     .to_time = HUGE_VAL};
    cr_assert_eq(hpf_findings_find(&found, &recording, NULL), HPF_OK);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_sink_destroy(sink);
    return found;
}

Test(eventlog_waste, the_finding_is_the_largest_part_of_the_last_record)
{
    record records[2] = {0};
    put_number(&records[0], 500 * KIB);
    put_row(&records[0], HPF_WASTE_EQUAL, 400 * KIB, 9, "old", "");
    put_number(&records[1], 1000 * KIB);
    put_row(&records[1], HPF_WASTE_ROOM, 300 * KIB, 7, "buckets", "make@a.cc:1");
    put_row(&records[1], HPF_WASTE_SLACK, 20 * KIB, 70, "text", "make@a.cc:2");
    hpf_findings found = findings_of(records, 2);
    cr_assert_eq(found.n, 1);
    const hpf_finding *f = &found.all[0];
    cr_assert_eq(f->kind, HPF_FINDING_WASTE);
    cr_expect_eq(f->of.waste.time, 1);
    cr_expect_eq(f->of.waste.live, 1000 * KIB);
    cr_expect_eq(f->of.waste.bytes, 300 * KIB);
    cr_expect_eq(f->of.waste.n_blocks, 7);
    cr_expect_eq(f->of.waste.kind, HPF_WASTE_ROOM);
    cr_expect_str_eq(f->of.waste.type, "buckets");
    cr_expect_str_eq(f->of.waste.site, "make@a.cc:1");
}

Test(eventlog_waste, small_parts_are_no_finding)
{
    record r = {.length = 0};
    put_number(&r, 1000 * KIB);
    put_row(&r, HPF_WASTE_ROOM, 200 * KIB, 7, "buckets", "");
    cr_expect_eq(findings_of(&r, 1).n, 0, "less than 256 KiB");
    r.length = 0;
    put_number(&r, 9000 * KIB);
    put_row(&r, HPF_WASTE_ROOM, 300 * KIB, 7, "buckets", "");
    cr_expect_eq(findings_of(&r, 1).n, 0, "less than a tenth");
}

Test(eventlog_waste, damaged_records_are_no_finding)
{
    record whole = {.length = 0};
    put_number(&whole, 1000 * KIB);
    put_row(&whole, HPF_WASTE_ROOM, 300 * KIB, 7, "buckets", "make@a.cc:1");
    cr_expect_eq(findings_of(&whole, 1).n, 1);
    for (size_t length = 0; length < whole.length; length++) {
        record cut = whole;
        cut.length = length;
        cr_expect_eq(findings_of(&cut, 1).n, 0, "%zu bytes", length);
    }
    whole.bytes[8] = HPF_N_WASTE_KINDS;
    cr_expect_eq(findings_of(&whole, 1).n, 0, "an unknown kind");
}
