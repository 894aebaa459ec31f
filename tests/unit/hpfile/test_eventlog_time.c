/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Time profiles out of event logs: ticks by stack.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/eventlog.h"
#include "hpfile/str.h"
#include "log_build.h"
#include "source_dir.h"

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_time_note(context, event, err);
}

static hpf_eventlog_time *read_time_into(hpf_eventlog_time *time, hpf_source *source)
{
    const hpf_event_visitor visitor = {.event = note};
    hpf_error err = {0};
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, time, &err), HPF_OK, "%s",
                 err.message);
    hpf_source_destroy(source);
    return time;
}

static hpf_eventlog_time *read_time(hpf_source *source)
{
    return read_time_into(hpf_eventlog_time_create(), source);
}

static hpf_eventlog_time *read_log_into(hpf_eventlog_time *time, hpf_sink *log)
{
    hpf_source *source = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), NULL, NULL), HPF_OK);
    read_time_into(time, source);
    hpf_sink_destroy(log);
    return time;
}

static hpf_eventlog_time *read_log(hpf_sink *log)
{
    return read_log_into(hpf_eventlog_time_create(), log);
}

static void define(hpf_sink *log, unsigned id, const char *label, const char *source)
{
    log_put(log, 161, 1, "4sss1", (unsigned long long)id, label, "M", source, 0ull);
}

static hpf_sink *begin(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_end_header(log);
    log_put(log, 30, 1, "4ssssss", 0ull, "./p", "a", "+RTS", "-p", "-l", "-RTS");
    log_put(log, 43, 1, "484", 0ull, 1700000000ull, 0ull);
    log_put(log, 168, 1, "8", 1000000ull);
    return log;
}

static const hpf_prof_stack *stack_of(const hpf_prof *prof, const char *label)
{
    for (size_t i = 0; i < prof->n_stacks; i++) {
        if (hpf_str_is(prof->centres[prof->stacks[i].centre_index].label, label)) {
            return &prof->stacks[i];
        }
    }
    cr_assert_fail("no %s", label);
    return NULL;
}

/* go is defined after it is used; 9 never. */
Test(log_time, ticks_are_counted_by_stack)
{
    hpf_sink *log = begin();
    define(log, 1, "main", "s");
    log_put(log, 167, 2, "48144", 0ull, 1ull, 2ull, 2ull, 1ull);
    log_put(log, 167, 3, "48144", 1ull, 2ull, 2ull, 2ull, 1ull);
    log_put(log, 167, 4, "4814", 0ull, 3ull, 1ull, 1ull);
    log_put(log, 167, 5, "481", 0ull, 4ull, 0ull);
    log_put(log, 167, 6, "4814", 0ull, 5ull, 1ull, 9ull);
    define(log, 2, "go", "s");
    define(log, 3, "GC", "<built-in>");
    log_end(log);
    hpf_eventlog_time *time = read_log(log);
    hpf_prof prof;
    cr_expect_eq(hpf_eventlog_time_n_ticks(time), 5);
    cr_assert_eq(hpf_eventlog_time_profile(time, &prof, NULL), HPF_OK);
    cr_expect_eq(prof.n_stacks, 4);
    cr_expect_eq(stack_of(&prof, "MAIN")->ticks, 1);
    cr_expect_eq(stack_of(&prof, "MAIN")->parent_index, HPF_PROF_NO_PARENT);
    cr_expect_eq(stack_of(&prof, "main")->ticks, 1);
    cr_expect_eq(stack_of(&prof, "go")->ticks, 2);
    cr_expect(stack_of(&prof, "go")->parent_index ==
              (uint32_t)(stack_of(&prof, "main") - prof.stacks));
    cr_expect_eq(stack_of(&prof, "(unknown)")->ticks, 1);
    cr_assert_eq(prof.n_centres, 5);
    cr_expect(hpf_str_is(prof.centres[3].label, "MAIN"));
    cr_expect(hpf_str_is(prof.centres[4].label, "(unknown)"));
    cr_expect(prof.centres[2].is_hidden);
    cr_expect_not(prof.centres[1].is_hidden);
    cr_expect_eq(prof.tick_us, 1000);
    cr_expect_eq(prof.n_processors, 2);
    cr_expect(hpf_str_is(prof.program, "p"));
    cr_expect_eq(prof.n_arguments, 1);
    cr_expect(hpf_str_is(prof.arguments[0], "a"));
    cr_expect_eq(prof.n_options, 2);
    cr_expect(hpf_str_is(prof.options[1], "-l"));
    hpf_eventlog_time_destroy(time);
}

Test(log_time, a_log_without_ticks_and_program_has_an_empty_profile)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_end_header(log);
    hpf_eventlog_time *time = read_log(log);
    hpf_prof prof;
    cr_assert_eq(hpf_eventlog_time_profile(time, &prof, NULL), HPF_OK);
    cr_expect_eq(hpf_eventlog_time_n_ticks(time), 0);
    cr_expect_eq(prof.n_stacks, 1);
    cr_expect_eq(prof.n_arguments + prof.n_options, 0);
    hpf_eventlog_time_destroy(time);
}

/* Blocks of capabilities may stand in any order. */
Test(log_time, ticks_are_kept_by_capability_and_time_when_asked)
{
    size_t n;
    hpf_prof prof;
    hpf_eventlog_time *time = hpf_eventlog_time_create();
    hpf_eventlog_time_keep_order(time);
    hpf_sink *log = begin();
    define(log, 1, "main", "s");
    log_put(log, 167, 30, "4814", 1ull, 3ull, 1ull, 1ull);
    log_put(log, 167, 10, "481", 1ull, 1ull, 0ull);
    log_put(log, 167, 20, "4814", 0ull, 2ull, 1ull, 1ull);
    log_end(log);
    read_log_into(time, log);
    cr_assert_eq(hpf_eventlog_time_profile(time, &prof, NULL), HPF_OK);
    const hpf_time_sample *samples = hpf_eventlog_time_samples(time, &n);
    cr_assert_eq(n, 3);
    cr_expect(samples[0].cap == 0 && samples[0].time_ns == 20);
    cr_expect(samples[1].cap == 1 && samples[1].time_ns == 10 && samples[1].stack == 0);
    cr_expect(samples[2].cap == 1 && samples[2].time_ns == 30);
    cr_expect_eq(&prof.stacks[samples[2].stack], stack_of(&prof, "main"));
    hpf_eventlog_time_destroy(time);
}

/* --- messages of ghc-stack-profiler --- */

static hpf_sink *begin_messages(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_end_header(log);
    log_put(log, 169, 1, "8ssssss", 0x1000ull, "go_info", "18", "Int", "go", "Main", "M.hs:7");
    log_put(log, 169, 1, "8ssssss", 0x2000ull, "stg_info", "18", "", "", "", "");
    return log;
}

/* Returns the labels from the outermost frame to that of a stack. */
static const char *path_of(const hpf_prof *prof, const hpf_prof_stack *stack, char *path)
{
    hpf_str label = prof->centres[stack->centre_index].label;
    *path = '\0';
    if (stack->parent_index != HPF_PROF_NO_PARENT) {
        path_of(prof, &prof->stacks[stack->parent_index], path);
    }
    sprintf(path + strlen(path), "/%.*s", (int)label.length, label.data);
    return path;
}

/* Expects the stacks with ticks, in the order in which they were first seen. */
static void expect_stacks(hpf_eventlog_time *time, const char *const *expected, size_t n)
{
    hpf_prof prof;
    char path[8192];
    size_t k = 0;
    cr_assert_eq(hpf_eventlog_time_profile(time, &prof, NULL), HPF_OK);
    for (size_t i = 0; i < prof.n_stacks; i++) {
        for (uint64_t tick = 0; tick < prof.stacks[i].ticks; tick++, k++) {
            cr_assert_lt(k, n);
            cr_expect_str_eq(path_of(&prof, &prof.stacks[i], path), expected[k]);
        }
    }
    cr_expect_eq(k, n);
    cr_expect_eq(hpf_eventlog_time_n_ticks(time), n);
}

Test(stack_messages, items_are_frames_from_the_outermost)
{
    hpf_sink *log = begin_messages();
    log_put(log, 181, 2, "282t", 0xffccull, 0ull, 4ull, "read");
    log_put(log, 181, 2, "282t", 0xffccull, 1ull, 4ull, "M.hs");
    log_put(log, 181, 2, "28448", 0xffcdull, 0ull, 12ull, 3ull, 1ull);
    log_put(log, 181, 3, "244218188", 0xffcaull, 1ull, 7ull, 2ull, 1ull, 0x1000ull, 3ull, 0ull,
            0ull);
    log_put(log, 181, 4, "2442181818", 0xffcaull, 0ull, 7ull, 3ull, 1ull, 0x2000ull, 2ull, 0ull,
            1ull, 0x3000ull);
    log_put(log, 181, 5, "244218188", 0xffcaull, 1ull, 7ull, 2ull, 1ull, 0x1000ull, 3ull, 0ull,
            0ull);
    log_end(log);
    hpf_eventlog_time *time = hpf_eventlog_time_create();
    hpf_eventlog_time_keep_order(time);
    read_log_into(time, log);
    const char *const stacks[] = {"/MAIN/go/read", "/MAIN/go/read", "/MAIN/stg_info/read/0x3000"};
    expect_stacks(time, stacks, 3);
    hpf_prof prof;
    size_t n;
    cr_assert_eq(hpf_eventlog_time_profile(time, &prof, NULL), HPF_OK);
    const hpf_prof_centre *go = &prof.centres[stack_of(&prof, "go")->centre_index];
    cr_expect(hpf_str_is(go->module, "Main") && hpf_str_is(go->srcloc, "M.hs:7"));
    cr_expect(hpf_str_is(prof.centres[stack_of(&prof, "read")->centre_index].srcloc, "M.hs:12:3"));
    cr_expect_eq(prof.n_processors, 2);
    const hpf_time_sample *samples = hpf_eventlog_time_samples(time, &n);
    cr_expect(n == 3 && samples[0].cap == 0 && samples[0].time_ns == 4 && samples[2].cap == 1);
    hpf_eventlog_time_destroy(time);
}

/* A chunk of another thread ends what was begun. The length of a text is in characters. */
Test(stack_messages, chunks_are_joined)
{
    hpf_sink *log = begin_messages();
    log_put(log, 181, 2, "282t", 0xffccull, 5ull, 1ull, "\u00e9t\u00e9");
    log_put(log, 181, 3, "244218", 0xffcbull, 0ull, 1ull, 1ull, 1ull, 0x1000ull);
    log_put(log, 181, 3, "2442", 0xffcbull, 0ull, 1ull, 0ull);
    log_put(log, 181, 3, "24421818", 0xffcaull, 0ull, 1ull, 2ull, 2ull, 5ull, 1ull, 0x2000ull);
    log_put(log, 181, 4, "244218", 0xffcbull, 0ull, 1ull, 1ull, 1ull, 0x1000ull);
    log_put(log, 181, 4, "244218", 0xffcaull, 0ull, 2ull, 1ull, 1ull, 0x2000ull);
    log_put(log, 181, 5, "244218", 0xffcbull, 0ull, 1ull, 1ull, 1ull, 0x1000ull);
    log_end(log);
    hpf_eventlog_time *time = read_log(log);
    const char *const stacks[] = {"/MAIN/go/\u00e9/stg_info", "/MAIN/stg_info"};
    expect_stacks(time, stacks, 2);
    hpf_eventlog_time_destroy(time);
}

/* A block of one capability with a chunk of one item. */
static void put_block(hpf_sink *log, uint64_t cap, uint64_t tag, uint64_t thread, uint64_t address)
{
    log_put(log, 18, 3, "482", 24ull + 33, 9ull, cap);
    log_put(log, 181, 4, "244218", tag, 0ull, thread, 1ull, 1ull, address);
}

Test(stack_messages, blocks_of_other_capabilities_may_stand_between_chunks)
{
    hpf_sink *log = begin_messages();
    put_block(log, 3, 0xffcbull, 1, 0x1000);
    put_block(log, 0, 0xffcbull, 1, 0x2000);
    put_block(log, 1, 0xffcaull, 2, 0x2000);
    put_block(log, 3, 0xffcaull, 1, 0x3000);
    put_block(log, 0, 0xffcaull, 1, 0x1000);
    log_end(log);
    hpf_eventlog_time *time = read_log(log);
    const char *const stacks[] = {"/MAIN/stg_info", "/MAIN/go/0x3000", "/MAIN/stg_info/go"};
    expect_stacks(time, stacks, 3);
    hpf_eventlog_time_destroy(time);
}

Test(stack_messages, what_is_invalid_or_of_others_is_ignored)
{
    hpf_sink *log = begin_messages();
    log_put(log, 181, 2, "", 0);
    log_put(log, 181, 2, "1", 0xffull);
    log_put(log, 181, 2, "2442", 0xfffeull, 0ull, 0ull, 0ull);
    log_put(log, 181, 2, "2442", 0xffcaull, 0ull, 0ull, 0ull);                    /* no item */
    log_put(log, 181, 2, "244218", 0xffcaull, 0ull, 0ull, 2ull, 1ull, 0x1000ull); /* one of two */
    log_put(log, 181, 2, "244218", 0xffcaull, 0ull, 0ull, 1ull, 4ull, 0x1000ull);
    log_put(log, 181, 2, "244214", 0xffcaull, 0ull, 0ull, 1ull, 1ull, 0x1000ull);
    log_put(log, 181, 2, "28", 0xffccull, 0ull);
    log_put(log, 181, 2, "2844", 0xffcdull, 0ull, 0ull, 0ull);
    log_put(log, 181, 2, "2442188", 0xffcaull, 0ull, 0ull, 1ull, 3ull, 8ull, 9ull); /* undefined */
    log_put(log, 181, 2, "2442181", 0xffcaull, 0ull, 0ull, 1ull, 1ull, 0x1000ull, 7ull);
    log_end(log);
    hpf_eventlog_time *time = read_log(log);
    const char *const stacks[] = {"/MAIN/(unknown)", "/MAIN/go"};
    expect_stacks(time, stacks, 2);
    hpf_eventlog_time_destroy(time);
}

/* Both would be ticks of different lengths. Blocks of capabilities may stand before the record that
 * GHC's own profiler has begun. */
Test(stack_messages, a_log_with_ticks_of_cost_centres_has_only_these)
{
    size_t n;
    hpf_sink *log = begin_messages();
    hpf_eventlog_time *time = hpf_eventlog_time_create();
    hpf_eventlog_time_keep_order(time);
    log_put(log, 181, 2, "244218", 0xffcaull, 0ull, 0ull, 1ull, 1ull, 0x1000ull);
    log_put(log, 168, 1, "8", 1000000ull);
    log_put(log, 168, 1, "8", 0ull);
    define(log, 1, "main", "s");
    log_put(log, 167, 30, "4814", 1ull, 3ull, 1ull, 1ull);
    log_put(log, 181, 4, "244218", 0xffcaull, 0ull, 0ull, 1ull, 1ull, 0x2000ull);
    log_end(log);
    read_log_into(time, log);
    const char *const stacks[] = {"/MAIN/main"};
    expect_stacks(time, stacks, 1);
    const hpf_time_sample *samples = hpf_eventlog_time_samples(time, &n);
    cr_expect(n == 1 && samples[0].time_ns == 30);
    hpf_eventlog_time_destroy(time);
}

/* 1500 frames in two chunks, of which the first 500 are left out. */
Test(stack_messages, deep_stacks_have_their_innermost_frames)
{
    hpf_sink *log = begin_messages();
    for (unsigned chunk = 0; chunk < 2; chunk++) {
        unsigned n = chunk ? 1000 : 500;
        hpf_sink *items = hpf_sink_to_memory();
        for (unsigned i = 0; i < n; i++) {
            char item[9] = {1, 0, 0, 0, 0, 0, (char)(1 + chunk), (char)(i >> 8), (char)i};
            hpf_sink_write(items, item, sizeof item);
        }
        size_t length = 12 + hpf_sink_bytes(items).length;
        char head[24] = {0,
                         (char)181,
                         0,
                         0,
                         0,
                         0,
                         0,
                         0,
                         0,
                         2,
                         (char)(length >> 8),
                         (char)length,
                         (char)0xff,
                         (char)(chunk ? 0xca : 0xcb)};
        head[22] = (char)(n >> 8);
        head[23] = (char)n;
        hpf_sink_write(log, head, sizeof head);
        hpf_sink_write(log, hpf_sink_bytes(items).data, hpf_sink_bytes(items).length);
        hpf_sink_destroy(items);
    }
    log_end(log);
    hpf_eventlog_time *time = read_log(log);
    hpf_prof prof;
    cr_assert_eq(hpf_eventlog_time_profile(time, &prof, NULL), HPF_OK);
    cr_expect_eq(prof.n_stacks, 1001);
    cr_expect_eq(stack_of(&prof, "0x20000")->parent_index, 0);
    cr_expect_eq(stack_of(&prof, "0x203e7")->ticks, 1);
    hpf_eventlog_time_destroy(time);
}

/* How many ticks there are is known from another program (tests/data/eventlog/counts.tsv). */
static void expect_ticks(const char *path, uint64_t n_ticks)
{
    hpf_source *source = NULL;
    hpf_prof prof;
    uint64_t sum = 0;
    cr_assert_eq(hpf_source_open(&source, path, NULL, NULL), HPF_OK);
    hpf_eventlog_time *time = read_time(source);
    cr_assert_eq(hpf_eventlog_time_profile(time, &prof, NULL), HPF_OK);
    for (size_t i = 0; i < prof.n_stacks; i++) {
        sum += prof.stacks[i].ticks;
        cr_expect(i == 0 || prof.stacks[i].parent_index < i);
    }
    cr_expect_eq(sum, n_ticks, "%s", path);
    hpf_eventlog_time_destroy(time);
}

Test(log_time, real_logs_have_all_their_ticks)
{
    expect_ticks(CENSUS_SOURCE_DIR "/samples/eventlog/interp-prof-small-p-lau.eventlog", 284);
    expect_ticks(CENSUS_SOURCE_DIR "/tests/data/eventlog/interp-prof-small-p-l.eventlog.xz", 295);
    expect_ticks(CENSUS_SOURCE_DIR "/tests/data/eventlog/lastinit-prof-l-hc.eventlog.xz", 964);
}
