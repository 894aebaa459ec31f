/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparing profiles: which names are one row, and what its amounts are.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hpfile/diff.h"
#include "hpfile/str.h"
#include "profile.h"
#include "rng.h"

typedef struct pair {
    test_profile old_one, new_one;
    hpf_diff *diff;
} pair;

static pair compare(const char *before, const char *after)
{
    pair p = {test_profile_open(before, 0), test_profile_open(after, 0), NULL};
    hpf_error err = {.status = HPF_OK};
    cr_assert_eq(hpf_diff_create(&p.diff, p.old_one.survey, p.new_one.survey, true, &err), HPF_OK,
                 "%s", err.message);
    return p;
}

static void finish(pair *p)
{
    hpf_diff_destroy(p->diff);
    test_profile_close(&p->old_one);
    test_profile_close(&p->new_one);
}

static const hpf_diff_row *find(const pair *p, const char *name)
{
    for (uint32_t i = 0; i < hpf_diff_n_rows(p->diff); i++) {
        if (hpf_str_is(hpf_diff_rows(p->diff)[i].name, name)) {
            return &hpf_diff_rows(p->diff)[i];
        }
    }
    cr_assert_fail("there is no row %s", name);
    return NULL;
}

static void expect(const hpf_diff_row *row, int side, double mean, double peak, double end)
{
    cr_expect_float_eq(row->amounts[side][HPF_DIFF_MEAN], mean, 1e-9, "%g",
                       row->amounts[side][HPF_DIFF_MEAN]);
    cr_expect_float_eq(row->amounts[side][HPF_DIFF_PEAK], peak, 0);
    cr_expect_float_eq(row->amounts[side][HPF_DIFF_END], end, 0);
}

/* Old: over 2 seconds a is 10, 30, 20 and b is 0, 5, 50. New: every half second, for 1 second. */
static const char *const old_one = PROFILE_HEADERS
    "BEGIN_SAMPLE 0\n(1)a 10\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\n(1)a 30\nb 5\nEND_SAMPLE 1\n"
    "BEGIN_SAMPLE 2\n(1)a 20\nb 50\nEND_SAMPLE 2\nBEGIN_SAMPLE 2\nEND_SAMPLE 2\n";
static const char *const new_one =
    PROFILE_HEADERS "BEGIN_SAMPLE 0\n(77)a 4\nEND_SAMPLE 0\nBEGIN_SAMPLE 0.5\n(77)a 40\n(78)a 2\n"
                    "END_SAMPLE 0.5\nBEGIN_SAMPLE 1\n(77)a 6\nc 1\nEND_SAMPLE 1\n";

Test(diff, amounts_are_of_the_mean_the_peak_and_the_end)
{
    pair p = compare(old_one, new_one);
    cr_assert_eq(hpf_diff_n_rows(p.diff), 3);
    const hpf_diff_row *a = find(&p, "a");
    expect(a, 0, (20 + 25) / 2.0, 20, 20);
    expect(a, 1, (23 + 24) / 2.0, 42, 6);
    expect(find(&p, "b"), 0, (2.5 + 27.5) / 2, 50, 50);
    expect(find(&p, "b"), 1, 0, 0, 0);
    expect(find(&p, "c"), 1, 0.25, 0, 1);
    expect(hpf_diff_total(p.diff), 0, (22.5 + 52.5) / 2, 70, 70);
    expect(hpf_diff_total(p.diff), 1, 23.75, 42, 7);
    cr_expect(a->n_names[0] == 1 && a->n_names[1] == 2);
    finish(&p);
}

Test(diff, the_largest_change_comes_first)
{
    pair p = compare(old_one, new_one);
    cr_expect(hpf_str_is(hpf_diff_rows(p.diff)[0].name, "b"));
    hpf_diff_sort(p.diff, HPF_DIFF_END);
    cr_expect(hpf_str_is(hpf_diff_rows(p.diff)[1].name, "a"));
    cr_expect(hpf_str_is(hpf_diff_rows(p.diff)[2].name, "c"));
    hpf_diff_row rest = hpf_diff_join(p.diff, 1);
    cr_expect_eq(hpf_diff_change(&rest, HPF_DIFF_END), -14 + 1);
    cr_expect(rest.n_names[0] == 1 && rest.n_names[1] == 3);
    finish(&p);
}

#define ONE(name)        PROFILE_HEADERS "BEGIN_SAMPLE 0\n" name "\t1\nEND_SAMPLE 0\n"
#define TWO(name, other) PROFILE_HEADERS "BEGIN_SAMPLE 0\n" name "\t1\n" other "\t1\nEND_SAMPLE 0\n"

/* How many rows the names of two profiles make. */
static void expect_rows(const char *before, const char *after, uint32_t n_rows)
{
    pair p = compare(before, after);
    cr_expect_eq(hpf_diff_n_rows(p.diff), n_rows, "%u rows", hpf_diff_n_rows(p.diff));
    for (int side = 0; side < 2; side++) {
        hpf_survey *survey = side ? p.new_one.survey : p.old_one.survey;
        for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
            bool is_used = hpf_survey_totals(survey, i)->n_samples > 0;
            uint32_t row = hpf_diff_row_of_name(p.diff, side, i);
            cr_expect(is_used ? row < n_rows : row == HPF_NO_ROW);
        }
    }
    finish(&p);
}

Test(diff, a_number_in_front_makes_no_difference)
{
    expect_rows(ONE("(12)f/g"), ONE("(3456)f/g"), 1);
    expect_rows(ONE("(12)f/g"), ONE("f/g"), 1);
    expect_rows(ONE("(12)f/g"), ONE("(12)f/h"), 2);
    expect_rows(ONE("(12)"), ONE("(13)"), 2);
}

Test(diff, names_truncated_earlier_by_a_longer_number_match)
{
    expect_rows(ONE("(99)walk/eval/mai..."), ONE("(100)walk/eval/ma..."), 1);
    expect_rows(ONE("(1000)walk/eval/m..."), ONE("(1)walk/eval/main..."), 1);
    expect_rows(ONE("(9)walk/eval/main/x..."), ONE("(10000)walk/eval/m..."), 2);
    expect_rows(ONE("(99)walk/eval/mai..."), ONE("(99)walk/eval/ma"), 2);
    expect_rows(ONE("walk/a..."), ONE("walk/b..."), 2);
}

Test(diff, several_candidates_match_nothing)
{
    expect_rows(TWO("(1)walk/ab...", "(2)walk/ac..."), ONE("(100)walk/a..."), 3);
    expect_rows(ONE("(100)walk/a..."), TWO("(1)walk/ab...", "(2)walk/ac..."), 3);
    expect_rows(TWO("(1)walk/a...", "(2)walk/abc..."), ONE("(100)walk/ab..."), 3);
}

Test(diff, the_longer_of_two_cut_names_is_shown)
{
    pair p = compare(ONE("(100)walk/eval/ma..."), ONE("(99)walk/eval/mai..."));
    const hpf_diff_row *row = find(&p, "walk/eval/mai...");
    cr_expect(row->n_names[0] == 1 && row->n_names[1] == 1);
    finish(&p);
}

Test(diff, names_of_incomplete_samples_have_no_row)
{
    expect_rows(PROFILE_HEADERS "BEGIN_SAMPLE 0\na 1\nEND_SAMPLE 0\n",
                PROFILE_HEADERS "BEGIN_SAMPLE 0\na 1\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\nb 1\n", 1);
}

static void write_random(char *out, size_t room, rng *r)
{
    size_t n = (size_t)snprintf(out, room, "%s", PROFILE_HEADERS);
    for (size_t i = 0; i < 1 + rng_below(r, 9); i++) {
        n += (size_t)snprintf(out + n, room - n, "BEGIN_SAMPLE %zu\n", i);
        for (uint64_t k = rng_below(r, 12); k > 0; k--) {
            n += (size_t)snprintf(
                out + n, room - n, "(%llu)n%llu\t%llu\n", (unsigned long long)rng_below(r, 3),
                (unsigned long long)rng_below(r, 7), (unsigned long long)rng_below(r, 1000));
        }
        n += (size_t)snprintf(out + n, room - n, "END_SAMPLE %zu\n", i);
    }
}

Test(diff, rows_add_up_to_the_total)
{
    rng r = {3};
    for (int round = 0; round < 100; round++) {
        static char before[16384], after[16384];
        write_random(before, sizeof before, &r);
        write_random(after, sizeof after, &r);
        pair p = compare(before, after);
        hpf_diff_row sum = hpf_diff_join(p.diff, 0);
        const hpf_diff_row *total = hpf_diff_total(p.diff);
        for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
            cr_expect_float_eq(sum.amounts[0][m], total->amounts[0][m], 1e-6);
            cr_expect_float_eq(sum.amounts[1][m], total->amounts[1][m], 1e-6);
        }
        finish(&p);
    }
}
