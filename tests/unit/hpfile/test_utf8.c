/* SPDX-License-Identifier: BSD-2-Clause
 *
 * UTF-8: which sequences are characters, where a text may be cut, and what people are shown of it.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "base/utf8.h"

typedef struct example {
    hpf_str text;
    size_t length;
    uint32_t code_point;
} example;

#define EXAMPLE(literal, length, code_point)                                                       \
    {                                                                                              \
        {(literal), sizeof(literal) - 1}, length, code_point                                       \
    }

static const example examples[] = {
    EXAMPLE("", 0, 0),
    EXAMPLE("A", 1, 'A'),
    EXAMPLE("\0", 1, 0),
    EXAMPLE("\x7f", 1, 0x7f),
    EXAMPLE("\xc2\x80", 2, 0x80),
    EXAMPLE("\xdf\xbf", 2, 0x7ff),
    EXAMPLE("\xe0\xa0\x80", 3, 0x800),
    EXAMPLE("\xef\xbf\xbf", 3, 0xffff),
    EXAMPLE("\xf0\x90\x80\x80", 4, 0x10000),
    EXAMPLE("\xf4\x8f\xbf\xbf", 4, 0x10ffff),
    EXAMPLE("\xc3\xa4rest", 2, 0xe4),
    /* No characters: a tail alone, overlong, surrogate, too large, cut short, wrong tail. */
    EXAMPLE("\x80", 0, 0),
    EXAMPLE("\xbf", 0, 0),
    EXAMPLE("\xc0\x80", 0, 0),
    EXAMPLE("\xc1\xbf", 0, 0),
    EXAMPLE("\xe0\x9f\xbf", 0, 0),
    EXAMPLE("\xf0\x8f\xbf\xbf", 0, 0),
    EXAMPLE("\xed\xa0\x80", 0, 0),
    EXAMPLE("\xed\xbf\xbf", 0, 0),
    EXAMPLE("\xf4\x90\x80\x80", 0, 0),
    EXAMPLE("\xf8\x88\x80\x80\x80", 0, 0),
    EXAMPLE("\xff", 0, 0),
    EXAMPLE("\xc3", 0, 0),
    EXAMPLE("\xe2\x82", 0, 0),
    EXAMPLE("\xf0\x9f\x98", 0, 0),
    EXAMPLE("\xc3(", 0, 0),
    EXAMPLE("\xe2\x82(", 0, 0),
    EXAMPLE("\xe2(\xac", 0, 0),
};

Test(utf8, next_knows_characters_and_their_numbers)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        uint32_t code_point = 12345;
        cr_expect_eq(hpf_utf8_next(examples[i].text, &code_point), examples[i].length,
                     "example %zu", i);
        cr_expect_eq(code_point, examples[i].length ? examples[i].code_point : 12345, "example %zu",
                     i);
        cr_expect_eq(hpf_utf8_next(examples[i].text, NULL), examples[i].length);
    }
}

static size_t encode(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, code >>= 6) {
        out[i] = (char)(0x80 | (code & 0x3f));
    }
    out[0] = (char)((0xf00 >> n & 0xff) | code);
    return n;
}

Test(utf8, every_code_point_is_read_back)
{
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        char text[4];
        uint32_t back = 0;
        size_t n = encode(text, code);
        bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
        cr_assert_eq(hpf_utf8_next((hpf_str){text, n}, &back), is_surrogate ? 0 : n, "U+%04X",
                     code);
        cr_assert(is_surrogate || back == code, "U+%04X", code);
    }
}

Test(utf8, cutting_keeps_characters_whole)
{
    hpf_str text = HPF_STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
    static const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (size_t most = 0; most < sizeof expected / sizeof *expected; most++) {
        cr_expect_eq(hpf_utf8_cut(text, most), expected[most], "at most %zu", most);
    }
}

Test(utf8, invalid_bytes_may_be_cut_anywhere)
{
    hpf_str text = HPF_STR("\xff\x80\x80\xe2\x82|");
    for (size_t most = 0; most <= text.length; most++) {
        cr_expect_eq(hpf_utf8_cut(text, most), most);
    }
}

/* Bytes of a name become valid UTF-8; valid text does not change. */
#define U "\xEF\xBF\xBD"

typedef struct sample {
    char in[32];
    size_t length;
    char out[64];
} sample;

#define CASE(in, out)                                                                              \
    {                                                                                              \
        in, sizeof(in) - 1, out                                                                    \
    }

ParameterizedTestParameters(utf8, printable)
{
    static sample samples[] = {
        CASE("", ""),
        CASE("main", "main"),
        CASE("na\xC3\xAFve \xE2\x86\x92 \xF0\x9F\x98\x80",
             "na\xC3\xAFve \xE2\x86\x92 \xF0\x9F\x98\x80"),
        CASE("\xFF", U),
        CASE("a\x80z", "a" U "z"),
        CASE("\xC0\xAF", U U),                    /* overlong */
        CASE("\xE0\x80\x80", U U U),              /* overlong */
        CASE("\xED\xA0\x80", U U U),              /* a surrogate */
        CASE("\xF4\x90\x80\x80", U U U U),        /* above U+10FFFF */
        CASE("\xF5\x80", U U),                    /* never a first byte */
        CASE("ab\xE2\x86", "ab" U U),             /* cut in the middle */
        CASE("\xE2\x86\xC3\xA9", U U "\xC3\xA9"), /* a new character breaks an unfinished one */
        CASE("a\tb\n\v", "a" U "b\n\v"),
        CASE("a\0b", "a" U "b"),
        CASE("\x7F\xC2\x85", U U),
        CASE("\xC2\xA0", "\xC2\xA0"),
        CASE("a\xE2\x80\xAEz\xE2\x80\xAC", "a" U "z" U), /* an override, and its end */
        CASE("\xE2\x80\x8F\xE2\x81\xA6", U U),           /* a mark, an isolate */
        CASE("\xD7\xA9\xE2\x80\x8B", "\xD7\xA9\xE2\x80\x8B"),
        CASE("\xEF\xBF\xBF", U),
        CASE("\xF4\x8F\xBF\xBD", "\xF4\x8F\xBF\xBD"),
    };
    return cr_make_param_array(sample, samples, sizeof samples / sizeof samples[0]);
}

ParameterizedTest(sample *s, utf8, printable)
{
    char out[3 * sizeof s->in + 1];
    memset(out, 'x', sizeof out);
    size_t length = hpf_utf8_printable(out, (hpf_str){s->in, s->length}, "\n\v");
    cr_assert_eq(length, strlen(s->out));
    cr_assert_str_eq(out, s->out);
}

Test(utf8, worst_case_fits_the_stated_room)
{
    char in[100];
    char out[3 * sizeof in + 1];
    memset(in, 0xFF, sizeof in);
    cr_assert_eq(hpf_utf8_printable(out, (hpf_str){in, sizeof in}, ""), 3 * sizeof in);
}
