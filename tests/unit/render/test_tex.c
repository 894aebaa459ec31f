/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts for TeX: they contain no commands, and every character is kept.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/str.h"
#include "output/tex.h"

static void check(const char *text, const char *wanted)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpr__tex_text(sink, text);
    hpf_str got = hpf_sink_bytes(sink);
    cr_expect(got.length == strlen(wanted) && memcmp(got.data, wanted, got.length) == 0,
              "'%s': '%.*s'", text, (int)got.length, got.data);
    hpf_sink_destroy(sink);
}

Test(tex, special_characters)
{
    check("plain (12)text", "plain (12)text");
    check("a_b%c#d&e$f", "a\\_b\\%c\\#d\\&e\\$f");
    check("{\\x}", "\\{\\textbackslash{}x\\}");
    check("~^", "\\textasciitilde{}\\textasciicircum{}");
    check("<|>", "\\textless{}\\textbar{}\\textgreater{}");
}

Test(tex, no_ligatures)
{
    check("a--b", "a-{}-{}b");
    check("x''", "x'{}'{}");
}

Test(tex, characters_beyond_latin)
{
    check("na\xC3\xAFve", "na\xC3\xAFve");
    check("\xE2\x8A\x95 \xF0\x9D\x84\x9E",
          "\\censuschar{\xE2\x8A\x95} \\censuschar{\xF0\x9D\x84\x9E}");
    check("a\xE2\x80\xA6", "a\\ldots{}");
}

Test(tex, words_need_no_definitions)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpr__tex_words(sink, "a_\xE2\x8A\x95");
    cr_expect(hpf_str_is(hpf_sink_bytes(sink), "a\\_\xE2\x8A\x95"));
    hpf_sink_destroy(sink);
}
