/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A page is written whole, or memory is said to be missing: each of the first allocations fails in
 * turn, then some of the later ones.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "sanitizer.h"
#include "failing_alloc.h"
#include "hprender/html.h"
#include "profile.h"

/* Stacks, of more names than series are fetched at once, so that they are packed in one pass. The
 * caller frees it. */
static char *many_names(int n_names, int n_samples)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(PROFILE_HEADERS, out);
    for (int t = 0; t < n_samples; t++) {
        fprintf(out, "BEGIN_SAMPLE %d\n(1)name%d/main\t8\n(1)name%d/main\t16\nEND_SAMPLE %d\n", t,
                t % n_names, (7 * t + 1) % n_names, t);
    }
    fclose(out);
    return text;
}

/* Writes one profile with the nth allocation failing; false when there is none any more. */
static bool fails_cleanly(hpf_survey *survey, unsigned long nth)
{
    const hpr_html_profile about = {.size = sizeof about, .file = "run"};
    uint32_t *chosen = NULL;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_error err = {.status = HPF_OK};
    failing_alloc_arm(nth, false);
    hpf_status status = hpr_html_profile_json(survey, &about, sink, &chosen, &err);
    bool has_failed = failing_alloc_disarm();
    if (status != HPF_OK) {
        cr_assert_eq(status, HPF_ERR_MEMORY, "allocation %lu: %s", nth, err.message);
        cr_assert_null(chosen);
    } else {
        cr_assert_not_null(chosen);
    }
    free(chosen);
    hpf_sink_destroy(sink);
    return has_failed;
}

/* The same for a page that is a file, with the stacks of groups. */
static bool fails_cleanly_as_file(hpf_survey *survey, unsigned long nth)
{
    const char *const name = "run";
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.group = HPR_GROUP_PREFIX;
    options.n_prefix_parts = 1;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_error err = {.status = HPF_OK};
    failing_alloc_arm(nth, false);
    hpf_status status = hpr_html_write(&survey, &name, 1, &options, sink, &err);
    bool has_failed = failing_alloc_disarm();
    cr_assert(status == HPF_OK || status == HPF_ERR_MEMORY, "allocation %lu: %s", nth, err.message);
    cr_assert_eq(status == HPF_OK, !has_failed, "allocation %lu", nth);
    hpf_sink_destroy(sink);
    return has_failed;
}

static void expect_clean_failures(const char *text)
{
    test_profile profile = test_profile_open(text, 0);
    unsigned long nth = 1;
    for (bool has_failed = true; has_failed; nth += CASE_STEP * (1 + nth / 16)) {
        has_failed = fails_cleanly(profile.survey, nth);
        has_failed |= fails_cleanly_as_file(profile.survey, nth);
    }
    cr_assert_gt(nth, 10);
    test_profile_close(&profile);
}

Test(page_memory, series_by_batches)
{
    char *text = many_names(10, 30);
    expect_clean_failures(text);
    free(text);
}

Test(page_memory, series_in_one_pass)
{
    char *text = many_names(3000, 2000);
    expect_clean_failures(text);
    free(text);
}
