/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Regular expressions: those of people compile and match, those that take too much memory are
 * refused.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular_expression.h"

Test(regular_expression, ordinary_ones_match)
{
    static const struct {
        const char *expression, *match, *other;
    } cases[] = {
        {"^(a|b)*c{2,5}[[:alpha:]]+$", "abccx", "abcx"},
        {"[]{9999}]{2}", "]}9]", "x9y"},
        {"x{1000}", NULL, "xx"},
        {"(ab{3}){200}", NULL, "abbb"},
        {"\\({2}", "((", "("},
        {"^(a{0,60}b?){1,60}$", "aab", "c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        regex_t r;
        hpf_error err = {0};
        cr_assert_eq(hpf__regular_expression(&r, cases[i].expression, &err), HPF_OK, "%s: %s",
                     cases[i].expression, err.message);
        cr_expect(!cases[i].match || regexec(&r, cases[i].match, 0, NULL, 0) == 0, "%s",
                  cases[i].expression);
        cr_expect_neq(regexec(&r, cases[i].other, 0, NULL, 0), 0, "%s", cases[i].expression);
        regfree(&r);
    }
}

Test(regular_expression, too_large_ones_are_refused)
{
    static const char *const texts[] = {
        "((a{1,255}){1,255}){1,255}",
        "(((a?){1,20}){1,20}){1,20}",
        "(a?){32767}",
        "a{5000}",
        "([a-z]{100}|b){30,}{2}",
        "((x{99}){99})",
        "(((((a{9}){9}){9}){9}){9})",
        "[[:alpha:]]{3000}[]a]{1500}",
        "(a{4000}){2}(",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        regex_t r;
        hpf_error err = {0};
        cr_expect_eq(hpf__regular_expression(&r, texts[i], &err), HPF_ERR_LIMIT, "%s", texts[i]);
        cr_expect(strstr(err.message, "4096"), "%s", err.message);
    }
}

Test(regular_expression, long_and_deep_ones_are_refused)
{
    enum { LENGTH = 100000 };
    char *text = calloc(LENGTH + 1, 1);
    hpf_error err;
    regex_t r;
    memset(text, '(', LENGTH);
    cr_expect_eq(hpf__regular_expression(&r, text, &err), HPF_ERR_LIMIT);
    memset(text, 'a', LENGTH);
    cr_expect_eq(hpf__regular_expression(&r, text, &err), HPF_ERR_LIMIT);
    free(text);
}

Test(regular_expression, an_invalid_one_is_named)
{
    regex_t r;
    hpf_error err;
    cr_expect_eq(hpf__regular_expression(&r, "a(b", &err), HPF_ERR_ARGUMENT);
    cr_expect_str_eq(err.message, "invalid regular expression 'a(b': Unmatched ( or \\(");
}
