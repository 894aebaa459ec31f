/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Time profiles out of event logs: ticks by stack.
 */
#include <criterion/criterion.h>

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
