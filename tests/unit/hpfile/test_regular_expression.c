/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Regular expressions: the ones that people write compile and match, the ones that repeat too much
 * are refused.
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
        {"[]{99}]{2}", "]}9]", "x9y"},
        {"x{1000}", NULL, "xx"},
        {"(ab{3}){200}", NULL, "abbb"},
        {"\\({2}", "((", "("},
        {"^(a{0,9}b?){1,9}$", "aab", "c"},
        {"^a{,2}b{,1}$", "ab", "abc"},
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

Test(regular_expression, those_that_people_use_are_accepted)
{
    static const char *const texts[] = {
        "",
        "main",
        "^main$",
        ".*",
        "^(.*)*$",
        "std::.*",
        "^std::(vector|map|basic_string)<.*>::",
        "operator(\\(\\)|\\[\\]|[-+*/<>=!]{1,3})$",
        "\\bmalloc\\b|\\bcalloc\\b|\\brealloc\\b|\\bfree\\b",
        "\\<(foo|bar)\\>|\\<baz\\>",
        "^(GHC|Data|Control)\\.([A-Z][A-Za-z0-9]*\\.)*[a-z]\\w*'{0,3}$",
        "^\\([0-9]+\\)[^/]+(/[^/]+)*$",
        "^(.*/)?([a-z0-9_]+)(\\.(c|h|cc|cpp|hpp|cxx))?(:[0-9]{1,5}){0,2}$",
        "^/(usr|opt|home/[^/]+)/(local/)?lib(32|64)?/.*\\.so(\\.[0-9]+)*$",
        "^(0x)?[0-9a-fA-F]{8,16}( <.*>)?$",
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "^([0-9]{1,3}\\.){3}[0-9]{1,3}(:[0-9]{2,5})?$",
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]*)?)?Z?)?$",
        "^[[:alnum:]._%+-]+@[[:alnum:].-]+\\.[[:alpha:]]{2,}$",
        "([a-z]*[0-9]*_?)*",
        "(\\w*\\s*,?)*",
        "(a|b|)*",
        "a?b?c?d?e?f?g?h?i?j?k?l?m?n?o?p?q?r?s?t?u?v?w?x?y?z?",
        "^.{0,255}$",
        "^(_?[A-Za-z]+[0-9]*){1,40}$",
        "(^|[^A-Za-z])(new|delete)($|[^A-Za-z])",
        "(^|,) *(a|b) *(,|$)",
        "\\.(constprop|isra|part|cold)(\\.[0-9]+)?$",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        regex_t r;
        hpf_error err = {0};
        cr_assert_eq(hpf__regular_expression(&r, texts[i], &err), HPF_OK, "%s", err.message);
        regfree(&r);
    }
}

Test(regular_expression, those_that_repeat_too_much_are_refused)
{
    static const char *const texts[] = {
        "((a{1,255}){1,255}){1,255}",
        "(((a?){1,20}){1,20}){1,20}",
        "(a?){32767}",
        "a{5000}",
        "a{,5000}",
        "((x{99}){99})",
        "((x{0\\,99}){99})",
        "{99999999999999999999}a{99999999999999999999}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        regex_t r;
        hpf_error err = {0};
        cr_expect_eq(hpf__regular_expression(&r, texts[i], &err), HPF_ERR_LIMIT, "%s", texts[i]);
        cr_expect(strstr(err.message, "4096"), "%s", err.message);
    }
}

Test(regular_expression, a_long_one_is_refused)
{
    char text[4099];
    hpf_error err;
    regex_t r;
    memset(text, '(', 4098);
    text[4097] = '\0';
    cr_expect_eq(hpf__regular_expression(&r, text, &err), HPF_ERR_LIMIT);
    text[4096] = '\0';
    cr_expect_eq(hpf__regular_expression(&r, text, &err), HPF_ERR_ARGUMENT);
}

Test(regular_expression, an_invalid_one_is_named)
{
    regex_t r;
    hpf_error err;
    cr_expect_eq(hpf__regular_expression(&r, "a(b", &err), HPF_ERR_ARGUMENT);
    cr_expect_str_eq(err.message, "invalid regular expression 'a(b': Unmatched ( or \\(");
}
