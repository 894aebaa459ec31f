/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparing texts, and numbers in front of names.
 */
#include <criterion/criterion.h>

#include "hpfile/str.h"

#include "base/names.h"

Test(str, equal_texts_have_equal_bytes_and_lengths)
{
    cr_expect(hpf_str_is(HPF_STR("bytes"), "bytes"));
    cr_expect_not(hpf_str_is(HPF_STR("byte"), "bytes"));
    cr_expect_not(hpf_str_is(HPF_STR("bytes"), "byte"));
    cr_expect(hpf_str_equal((hpf_str){NULL, 0}, HPF_STR("")));
    cr_expect_not(hpf_str_equal(HPF_STR("a\0b"), HPF_STR("a\0c")));
}

Test(str, the_rest_of_a_text)
{
    cr_expect(hpf_str_is(hpf_str_from(HPF_STR("abc"), 0), "abc"));
    cr_expect(hpf_str_is(hpf_str_from(HPF_STR("abc"), 1), "bc"));
    cr_expect(hpf_str_is(hpf_str_from(HPF_STR("abc"), 3), ""));
}

Test(str, only_a_number_in_front_is_stripped)
{
    static const struct {
        const char *name, *stripped;
    } cases[] = {
        {"(241)main", "main"}, {"()", "()"},   {"(12)", "(12)"},
        {"(1a)b", "(1a)b"},    {"", ""},       {"(", "("},
        {"(3", "(3"},          {"(,)", "(,)"}, {"()x", "()x"},
        {"(0)(1)y", "(1)y"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_str got = hpf__without_id((hpf_str){cases[i].name, strlen(cases[i].name)});
        cr_expect(hpf_str_is(got, cases[i].stripped), "%s", cases[i].name);
    }
}

/* A name keeps its id only if another one would be equal; the same name again is no other one. */
Test(str, ids_are_dropped_where_names_stay_different)
{
    static const char *const given[] = {"(1)main", "(2)f/main", "(3)f/main",
                                        "(1)main", "g",         "(4)g"};
    static const char *const expected[] = {"main", "(2)f/main", "(3)f/main", "main", "g", "(4)g"};
    enum { N = sizeof given / sizeof *given };
    hpf_str names[N];
    for (size_t i = 0; i < N; i++) {
        names[i] = (hpf_str){given[i], strlen(given[i])};
    }
    cr_assert(hpf__drop_ids(names, N));
    for (size_t i = 0; i < N; i++) {
        cr_expect(hpf_str_is(names[i], expected[i]), "%s", given[i]);
    }
    cr_expect(hpf__drop_ids(NULL, 0));
}
