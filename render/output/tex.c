/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces the ten special characters of TeX, and characters that old text fonts have in other
 * places.
 */
#include "hpfile/sink.h"
#include "output/tex.h"

#include <string.h>

#include "style/colour.h"

static const struct {
    const char *from, *to;
} replacements[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"_", "\\_"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"\"", "{\\char34}"},
    {"-", "-{}"}, /* or two would become a dash */
    {"`", "`{}"},
    {"'", "'{}"},
    {"\xE2\x80\xA6", "\\ldots{}"},
    {"\xC2\xB5", "\\ensuremath{\\mu}"},
    {"\xC3\x97", "\\ensuremath{\\times}"},
    {"\xEF\xBF\xBD", "?"},
};

/* Returns the replacement of the first character of `text`, or NULL, and the length to skip. */
static const char *replacement_of(const char *text, size_t *length)
{
    for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++) {
        *length = strlen(replacements[i].from);
        if (strncmp(text, replacements[i].from, *length) == 0) {
            return replacements[i].to;
        }
    }
    return NULL;
}

/* Returns the number of bytes of the first character of `text`, which is valid UTF-8. */
static size_t length_of(const char *text)
{
    size_t length = 1;
    while (((unsigned char)text[length] & 0xc0) == 0x80) {
        length++;
    }
    return length;
}

static void put_text(hpf_sink *sink, const char *text, bool is_typeset)
{
    while (*text) {
        size_t length;
        const char *to = replacement_of(text, &length);
        if (to) {
            hpf_sink_text(sink, to);
        } else {
            /* Only Unicode engines have characters above U+017F. */
            bool is_wrapped = is_typeset && (unsigned char)text[0] >= 0xc6;
            length = length_of(text);
            hpf_sink_text(sink, is_wrapped ? "\\censuschar{" : "");
            hpf_sink_write(sink, text, length);
            hpf_sink_text(sink, is_wrapped ? "}" : "");
        }
        text += length;
    }
}

void hpr__tex_text(hpf_sink *sink, const char *text)
{
    put_text(sink, text, true);
}

void hpr__tex_words(hpf_sink *sink, const char *text)
{
    put_text(sink, text, false);
}

void hpr__tex_head(hpf_sink *sink, const char *software)
{
    if (software) {
        hpf_sink_printf(sink, "%% %s\n", software);
    }
    hpf_sink_text(sink, "\\ifx\\Umathchar\\undefined\\def\\censuschar#1{?}"
                        "\\else\\def\\censuschar#1{#1}\\fi%\n");
}

void hpr__tex_colour(hpf_sink *sink, hpr_colour colour)
{
    hpf_sink_printf(sink, "%02X%02X%02X", hpr__colour_byte(colour.red),
                    hpr__colour_byte(colour.green), hpr__colour_byte(colour.blue));
}
