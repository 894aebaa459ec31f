/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticky counters out of event logs.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "hpfile/eventlog.h"
#include "hpfile/format.h"
#include "hpfile/live.h"
#include "hpfile/str.h"
#include "log_build.h"

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_ticky_note(context, event, err);
}

static hpf_eventlog_ticky *read_log(hpf_sink *log)
{
    const hpf_event_visitor visitor = {.event = note};
    hpf_eventlog_ticky *ticky = hpf_eventlog_ticky_create();
    hpf_source *source = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, ticky, NULL), HPF_OK);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
    return ticky;
}

static hpf_sink *begin(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_end_header(log);
    return log;
}

static void define(hpf_sink *log, unsigned long long id, const char *name)
{
    log_put(log, 210, 1, "82ss", id, 2ull, "ii", name);
}

static void count(hpf_sink *log, unsigned long long id, unsigned long long entries,
                  unsigned long long allocs, unsigned long long allocd)
{
    log_put(log, 211, 2, "8888", id, entries, allocs, allocd);
}

/* 3 is defined behind its sample, 4 never, 5 counts nothing. */
Test(log_ticky, samples_add_up_and_the_largest_come_first)
{
    hpf_ticky_counter c[5];
    hpf_sink *log = begin();
    define(log, 1, "small");
    define(log, 2, "large");
    define(log, 5, "idle");
    log_put(log, 212, 2, "");
    count(log, 1, 10, 16, 0);
    count(log, 2, 1, 400, 8);
    count(log, 3, 10, 16, 0);
    log_put(log, 212, 3, "");
    count(log, 2, 2, 600, 8);
    count(log, 4, 0, 0, 24);
    define(log, 3, "late");
    log_end(log);
    hpf_eventlog_ticky *ticky = read_log(log);
    cr_assert_eq(hpf_eventlog_ticky_n_counters(ticky), 5);
    hpf_ticky_sums sums = hpf_eventlog_ticky_list(ticky, c);
    cr_expect(sums.n_counted == 4 && sums.entries == 23 && sums.allocs_bytes == 1032);
    cr_expect(hpf_str_is(c[0].name, "large"));
    cr_expect_eq(c[0].entries, 3);
    cr_expect_eq(c[0].allocs_bytes, 1000);
    cr_expect_eq(c[0].allocd_bytes, 16);
    cr_expect_eq(c[0].arity, 2);
    cr_expect(hpf_str_is(c[0].kinds, "ii"));
    cr_expect_eq(c[0].description.length, 0);
    cr_expect(hpf_str_is(c[1].name, "late"));
    cr_expect(hpf_str_is(c[2].name, "small"));
    cr_expect_eq(c[3].id, 4);
    cr_expect_eq(c[3].name.length, 0);
    cr_expect(hpf_str_is(c[4].name, "idle"));
    hpf_eventlog_ticky_destroy(ticky);
}

Test(log_ticky, later_definitions_add_details)
{
    hpf_ticky_counter c[1];
    hpf_sink *log = begin();
    define(log, 1, "first");
    log_put(log, 210, 1, "82ss8s", 1ull, 3ull, "ppp", "last", 99ull, "{}");
    log_end(log);
    hpf_eventlog_ticky *ticky = read_log(log);
    cr_assert_eq(hpf_eventlog_ticky_n_counters(ticky), 1);
    hpf_eventlog_ticky_list(ticky, c);
    cr_expect(hpf_str_is(c[0].name, "last"));
    cr_expect(hpf_str_is(c[0].description, "{}"));
    cr_expect_eq(c[0].arity, 3);
    hpf_eventlog_ticky_destroy(ticky);
}

/* Records too short for a counter, and a type of that number that is something else. */
Test(log_ticky, other_events_are_ignored)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_declare(log, 211, 4, "Something else of this number");
    log_end_header(log);
    log_put(log, 211, 2, "4", 7ull);
    log_put(log, 210, 2, "4", 7ull);
    log_put(log, 9, 2, "");
    log_end(log);
    hpf_eventlog_ticky *ticky = read_log(log);
    cr_expect_eq(hpf_eventlog_ticky_n_counters(ticky), 0);
    hpf_eventlog_ticky_destroy(ticky);
}

/* Two samples at 2 and 3 s, and one without counters; 2 is defined at the end, as GHC does. Two
 * counters have the same name. */
static hpf_sink *put_samples(void)
{
    hpf_sink *log = begin();
    define(log, 1, "f");
    define(log, 3, "f");
    log_put(log, 164, 1000000000, "18t", 0ull, 99ull, "of a heap profile");
    log_put(log, 212, 2000000000, "");
    count(log, 1, 10, 16, 0);
    count(log, 2, 1, 400, 8);
    count(log, 3, 5, 0, 0);
    log_put(log, 212, 3000000000, "");
    count(log, 2, 2, 600, 8);
    log_put(log, 212, 4000000000, "");
    define(log, 2, "g");
    log_end(log);
    return log;
}

typedef struct seen {
    char text[400];
    hpf_str names[4];
} seen;

static hpf_status see_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    (void)err;
    ((seen *)context)->names[name] = text;
    return HPF_OK;
}

static hpf_status see_unit(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    seen *s = context;
    (void)err;
    if (which == HPF_HEADER_VALUE_UNIT) {
        snprintf(s->text, sizeof s->text, "%.*s:", (int)text.length, text.data);
    }
    return HPF_OK;
}

static hpf_status see_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    seen *s = context;
    (void)err;
    size_t n = strlen(s->text);
    n += (size_t)snprintf(s->text + n, sizeof s->text - n, " %g", sample->time);
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_str name = s->names[sample->costs[i].name];
        n += (size_t)snprintf(s->text + n, sizeof s->text - n, " %.*s=%llu", (int)name.length,
                              name.data, (unsigned long long)sample->costs[i].whole);
    }
    return HPF_OK;
}

static const hpf_events seeing = {.header = see_unit, .name = see_name, .sample = see_sample};

static void expect_over_time(hpf_str value, const char *expected)
{
    hpf_sink *log = put_samples();
    seen s = {.text = ""};
    hpf_source *source = NULL;
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    const hpf_reader_options options = {.size = sizeof options, .value = value};
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), &keeping, NULL), HPF_OK);
    cr_assert_eq(hpf_format_read(hpf_format_find("eventlog"), source, &seeing, &s, &options, NULL),
                 HPF_OK);
    cr_expect_str_eq(s.text, expected);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

Test(log_ticky, each_amount_over_time)
{
    expect_over_time(HPF_STR("ticky-entries"), "entries: 2 f=15 g=1 3 g=2 4");
    expect_over_time(HPF_STR("ticky-allocs"), "bytes: 2 f=16 g=400 3 g=600 4");
    expect_over_time(HPF_STR("ticky-allocd"), "bytes: 2 g=8 3 g=8 4");
}

/* A growing log does not know later definitions. */
Test(log_ticky, a_growing_log_names_counters_by_number)
{
    hpf_sink *log = put_samples();
    hpf_str bytes = hpf_sink_bytes(log);
    seen s = {.text = ""};
    hpf_live *live = NULL;
    const hpf_live_options options = {.size = sizeof options,
                                      .value = HPF_STR("ticky-entries"),
                                      .listener = &seeing,
                                      .listener_context = &s};
    cr_assert_eq(hpf_live_create(&live, &options, NULL), HPF_OK);
    for (size_t i = 0; i < bytes.length; i++) {
        cr_assert_eq(hpf_live_feed(live, bytes.data + i, 1, NULL), HPF_OK);
    }
    cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
    cr_expect_str_eq(s.text, "entries: 2 f=15 0x2=1 3 0x2=2 4");
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

Test(log_ticky, a_text_profile_has_no_counters)
{
    static const char text[] = "JOB \"j\"\nDATE \"d\"\n";
    hpf_live *live = NULL;
    const hpf_live_options options = {.size = sizeof options, .value = HPF_STR("ticky-entries")};
    hpf_error err;
    cr_assert_eq(hpf_live_create(&live, &options, NULL), HPF_OK);
    cr_expect_eq(hpf_live_feed(live, text, sizeof text - 1, &err), HPF_ERR_ARGUMENT);
    cr_expect_str_eq(err.message, "no amount \"ticky-entries\": the profile has only one");
    hpf_live_destroy(live);
}
