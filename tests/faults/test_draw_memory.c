/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A picture is written whole, or memory is said to be missing: each of the first allocations of
 * ours fails in turn, then some of the later ones. Allocations of cairo, Pango and fontconfig are
 * not reached: those of GLib end the process, which tests/figures/memory.py tries.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "sanitizer.h"
#include "hpfile/sink.h"
#include "failing_alloc.h"
#include "hprender/render.h"
#include "profile.h"

/* The caller frees it. */
static char *make_profile(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(PROFILE_HEADERS, out);
    for (int t = 0; t < 60; t++) {
        fprintf(out, "BEGIN_SAMPLE %d\n", t);
        for (int i = 0; i < 25; i++) {
            fprintf(out, "name%d\t%d\n", i, 8 + t * i % 11);
        }
        fprintf(out, "END_SAMPLE %d\n", t);
    }
    fclose(out);
    return text;
}

/* Draws with the nth allocation failing; returns false when there is none any more. */
static bool fails_cleanly(hpf_survey *survey, const hpr_options *options, const char *format,
                          unsigned long nth)
{
    hpr_fonts *fonts = NULL;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_error err = {.status = HPF_OK};
    failing_alloc_arm(nth, false);
    hpf_status status = hpr_fonts_create(&fonts, NULL, NULL, &err);
    if (status == HPF_OK) {
        hpr_output output = {.size = sizeof output, .fonts = fonts};
        status = hpr_render(survey, options, hpr_backend_by_name(format), &output, sink, &err);
    }
    bool has_failed = failing_alloc_disarm();
    cr_assert(status == HPF_ERR_MEMORY || (status == HPF_OK && hpf_sink_position(sink) > 1000),
              "%s, allocation %lu: %s", format, nth, err.message);
    hpr_fonts_destroy(fonts);
    hpf_sink_destroy(sink);
    return has_failed;
}

static void expect_clean_failures(hpr_look look, const char *format)
{
    char *text = make_profile();
    test_profile profile = test_profile_open(text, 0);
    hpr_options options = hpr_options_default(look);
    unsigned long nth = 1;
    while (fails_cleanly(profile.survey, &options, format, nth)) {
        nth += CASE_STEP * (1 + nth / 16);
    }
    cr_assert_gt(nth, 10);
    test_profile_close(&profile);
    free(text);
}

Test(draw_memory, modern)
{
    static const char *const formats[] = {"pdf", "eps", "png", "svg", "pgf", "json"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        expect_clean_failures(HPR_LOOK_MODERN, formats[i]);
    }
}

Test(draw_memory, classic)
{
    expect_clean_failures(HPR_LOOK_CLASSIC, "ps");
    expect_clean_failures(HPR_LOOK_CLASSIC, "png");
}
