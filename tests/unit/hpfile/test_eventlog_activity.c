/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The collections of event logs, and what else their run-time system did over time.
 */
#include <criterion/criterion.h>

#include "base/array.h"
#include "eventlog/eventlog_activity.h"
#include "hpfile/str.h"
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
    hpf_eventlog_gc_sort(&gc, NULL);
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

/* --- activity -------------------------------------------------------------------------------- */

static hpf_status note_activity(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_activity_note(context, event, err);
}

/* Begins a log with sparks and blocks, which log_begin does not declare. */
static hpf_sink *begin_active(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_declare(log, 1, 4, "Run thread");
    log_declare(log, 2, 10, "Stop thread");
    log_declare(log, 19, -1, "User message");
    log_declare(log, 49, 12, "Total heap mem ever allocated");
    log_declare(log, 34, 56, "Spark counters");
    log_declare(log, 35, 0, "Spark create");
    log_declare(log, 38, 0, "Spark run");
    log_declare(log, 39, 2, "Spark steal");
    log_end_header(log);
    return log;
}

/* Begins a block of a capability, of `n_bytes` with the marker's 24. */
static void put_block(hpf_sink *log, unsigned long long cap, unsigned long long n_bytes)
{
    log_put(log, 18, 0, "482", n_bytes, 0ull, cap);
}

/* Reads the activity from second 1 to second 9: a cell is 8/4096 s. */
static hpf_eventlog_activity *read_activity(hpf_sink *log, const hpf_activity **out)
{
    const hpf_event_visitor visitor = {.event = note_activity};
    hpf_eventlog_activity *activity = hpf_eventlog_activity_create();
    hpf_source *source = NULL;
    hpf_error err = {0};
    log_end(log);
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, activity, &err), HPF_OK, "%s",
                 err.message);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
    *out = hpf_eventlog_activity_between(activity, 1, 9);
    cr_assert_eq((*out)->begin_s, 1);
    cr_assert_float_eq((*out)->cell_s * (double)(*out)->n_cells, 8, 1e-12);
    return activity;
}

/* Returns the sum of the cells between two times. */
static double sum_between(const hpf_activity *a, const double *cells, double from_s, double to_s)
{
    double sum = 0;
    for (size_t i = 0; i < a->n_cells; i++) {
        double middle_s = a->begin_s + ((double)i + 0.5) * a->cell_s;
        sum += middle_s > from_s && middle_s < to_s ? cells[i] : 0;
    }
    return sum;
}

#define S *1000000000ull

Test(log_activity, a_log_without_records_has_none)
{
    const hpf_activity *a;
    hpf_eventlog_activity *activity = read_activity(begin_active(), &a);
    cr_expect_null(a->allocated_bytes);
    cr_expect_null(a->paused_s);
    cr_expect_null(a->running_s);
    cr_expect_null(a->sparks);
    cr_expect_null(a->run_sparks);
    cr_expect_eq(a->n_messages, 0);
    cr_expect_eq(a->n_processors, 0);
    hpf_eventlog_activity_destroy(activity);
}

/* Counters of each capability only grow. The first 200 bytes came in seconds 0 to 2, so half of
 * them before the window. */
Test(log_activity, allocation_is_spread_over_the_time_since_the_last_record)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    put_block(log, 1, 24 + 3 * 22);
    log_put(log, 49, 2 S, "48", 0ull, 200ull);
    log_put(log, 49, 6 S, "48", 0ull, 600ull);
    log_put(log, 49, 7 S, "48", 0ull, 100ull); /* makes no sense: nothing is allocated */
    put_block(log, 0, 24 + 22);
    log_put(log, 49, 5 S, "48", 0ull, 5000ull);
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_expect_float_eq(sum_between(a, a->allocated_bytes, 1, 2), 100 + 1000, 1e-6);
    cr_expect_float_eq(sum_between(a, a->allocated_bytes, 2, 5), 300 + 3000, 1e-6);
    cr_expect_float_eq(sum_between(a, a->allocated_bytes, 5, 6), 100, 1e-6);
    cr_expect_float_eq(sum_between(a, a->allocated_bytes, 6, 9), 0, 1e-6);
    hpf_eventlog_activity_destroy(activity);
}

/* Two capabilities collect from 2 to 4, and from 3 to 5; one alone from 8 to 10. */
Test(log_activity, pauses_of_several_capabilities_are_one)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    put_block(log, 1, 24 + 2 * 10);
    log_put(log, 9, 3 S, "");
    log_put(log, 10, 5 S, "");
    put_block(log, 0, 24 + 5 * 10);
    log_put(log, 10, 1 S, ""); /* its begin is not in the log */
    log_put(log, 9, 2 S, "");
    log_put(log, 10, 4 S, "");
    log_put(log, 9, 8 S, "");
    log_put(log, 10, 10 S, "");
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_expect_float_eq(sum_between(a, a->paused_s, 2, 5), 3, 1e-9);
    cr_expect_float_eq(sum_between(a, a->paused_s, 8, 9), 1, 1e-9);
    cr_expect_float_eq(sum_between(a, a->paused_s, 1, 9), 4, 1e-9);
    for (size_t i = 0; i < a->n_cells; i++) {
        cr_assert_leq(a->paused_s[i], a->cell_s * (1 + 1e-9));
    }
    hpf_eventlog_activity_destroy(activity);
}

/* Capability 0 leads collections from 2 to 3 and from 6 to 7; capability 1 has nothing to do, and
 * waits inside of its part of the next one. */
Test(log_activity, a_capability_that_waits_for_a_collection_does_not_pause_the_program)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    put_block(log, 1, 24 + 4 * 10);
    log_put(log, 9, 1 S, "");
    log_put(log, 10, 3 S, "");
    log_put(log, 9, 3 S, "");
    log_put(log, 10, 7 S, "");
    put_block(log, 0, 24 + 4 * 10 + 2 * 68);
    for (unsigned i = 0; i < 2; i++) {
        log_put(log, 9, (2 + 4 * i) S, "");
        put_statistics(log, (2 + 4 * i) S, 1);
        log_put(log, 10, (3 + 4 * i) S, "");
    }
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_expect_float_eq(sum_between(a, a->paused_s, 1, 9), 2, 1e-9);
    cr_expect_float_eq(sum_between(a, a->paused_s, 2, 3), 1, 1e-9);
    cr_expect_float_eq(sum_between(a, a->paused_s, 6, 7), 1, 1e-9);
    hpf_eventlog_activity_destroy(activity);
}

/* The log declares other lengths for numbers of GHC: these records mean something else. */
Test(log_activity, records_of_another_length_are_not_those_of_ghc)
{
    const hpf_activity *a;
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 53);
    log_declare(log, 53, -1, "Something else");
    log_declare(log, 1, -1, "Something else");
    log_end_header(log);
    put_block(log, 0, 24 + 2 * 10);
    log_put(log, 9, 2 S, "");
    log_put(log, 10, 3 S, "");
    put_block(log, 1, 24 + 2 * 10 + 18 + 12);
    log_put(log, 9, 4 S, "");
    log_put(log, 53, 4 S, "242", 6ull, 0ull, 1ull);
    log_put(log, 10, 5 S, "");
    log_put(log, 1, 5 S, "2", 0ull);
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_expect_float_eq(sum_between(a, a->paused_s, 1, 9), 2, 1e-9);
    cr_expect_null(a->running_s);
    hpf_eventlog_activity_destroy(activity);
    log = hpf_sink_to_memory();
    log_begin(log, 53);
    log_declare(log, 53, -1, "Something else");
    log_end_header(log);
    log_put(log, 9, 2 S, "");
    log_put(log, 53, 4 S, "242", 6ull, 0ull, 1ull);
    hpf_eventlog_gc gc = read_log(log);
    cr_expect_eq(gc.n, 1);
    cr_expect_not(gc.has_statistics);
    hpf_eventlog_gc_finish(&gc);
}

/* Thread 1 runs from 2 to 4 on one capability, thread 2 from 3 to the end on another; a third
 * capability runs none. */
Test(log_activity, running_threads_are_added_up)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    put_block(log, 0, 24 + 14 + 20);
    log_put(log, 1, 2 S, "4", 1ull);
    log_put(log, 2, 4 S, "424", 1ull, 3ull, 0ull);
    put_block(log, 2, 24 + 14);
    log_put(log, 1, 3 S, "4", 2ull);
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_expect_eq(a->n_processors, 2);
    cr_expect_float_eq(sum_between(a, a->running_s, 1, 2), 0, 1e-9);
    cr_expect_float_eq(sum_between(a, a->running_s, 2, 3), 1, 1e-9);
    cr_expect_float_eq(sum_between(a, a->running_s, 3, 4), 2, 1e-9);
    cr_expect_float_eq(sum_between(a, a->running_s, 4, 9), 5, 1e-9);
    hpf_eventlog_activity_destroy(activity);
}

static void put_sparks(hpf_sink *log, unsigned long long time_ns, unsigned long long created,
                       unsigned long long converted)
{
    log_put(log, 34, time_ns, "8888888", created, 0ull, 0ull, converted, 0ull, 0ull, 0ull);
}

Test(log_activity, counters_of_sparks_are_better_than_single_events)
{
    for (int has_counters = 0; has_counters < 2; has_counters++) {
        const hpf_activity *a;
        hpf_sink *log = begin_active();
        put_block(log, 0, 24 + 5 * 10 + 12 + (has_counters ? 2u * 66 : 0));
        log_put(log, 35, 2 S, "");
        log_put(log, 35, 2 S, "");
        log_put(log, 35, 9 S - 1, "");
        log_put(log, 38, 3 S, "");
        log_put(log, 39, 3 S, "2", 1ull);
        log_put(log, 35, 10 S, "");
        if (has_counters) {
            put_sparks(log, 2 S, 20, 2);
            put_sparks(log, 4 S, 60, 12);
        }
        hpf_eventlog_activity *activity = read_activity(log, &a);
        cr_expect_float_eq(sum_between(a, a->sparks, 1, 9), has_counters ? 50 : 3, 1e-9);
        cr_expect_float_eq(sum_between(a, a->run_sparks, 1, 9), has_counters ? 11 : 2, 1e-9);
        cr_expect_float_eq(sum_between(a, a->sparks, 8, 9), has_counters ? 0 : 1, 1e-9);
        hpf_eventlog_activity_destroy(activity);
    }
}

Test(log_activity, sparks_before_the_first_sample_are_counted)
{
    for (int has_counters = 0; has_counters < 2; has_counters++) {
        const hpf_activity *a;
        hpf_sink *log = begin_active();
        put_block(log, 0, 24 + (has_counters ? 2u * 66 : 3u * 10));
        if (has_counters) {
            put_sparks(log, 1 S / 2, 2, 0);
            put_sparks(log, 3 S, 2, 1);
        } else {
            log_put(log, 35, 1 S / 2, "");
            log_put(log, 35, 1 S / 2, "");
            log_put(log, 38, 3 S, "");
        }
        hpf_eventlog_activity *activity = read_activity(log, &a);
        cr_expect_float_eq(sum_between(a, a->sparks, 1, 9), 0, 1e-9);
        cr_expect_float_eq(a->n_sparks, 2, 1e-9);
        cr_expect_float_eq(a->n_run_sparks, 1, 1e-9);
        hpf_eventlog_activity_destroy(activity);
    }
}

/* Capability 0 creates 40 sparks from 1 s to 5 s, of which 1 runs 10; 0 runs 2 before 1 s. Single
 * events before the first counter do not count. A block has the events of each. */
Test(log_activity, sparks_of_each_capability)
{
    for (int has_counters = 0; has_counters < 2; has_counters++) {
        const hpf_activity *a;
        hpf_sink *log = begin_active();
        for (unsigned cap = 0; cap < 2; cap++) {
            put_block(log, cap, 24 + 14 + (cap == 0 ? 2u : 1u) * 10 + (has_counters ? 2u * 66 : 0));
            log_put(log, 1, 1 S / 2, "4", 7ull);
            log_put(log, 35, 1 S, "");
            if (cap == 0) {
                log_put(log, 38, 3 S, "");
            }
            if (has_counters) {
                put_sparks(log, 1 S, 0, cap == 0 ? 2 : 0);
                put_sparks(log, 5 S, cap == 0 ? 40 : 0, cap == 0 ? 2 : 10);
            }
        }
        hpf_eventlog_activity *activity = read_activity(log, &a);
        cr_assert_eq(a->n_rows, 2);
        const hpf_processor *p = a->processors;
        cr_expect_float_eq(sum_between(a, p[0].sparks, 1, 9), has_counters ? 40 : 1, 1e-3);
        cr_expect_float_eq(sum_between(a, p[0].sparks, 1, 2), has_counters ? 10 : 1, 1e-3);
        cr_expect_float_eq(sum_between(a, p[0].run_sparks, 1, 9), has_counters ? 0 : 1, 1e-3);
        cr_expect_float_eq(p[0].n_run_sparks, has_counters ? 2 : 1, 1e-9);
        cr_expect_float_eq(sum_between(a, p[1].sparks, 1, 9), has_counters ? 0 : 1, 1e-3);
        cr_expect_float_eq(sum_between(a, p[1].run_sparks, 3, 4), has_counters ? 2.5 : 0, 1e-3);
        cr_expect_float_eq(p[1].n_run_sparks, has_counters ? 10 : 0, 1e-9);
        cr_expect_float_eq(p[0].n_sparks + p[1].n_sparks, a->n_sparks, 1e-9);
        hpf_eventlog_activity_destroy(activity);
    }
}

Test(log_activity, messages_are_in_the_order_of_time)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    log_put(log, 19, 5 S, "2s", 6ull, "later");
    log_put(log, 19, 3 S, "2t", 6ull, "sooner");
    log_put(log, 19, 10 S, "2t", 8ull, "too late");
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_assert_eq(a->n_messages, 2);
    cr_expect(hpf_str_is(a->messages[0].label, "sooner"));
    cr_expect_eq(a->messages[1].time, 5);
    cr_expect(hpf_str_is(a->messages[1].label, "later"));
    hpf_eventlog_activity_destroy(activity);
}

Test(log_activity, messages_without_room_are_counted)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    for (unsigned long long i = 0; i < HPF_MAX_MESSAGES + 3; i++) {
        log_put(log, 19, 2 S + i, "2t", 5ull, "again");
    }
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_expect_eq(a->n_messages, HPF_MAX_MESSAGES);
    cr_expect_eq(a->n_more_messages, 3);
    hpf_eventlog_activity_destroy(activity);
}

/* Asking does not change what is kept: a log that is asked after each event gives in the end the
 * same cells, to the last bit, as one that is asked once. */
Test(log_activity, a_growing_log_can_be_asked_at_any_time)
{
    hpf_eventlog_activity *often = hpf_eventlog_activity_create();
    hpf_eventlog_activity *once = hpf_eventlog_activity_create();
    hpf_event_type types[] = {{.id = 9}, {.id = 10}, {.id = 1}, {.id = 2}, {.id = 49}, {.id = 35}};
    uint64_t random = 1, time_ns = 0;
    hpf_error err;
    for (int i = 0; i < 3000; i++) {
        char payload[12] = {0};
        random = random * 6364136223846793005u + 1442695040888963407u;
        time_ns += random >> 38;
        payload[6] = (char)(i >> 8);
        payload[7] = (char)i;
        hpf_event event = {.type = &types[(random >> 33) % 6],
                           .time_ns = time_ns,
                           .cap = (uint16_t)((random >> 40) % 3),
                           .payload = {payload, sizeof payload}};
        cr_assert_eq(hpf_eventlog_activity_note(often, &event, &err), HPF_OK);
        cr_assert_eq(hpf_eventlog_activity_note(once, &event, &err), HPF_OK);
        if (i % 10 == 0) {
            (void)hpf_eventlog_activity_between(often, 0, (double)time_ns / 1e9 + 1e-9);
        }
    }
    const hpf_activity *a = hpf_eventlog_activity_between(often, 0.5, (double)time_ns / 1e9);
    const hpf_activity *b = hpf_eventlog_activity_between(once, 0.5, (double)time_ns / 1e9);
    size_t n_bytes = a->n_cells * sizeof(double);
    cr_expect_arr_eq(a->allocated_bytes, b->allocated_bytes, n_bytes);
    cr_expect_arr_eq(a->paused_s, b->paused_s, n_bytes);
    cr_expect_arr_eq(a->running_s, b->running_s, n_bytes);
    cr_expect_arr_eq(a->sparks, b->sparks, n_bytes);
    hpf_eventlog_activity_destroy(often);
    hpf_eventlog_activity_destroy(once);
}

/* A collection of 1 ms in each 10 ms, for a quarter of an hour: more pauses than are kept. Every
 * second one is written by the other capability, and later than the next of the first. */
Test(log_activity, a_long_log_takes_no_more_memory_than_a_short_one)
{
    enum { N = 90000 };
    hpf_eventlog_activity *activity = hpf_eventlog_activity_create();
    hpf_event_type start = {.id = 9}, end = {.id = 10};
    hpf_error err;
    for (unsigned i = 0; i < N; i++) {
        unsigned at = i ^ 1;
        hpf_event event = {.type = &start, .time_ns = at * 10000000ull, .cap = (uint16_t)(i & 1)};
        cr_assert_eq(hpf_eventlog_activity_note(activity, &event, &err), HPF_OK);
        event.type = &end;
        event.time_ns += 1000000;
        cr_assert_eq(hpf_eventlog_activity_note(activity, &event, &err), HPF_OK);
    }
    const hpf_activity *a = hpf_eventlog_activity_between(activity, 0, 900);
    cr_expect_float_eq(sum_between(a, a->paused_s, 0, 900), 90, 1e-6);
    cr_expect_float_eq(sum_between(a, a->paused_s, 100, 200), 10, 0.01);
    hpf_eventlog_activity_destroy(activity);
}

/* --- the mutator's clock --------------------------------------------------------------------- */

/* Threads begin to run at 2 and run until 4; then a collection until 7; then two processors run
 * until 8 and 9, of which the second one is in an earlier block. */
static hpf_eventlog_activity *mutator_clock(void)
{
    hpf_sink *log = begin_active();
    put_block(log, 1, 24 + 14 + 20);
    log_put(log, 1, 7 S, "4", 2ull);
    log_put(log, 2, 9 S, "424", 2ull, 3ull, 0ull);
    put_block(log, 0, 24 + 2 * (14 + 20) + 2 * 10 + 68 + 14 + 22);
    log_put(log, 1, 2 S, "4", 1ull);
    log_put(log, 2, 4 S, "424", 1ull, 1ull, 0ull);
    log_put(log, 9, 4 S, "");
    put_statistics(log, 7 S, 1);
    log_put(log, 10, 7 S, "");
    log_put(log, 1, 7 S, "4", 1ull);
    log_put(log, 19, 8 S, "2t", 2ull, "hi");
    log_put(log, 2, 8 S, "424", 1ull, 3ull, 0ull);
    log_put(log, 49, 8 S, "48", 0ull, 1600ull);
    const hpf_activity *a;
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_assert(hpf_eventlog_activity_use_mutator_clock(activity));
    return activity;
}

Test(mutator_clock, is_the_sum_of_the_times_in_which_threads_run)
{
    static const double expected[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4},
                                         {5, 4}, {7, 4}, {8, 6}, {9, 7}, {20, 7}};
    hpf_eventlog_activity *activity = mutator_clock();
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        cr_expect_float_eq(hpf__eventlog_activity_time(activity, expected[i][0]), expected[i][1],
                           1e-9, "at %g s: %.12g", expected[i][0],
                           hpf__eventlog_activity_time(activity, expected[i][0]));
    }
    hpf_eventlog_activity_destroy(activity);
}

/* From 3 to 7 of the mutator's clock, which is from 3 to 9 of elapsed time. Rates are of the
 * elapsed time: 200 bytes a second, and two threads from 7 to 8. */
Test(mutator_clock, lanes_have_the_rates_of_elapsed_time)
{
    hpf_eventlog_activity *activity = mutator_clock();
    const hpf_activity *a = hpf_eventlog_activity_between(activity, 3, 7);
    cr_expect_float_eq(a->allocated_bytes[100] / a->cell_s, 200, 1e-6);
    cr_expect_float_eq(a->running_s[100] / a->cell_s, 1, 1e-6);
    cr_expect_float_eq(a->running_s[2000] / a->cell_s, 2, 1e-6);
    cr_expect_float_eq(a->running_s[4000] / a->cell_s, 1, 1e-6);
    cr_expect_gt(sum_between(a, a->paused_s, 3.99, 4.01), 0);
    cr_expect_eq(sum_between(a, a->paused_s, 3, 3.99), 0);
    cr_assert_eq(a->n_messages, 1);
    cr_expect_float_eq(a->messages[0].time, 6, 1e-9);
    hpf_eventlog_gc gc = {0};
    cr_expect(HPF__ARRAY_PUSH(gc.list, gc.n, gc.capacity, ((hpf_collection){8, true})));
    hpf_eventlog_gc_sort(&gc, activity);
    cr_expect_float_eq(gc.list[0].time_s, 6, 1e-9);
    hpf_eventlog_gc_finish(&gc);
    hpf_eventlog_activity_destroy(activity);
}

/* A log of collections only has the time outside of them; one of neither has no such clock. */
Test(mutator_clock, without_threads_it_stops_in_collections)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    log_put(log, 19, 1 S, "2t", 2ull, "hi");
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_expect_not(hpf_eventlog_activity_use_mutator_clock(activity));
    cr_expect_eq(hpf__eventlog_activity_time(activity, 5), 5);
    hpf_eventlog_activity_destroy(activity);
    log = begin_active();
    put_block(log, 0, 24 + 2 * 10);
    log_put(log, 9, 2 S, "");
    log_put(log, 10, 5 S, "");
    activity = read_activity(log, &a);
    cr_expect(hpf_eventlog_activity_use_mutator_clock(activity));
    cr_expect_float_eq(hpf__eventlog_activity_time(activity, 2), 2, 1e-9);
    cr_expect_float_eq(hpf__eventlog_activity_time(activity, 4), 2, 1e-9);
    cr_expect_float_eq(hpf__eventlog_activity_time(activity, 5), 2, 1e-3);
    hpf_eventlog_activity_destroy(activity);
}

/* --- processors ------------------------------------------------------------------------------ */

/* Thread 5, "parser", runs on processor 0 from 2 to 4, then thread 6 until 4.5; processor 1
 * collects from 5 to 6, and waits inside of the collection until 8. */
Test(log_processors, have_threads_by_name_and_their_part_of_collections)
{
    const hpf_activity *a;
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_declare(log, 1, 4, "Run thread");
    log_declare(log, 2, 10, "Stop thread");
    log_declare(log, 20, 0, "GC idle");
    log_declare(log, 21, 0, "GC working");
    log_declare(log, 44, -1, "Thread label");
    log_end_header(log);
    put_block(log, 0, 24 + 2 * (14 + 20) + 10 + 2 + 4 + 6);
    log_put(log, 1, 2 S, "4", 5ull);
    log_put(log, 44, 3 S, "24t", 10ull, 5ull, "parser");
    log_put(log, 2, 4 S, "424", 5ull, 1ull, 0ull);
    log_put(log, 1, 4 S, "4", 6ull);
    log_put(log, 2, 4500000000, "424", 6ull, 3ull, 0ull);
    put_block(log, 1, 24 + 14 + 20 + 4 * 10);
    log_put(log, 1, 1 S, "4", 5ull);
    log_put(log, 2, 1 S, "424", 5ull, 1ull, 0ull);
    log_put(log, 9, 4 S, "");
    log_put(log, 21, 5 S, "");
    log_put(log, 20, 6 S, "");
    log_put(log, 10, 8 S, "");
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_assert_eq(a->n_rows, 2);
    cr_assert_eq(a->n_threads, 2);
    cr_expect(hpf_str_is(a->threads[0].name, "parser"));
    cr_expect(hpf_str_is(a->threads[1].name, "thread 6"));
    double sums[2][2] = {{0}}, collecting_s = 0;
    for (size_t i = 0; i < a->n_cells; i++) {
        const hpf_processor_cell *c = &a->processors[0].cells[i];
        double middle_s = a->begin_s + ((double)i + 0.5) * a->cell_s;
        if (c->thread != HPF_NO_THREAD) {
            cr_assert_lt(c->thread, 2);
            sums[c->thread][middle_s > 4] += (double)c->running * a->cell_s;
        }
        collecting_s += (double)a->processors[1].cells[i].collecting * a->cell_s;
    }
    cr_expect_float_eq(sums[0][0], 2, 0.01);
    cr_expect_float_eq(sums[1][1], 0.5, 0.01);
    cr_expect_float_eq(collecting_s, 1, 0.01);
    hpf_eventlog_activity_destroy(activity);
}

/* The log is cut while a thread of processor 0 runs, and processor 1 collects. */
Test(log_processors, do_what_has_not_ended_up_to_the_end)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    put_block(log, 0, 24 + 14);
    log_put(log, 1, 4 S, "4", 5ull);
    put_block(log, 1, 24 + 14 + 20 + 10);
    log_put(log, 1, 1 S, "4", 6ull);
    log_put(log, 2, 2 S, "424", 6ull, 1ull, 0ull);
    log_put(log, 9, 3 S, "");
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_assert_eq(a->n_rows, 2);
    for (size_t i = 0; i < a->n_cells; i++) {
        double begin_s = a->begin_s + (double)i * a->cell_s, end_s = begin_s + a->cell_s;
        const hpf_processor_cell *running = &a->processors[0].cells[i];
        const hpf_processor_cell *collecting = &a->processors[1].cells[i];
        if (end_s < 4) {
            cr_assert_eq(running->thread, HPF_NO_THREAD);
        } else if (begin_s > 4.01) {
            cr_assert_eq(a->threads[running->thread].id, 5);
            cr_assert_float_eq(running->running, 1, 1e-3);
            cr_assert_float_eq(collecting->collecting, 1, 1e-3);
        }
    }
    a = hpf_eventlog_activity_between(activity, 0, 8);
    cr_expect_float_eq(a->threads[0].running_s, 4, 0.01, "it is not counted twice");
    hpf_eventlog_activity_destroy(activity);
}

/* Each of 5000 threads runs for a millisecond: the names of 4095 are kept. */
Test(log_processors, have_other_threads)
{
    enum { N_THREADS = 5000 };
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    put_block(log, 0, 24 + N_THREADS * (14 + 20));
    for (unsigned long long i = 0; i < N_THREADS; i++) {
        log_put(log, 1, 2 S + i * 1000000, "4", i);
        log_put(log, 2, 2 S + (i + 1) * 1000000, "424", i, 3ull, 0ull);
    }
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_assert_eq(a->n_rows, 1);
    cr_expect(hpf_str_is(a->threads[0].name, "other threads"));
    cr_expect_float_eq(a->threads[0].running_s, 0.905, 0.005);
    cr_expect_neq(a->processors[0].cells[(int)(5.5 / a->cell_s)].thread, HPF_NO_THREAD);
    hpf_eventlog_activity_destroy(activity);
}

/* There are too many processors for a row each. */
Test(log_processors, of_many_there_are_no_rows)
{
    const hpf_activity *a;
    hpf_sink *log = begin_active();
    for (unsigned cap = 0; cap < 17; cap++) {
        put_block(log, cap, 24 + 14 + 20);
        log_put(log, 1, 2 S, "4", 1ull);
        log_put(log, 2, 4 S, "424", 1ull, 3ull, 0ull);
    }
    hpf_eventlog_activity *activity = read_activity(log, &a);
    cr_expect_eq(a->n_rows, 0);
    cr_expect_eq(a->n_processors, 17);
    hpf_eventlog_activity_destroy(activity);
}
