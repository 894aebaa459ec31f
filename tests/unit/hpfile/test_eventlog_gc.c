/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The collections of event logs.
 */
#include <criterion/criterion.h>

#include "eventlog/eventlog_gc.h"
#include "log_build.h"

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_gc_note(context, event, err);
}

static hpf_sink *begin(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_end_header(log);
    return log;
}

static hpf_eventlog_gc read_log(hpf_sink *log)
{
    const hpf_event_visitor visitor = {.event = note};
    hpf_eventlog_gc gc = {0};
    hpf_source *source = NULL;
    log_end(log);
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, &gc, NULL), HPF_OK);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
    hpf_eventlog_gc_settle(&gc);
    return gc;
}

static void put_statistics(hpf_sink *log, unsigned long long time_ns, unsigned long long generation)
{
    log_put(log, 53, time_ns, "428884888", 0ull, generation, 0ull, 0ull, 0ull, 1ull, 0ull, 0ull,
            0ull);
}

/* Two capabilities begin each collection; blocks put them into any order. */
Test(log_gc, statistics_are_one_for_each_collection)
{
    hpf_sink *log = begin();
    log_put(log, 9, 1900000000, "");
    log_put(log, 9, 1900000001, "");
    put_statistics(log, 2000000000, 1);
    log_put(log, 9, 900000000, "");
    log_put(log, 9, 900000001, "");
    put_statistics(log, 1000000000, 0);
    hpf_eventlog_gc gc = read_log(log);
    cr_assert_eq(gc.n, 2);
    cr_expect(gc.list[0].time_s == 1 && !gc.list[0].is_major);
    cr_expect(gc.list[1].time_s == 2 && gc.list[1].is_major);
    hpf_eventlog_gc_finish(&gc);
}

Test(log_gc, without_statistics_begins_count)
{
    hpf_sink *log = begin();
    log_put(log, 9, 500000000, "");
    log_put(log, 10, 600000000, "");
    log_put(log, 9, 1500000000, "");
    hpf_eventlog_gc gc = read_log(log);
    cr_assert_eq(gc.n, 2);
    cr_expect(gc.list[1].time_s == 1.5 && !gc.list[1].is_major);
    hpf_eventlog_gc_finish(&gc);
}

Test(log_gc, a_log_without_collections_has_none)
{
    hpf_eventlog_gc gc = read_log(begin());
    cr_expect_eq(gc.n, 0);
    hpf_eventlog_gc_finish(&gc);
}
