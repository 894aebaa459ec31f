/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of a profile are bytes; what is shown must be valid UTF-8 without control characters. The
 * decoder takes exactly what RFC 3629 (section 4) allows: no overlong forms, no surrogates, nothing
 * above U+10FFFF.
 */
#include "utf8.h"

#include <string.h>

#include "hprender/text.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* Length of a sequence by its first byte; 0 when no sequence begins so. */
static size_t sequence_length(unsigned char first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        return 2;
    }
    if ((first & 0xF0) == 0xE0) {
        return 3;
    }
    return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

size_t hpr__utf8_decode(const char *bytes, size_t n_bytes, uint32_t *character)
{
    const unsigned char *byte = (const unsigned char *)bytes;
    static const unsigned char first_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = sequence_length(byte[0]);
    if (length == 0 || length > n_bytes) {
        return 0;
    }
    uint32_t value = byte[0] & first_mask[length];
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80) {
            return 0;
        }
        value = value << 6 | (byte[i] & 0x3F);
    }
    bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest[length] || value > 0x10FFFF || is_surrogate) {
        return 0;
    }
    *character = value;
    return length;
}

/* Control characters, and the two that XML forbids. */
static bool is_showable(uint32_t character)
{
    bool is_control = character < 0x20 || (character >= 0x7F && character < 0xA0);
    return !is_control && character != 0xFFFE && character != 0xFFFF;
}

size_t hpr_text_from_bytes(char *out, hpf_str name)
{
    size_t n_out = 0;
    for (size_t i = 0; i < name.length;) {
        uint32_t character = 0;
        size_t length = hpr__utf8_decode(name.data + i, name.length - i, &character);
        if (length && is_showable(character)) {
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
