/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A live profile of an event log: the same as a survey of it, also with late samples; why there are
 * no samples.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "hpfile/sink.h"
#include "live_surveys.h"
#include "log_build.h"
#include "readings.h"
#include "rng.h"
#include "scratch.h"
#include "hpfile/live.h"
#include "hpfile/survey.h"
#include "source_dir.h"

TestSuite(live_eventlog, .timeout = 300);

static void compare_log(hpf_str text, const char *what)
{
    static const hpf_live_options few = {.size = sizeof few, .max_drawn = 16};
    rng chance = {text.length};
    hpf_live *live = live_create(&few);
    hpf_survey *survey = NULL;
    for (size_t at = 0; at < text.length;) {
        size_t n = 1 + (size_t)rng_below(&chance, 3000);
        n = n < text.length - at ? n : text.length - at;
        cr_assert_eq(hpf_live_feed(live, text.data + at, n, NULL), HPF_OK);
        at += n;
        hpf_status status = hpf_live_survey(&survey, live, NULL);
        cr_assert_eq(status, hpf_live_n_samples(live) ? HPF_OK : HPF_MORE, "%s", what);
    }
    cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK, "%s", what);
    expect_as_surveyed(live, text, &few, what);
    cr_expect_not_null(hpf_survey_eventlog_metadata(look(live)));
    hpf_live_destroy(live);
}

Test(live_eventlog, equals_a_survey_of_event_logs)
{
    static const char *const names[] = {"dragvoid-prof-l-au-hc",
                                        "foldleak-prof-l-au-hr",
                                        "foldleak-prof-pair-hb",
                                        "lastinit-prof-l-au-hd",
                                        "oddnames-prof-pair-hc",
                                        "pathgrid-prof-l-au-hb",
                                        "oddnames-prof-small-l-hd-cut12272"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1000];
        hpf_str text;
        snprintf(path, sizeof path, CENSUS_SOURCE_DIR "/tests/data/eventlog/%s.eventlog", names[i]);
        char *bytes = read_file(path, &text.length);
        cr_assert_not_null(bytes, "%s", path);
        text.data = bytes;
        compare_log(text, names[i]);
        free(bytes);
    }
}

static void put_log_sample(hpf_sink *log, unsigned long long time_ns, unsigned long long amount)
{
    log_put(log, 162, time_ns, "8", 0ull);
    log_put(log, 164, time_ns, "18s", 0ull, amount, "ARR_WORDS");
    log_put(log, 164, time_ns, "18s", 0ull, amount % 1000, amount % 3 ? "MUT_VAR" : "WEAK");
    log_put(log, 165, time_ns, "8", 0ull);
}

static hpf_sink *begin_log(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_end_header(log);
    return log;
}

static void begin_log_profile(hpf_sink *log, unsigned id, unsigned breakdown, const char *biography)
{
    log_put(log, 160, 2, "184sssssss", (unsigned long long)id, 10ull, (unsigned long long)breakdown,
            "", "", "", "", "", "", biography);
}

/* Times go up, but every third or so is the time of a sample long before, or the same again. */
static hpf_sink *disordered(unsigned n_samples)
{
    rng chance = {n_samples};
    hpf_sink *log = begin_log();
    begin_log_profile(log, 0, 4, "");
    for (unsigned i = 1; i <= n_samples; i++) {
        uint64_t back = rng_below(&chance, 3) ? 0 : rng_below(&chance, i);
        put_log_sample(log, 1000000 * (i - back), 50 + rng_below(&chance, 5000));
    }
    log_put(log, 58, 3500000000, "t", "later");
    log_put(log, 58, 1500000000, "t", "sooner");
    log_end(log);
    return log;
}

static void expect_survey_of(hpf_live *live, hpf_str text, const hpf_live_options *options,
                             bool is_all)
{
    const surveys_excuses excuses = {.ends = !is_all, .moments = options->is_wanted};
    oneshot all = survey_alike(text, options);
    const char *difference = surveys_differ(look(live), all.survey, excuses);
    cr_assert_null(difference, "of %zu bytes: %s", text.length, difference);
    oneshot_finish(&all);
}

/* At each look it is a survey of what came until then. */
static void compare_disordered(unsigned n_samples, const hpf_live_options *options)
{
    hpf_sink *log = disordered(n_samples);
    hpf_str text = hpf_sink_bytes(log);
    hpf_live *live = live_create(options);
    hpf_survey *survey;
    for (size_t at = 0, n; at < text.length; at += n) {
        n = text.length - at < 1777 ? text.length - at : 1777;
        cr_assert_eq(hpf_live_feed(live, text.data + at, n, NULL), HPF_OK);
        if (hpf_live_n_samples(live) % 5 < 2 && hpf_live_survey(&survey, live, NULL) == HPF_OK) {
            expect_survey_of(live, (hpf_str){text.data, at + n}, options, false);
        }
    }
    cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
    cr_expect_eq(hpf_live_diagnosis(live, NULL), HPF_OK);
    expect_survey_of(live, text, options, true);
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

/* The second sample may be before the first. */
Test(live_eventlog, two_samples_in_the_wrong_order)
{
    static const hpf_live_options plain = {.size = sizeof plain};
    hpf_sink *log = begin_log();
    begin_log_profile(log, 0, 4, "");
    put_log_sample(log, 2000000, 50);
    put_log_sample(log, 1000000, 60);
    log_end(log);
    hpf_str text = hpf_sink_bytes(log);
    hpf_live *live = live_create(&plain);
    cr_assert_eq(hpf_live_feed(live, text.data, text.length, NULL), HPF_OK);
    expect_survey_of(live, text, &plain, true);
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

Test(live_eventlog, late_samples_of_a_log_are_put_in_order)
{
    static const hpf_live_options plain = {.size = sizeof plain},
                                  few = {.size = sizeof few, .max_drawn = 16},
                                  sifted = {.size = sizeof sifted, .is_wanted = is_even};
    compare_disordered(7, &plain);
    compare_disordered(800, &plain);
    compare_disordered(800, &few);
    compare_disordered(200, &sifted);
}

/* A listener that adds up amounts, and looks at times. */
typedef struct heard {
    unsigned n_late;
    double time;
} heard;

static hpf_status hear(void *context, const hpf_sample *sample, hpf_error *err)
{
    heard *h = context;
    (void)err;
    h->n_late += sample->time < h->time;
    h->time = sample->time;
    return HPF_OK;
}

Test(live_eventlog, a_stretch_ends_with_the_latest_and_listeners_hear_late_ones)
{
    static const hpf_events listener = {.sample = hear};
    heard h = {0, 0};
    const hpf_live_options options = {
        .size = sizeof options, .listener = &listener, .listener_context = &h};
    hpf_sink *log = begin_log();
    begin_log_profile(log, 0, 4, "");
    put_log_sample(log, 1000000000, 8);
    put_log_sample(log, 4000000000, 16);
    put_log_sample(log, 3000000000, 24);
    put_log_sample(log, 2000000000, 32);
    hpf_live *live = live_create(&options);
    hpf_survey *latest = NULL;
    hpf_str bytes = hpf_sink_bytes(log);
    cr_assert_eq(hpf_live_feed(live, bytes.data, bytes.length, NULL), HPF_OK);
    cr_expect_eq(h.n_late, 2);
    cr_assert_eq(hpf_live_survey_last(&latest, live, 1, NULL), HPF_OK);
    const hpf_overview *o = hpf_survey_overview(latest);
    cr_assert_eq(o->n_drawn, 2);
    cr_expect_eq(o->drawn[0].time, 3);
    cr_expect_eq(o->drawn[1].time, 4);
    cr_expect_eq(o->n_before, 2);
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

Test(live_eventlog, where_not_all_costs_are_kept_late_samples_get_the_time_before)
{
    const hpf_live_options tight = {.size = sizeof tight, .max_drawn = 16, .most_bytes = 4000};
    hpf_sink *log = begin_log();
    begin_log_profile(log, 0, 4, "");
    for (unsigned i = 1; i <= 500; i++) {
        put_log_sample(log, 1000000000ull * i, i);
    }
    put_log_sample(log, 3500000000, 7);
    hpf_live *live = live_create(&tight);
    hpf_error diagnosis;
    hpf_str bytes = hpf_sink_bytes(log);
    cr_assert_eq(hpf_live_feed(live, bytes.data, bytes.length, NULL), HPF_OK);
    const hpf_overview *o = hpf_survey_overview(look(live));
    cr_expect_eq(o->n_samples, 501);
    cr_expect_eq(o->drawn[o->n_drawn - 1].time, 500);
    cr_expect_eq(hpf_live_diagnosis(live, &diagnosis), HPF_ERR_ORDER);
    cr_expect_str_eq(
        diagnosis.message,
        "samples came too late to be sorted: they are shown at the time of the sample before");
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

/* --- the mutator's clock --- */

/* A block of a capability up to `end_s`, with the run of a thread. */
static void put_run(hpf_sink *log, unsigned long long cap, unsigned long long begin_s,
                    unsigned long long end_s)
{
    const unsigned long long s = 1000000000;
    log_put(log, 18, begin_s * s, "482", 24ull + 14 + 20, end_s * s, cap);
    log_put(log, 1, begin_s * s, "4", 1ull);
    log_put(log, 2, end_s * s, "424", 1ull, 3ull, 0ull);
}

static double last_time(hpf_live *live)
{
    return hpf_live_n_samples(live) ? hpf_survey_overview(look(live))->last_time : -1;
}

static void feed_more(hpf_live *live, hpf_sink *log, size_t *n_fed)
{
    hpf_str bytes = hpf_str_from(hpf_sink_bytes(log), *n_fed);
    cr_assert_eq(hpf_live_feed(live, bytes.data, bytes.length, NULL), HPF_OK);
    *n_fed += bytes.length;
}

/* A sample waits for the blocks of both capabilities, which come later; at the end none waits. */
Test(live_eventlog, samples_wait_until_the_clock_of_the_mutator_is_known)
{
    static const hpf_live_options options = {
        .size = sizeof options, .uses_mutator_clock = true, .has_activity = true};
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_declare(log, 1, 4, "Run thread");
    log_declare(log, 2, 10, "Stop thread");
    log_declare(log, 45, 2, "Create capability");
    log_end_header(log);
    hpf_live *live = live_create(&options);
    size_t n_fed = 0;
    begin_log_profile(log, 0, 4, "");
    log_put(log, 45, 1, "2", 0ull);
    log_put(log, 45, 1, "2", 1ull);
    put_log_sample(log, 4000000000, 50);
    feed_more(live, log, &n_fed);
    put_run(log, 0, 1, 5);
    feed_more(live, log, &n_fed);
    cr_expect_eq(last_time(live), -1);
    put_run(log, 1, 2, 6);
    feed_more(live, log, &n_fed);
    cr_expect_eq(last_time(live), 1 + 3 + 2);
    put_log_sample(log, 8000000000, 60);
    feed_more(live, log, &n_fed);
    cr_expect_eq(last_time(live), 6);
    put_run(log, 1, 6, 7);
    log_end(log);
    feed_more(live, log, &n_fed);
    cr_expect_eq(last_time(live), 1 + 4 + 4 + 1);
    cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
    cr_expect_not_null(hpf_live_activity(live, look(live)));
    const hpf_survey_options alike = {.size = sizeof alike, .uses_mutator_clock = true};
    oneshot all = survey_text(hpf_sink_bytes(log), &alike);
    cr_expect_null(surveys_differ(look(live), all.survey, (surveys_excuses){0}));
    oneshot_finish(&all);
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

/* Other inputs have one clock, and do not wait. */
Test(live_eventlog, text_has_no_clock_of_the_mutator)
{
    static const char text[] = "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT "
                               "\"bytes\"\nBEGIN_SAMPLE 2.5\na\t1\nEND_SAMPLE 2.5\n";
    static const hpf_live_options options = {.size = sizeof options, .uses_mutator_clock = true};
    hpf_live *live = live_create(&options);
    cr_assert_eq(hpf_live_feed(live, text, sizeof text - 1, NULL), HPF_OK);
    cr_expect_eq(last_time(live), 2.5);
    cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
    hpf_live_destroy(live);
}

/* --- diagnoses --- */

static unsigned n_warned;

static void count_warning(void *context, const hpf_error *warning)
{
    (void)context;
    (void)warning;
    n_warned++;
}

/* The diagnosis of what is there of a log; "" for none. Frees the log. */
static const char *caveat_of(hpf_sink *log, const hpf_live_options *options)
{
    static hpf_error diagnosis;
    hpf_live *live = live_create(options);
    hpf_str bytes = hpf_sink_bytes(log);
    diagnosis.message[0] = '\0';
    cr_assert_eq(hpf_live_feed(live, bytes.data, bytes.length, NULL), HPF_OK);
    (void)hpf_live_diagnosis(live, &diagnosis);
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
    return diagnosis.message;
}

/* A block of another record. */
static void put_block(hpf_sink *log)
{
    log_put(log, 18, 1000, "482", 34ull, 5000ull, 1ull);
    log_put(log, 9, 2000, "");
}

/* A log of a program that was started with these words, and runs; profiles of these kinds, up to
 * the first 0, begin. */
static hpf_sink *running(const char *words, const char *more, const char *biography,
                         const unsigned *breakdowns)
{
    hpf_sink *log = begin_log();
    log_put(log, 30, 1, "4ssss", 0ull, "./prog", "-hx", words, more);
    for (unsigned i = 0; breakdowns[i]; i++) {
        begin_log_profile(log, i, breakdowns[i], biography);
    }
    put_block(log);
    return log;
}

Test(live_eventlog, diagnoses_a_log_without_samples)
{
    static const unsigned none[] = {0}, by_type[] = {4, 0}, biographical[] = {6, 0};
    static const struct {
        const char *words, *more, *biography;
        const unsigned *breakdowns;
        const char *diagnosis;
    } cases[] = {
        {"+RTS", "-l", "", none,
         "no heap profile: the program was started without -h (run it with +RTS -l -hT)"},
        {"-hT", "-hT", "", none,
         "no heap profile: the program was started without -h (run it with +RTS -l -hT)"},
        {"+RTS", "-hT", "", none,
         "no heap sample yet: use --eventlog-flush-interval=1 (GHC 9.2 or later) to get them "
         "sooner"},
        {"+RTS", "-hT", "", by_type,
         "no heap sample yet: use --eventlog-flush-interval=1 (GHC 9.2 or later) to get them "
         "sooner"},
        {"+RTS", "--eventlog-flush-interval=1", "", by_type, ""},
        {"+RTS", "-hb", "", biographical,
         "a biographical profile: its samples are written when the program ends"},
        {"+RTS", "-hc", "drag", by_type,
         "a biographical profile: its samples are written when the program ends"},
        {"+RTS", "--no-automatic-heap-samples", "", by_type,
         "the program takes samples only on request: --no-automatic-heap-samples"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_sink *log =
            running(cases[i].words, cases[i].more, cases[i].biography, cases[i].breakdowns);
        cr_expect_str_eq(caveat_of(log, NULL), cases[i].diagnosis, "case %zu", i);
    }
}

Test(live_eventlog, a_diagnosis_ends_when_its_reason_ends)
{
    static const unsigned none[] = {0};
    const char *unknown = "no heap profile in the event log yet: run the program with "
                          "+RTS -l -hT";
    hpf_sink *log = begin_log();
    cr_expect_str_eq(caveat_of(log, NULL), "");
    log = begin_log();
    put_block(log);
    cr_expect_str_eq(caveat_of(log, NULL), unknown);
    log = begin_log(); /* in the same block a profile may yet begin */
    put_block(log);
    log_put(log, 18, 1, "482", 1000ull, 5000ull, 65535ull);
    log_put(log, 30, 2, "4sss", 0ull, "./prog", "+RTS", "-l");
    cr_expect_str_eq(caveat_of(log, NULL), "");
    log = running("+RTS", "-l", "", none);
    begin_log_profile(log, 0, 4, "");
    put_log_sample(log, 5000, 8);
    cr_expect_str_eq(caveat_of(log, NULL), "");
    log = begin_log(); /* of another run-time system nothing is known */
    log_put(log, 29, 1, "4t", 0ull, "other 1.0");
    put_block(log);
    cr_expect_str_eq(caveat_of(log, NULL), "");
}

Test(live_eventlog, the_end_reports_that_there_were_no_samples)
{
    static const unsigned none[] = {0};
    hpf_sink *log = running("+RTS", "-l", "", none);
    hpf_live *live = live_create(NULL);
    hpf_str bytes = hpf_sink_bytes(log);
    cr_assert_eq(hpf_live_feed(live, bytes.data, bytes.length, NULL), HPF_OK);
    cr_expect_eq(hpf_live_diagnosis(live, NULL), HPF_MORE);
    cr_expect_eq(hpf_live_finish(live, NULL), HPF_ERR_SYNTAX);
    cr_expect_eq(hpf_live_diagnosis(live, NULL), HPF_OK);
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

Test(live_eventlog, diagnoses_profiles_that_are_skipped)
{
    static const unsigned two[] = {4, 1, 0};
    const hpf_live_options second = {.size = sizeof second,
                                     .has_log_profile = true,
                                     .log_profile = 1},
                           third = {
                               .size = sizeof third, .has_log_profile = true, .log_profile = 3};
    hpf_sink *log = running("+RTS", "-hT", "", two);
    put_log_sample(log, 5000, 8);
    cr_expect_str_eq(caveat_of(log, NULL), "");
    for (int way = 0; way < 3; way++) {
        log = running("+RTS", "-hT", "", two);
        log_put(log, 162, 5000, "8", 0ull);
        log_put(log, 164, 5000, "18s", 1ull, 8ull, "Main");
        log_put(log, 164, 5000, "18s", 0ull, 8ull, "ARR_WORDS");
        log_put(log, 165, 5000, "8", 0ull);
        const hpf_live_options *options = way == 0 ? NULL : way == 1 ? &second : &third;
        cr_expect_str_eq(caveat_of(log, options),
                         way == 0 ? "the event log has several heap profiles (0, 1): using number 0"
                         : way == 1
                             ? ""
                             : "no heap profile number 3 in the event log yet, which has 0, 1");
    }
}

Test(live_eventlog, a_diagnosis_is_not_a_warning)
{
    const hpf_live_options options = {.size = sizeof options, .warning = count_warning};
    hpf_sink *log = begin_log();
    begin_log_profile(log, 0, 4, "");
    put_log_sample(log, 5000, 8);
    log_put(log, 162, 4000, "8", 0ull);
    log_put(log, 164, 4000, "18s", 1ull, 8ull, "Main");
    log_put(log, 164, 4000, "18s", 0ull, 8ull, "ARR_WORDS");
    log_put(log, 165, 4000, "8", 0ull);
    log_end(log);
    hpf_live *live = live_create(&options);
    hpf_str bytes = hpf_sink_bytes(log);
    n_warned = 0;
    cr_assert_eq(hpf_live_feed(live, bytes.data, bytes.length - 1, NULL), HPF_OK);
    cr_expect_not(hpf_live_has_end(live));
    cr_assert_eq(hpf_live_feed(live, bytes.data + bytes.length - 1, 1, NULL), HPF_OK);
    cr_expect(hpf_live_has_end(live));
    cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
    cr_expect_eq(n_warned, 0);
    cr_expect_eq(hpf_live_diagnosis(live, NULL), HPF_ERR_UNSUPPORTED);
    hpf_live_destroy(live);
    hpf_sink_destroy(log);
}

/* Records of totals: their length, the profile, three amounts, a stack; and changes, with a zigzag
 * of 7 bits. */
Test(live_eventlog, costs_of_stacks)
{
    const hpf_live_options options = {.size = sizeof options, .has_costs = true};
    hpf_live *live = live_create(&options), *without = live_create(NULL);
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    log_declare(log, 1001, 0xffff, "totals");
    log_declare(log, 1002, 0xffff, "changes of totals");
    log_end_header(log);
    log_put(log, 161, 2, "4sss1", 7ull, "f", "M", "M.hs:1", 0ull);
    cr_assert_eq(hpf_live_feed(live, hpf_sink_bytes(log).data, hpf_sink_bytes(log).length, NULL),
                 HPF_OK);
    cr_expect_null(hpf_live_time(live), "no time profile has begun");
    cr_expect_eq(hpf_live_n_totals(live), 0);
    size_t n_fed = hpf_sink_bytes(log).length;
    log_put(log, 168, 3, "8", 1000000ull);
    log_put(log, 167, 4, "4814", 0ull, 1ull, 1ull, 7ull);
    log_put(log, 167, 5, "4814", 0ull, 2ull, 1ull, 7ull);
    log_put(log, 1001, 6, "2188814", 30ull, 0ull, 90ull, 5ull, 1ull, 1ull, 7ull);
    log_put(log, 1002, 7, "211111", 5ull, 0ull, 0ull, 20ull, 0ull, 0ull); /* the first stack: +10 */
    log_end(log);
    hpf_str text = hpf_str_from(hpf_sink_bytes(log), n_fed);
    cr_assert_eq(hpf_live_feed(live, text.data, text.length, NULL), HPF_OK);
    cr_assert_not_null(hpf_live_time(live));
    cr_expect_eq(hpf_eventlog_time_n_ticks(hpf_live_time(live)), 2);
    cr_assert_eq(hpf_live_n_totals(live), 1);
    hpf_stack_totals totals;
    hpf_frame frame;
    cr_assert_eq(hpf_live_totals(live, 0, &totals, &frame, 1), 1);
    cr_expect_eq(totals.allocated_bytes, 100);
    cr_expect(hpf_str_is(frame.label, "f") && hpf_str_is(frame.source, "M.hs:1"));
    text = hpf_sink_bytes(log);
    cr_assert_eq(hpf_live_feed(without, text.data, text.length, NULL), HPF_OK);
    cr_expect_null(hpf_live_time(without));
    cr_expect_eq(hpf_live_n_totals(without), 0);
    hpf_sink_destroy(log);
    hpf_live_destroy(live);
    hpf_live_destroy(without);
}
