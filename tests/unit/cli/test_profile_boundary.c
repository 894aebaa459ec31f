/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Consecutive profiles in one stream, split at any byte.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "watch/inputs/profile_boundary.h"

/* The bytes that the profiles of a stream received, separated by bars. */
typedef struct received {
    char text[2000];
    profile_boundary r;
} received;

static void add(received *t, const char *bytes, size_t n_bytes)
{
    size_t length = strlen(t->text);
    cr_assert_lt(length + n_bytes, sizeof t->text);
    memcpy(t->text + length, bytes, n_bytes);
}

static void feed(received *t, const char *bytes, size_t n_bytes)
{
    while (n_bytes > 0) {
        bool is_another;
        size_t n = profile_boundary_find(&t->r, bytes, n_bytes, &is_another);
        add(t, bytes, n);
        if (is_another) {
            add(t, "|" PROFILE_FIRST_WORD, 1 + strlen(PROFILE_FIRST_WORD));
        }
        bytes += n;
        n_bytes -= n;
    }
}

/* Checks the profiles for every way to split the stream in two. */
static void check(const char *stream, const char *expected)
{
    for (size_t cut = 0; cut <= strlen(stream); cut++) {
        received t = {.text = ""};
        feed(&t, stream, cut);
        feed(&t, stream + cut, strlen(stream) - cut);
        cr_expect_str_eq(t.text, expected, "cut at %zu: %s", cut, t.text);
    }
}

#define HEADER  "JOB \"a\"\nDATE \"d\"\n"
#define SAMPLES "BEGIN_SAMPLE 1\nx\t1\nEND_SAMPLE 1\n"

Test(profile_boundary, one_profile)
{
    check(HEADER SAMPLES SAMPLES, HEADER SAMPLES SAMPLES);
    check("DATE \"d\"\n" HEADER SAMPLES, "DATE \"d\"\n" HEADER SAMPLES);
    check("", "");
}

Test(profile_boundary, another_starts_after_samples)
{
    check(HEADER SAMPLES HEADER SAMPLES, HEADER SAMPLES "JOB \"|" HEADER SAMPLES);
    check(HEADER SAMPLES HEADER SAMPLES HEADER,
          HEADER SAMPLES "JOB \"|" HEADER SAMPLES "JOB \"|" HEADER);
}

Test(profile_boundary, another_starts_after_incomplete_sample)
{
    check(HEADER "BEGIN_SAMPLE 1\nx\t1\n" HEADER SAMPLES,
          HEADER "BEGIN_SAMPLE 1\nx\t1\nJOB \"|" HEADER SAMPLES);
}

Test(profile_boundary, word_counts_only_at_start_of_line)
{
    static const char text[] = HEADER "BEGIN_SAMPLE 1\nx JOB \"\t1\n\nJOB\n JOB \"\nEND_SAMPLE 1\n";
    check(text, text);
}

Test(profile_boundary, logs_are_not_searched)
{
    static const char text[] = "hdrb\nBEGIN\n" HEADER SAMPLES HEADER;
    check(text, text);
}

Test(profile_boundary, pause_starts_a_line)
{
    received t = {.text = ""};
    feed(&t, HEADER SAMPLES "half", strlen(HEADER SAMPLES "half"));
    cr_assert_not(profile_boundary_pause(&t.r));
    feed(&t, HEADER, strlen(HEADER));
    cr_assert_str_eq(t.text, HEADER SAMPLES "halfJOB \"|" HEADER);
}

Test(profile_boundary, pause_starts_another_log)
{
    received t = {.text = ""};
    feed(&t, "hdrb", 4);
    cr_assert(profile_boundary_pause(&t.r));
}
