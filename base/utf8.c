/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A decoder of one character (Unicode 15, table 3-7); the other functions use it.
 */
#include "base/utf8.h"

static bool is_tail(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

size_t hpf_utf8_length(hpf_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.length; i++) {
        n += !is_tail((unsigned char)text.data[i]);
    }
    return n;
}

size_t hpf_utf8_next(hpf_str text, uint32_t *code_point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text.data;
    if (text.length == 0) {
        return 0;
    }
    size_t length = p[0] < 0x80             ? 1
                    : (p[0] & 0xe0) == 0xc0 ? 2
                    : (p[0] & 0xf0) == 0xe0 ? 3
                    : (p[0] & 0xf8) == 0xf0 ? 4
                                            : 0;
    if (length == 0 || length > text.length) {
        return 0;
    }
    uint32_t code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (!is_tail(p[i])) {
            return 0;
        }
        code = code << 6 | (p[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        return 0;
    }
    if (code_point) {
        *code_point = code;
    }
    return length;
}

size_t hpf_utf8_bytes(hpf_str text, size_t n)
{
    size_t at = 0;
    for (; n > 0 && at < text.length; n--) {
        size_t length = hpf_utf8_next(hpf_str_from(text, at), NULL);
        at += length > 0 ? length : 1;
    }
    return at;
}

size_t hpf_utf8_put(char out[4], uint32_t code_point)
{
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    out[0] = (char)(heads[n] | code_point);
    return n;
}

bool hpf_utf8_is_printable(uint32_t code_point)
{
    bool is_control = code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
    bool is_separator = code_point == 0x2028 || code_point == 0x2029;
    bool is_direction = code_point == 0x61c || code_point == 0x200e || code_point == 0x200f ||
                        (code_point >= 0x202a && code_point <= 0x202e) ||
                        (code_point >= 0x2066 && code_point <= 0x2069);
    bool is_no_character = code_point == 0xfffe || code_point == 0xffff;
    return !is_control && !is_separator && !is_direction && !is_no_character;
}

size_t hpf_utf8_printable(char *out, hpf_str text, const char *kept)
{
    size_t n_out = 0;
    for (size_t i = 0; i < text.length;) {
        uint32_t character = 0;
        size_t length = hpf_utf8_next(hpf_str_from(text, i), &character);
        bool is_kept = character > 0 && character < 0x80 && strchr(kept, (int)character);
        if (length && (is_kept || hpf_utf8_is_printable(character))) {
            memcpy(out + n_out, text.data + i, length);
            n_out += length;
        } else {
            n_out += hpf_utf8_put(out + n_out, 0xfffd);
        }
        i += length ? length : 1;
    }
    out[n_out] = '\0';
    return n_out;
}

size_t hpf_utf8_cut(hpf_str text, size_t most_bytes)
{
    if (text.length <= most_bytes) {
        return text.length;
    }
    size_t first = most_bytes > 3 ? most_bytes - 3 : 0;
    for (size_t at = most_bytes; at > first; at--) {
        size_t length = hpf_utf8_next((hpf_str){text.data + at - 1, text.length - at + 1}, NULL);
        if (length && at - 1 + length > most_bytes) {
            return at - 1;
        }
    }
    return most_bytes;
}
