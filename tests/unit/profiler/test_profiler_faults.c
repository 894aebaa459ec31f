/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every allocation of a whole profile fails in turn, alone or with all behind it. The program goes
 * on with the result it would have had; files are whole; and a profile that is not what it would
 * have been says so, at the start or in the notes of its report.
 */
#define HPP_MODULE "Main"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizer.h"
#include "detect/reader.h"
#include "failing_alloc.h"
#include "model.h"
#include "hpprof/scope.h"
#include "scratch.h"
#include "tiny_language.h"

TestSuite(profiler_faults, .init = scratch_begin, .fini = scratch_end, .timeout = 120);

static uint64_t now_ns;

static uint64_t told_time(void *context)
{
    (void)context;
    return now_ns;
}

enum { N_CENTRES = 40 };

static hpp_cc centres[N_CENTRES];

/* The program: builds a tree of calls of which each makes a cell. */
static unsigned call(hpp_runtime *runtime, unsigned depth, unsigned n)
{
    unsigned sum = n;
    HPP_SCC_OF(&centres[(n * 7 + depth) % N_CENTRES])
    {
        hpp_ref ref = tiny_new(runtime, depth % 2 ? &tiny_data : &tiny_thunk, 10 + n % 7, 0);
        hpp_runtime_used(runtime, ref);
        hpp_profiler_allocated_at(hpp_runtime_profiler(runtime), &centres[n % N_CENTRES], 8);
        if (depth > 0) {
            sum += call(runtime, depth - 1, 2 * n) + call(runtime, depth - 1, 2 * n + 1);
        }
        if (n % 2 == 1) {
            tiny_free(runtime, ref);
        }
    }
    return sum;
}

/* Makes one list of all living cells; returns its head. */
static hpp_ref link_cells(void)
{
    hpp_ref head = 0;
    for (int i = 0; i < TINY_CELLS; i++) {
        if (tiny_cells[i].shape) {
            tiny_cells[i].child = head;
            head = (hpp_ref)&tiny_cells[i];
        }
    }
    return head;
}

/* Runs the program under a profiler whose `nth` allocation fails. Returns what the program
 * computes.
 * `*has_failed`: the allocation was reached; `*has_started`: there was a profile. */
static unsigned run(const char *text, bool has_headers, unsigned long nth, bool all_after,
                    bool *has_failed, bool *has_started)
{
    failing_alloc_arm(nth, all_after);
    hpp_options *options = hpp_options_create();
    hpf_status status = hpp_options_parse(options, (hpf_str){text, strlen(text)}, NULL);
    if (options) {
        options->stem = scratch_path("toy");
    }
    hpp_config config = {.size = sizeof config,
                         .options = options,
                         .program = "toy",
                         .date = "today",
                         .clock = {told_time, NULL},
                         .ticker = HPP_TICKER_NONE};
    hpp_language language = tiny_language(has_headers);
    hpp_runtime *runtime = NULL;
    if (status == HPF_OK) {
        status = hpp_runtime_start(&runtime, &language, &config, NULL);
    }
    *has_started = status == HPF_OK;
    hpp_ref root = 0;
    hpp_runtime_add_roots(runtime, &root, 1);
    unsigned sum = 0;
    for (unsigned i = 1; i <= 3; i++) {
        sum += call(runtime, 3, i);
        root = link_cells();
        now_ns = i * UINT64_C(200000000);
        hpp_profiler_mark(hpp_runtime_profiler(runtime), HPF_STR("round"));
        hpp_runtime_collected(runtime);
    }
    hpf_status stopped = hpp_runtime_stop(runtime, NULL);
    *has_failed = failing_alloc_disarm();
    *has_started &= stopped == HPF_OK;
    hpp_runtime_destroy(runtime);
    hpp_options_destroy(options);
    return sum;
}

/* Whether the file is a profile whose samples are all there. */
static bool is_whole(const char *path, size_t n_samples)
{
    hpf_source *source;
    if (hpf_source_open(&source, path, NULL, NULL) != HPF_OK) {
        return false;
    }
    hpf_model *model = hpf_model_create();
    bool result = hpf_read_source(source, &hpf_model_events, model, NULL, NULL) == HPF_OK &&
                  hpf_model_n_samples(model) == n_samples;
    hpf_model_destroy(model);
    hpf_source_destroy(source);
    return result;
}

static char *read_if_there(const char *name)
{
    const char *path = scratch_path(name);
    return access(path, R_OK) == 0 ? read_file(path, NULL) : NULL;
}

/* One run, in a process of its own: its stacks are new, and assertions would not come through.
 * Returns the exit status: 0 the fault was not reached, 1 it was and all is well, else a complaint.
 */
static int judge(const char *text, bool has_headers, unsigned long nth, bool all_after,
                 const char *wanted_hp, const char *wanted_prof)
{
    bool has_failed, has_started;
    unsigned sum = run(text, has_headers, nth, all_after, &has_failed, &has_started);
    if (sum != 615) {
        return 2;
    }
    if (!has_started) {
        return has_failed ? 1 : 3;
    }
    char *hp = read_if_there("toy.hp");
    char *prof = read_if_there("toy.prof");
    bool is_same = hp && strcmp(hp, wanted_hp) == 0 &&
                   (prof ? strcmp(prof, wanted_prof) == 0 : *wanted_prof == '\0');
    bool says_so = prof && (strstr(prof, "Missing: ") || strstr(prof, "OUT_OF_MEMORY"));
    bool has_all_samples = is_whole(scratch_path("toy.hp"), 5);
    free(hp);
    free(prof);
    if (is_same) {
        return has_failed ? 1 : 0;
    }
    return says_so ? 1 : has_all_samples ? 4 : 5;
}

static int run_child(const char *text, bool has_headers, unsigned long nth, bool all_after,
                     const char *hp, const char *prof)
{
    fflush(NULL);
    unlink(scratch_path("toy.hp"));
    unlink(scratch_path("toy.prof"));
    pid_t child = fork();
    if (child == 0) {
        _exit(judge(text, has_headers, nth, all_after, hp, prof));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void fail_each(const char *text, bool has_headers)
{
    for (int i = 0; i < N_CENTRES; i++) {
        centres[i] = (hpp_cc)HPP_CC_INIT("centre", "Main", "here", 0);
    }
    int result = run_child(text, has_headers, 0, false, "", "");
    cr_assert_eq(result, 4, "the run without failures, whose files are those wanted: %d", result);
    char *hp = read_if_there("toy.hp");
    char *prof = read_if_there("toy.prof");
    cr_assert_not_null(hp);
    for (int all_after = 0; all_after < 2; all_after++) {
        unsigned long nth = 1;
        for (result = 1; result != 0; nth += CASE_STEP) {
            result = run_child(text, has_headers, nth, all_after, hp, prof ? prof : "");
            cr_assert_leq(result, 1, "%s: failure %lu%s ends with %d", text, nth,
                          all_after ? " and all behind" : "", result);
        }
        cr_assert_gt(nth, 20);
    }
    free(hp);
    free(prof);
}

Test(profiler_faults, profile_by_stack)
{
    fail_each("-hc -p", true);
}

Test(profiler_faults, profile_with_an_event_log)
{
    fail_each("-hc -l", true);
}

Test(profiler_faults, profile_by_description_without_headers)
{
    fail_each("-hd -p -Bh", false);
}

Test(profiler_faults, retainer_profile)
{
    fail_each("-hr -P", true);
}

Test(profiler_faults, biography)
{
    fail_each("-hb", true);
}
