/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matching the names of several profiles: which are one, and which are not.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hpfile/match.h"
#include "hpfile/str.h"
#include "profile.h"

enum { MOST = HPF_MATCH_MOST + 1 };

typedef struct matched {
    test_profile profiles[MOST];
    hpf_survey *surveys[MOST];
    size_t n;
    hpf_match *match; /* NULL: refused */
    hpf_error err;
} matched;

/* Each text is the names of one profile, each followed by a blank. */
static void match(matched *m, const char *const *texts, size_t n)
{
    *m = (matched){.n = n};
    for (size_t i = 0; i < n; i++) {
        char text[1024];
        int length = snprintf(text, sizeof text, "%sBEGIN_SAMPLE 1\n", PROFILE_HEADERS);
        for (const char *name = texts[i]; *name; name += strcspn(name, " ") + 1) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%.*s\t1\n",
                               (int)strcspn(name, " "), name);
        }
        snprintf(text + length, sizeof text - (size_t)length, "END_SAMPLE 1\n");
        m->profiles[i] = test_profile_open(text, 0);
        m->surveys[i] = m->profiles[i].survey;
    }
    hpf_status status = hpf_match_create(&m->match, m->surveys, n, false, &m->err);
    cr_assert_eq(status == HPF_OK, m->match != NULL);
}

static void finish(matched *m)
{
    hpf_match_destroy(m->match);
    for (size_t i = 0; i < m->n; i++) {
        test_profile_close(&m->profiles[i]);
    }
}

/* The row of a name of a profile. */
static uint32_t row_of(const matched *m, size_t which, const char *name)
{
    for (hpf_name i = 0; i < hpf_survey_n_names(m->surveys[which]); i++) {
        if (hpf_str_is(hpf_survey_name(m->surveys[which], i), name)) {
            return hpf_match_row(m->match, which, i);
        }
    }
    cr_assert_fail("profile %zu has no %s", which, name);
    return 0;
}

Test(match, numbers_of_stacks_are_ignored)
{
    matched m;
    match(&m, (const char *const[]){"(1)f/g b ", "(22)f/g ", "c (333)f/g (4)f/g "}, 3);
    uint32_t row = row_of(&m, 0, "(1)f/g");
    cr_expect_eq(hpf_match_n_rows(m.match), 3);
    cr_expect(hpf_str_is(hpf_match_name(m.match, row), "f/g"));
    cr_expect_eq(row_of(&m, 1, "(22)f/g"), row);
    cr_expect_eq(row_of(&m, 2, "(333)f/g"), row);
    cr_expect_eq(row_of(&m, 2, "(4)f/g"), row);
    cr_expect_neq(row_of(&m, 0, "b"), row_of(&m, 2, "c"));
    finish(&m);
}

/* A `.hp` file cuts, the log of the same program does not. */
Test(match, a_truncated_name_matches_the_only_name_that_begins_with_it)
{
    matched m;
    match(&m,
          (const char *const[]){"(99)f/g/ma... (7)h/i... k/m... ", "(9)f/g/mai... ",
                                "f/g/main h/i/a h/i/b k/m k/max k/z "},
          3);
    cr_expect_eq(row_of(&m, 0, "(99)f/g/ma..."), row_of(&m, 2, "f/g/main"));
    cr_expect_eq(row_of(&m, 1, "(9)f/g/mai..."), row_of(&m, 2, "f/g/main"));
    cr_expect(hpf_str_is(hpf_match_name(m.match, row_of(&m, 0, "(99)f/g/ma...")), "f/g/main"));
    cr_expect_neq(row_of(&m, 0, "(7)h/i..."), row_of(&m, 2, "h/i/a"));
    cr_expect_neq(row_of(&m, 0, "(7)h/i..."), row_of(&m, 2, "h/i/b"));
    cr_expect_eq(row_of(&m, 0, "k/m..."), row_of(&m, 2, "k/max"));
    finish(&m);
    match(&m, (const char *const[]){"f/g/ma... f/g/main ", "f/g/main "}, 2);
    cr_expect_neq(row_of(&m, 0, "f/g/ma..."), row_of(&m, 1, "f/g/main"));
    finish(&m);
    match(&m, (const char *const[]){"a/b... y/z... ", "a/bc a/bd y/za "}, 2);
    cr_expect_neq(row_of(&m, 0, "a/b..."), row_of(&m, 1, "a/bc"), "the first of all names");
    cr_expect_neq(row_of(&m, 0, "a/b..."), row_of(&m, 1, "a/bd"));
    cr_expect_eq(row_of(&m, 0, "y/z..."), row_of(&m, 1, "y/za"), "the last of all names");
    finish(&m);
}

Test(match, a_chain_of_truncated_names_is_shown_as_the_longest)
{
    matched m;
    match(&m, (const char *const[]){"(999)f/g/ma... ", "(9)f/g/main... ", "(99)f/g/mai... "}, 3);
    cr_expect_eq(hpf_match_n_rows(m.match), 1);
    cr_expect(hpf_str_is(hpf_match_name(m.match, 0), "f/g/main..."));
    finish(&m);
}

Test(match, a_profile_with_both_names_prevents_a_match)
{
    matched m;
    match(&m, (const char *const[]){"(99)f/ma... ", "(9)f/mai... (8)f/main... ", "x "}, 3);
    cr_expect_eq(hpf_match_n_rows(m.match), 4);
    finish(&m);
}

Test(match, two_candidates_prevent_a_match)
{
    matched m;
    match(&m, (const char *const[]){"(99)f/m... ", "(9)f/ma... ", "(9)f/mi... "}, 3);
    cr_expect_eq(hpf_match_n_rows(m.match), 3);
    finish(&m);
}

Test(match, truncations_of_very_different_lengths_do_not_match)
{
    matched m;
    match(&m, (const char *const[]){"(1)ab... ", "(1)abcd... ", "(1)abcdef... "}, 3);
    cr_expect_eq(hpf_match_n_rows(m.match), 3);
    finish(&m);
}

Test(match, a_name_in_all_profiles_matches_no_truncated_one)
{
    matched m;
    match(&m, (const char *const[]){"(9)f/ma... (9)f/m... ", "(9)f/ma... "}, 2);
    cr_expect_eq(hpf_match_n_rows(m.match), 2);
    finish(&m);
}

Test(match, the_number_of_profiles_has_a_limit)
{
    static const char *texts[MOST];
    matched m;
    for (size_t i = 0; i < MOST; i++) {
        texts[i] = "(1)f ";
    }
    match(&m, texts, HPF_MATCH_MOST);
    cr_expect_eq(hpf_match_n_rows(m.match), 1);
    finish(&m);
    match(&m, texts, MOST);
    cr_expect_eq(m.err.status, HPF_ERR_LIMIT);
    finish(&m);
}
