/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tokens: where each ends, what cannot be emitted without more bytes, and that more bytes never
 * change what was emitted.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "hp/hp_lex.h"
#include "rng.h"

static hpf__lexed lex_number(hpf__number_token *token, const char *text, bool is_final)
{
    return hpf__lex_number(token, text, text + strlen(text), is_final);
}

typedef struct number_example {
    const char *text;
    hpf__lexed expected;
    size_t length;
    double value;
    bool is_whole;
} number_example;

/* In the middle of an input. */
static const number_example numbers[] = {
    {"5\n", HPF__LEXED, 1, 5, true},
    {"007 ", HPF__LEXED, 3, 7, true},
    {"5bar 6", HPF__LEXED, 1, 5, true},
    {"5.5 ", HPF__LEXED, 3, 5.5, false},
    {"5. ", HPF__LEXED, 2, 5, false},
    {"5.x", HPF__LEXED, 2, 5, false},
    {"1.5.7 ", HPF__LEXED, 5, 1.5, false},
    {"1..7 ", HPF__LEXED, 4, 1, false},
    {"18446744073709551615\n", HPF__LEXED, 20, 18446744073709551615.0, true},
    {"18446744073709551616\n", HPF__LEXED, 20, 18446744073709551616.0, false},
    {"99999999999999999999999999999999\n", HPF__LEXED, 32, 1e32, false},
    {"00000000000000000000000000000001\n", HPF__LEXED, 32, 1, true},
    /* Exponents, unless hp2ps would go on with a name and its value. */
    {"5e3\nx", HPF__LEXED, 3, 5000, false},
    {"5E+3 x", HPF__LEXED, 4, 5000, false},
    {"2.5e-1\nx", HPF__LEXED, 6, 0.25, false},
    {"5e3 6", HPF__LEXED, 1, 5, true},
    {"5e3\t6", HPF__LEXED, 1, 5, true},
    {"5e3\n6\nx", HPF__LEXED, 1, 5, true},
    {"5e3\n6\t7", HPF__LEXED, 3, 5000, false},
    {"5e3\n6x\t7", HPF__LEXED, 3, 5000, false},
    {"5e ", HPF__LEXED, 1, 5, true},
    {"5e+ 6", HPF__LEXED, 1, 5, true},
    {"5e3x 6", HPF__LEXED, 1, 5, true},
    {"5.5.5e3 x", HPF__LEXED, 5, 5.5, false},
    /* Too long, too large, none at all. */
    {"999999999999999999999999999999999\nx", HPF__LEX_LONG, 0, 0, false},
    {"111111111111111111111111111111119 8", HPF__LEXED, 32, 11111111111111111111111111111111.0,
     false},
    {"111111111111111111111111111111119foo\n8", HPF__LEXED, 32, 11111111111111111111111111111111.0,
     false},
    {"1111111111111111111111111111e11111 x", HPF__LEX_LONG, 0, 0, false},
    {"9e99\nx", HPF__LEXED, 4, 9e99, false},
    {"1e100\nx", HPF__LEX_HUGE, 0, 0, false},
    {"1e999\nx", HPF__LEX_HUGE, 0, 0, false},
    {"1e-999\nx", HPF__LEXED, 6, 0, false},
    {"-5 ", HPF__LEX_BAD, 0, 0, false},
    {"+5 ", HPF__LEX_BAD, 0, 0, false},
    {".5 ", HPF__LEX_BAD, 0, 0, false},
    {"x", HPF__LEX_BAD, 0, 0, false},
    /* Not to be emitted yet. */
    {"", HPF__LEX_MORE, 0, 0, false},
    {"5", HPF__LEX_MORE, 0, 0, false},
    {"5.", HPF__LEX_MORE, 0, 0, false},
    {"5e", HPF__LEX_MORE, 0, 0, false},
    {"5e3", HPF__LEX_MORE, 0, 0, false},
    {"5e3 ", HPF__LEX_MORE, 0, 0, false},
    {"5e3\n6", HPF__LEX_MORE, 0, 0, false},
    {"5e3\n6 ", HPF__LEX_MORE, 0, 0, false},
    {"999999999999999999999999999999999", HPF__LEX_MORE, 0, 0, false},
    {"999999999999999999999999999999999 ", HPF__LEX_MORE, 0, 0, false},
};

Test(hp_lex, numbers_end_where_hp2ps_ends_them)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const number_example *e = &numbers[i];
        hpf__number_token token = {0};
        hpf__lexed lexed = lex_number(&token, e->text, false);
        cr_expect_eq(lexed, e->expected, "'%s' gives %d", e->text, (int)lexed);
        if (lexed == HPF__LEXED && e->expected == HPF__LEXED) {
            cr_expect_eq((size_t)(token.end - e->text), e->length, "'%s'", e->text);
            cr_expect_eq(token.real, e->value, "'%s' is %g", e->text, token.real);
            cr_expect_eq(token.is_whole, e->is_whole, "'%s'", e->text);
            cr_expect(!token.is_whole || (double)token.whole == e->value, "'%s'", e->text);
        }
    }
}

Test(hp_lex, a_number_at_the_end_of_the_input)
{
    static const number_example finals[] = {
        {"", HPF__LEX_BAD, 0, 0, false},       {"5", HPF__LEXED, 1, 5, true},
        {"5.", HPF__LEXED, 2, 5, false},       {"5e", HPF__LEXED, 1, 5, true},
        {"5e3", HPF__LEXED, 3, 5000, false},   {"5e3 ", HPF__LEXED, 3, 5000, false},
        {"5e3 6", HPF__LEXED, 1, 5, true},     {"5e3\n6", HPF__LEXED, 1, 5, true},
        {"5e3\n6 \n", HPF__LEXED, 1, 5, true},
    };
    for (size_t i = 0; i < sizeof finals / sizeof *finals; i++) {
        hpf__number_token token = {0};
        cr_expect_eq(lex_number(&token, finals[i].text, true), finals[i].expected, "'%s'",
                     finals[i].text);
        cr_expect(finals[i].expected != HPF__LEXED ||
                      ((size_t)(token.end - finals[i].text) == finals[i].length &&
                       token.real == finals[i].value),
                  "'%s' is %g", finals[i].text, token.real);
    }
}

/* What was emitted of a prefix holds for the whole. Every prefix is lexed from memory that ends
 * with it. */
Test(hp_lex, more_bytes_never_change_a_number)
{
    static const char *const parts[] = {"5",
                                        "12",
                                        ".",
                                        "e3",
                                        "E",
                                        "+",
                                        "-",
                                        " ",
                                        "\n",
                                        "\t",
                                        "x",
                                        "0000000000",
                                        "1111111111111111111111111111",
                                        "9 ",
                                        "\n7"};
    rng chance = {29};
    for (int round = 0; round < 20000; round++) {
        char text[200] = "1";
        for (uint64_t n = rng_below(&chance, 8); n; n--) {
            strcat(text, parts[rng_below(&chance, sizeof parts / sizeof *parts)]);
        }
        size_t length = strlen(text);
        double told_value = 0;
        size_t told_length = 0;
        hpf__lexed emitted = HPF__LEX_MORE;
        for (size_t n = 0; n <= length + 1; n++) {
            bool is_final = n == length + 1;
            size_t n_bytes = is_final ? length : n;
            char *copy = malloc(n_bytes + 1);
            char *begin = copy + 1; /* so that an empty prefix has an address of its own */
            memcpy(begin, text, n_bytes);
            hpf__number_token token = {0};
            hpf__lexed lexed = hpf__lex_number(&token, begin, begin + n_bytes, is_final);
            size_t end = lexed == HPF__LEXED ? (size_t)(token.end - begin) : 0;
            free(copy);
            if (emitted != HPF__LEX_MORE) {
                cr_assert_eq(lexed, emitted, "'%.*s' of '%s'", (int)n_bytes, text, text);
                cr_assert_eq(end, told_length, "'%.*s' of '%s'", (int)n_bytes, text, text);
                cr_assert(lexed != HPF__LEXED || token.real == told_value, "'%s'", text);
            } else {
                emitted = lexed;
                told_value = token.real;
                told_length = end;
            }
        }
        cr_assert_neq(emitted, HPF__LEX_MORE, "'%s'", text);
    }
}

typedef struct string_example {
    const char *text;
    hpf__lexed expected;
    size_t length;
    const char *value;
} string_example;

static const string_example strings[] = {
    {"\"abc\"\n", HPF__LEXED, 5, "abc"},
    {"\"\" ", HPF__LEXED, 2, ""},
    {"\"a\nb\" ", HPF__LEXED, 5, "a\nb"},
    {"\"a\"b", HPF__LEXED, 3, "a"},
    {"\"a\"\"b\" ", HPF__LEXED, 6, "a\"b"},
    {"\"\"\"\" ", HPF__LEXED, 4, "\""},
    {"\"say \"\"hi\"\"\"\n", HPF__LEXED, 12, "say \"hi\""},
    {"\"say \\\"hi\\\" x\"\n", HPF__LEXED, 14, "say \"hi\" x"},
    {"\"say \\\"hi\\\"\"\n", HPF__LEXED, 12, "say \"hi\""},
    {"\"C:\\\"\n", HPF__LEXED, 5, "C:\\"},
    {"\"C:\\\" \t\n", HPF__LEXED, 5, "C:\\"},
    {"\"C:\\\" DATE \"x\"\n", HPF__LEXED, 5, "C:\\"},
    {"\"C:\\\"DATE \"x\"\n", HPF__LEXED, 5, "C:\\"},
    {"\"C:\\\" MARK 1.0 DATE \"x\"\n", HPF__LEXED, 5, "C:\\"},
    {"\"a \\\"MARK twain\\\" b\"\n", HPF__LEXED, 20, "a \"MARK twain\" b"},
    {"\"C:\\x\\\"y\"\n", HPF__LEXED, 9, "C:\\x\"y"},
    {"\"\\\\\"\n", HPF__LEXED, 4, "\\\\"},
    {"x", HPF__LEX_BAD, 0, NULL},
    {"", HPF__LEX_MORE, 0, NULL},
    {"\"", HPF__LEX_MORE, 0, NULL},
    {"\"abc", HPF__LEX_MORE, 0, NULL},
    {"\"abc\"", HPF__LEX_MORE, 0, NULL},
    {"\"abc\\\"", HPF__LEX_MORE, 0, NULL},
    {"\"abc\\\" x", HPF__LEX_MORE, 0, NULL},
    {"\"abc\"\"", HPF__LEX_MORE, 0, NULL},
};

Test(hp_lex, strings_end_at_the_quote_that_ends_them)
{
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        const string_example *e = &strings[i];
        hpf__string_token token = {0};
        hpf__lexed lexed = hpf__lex_string(&token, e->text, e->text + strlen(e->text), false);
        cr_expect_eq(lexed, e->expected, "%s", e->text);
        if (lexed == HPF__LEXED && e->expected == HPF__LEXED) {
            char value[50];
            size_t n = hpf__string_unescape(value, token.inside);
            cr_expect_eq((size_t)(token.end - e->text), e->length, "%s", e->text);
            cr_expect(token.has_escapes || n == token.inside.length, "%s", e->text);
            if (!token.has_escapes) {
                n = token.inside.length;
                memcpy(value, token.inside.data, n);
            }
            value[n] = '\0';
            cr_expect_str_eq(value, e->value, "%s", e->text);
        }
    }
}

Test(hp_lex, a_string_at_the_end_of_the_input)
{
    hpf__string_token token;
    const char *text = "\"abc\\\"";
    cr_assert_eq(hpf__lex_string(&token, text, text + 6, true), HPF__LEXED);
    cr_assert_eq(token.inside.length, 4);
    cr_assert_eq(hpf__lex_string(&token, text, text + 4, true), HPF__LEX_MORE);
    cr_assert_eq(hpf__lex_string(&token, text, text, true), HPF__LEX_BAD);
}

Test(hp_lex, keywords_are_whole_words_in_capitals)
{
    static const char *const texts[] = {"JOB",          "DATE",       "SAMPLE_UNIT", "VALUE_UNIT",
                                        "BEGIN_SAMPLE", "END_SAMPLE", "MARK"};
    for (int i = 0; i < HPF__KEYWORD_NONE; i++) {
        cr_expect_eq((int)hpf__keyword_of(texts[i], strlen(texts[i])), i);
        cr_expect_eq(hpf__keyword_of(texts[i], strlen(texts[i]) - 1), HPF__KEYWORD_NONE);
        cr_expect_str_eq(hpf__keyword_text((hpf__keyword)i), texts[i]);
    }
    cr_expect_eq(hpf__keyword_of("JOBS", 4), HPF__KEYWORD_NONE);
    cr_expect_eq(hpf__keyword_of("job", 3), HPF__KEYWORD_NONE);
    cr_expect_eq(hpf__keyword_of("", 0), HPF__KEYWORD_NONE);
}

Test(hp_lex, blanks_are_those_of_the_c_locale)
{
    for (int c = 1; c < 256; c++) {
        bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
        cr_expect_eq(hpf__is_blank((char)c), is_blank, "%d", c);
    }
}

Test(hp_lex, digits_are_read_eight_at_a_time)
{
    rng chance = {31};
    for (int round = 0; round < 200000; round++) {
        char text[9];
        unsigned n_digits = (unsigned)rng_below(&chance, 9);
        uint64_t expected = 0;
        for (unsigned i = 0; i < 8; i++) {
            text[i] = (char)rng_next(&chance);
            if (i < n_digits) {
                text[i] = (char)('0' + rng_below(&chance, 10));
                expected = expected * 10 + (uint64_t)(text[i] - '0');
            } else if (i == n_digits && hpf__is_digit(text[i])) {
                text[i] = round % 2 ? '/' : ':';
            }
        }
        uint64_t value = 0;
        cr_assert_eq(hpf__read_digits(text, &value), n_digits);
        cr_assert(n_digits == 0 || value == expected);
    }
}

Test(hp_lex, bytes_are_compared_eight_at_a_time)
{
    char a[80];
    char b[80];
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    for (size_t length = 0; length < 64; length++) {
        cr_expect(hpf__same_bytes(a, b, length));
        for (size_t at = 0; at < 70; at++) {
            b[at] = 'y';
            cr_expect_eq(hpf__same_bytes(a, b, length), at >= length, "%zu of %zu", at, length);
            b[at] = 'x';
        }
    }
}
