/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Aligning the times of two runs: by marks, by share of the run, and by large steps.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/diff.h"
#include "profile.h"

enum { TEXT_BYTES = 8192 };

/* Appends a sample of one name. */
static void add(char *text, double time, double amount)
{
    size_t n = strlen(text);
    snprintf(text + n, TEXT_BYTES - n, "BEGIN_SAMPLE %g\na %g\nEND_SAMPLE %g\n", time, amount,
             time);
}

/* A profile, and the lines of its sidecar file, with marks; NULL: none. */
typedef struct input {
    const char *profile, *sidecar;
} input;

static test_profile open_input(const input *in)
{
    test_profile out = test_profile_open(in->profile, 0);
    if (in->sidecar) {
        hpf_source *source;
        hpf_str text = {in->sidecar, strlen(in->sidecar)};
        cr_assert_eq(hpf_source_from_memory(&source, text, NULL, NULL), HPF_OK);
        cr_assert_eq(hpf_survey_add_sidecar(out.survey, source, NULL), HPF_OK);
        hpf_source_destroy(source);
    }
    return out;
}

/* Aligns two profiles, and checks what a time of the first is mapped to. */
static void expect_of(const input *before, const input *after, hpf_align by, hpf_align used,
                      const double (*pairs)[2], size_t n)
{
    test_profile a = open_input(before), b = open_input(after);
    hpf_alignment alignment;
    hpf_error err;
    cr_assert_eq(hpf_alignment_make(&alignment, a.survey, b.survey, by, &err), HPF_OK, "%s",
                 err.message);
    cr_expect_eq(alignment.by, used);
    for (size_t i = 0; i < n; i++) {
        cr_expect_float_eq(hpf_alignment_map(&alignment, pairs[i][0]), pairs[i][1], 0.01, "%g: %g",
                           pairs[i][0], hpf_alignment_map(&alignment, pairs[i][0]));
    }
    for (size_t i = 1; i < alignment.n_knots; i++) {
        cr_expect(alignment.knots[i].old_time > alignment.knots[i - 1].old_time &&
                  alignment.knots[i].new_time > alignment.knots[i - 1].new_time);
    }
    hpf_alignment_finish(&alignment);
    test_profile_close(&a);
    test_profile_close(&b);
}

#define EXPECT(before, after, by, used, ...)                                                       \
    do {                                                                                           \
        static const double pairs[][2] = {__VA_ARGS__};                                            \
        const input inputs[] = {{before, NULL}, {after, NULL}};                                    \
        expect_of(&inputs[0], &inputs[1], by, used, pairs, sizeof pairs / sizeof *pairs);          \
    } while (0)

#define SAMPLE(time)      "BEGIN_SAMPLE " #time "\na 5\nEND_SAMPLE " #time "\n"
#define AT(time)          "MARK " #time "\n"
#define MARK(time, label) #time "\tmark\t" label "\n"

static const char *const ten = PROFILE_HEADERS SAMPLE(0) SAMPLE(5) SAMPLE(10);
static const char *const twenty = PROFILE_HEADERS SAMPLE(0) SAMPLE(20);

Test(align, without_marks_by_share_of_the_run)
{
    EXPECT(ten, twenty, HPF_ALIGN_AUTO, HPF_ALIGN_SHARE, {0, 0}, {5, 10}, {10, 20});
    EXPECT(twenty, ten, HPF_ALIGN_SHARE, HPF_ALIGN_SHARE, {10, 5});
    EXPECT(ten, twenty, HPF_ALIGN_TIME, HPF_ALIGN_TIME, {5, 5}, {10, 10});
}

Test(align, empty_samples_at_the_end_do_not_count)
{
    EXPECT(PROFILE_HEADERS SAMPLE(0) SAMPLE(10) "BEGIN_SAMPLE 30\nEND_SAMPLE 30\n", twenty,
           HPF_ALIGN_AUTO, HPF_ALIGN_SHARE, {5, 10});
}

Test(align, one_sample_is_aligned_by_time)
{
    EXPECT(PROFILE_HEADERS SAMPLE(3), twenty, HPF_ALIGN_AUTO, HPF_ALIGN_TIME, {3, 3});
}

Test(align, by_marks_that_both_have_in_this_order)
{
    static const input before = {PROFILE_HEADERS SAMPLE(0) AT(1) AT(2) AT(4) AT(6) AT(8) SAMPLE(10),
                                 "time\twhat\tvalue\n" MARK(1, "read") MARK(2, "lap") MARK(4, "lap")
                                     MARK(6, "old") MARK(8, "done")};
    static const input after = {PROFILE_HEADERS SAMPLE(0) AT(5) AT(6) AT(7) AT(12) AT(16)
                                    SAMPLE(20),
                                "time\twhat\tvalue\n" MARK(5, "done") MARK(6, "read") MARK(7, "new")
                                    MARK(12, "lap") MARK(16, "done")};
    static const double pairs[][2] = {{0, 0}, {0.5, 3}, {1, 6}, {8, 16}, {10, 20}};
    expect_of(&before, &after, HPF_ALIGN_AUTO, HPF_ALIGN_MARKS, pairs, 5);
    expect_of(&before, &after, HPF_ALIGN_SHARE, HPF_ALIGN_SHARE, (const double[][2]){{5, 10}}, 1);
}

Test(align, marks_are_required_on_request)
{
    test_profile a = test_profile_open(ten, 0), b = test_profile_open(twenty, 0);
    hpf_alignment alignment;
    hpf_error err;
    cr_expect_eq(hpf_alignment_make(&alignment, a.survey, b.survey, HPF_ALIGN_MARKS, &err),
                 HPF_ERR_UNSUPPORTED);
    test_profile_close(&a);
    test_profile_close(&b);
}

/* A peak of one sample, which the second run samples a little later: samples before, in and after
 * it belong together. */
Test(align, by_large_steps_near_each_other)
{
    char before[TEXT_BYTES] = PROFILE_HEADERS, after[TEXT_BYTES] = PROFILE_HEADERS;
    for (int i = 0; i <= 100; i++) {
        add(before, i, i == 50 ? 90 : 10);
        add(after, i, i == 52 ? 100 : 10);
    }
    EXPECT(before, after, HPF_ALIGN_AUTO, HPF_ALIGN_SHARE, {49, 51}, {50, 52}, {51, 53},
           {100, 100});
}

/* A rise that one run samples inside, and the other does not: amounts on the way belong together.
 */
Test(align, by_slopes_between_samples)
{
    char before[TEXT_BYTES] = PROFILE_HEADERS, after[TEXT_BYTES] = PROFILE_HEADERS;
    for (int i = 0; i <= 100; i++) {
        add(before, i, i < 50 ? 10 : 90);
        add(after, i, i < 51 ? 10 : i == 51 ? 30 : 90);
    }
    EXPECT(before, after, HPF_ALIGN_AUTO, HPF_ALIGN_SHARE, {49, 50}, {49.25, 51}, {50, 52},
           {47, 47}, {53, 53});
}

Test(align, steps_of_other_size_or_time_are_not_shifted)
{
    char before[TEXT_BYTES] = PROFILE_HEADERS, larger[TEXT_BYTES] = PROFILE_HEADERS,
         later[TEXT_BYTES] = PROFILE_HEADERS;
    for (int i = 0; i <= 100; i++) {
        add(before, i, i == 50 ? 90 : 10);
        add(larger, i, i == 52 ? 190 : 10);
        add(later, i, i == 70 ? 90 : 10);
    }
    EXPECT(before, larger, HPF_ALIGN_AUTO, HPF_ALIGN_SHARE, {50, 50});
    EXPECT(before, later, HPF_ALIGN_AUTO, HPF_ALIGN_SHARE, {50, 50});
}
