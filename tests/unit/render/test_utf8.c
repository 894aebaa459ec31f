/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes of a name become valid UTF-8; valid text does not change.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "hprender/text.h"

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

ParameterizedTestParameters(utf8, bytes)
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
        CASE("a\tb\n", "a" U "b" U),
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

ParameterizedTest(sample *s, utf8, bytes)
{
    char out[3 * sizeof s->in + 1];
    memset(out, 'x', sizeof out);
    size_t length = hpr_text_from_bytes(out, (hpf_str){s->in, s->length});
    cr_assert_eq(length, strlen(s->out));
    cr_assert_str_eq(out, s->out);
}

Test(utf8, worst_case_fits_the_stated_room)
{
    char in[100];
    char out[3 * sizeof in + 1];
    memset(in, 0xFF, sizeof in);
    cr_assert_eq(hpr_text_from_bytes(out, (hpf_str){in, sizeof in}), 3 * sizeof in);
}
