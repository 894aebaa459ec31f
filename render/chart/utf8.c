/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of a profile are bytes; what is shown must be valid UTF-8 without control characters.
 */
#include "hprender/text.h"

#include <string.h>

#include "base/utf8.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* What turns the direction of the characters that follow, so that a name could make its neighbours
 * read as something else. */
static bool is_turn(uint32_t character)
{
    return character == 0x200E || character == 0x200F ||
           (character >= 0x202A && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

/* No control characters, nor the two that XML forbids. */
static bool is_showable(uint32_t character)
{
    bool is_control = character < 0x20 || (character >= 0x7F && character < 0xA0);
    return !is_control && !is_turn(character) && character != 0xFFFE && character != 0xFFFF;
}

static size_t convert(char *out, hpf_str name, bool keeps_lines)
{
    size_t n_out = 0;
    for (size_t i = 0; i < name.length;) {
        uint32_t character = 0;
        size_t length = hpf_utf8_next((hpf_str){name.data + i, name.length - i}, &character);
        bool is_kept = keeps_lines && character == '\n';
        if (length && (is_kept || is_showable(character))) {
            memcpy(out + n_out, name.data + i, length);
            n_out += length;
        } else {
            memcpy(out + n_out, replacement, 3);
            n_out += 3;
        }
        i += length ? length : 1;
    }
    out[n_out] = '\0';
    return n_out;
}

size_t hpr_text_from_bytes(char *out, hpf_str name)
{
    return convert(out, name, false);
}

size_t hpr_lines_from_bytes(char *out, hpf_str lines)
{
    return convert(out, lines, true);
}
