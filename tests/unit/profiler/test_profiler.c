/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile from start to stop: what is in its files, when censuses are due, clocks, signals.
 */
#define HPP_MODULE "Main"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "detect/reader.h"
#include "hpfile/address_bins.h"
#include "model.h"
#include "hpfile/str.h"
#include "core/profiler.h"
#include "hpprof/scope.h"
#include "scratch.h"
#include "tiny_language.h"
#include "toy_profile.h"

TestSuite(profiler, .init = set_up, .fini = tear_down);

/* ---- nothing to do ---- */

Test(profiler, no_options_no_profiler)
{
    hpp_runtime *runtime = start("", true);
    cr_assert_null(runtime);
    hpp_ref ref = tiny_new(runtime, &tiny_data, 8, 0);
    hpp_runtime_used(runtime, ref);
    hpp_runtime_moved(runtime, ref, ref);
    hpp_runtime_overwritten(runtime, ref, false);
    hpp_runtime_add_roots(runtime, &ref, 1);
    hpp_runtime_remove_roots(runtime, &ref);
    cr_assert_not(hpp_runtime_wants_collection(runtime));
    hpp_runtime_collected(runtime);
    hpp_profiler_mark(hpp_runtime_profiler(runtime), HPF_STR("x"));
    hpp_profiler_allocated_at(NULL, NULL, 1);
    cr_assert_null(hpp__profiler_engine(NULL));
    tiny_free(runtime, ref);
    stop(runtime);
    cr_assert_eq(scratch_n_files(), 0);
}

/* ---- the heap profile ---- */

Test(profiler, heap_profile_by_stack_is_written_while_it_runs)
{
    hpp_runtime *runtime = start("+RTS -hc -i1 -RTS", true);
    tiny_new(runtime, &tiny_data, 5, 0);
    HPP_SCC("build")
    {
        HPP_SCC("insert\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4")
        {
            tiny_new(runtime, &tiny_data, 100, 0);
            tiny_new(runtime, &tiny_data, 20, 0);
        }
    }
    now_ns = 1500000000;
    cr_assert(hpp_runtime_wants_collection(runtime));
    hpp_runtime_collected(runtime);
    static const char after_one[] =
        HEAD("-hc -i1") "BEGIN_SAMPLE 1.500000\nMAIN\t5\n"
                        "(9)insert\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4/build\t120\n"
                        "END_SAMPLE 1.500000\n";
    expect_file("toy.hp", after_one);
    now_ns = 1600000000;
    cr_assert_not(hpp_runtime_wants_collection(runtime));
    hpp_profiler_mark(hpp_runtime_profiler(runtime), HPF_STR("phase 2"));
    now_ns = 2000000000;
    stop(runtime);
    char all[1000];
    snprintf(all, sizeof all, "%sMARK 1.600000\nBEGIN_SAMPLE 2.000000\nEND_SAMPLE 2.000000\n",
             after_one);
    expect_file("toy.hp", all);
    cr_assert_eq(scratch_n_files(), 1, "no report was asked for");
}

Test(profiler, sizes_are_the_same_with_headers_and_without)
{
    char *texts[2];
    for (int has_headers = 0; has_headers < 2; has_headers++) {
        now_ns = 0;
        memset(tiny_cells, 0, sizeof tiny_cells);
        hpp_runtime *runtime = start("-hd", has_headers);
        HPP_SCC_HERE("make");
        for (uint64_t i = 1; i < 10; i++) {
            tiny_new(runtime, i % 3 ? &tiny_data : &tiny_thunk, i, 0);
        }
        census_at(runtime, 1);
        tiny_free(runtime, (hpp_ref)&tiny_cells[4]);
        census_at(runtime, 2);
        stop(runtime);
        texts[has_headers] = read_file(scratch_path("toy.hp"), NULL);
        renew_options();
    }
    cr_assert_str_eq(texts[0], texts[1]);
    cr_assert(strstr(texts[0], "Cell\t27\nthunk\t18\n") != NULL, "%s", texts[0]);
    free(texts[0]);
    free(texts[1]);
}

Test(profiler, producers_follow_objects_that_move)
{
    for (int has_headers = 0; has_headers < 2; has_headers++) {
        now_ns = 0;
        memset(tiny_cells, 0, sizeof tiny_cells);
        hpp_runtime *runtime = start("-hc", has_headers);
        HPP_SCC("mover")
        {
            tiny_new(runtime, &tiny_data, 50, 0);
        }
        tiny_cells[9] = tiny_cells[0];
        memset(&tiny_cells[0], 0, sizeof *tiny_cells);
        hpp_runtime_moved(runtime, (hpp_ref)&tiny_cells[0], (hpp_ref)&tiny_cells[9]);
        cr_assert_eq(hpp_runtime_needs(runtime).moved, !has_headers);
        census_at(runtime, 1);
        stop(runtime);
        cr_assert(file_has("toy.hp", "mover\t50\n"));
        renew_options();
    }
}

Test(profiler, biography_is_provisional_first_and_final_at_the_end)
{
    hpp_runtime *runtime = start("-hb -i1", true);
    cr_assert(hpp_runtime_needs(runtime).used);
    hpp_ref used = tiny_new(runtime, &tiny_data, 100, 0);
    tiny_new(runtime, &tiny_data, 30, 0);
    census_at(runtime, 1);
    cr_assert(file_has("toy.hp", "NOT_YET_USED\t130\n"));
    hpp_runtime_used(runtime, used);
    census_at(runtime, 2);
    census_at(runtime, 3);
    now_ns = 4000000000;
    stop(runtime);
    expect_file("toy.hp",
                HEAD("-hb -i1") "BEGIN_SAMPLE 1.000000\nLAG\t100\nVOID\t30\nEND_SAMPLE 1.000000\n"
                                "BEGIN_SAMPLE 2.000000\nUSE\t100\nVOID\t30\nEND_SAMPLE 2.000000\n"
                                "BEGIN_SAMPLE 3.000000\nVOID\t30\nDRAG\t100\nEND_SAMPLE 3.000000\n"
                                "BEGIN_SAMPLE 4.000000\nEND_SAMPLE 4.000000\n");
}

Test(profiler, overwritten_object_dies_and_is_created)
{
    hpp_runtime *runtime = start("-hb -i1", true);
    hpp_ref thunk = tiny_new(runtime, &tiny_thunk, 40, 0);
    census_at(runtime, 1);
    hpp_runtime_used(runtime, thunk);
    hpp_runtime_overwritten(runtime, thunk, false);
    tiny_cells[0].shape = &tiny_data;
    tiny_cells[0].payload_bytes = 16;
    hpp_runtime_overwritten(runtime, thunk, true);
    census_at(runtime, 2);
    stop(runtime);
    cr_assert(file_has("toy.hp", "BEGIN_SAMPLE 1.000000\nLAG\t40\nEND"));
    cr_assert(file_has("toy.hp", "BEGIN_SAMPLE 2.000000\nVOID\t16\nEND"));
}

Test(profiler, retainers_are_reported_with_their_sets)
{
    hpp_runtime *runtime = start("-hr -i1", true);
    hpp_ref data = tiny_new(runtime, &tiny_data, 100, 0);
    hpp_ref roots[2] = {0, 0};
    HPP_SCC("lazy")
    {
        roots[1] = tiny_new(runtime, &tiny_thunk, 10, data);
    }
    tiny_new(runtime, &tiny_data, 7, 0);
    hpp_runtime_add_roots(runtime, roots, 2);
    census_at(runtime, 1);
    stop(runtime);
    cr_assert(file_has("toy.hp", "lazy\t110\n"));
    cr_assert(file_has("toy.hp", "UNREACHED\t7\n"));
    cr_assert(file_has("toy.prof", "Retainer Profiling: 0, at 1.000000 seconds\n"));
    cr_assert(file_has("toy.prof", "object = 1.000000\n"
                                   "\tCurrent total costs = 110\n"
                                   "\tNumber of retainer sets = 1\n"));
    cr_assert(file_has("toy.prof", " = {<lazy[Main],MAIN[MAIN]>}\n"));
    cr_assert_not(file_has("toy.prof", "Missing"));
}

/* What is told to others is what is in the file. */
Test(profiler, listener_receives_the_written_events)
{
    hpf_model *heard = hpf_model_create();
    config.events = &hpf_model_events;
    config.events_context = heard;
    hpp_runtime *runtime = start("-hy", true);
    for (int i = 1; i < 5; i++) {
        tiny_new(runtime, i % 2 ? &tiny_data : &tiny_thunk, (uint64_t)i * 10, 0);
        census_at(runtime, i);
    }
    stop(runtime);
    hpf_model *written = hpf_model_create();
    hpf_source *source;
    cr_assert_eq(hpf_source_open(&source, scratch_path("toy.hp"), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_read_source(source, &hpf_model_events, written, NULL, NULL), HPF_OK);
    cr_assert(hpf_model_equal(heard, written));
    cr_assert_eq(hpf_model_n_samples(heard), 6);
    hpf_source_destroy(source);
    hpf_model_destroy(written);
    hpf_model_destroy(heard);
}

/* ---- when ---- */

static uint64_t slow_census_time(void *context)
{
    unsigned *n_calls = context;
    ++*n_calls;
    return now_ns += 100000000;
}

Test(profiler, clock_stops_during_a_census)
{
    unsigned n_calls = 0;
    config.clock = (hpp_clock){slow_census_time, &n_calls};
    hpp_runtime *runtime = start("-hc -i1", true);
    double before_s = hpp_profiler_time_s(hpp_runtime_profiler(runtime));
    hpp_profiler_census(hpp_runtime_profiler(runtime));
    double after_s = hpp_profiler_time_s(hpp_runtime_profiler(runtime));
    /* Each look at the clock takes a tenth of a second: two belong to us, the rest to the census.
     */
    cr_assert_float_eq(after_s - before_s, 0.2, 1e-9);
    hpp_runtime_destroy(runtime);
}

Test(profiler, censuses_are_due_at_intervals_and_missed_ones_are_skipped)
{
    hpp_runtime *runtime = start("-hc -i0.5", true);
    static const struct {
        double time_s;
        bool is_due;
    } looks[] = {{0.1, false}, {0.5, true},  {0.6, false}, {0.9, false}, {1.2, true},
                 {1.4, false}, {1.5, true},  {4.0, true},  {4.1, false}, {4.4, false},
                 {4.5, true},  {4.6, false}, {5.0, true}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        now_ns = (uint64_t)(looks[i].time_s * 1e9);
        cr_assert_eq(hpp_runtime_wants_collection(runtime), looks[i].is_due, "%g", looks[i].time_s);
        hpp_runtime_collected(runtime);
    }
    stop(runtime);
}

Test(profiler, interval_zero_makes_censuses_always_due)
{
    hpp_runtime *runtime = start("-hc -i0", true);
    for (int i = 0; i < 3; i++) {
        cr_assert(hpp_runtime_wants_collection(runtime));
        hpp_runtime_collected(runtime);
    }
    stop(runtime);
}

/* ---- the time and allocation report ---- */

/* The guide's second example, main = print (f 30 + g 30) with its ticks and shares of allocation.
 * The layout is the same as today's GHC's: a column for places, siblings by entries and label. */
Test(profiler, report_of_the_example_in_the_ghc_guide)
{
    static hpp_cc caf = HPP_CC_INIT("CAF", "Main", "<entire-module>", HPP_CC_CAF);
    static hpp_cc main_cc = HPP_CC_INIT("main", "Main", "Main.hs:1:1-29", 0);
    static hpp_cc f = HPP_CC_INIT("main.f", "Main", "Main.hs:3:5-15", 0);
    static hpp_cc g = HPP_CC_INIT("main.g", "Main", "Main.hs:4:5-23", 0);
    static hpp_cc fib = HPP_CC_INIT("fib", "Main", "Main.hs:6:1-50", 0);
    hpp_runtime *runtime = start("-P -V0.02", true);
    hpp_ccs_set(hpp_ccs_of_caf(&caf));
    HPP_SCC_OF(&main_cc)
    {
        HPP_SCC_OF(&f)
        {
            HPP_SCC_OF(&fib)
            {
                hpp_ccs_allocated(204472000);
                for (int i = 0; i < 34; i++) {
                    hpp_ccs_tick();
                }
            }
        }
        HPP_SCC_OF(&g)
        {
            HPP_SCC_OF(&fib)
            {
                hpp_ccs_allocated(205844);
            }
        }
    }
    hpp_ccs_set(hpp_ccs_builtin(HPP_CCS_GC));
    hpp_ccs_tick();
    hpp_ccs_allocated(1000000);
    stop(runtime);
    expect_file("toy.prof",
                "\tSat Nov 21 02:07 2026 Time and Allocation Profiling Report  (Final)\n\n"
                "\t   toy +RTS -P -V0.02 -RTS 30\n\n"
                "\ttotal time  =        0.68 secs   (34 ticks @ 20000 us, 1 processor)\n"
                "\ttotal alloc = 204,677,844 bytes  (excludes profiling overheads)\n\n"
                "COST CENTRE MODULE SRC             %time %alloc  ticks     bytes\n\n"
                "fib         Main   Main.hs:6:1-50  100.0  100.0     34 204677844\n\n\n"
                "                                                      individual      inherited\n"
                "COST CENTRE MODULE SRC             no.     entries  %time %alloc   %time %alloc"
                "  ticks     bytes\n\n"
                "MAIN        MAIN   <built-in>        1           0    0.0    0.0   100.0  100.0"
                "      0         0\n"
                " CAF        Main   <entire-module>   8           0    0.0    0.0   100.0  100.0"
                "      0         0\n"
                "  main      Main   Main.hs:1:1-29    9           1    0.0    0.0   100.0  100.0"
                "      0         0\n"
                "   main.f   Main   Main.hs:3:5-15   10           1    0.0    0.0   100.0   99.9"
                "      0         0\n"
                "    fib     Main   Main.hs:6:1-50   11           1  100.0   99.9   100.0   99.9"
                "     34 204472000\n"
                "   main.g   Main   Main.hs:4:5-23   12           1    0.0    0.0     0.0    0.1"
                "      0         0\n"
                "    fib     Main   Main.hs:6:1-50   13           1    0.0    0.1     0.0    0.1"
                "      0    205844\n");
}

Test(profiler, json_report_has_all_figures)
{
    hpp_runtime *runtime = start("-pj", true);
    HPP_SCC("a \"quoted\" name")
    {
        hpp_ccs_tick();
    }
    stop(runtime);
    cr_assert(file_has("toy.prof", "\"label\": \"a \\\"quoted\\\" name\", \"module\": \"Main\""));
    cr_assert(file_has("toy.prof", "\"label\": \"GC\""));
    cr_assert(
        file_has("toy.prof", "\"entries\": 1, \"alloc\": 0, \"ticks\": 1, \"children\": []}"));
}

/* ---- clocks ---- */

static double thread_time_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static void burn(double for_s)
{
    double until_s = thread_time_s() + for_s;
    volatile unsigned n = 0;
    while (thread_time_s() < until_s) {
        for (int i = 0; i < 10000; i++) {
            n = n + 1;
        }
    }
}

typedef struct scope_ticks {
    double few_s, many_s; /* burned */
    uint64_t few, many, none;
} scope_ticks;

/* Burns processor time until `stack` has n_ticks and least_s have passed, then until the next tick.
 * Returns the time in seconds, which is bounded.
 *
 * A signal comes when the system's own clock ticks while the thread runs. On a loaded machine,
 * where it runs for shorter than that at a time, it is seldom there then. The ticking thread may be
 * late: right after a tick nothing is left that it could charge to the next scope. */
static double burn_until_charged(const hpp_ccs *stack, double least_s, uint64_t n_ticks)
{
    const double begin_s = thread_time_s(), most_s = least_s + 5;
    double burned_s;
    do {
        burn(0.05);
        burned_s = thread_time_s() - begin_s;
    } while ((hpp_ccs_costs(stack).ticks < n_ticks || burned_s < least_s) && burned_s < most_s);
    uint64_t ticks = hpp_ccs_costs(stack).ticks;
    while (hpp_ccs_costs(stack).ticks == ticks && burned_s < most_s) {
        burn(0.0002);
        burned_s = thread_time_s() - begin_s;
    }
    return burned_s;
}

/* Burns processor time in two scopes, at least three times as much in one, then sleeps in a third.
 */
static scope_ticks burn_in_scopes(void)
{
    const hpp_ccs *stacks[3];
    scope_ticks result = {0};
    HPP_SCC("few")
    {
        stacks[0] = hpp_ccs_current();
        result.few_s = burn_until_charged(stacks[0], 0, 10);
    }
    HPP_SCC("many")
    {
        stacks[1] = hpp_ccs_current();
        result.many_s =
            burn_until_charged(stacks[1], 3 * result.few_s, hpp_ccs_costs(stacks[0]).ticks + 1);
    }
    HPP_SCC("none")
    {
        stacks[2] = hpp_ccs_current();
        struct timespec pause = {0, 50000000};
        nanosleep(&pause, NULL);
    }
    result.few = hpp_ccs_costs(stacks[0]).ticks;
    result.many = hpp_ccs_costs(stacks[1]).ticks;
    result.none = hpp_ccs_costs(stacks[2]).ticks;
    return result;
}

static void check_ticker(hpp_ticker ticker)
{
    config.ticker = ticker;
    config.clock = hpp_clock_cpu;
    hpp_ccs_set(hpp_ccs_builtin(HPP_CCS_MAIN));
    hpp_runtime *runtime =
        start(ticker == HPP_TICKER_SIGNAL ? "-p -B -V0.001" : "-p -V0.001", true);
    scope_ticks ticks = burn_in_scopes();
    stop(runtime);
    /* One for each millisecond at the most, but loaded machines are late. */
    cr_assert(ticks.few >= 10 && (double)ticks.few <= 1400 * ticks.few_s, "%d in %g s",
              (int)ticks.few, ticks.few_s);
    cr_assert(ticks.many > ticks.few && (double)ticks.many <= 1200 * ticks.many_s,
              "%d, and %d in %g s", (int)ticks.few, (int)ticks.many, ticks.many_s);
    cr_assert_leq(ticks.none, ticks.few / 4 + 1);
}

Test(profiler, ticker_thread_charges_the_running_thread, .timeout = 120)
{
    check_ticker(HPP_TICKER_THREAD);
}

static void read_bins(hpf_bins *bins, const char *name)
{
    hpf_source *source;
    cr_assert_eq(hpf_source_open(&source, scratch_path(name), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_bins_read(bins, source, NULL), HPF_OK);
    hpf_source_destroy(source);
}

Test(profiler, ticker_signal_charges_the_running_thread_and_address, .timeout = 120)
{
    check_ticker(HPP_TICKER_SIGNAL);
    hpf_bins bins;
    read_bins(&bins, "toy.time.bins");
    cr_assert_eq(bins.kind, HPF_BINS_TIME);
    cr_assert_eq(bins.unit, 1000000);
    uint64_t in_burn = 0;
    for (size_t i = 0; i < bins.n_bins; i++) {
        uint64_t offset = bins.bins[i].address - (uintptr_t)burn;
        in_burn += offset < 1000 ? bins.bins[i].count : 0;
    }
    cr_assert_gt(in_burn, 10);
    cr_assert_gt(bins.n_objects, 0);
    const hpf_bins_object *program = &bins.objects[0];
    cr_assert((uintptr_t)burn >= program->start && (uintptr_t)burn < program->end);
    cr_assert_eq(program->path.data[0], '/');
    cr_assert_eq(program->build_id.length, 20);
    hpf_bins_finish(&bins);
}

Test(profiler, only_one_profiler_uses_the_signal)
{
    config.ticker = HPP_TICKER_SIGNAL;
    hpp_runtime *runtime = start("-p", true);
    hpp_profiler *second;
    cr_assert_eq(hpp_profiler_start(&second, &config, NULL), HPF_ERR_UNSUPPORTED);
    cr_assert_null(second);
    stop(runtime);
}

Test(profiler, a_clock_without_addresses_refuses_time_bins)
{
    hpp_profiler *profiler;
    hpf_error err;
    cr_assert_eq(hpp_options_parse(options, HPF_STR("-Bt"), NULL), HPF_OK);
    cr_assert_eq(hpp_profiler_start(&profiler, &config, &err), HPF_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(err.message, "-Bh"));
}

Test(profiler, allocation_is_counted_by_address)
{
    hpp_runtime *runtime = start("-Bh", true);
    hpp_profiler *profiler = hpp_runtime_profiler(runtime);
    static char code[100000];
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 1000; i++) {
            hpp_profiler_allocated_at(profiler, code + i * 16, 8);
        }
        hpp_profiler_allocated_at(profiler, NULL, 5);
    }
    stop(runtime);
    hpf_bins bins;
    read_bins(&bins, "toy.heap.bins");
    cr_assert_eq(bins.n_bins, 1000);
    cr_assert_eq(bins.unknown_count, 15);
    for (size_t i = 0; i < 1000; i++) {
        cr_assert_eq(bins.bins[i].address, (uintptr_t)code + i * 16);
        cr_assert_eq(bins.bins[i].count, 24);
    }
    hpf_bins_finish(&bins);
}

/* ---- -xc ---- */

/* What a child that aborts, or tells an exception, writes to standard error. */
static void run_child(const char *text, bool aborts, char *out, size_t n_bytes)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        hpp_runtime *runtime = start(text, true);
        HPP_SCC("outer")
        {
            HPP_SCC("inner")
            {
                hpp_profiler_exception(hpp_runtime_profiler(runtime), "Overflow", STDERR_FILENO);
                if (aborts) {
                    signal(SIGALRM, SIG_DFL);
                    abort();
                }
            }
        }
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], out + length, n_bytes - 1 - length)) > 0;) {
        length += (size_t)n;
    }
    out[length] = '\0';
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    cr_assert_eq(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, aborts);
}

Test(profiler, stack_is_printed_on_request_and_at_abort)
{
    char text[1000];
    run_child("-xc", true, text, sizeof text);
    cr_assert_str_eq(text, "*** Overflow (reporting due to -xc), stack trace:\n"
                           "  Main.inner,\n  called from Main.outer\n"
                           "*** Aborted (reporting due to -xc), stack trace:\n"
                           "  Main.inner,\n  called from Main.outer\n");
    run_child("-p", false, text, sizeof text);
    cr_assert_str_eq(text, "");
}

/* ---- failures ---- */

Test(profiler, output_that_cannot_be_created_is_an_error_at_the_start)
{
    cr_assert_eq(hpp_options_parse(options, HPF_STR("-hc -o/nowhere/toy"), NULL), HPF_OK);
    hpp_language language = tiny_language(true);
    hpp_runtime *runtime;
    hpf_error err;
    cr_assert_eq(hpp_runtime_start(&runtime, &language, &config, &err), HPF_ERR_IO);
    cr_assert_null(runtime);
}

Test(profiler, heap_profile_needs_a_heap)
{
    cr_assert_eq(hpp_options_parse(options, HPF_STR("-hc"), NULL), HPF_OK);
    hpp_profiler *profiler;
    cr_assert_eq(hpp_profiler_start(&profiler, &config, NULL), HPF_ERR_ARGUMENT);
}

Test(profiler, a_program_has_one_break_down)
{
    cr_assert_eq(hpp_options_parse(options, HPF_STR("-hr -hy"), NULL), HPF_OK);
    hpp_language language = tiny_language(true);
    hpp_runtime *runtime;
    hpf_error err;
    cr_assert_eq(hpp_runtime_start(&runtime, &language, &config, &err), HPF_ERR_ARGUMENT);
    cr_expect_str_eq(err.message, "only one break-down is possible");
    cr_assert_null(runtime);
}

Test(profiler, a_program_of_an_older_header_has_a_smaller_config)
{
    cr_assert_eq(hpp_options_parse(options, HPF_STR("-hc"), NULL), HPF_OK);
    options->stem = scratch_path("toy");
    hpp_language language = tiny_language(true);
    hpp_runtime *runtime;
    hpf_error err;
    config.size = offsetof(hpp_config, events);
    cr_assert_eq(hpp_runtime_start(&runtime, &language, &config, NULL), HPF_OK);
    stop(runtime);
    for (size_t i = 0; i < 2; i++) {
        config.size = i * 4096;
        cr_expect_eq(hpp_runtime_start(&runtime, &language, &config, &err), HPF_ERR_ARGUMENT);
        cr_expect_null(runtime);
    }
    config.size = sizeof config;
    language.size = 0;
    cr_expect_eq(hpp_runtime_start(&runtime, &language, &config, &err), HPF_ERR_ARGUMENT);
    cr_expect_eq(strncmp(err.message, "options of 0 bytes", 18), 0, "%s", err.message);
}

/* ---- snapshots ---- */

Test(profiler, snapshot_is_written_when_asked_for_and_has_no_part_in_the_time)
{
    hpp_runtime *runtime = start("-hd -i100", true);
    hpp_ref leaf = tiny_new(runtime, &tiny_data, 8, 0);
    hpp_ref thunk = tiny_new(runtime, &tiny_thunk, 16, leaf);
    hpp_runtime_add_roots(runtime, &thunk, 1);
    hpf_error err;
    cr_assert_eq(hpp_profiler_snapshot(hpp_runtime_profiler(runtime), &err), HPF_OK);
    cr_assert(file_has("toy.heapsnapshot", "9,0,1,0,1,\n8,1,3,8,0,\n8,2,5,16,1]"));
    cr_assert(file_has("toy.heapsnapshot", "1,0,10,\n1,0,5]"));
    cr_assert(file_has("toy.heapsnapshot", "\"(root)\",\n\"Cell\",\n\"thunk\"]"));
    tiny_free(runtime, leaf);
    tiny_free(runtime, thunk);
    stop(runtime);
    cr_assert_eq(hpp_profiler_snapshot(NULL, NULL), HPF_OK);
}

Test(profiler, snapshot_that_cannot_be_written_is_an_error_at_the_end)
{
    hpp_runtime *runtime = start("-hd -i100 --snapshot last", true);
    hpf_error err;
    cr_assert_eq(mkdir(scratch_path("toy.heapsnapshot"), 0700), 0);
    census_at(runtime, 1);
    cr_assert_eq(hpp_runtime_stop(runtime, &err), HPF_ERR_IO);
    cr_assert(file_has("toy.hp", "END_SAMPLE 1"), "the rest is there");
    hpp_runtime_destroy(runtime);
}

Test(profiler, snapshot_of_the_largest_census_stays)
{
    hpp_runtime *runtime = start("-hd -i100 --snapshot largest", true);
    hpp_ref large = tiny_new(runtime, &tiny_data, 1000, 0);
    hpp_runtime_add_roots(runtime, &large, 1);
    census_at(runtime, 1);
    hpp_ref small = tiny_new(runtime, &tiny_thunk, 20, 0);
    census_at(runtime, 2); /* 2 % more is not enough */
    cr_assert_not(file_has("toy.heapsnapshot", "thunk"));
    hpp_ref smaller = tiny_new(runtime, &tiny_thunk, 1, 0);
    census_at(runtime, 3);
    cr_assert(file_has("toy.heapsnapshot", "thunk"));
    tiny_free(runtime, large);
    tiny_free(runtime, small);
    tiny_free(runtime, smaller);
    large = 0;
    census_at(runtime, 4);
    cr_assert(file_has("toy.heapsnapshot", "Cell"));
    stop(runtime);
}

Test(profiler, full_disk_is_an_error_at_the_end)
{
    cr_assert_eq(symlink("/dev/full", scratch_path("toy.hp")), 0);
    hpp_runtime *runtime = start("-hc", true);
    census_at(runtime, 1);
    census_at(runtime, 2);
    hpf_error err;
    cr_assert_eq(hpp_runtime_stop(runtime, &err), HPF_ERR_IO);
    hpp_runtime_destroy(runtime);
}
