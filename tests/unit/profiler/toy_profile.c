/* SPDX-License-Identifier: BSD-2-Clause */
#include "toy_profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"
#include "tiny_language.h"

hpp_options *options;
hpp_config config;
uint64_t now_ns;

static uint64_t told_time(void *context)
{
    (void)context;
    return now_ns;
}

void renew_options(void)
{
    hpp_options_destroy(options);
    config.options = options = hpp_options_create();
}

void set_up(void)
{
    static const char *const arguments[] = {"30"};
    scratch_begin();
    config = (hpp_config){.size = sizeof(hpp_config),
                          .program = "bin/toy",
                          .arguments = arguments,
                          .n_arguments = 1,
                          .date = "Sat Nov 21 02:07 2026",
                          .clock = {told_time, NULL},
                          .ticker = HPP_TICKER_NONE};
    renew_options();
}

void tear_down(void)
{
    hpp_options_destroy(options);
    scratch_end();
}

hpp_runtime *start(const char *text, bool has_headers)
{
    cr_assert_eq(hpp_options_parse(options, (hpf_str){text, strlen(text)}, NULL), HPF_OK);
    options->stem = scratch_path("toy");
    hpp_language language = tiny_language(has_headers);
    hpp_runtime *runtime;
    hpf_error err;
    cr_assert_eq(hpp_runtime_start(&runtime, &language, &config, &err), HPF_OK, "%s", err.message);
    return runtime;
}

void stop(hpp_runtime *runtime)
{
    hpf_error err;
    cr_assert_eq(hpp_runtime_stop(runtime, &err), HPF_OK, "%s", err.message);
    cr_assert_eq(hpp_runtime_stop(runtime, &err), HPF_OK, "a second stop does nothing");
    hpp_runtime_destroy(runtime);
}

void expect_file(const char *name, const char *wanted)
{
    char *text = read_file(scratch_path(name), NULL);
    cr_assert_not_null(text);
    cr_assert_str_eq(text, wanted);
    free(text);
}

bool file_has(const char *name, const char *wanted)
{
    char *text = read_file(scratch_path(name), NULL);
    bool found = text && strstr(text, wanted);
    free(text);
    return found;
}

void census_at(hpp_runtime *runtime, double time_s)
{
    now_ns = (uint64_t)(time_s * 1e9);
    hpp_profiler_census(hpp_runtime_profiler(runtime));
}
