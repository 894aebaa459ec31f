/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticky counters out of event logs.
 */
#include <criterion/criterion.h>

#include "eventlog/eventlog_ticky.h"
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
    hpf_eventlog_ticky_list(ticky, c);
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
