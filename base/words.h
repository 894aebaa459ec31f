/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers, words, lines and ends of texts.
 */
#ifndef HPF_WORDS_H
#define HPF_WORDS_H

#include <stdint.h>
#include <string.h>

#include "base/big_endian.h"
#include "hpfile/str.h"

/* Removes a whole number, in decimal or hexadecimal digits, from the beginning of a text. Returns
 * false if there is none, or it has more than 64 bits. */
static inline bool hpf__take_whole(hpf_str *text, unsigned base, uint64_t *value)
{
    size_t n = 0;
    *value = 0;
    for (; n < text->length; n++) {
        char c = text->data[n];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                : 16;
        if (digit >= base) {
            break;
        }
        if (*value > (UINT64_MAX - digit) / base) {
            return false;
        }
        *value = *value * base + digit;
    }
    *text = hpf_str_from(*text, n);
    return n > 0;
}

/* Returns a text without the blanks and tabs around it. */
static inline hpf_str hpf__trimmed(hpf_str text)
{
    while (text.length > 0 && (*text.data == ' ' || *text.data == '\t')) {
        text = hpf_str_from(text, 1);
    }
    while (text.length > 0 &&
           (text.data[text.length - 1] == ' ' || text.data[text.length - 1] == '\t')) {
        text.length--;
    }
    return text;
}

/* Returns how often a byte is in a text. */
static inline size_t hpf__count_byte(hpf_str text, char byte)
{
    size_t n = 0;
    for (size_t i = 0; i < text.length; i++) {
        n += text.data[i] == byte;
    }
    return n;
}

/* Removes a word from the beginning of a text, if it is there. */
static inline bool hpf__take_word(hpf_str *text, const char *word)
{
    bool is_there = hpf_str_begins(*text, word);
    *text = is_there ? hpf_str_from(*text, strlen(word)) : *text;
    return is_there;
}

/* Removes a word from the end of a text, if it is there. */
static inline bool hpf__drop_end(hpf_str *text, const char *end)
{
    bool is_there = hpf_str_ends(*text, end);
    text->length -= is_there ? strlen(end) : 0;
    return is_there;
}

/* Divides a text at the first `between`. Returns false if it is not there. */
static inline bool hpf__divide(hpf_str text, const char *between, hpf_str *before, hpf_str *after)
{
    const char *at = hpf_str_find(text, between);
    if (at) {
        *before = (hpf_str){text.data, (size_t)(at - text.data)};
        *after = hpf_str_from(text, before->length + strlen(between));
    }
    return at != NULL;
}

/* Removes and returns the bytes before the next `end`, and `end`; all if there is none. */
static inline hpf_str hpf__take_until(hpf_str *text, char end)
{
    const char *found = text->length ? memchr(text->data, end, text->length) : NULL;
    hpf_str part = {text->data, found ? (size_t)(found - text->data) : text->length};
    *text = hpf_str_from(*text, part.length + (found != NULL));
    return part;
}

/* Removes a row of a record of what memory is made of: a kind in one byte, two numbers in eight
 * bytes each, a name and a NUL. Returns false if there is none. */
static inline bool hpf__take_row(hpf_str *rest, unsigned *kind, uint64_t numbers[2], hpf_str *name)
{
    enum { HEAD_BYTES = 17 };
    if (rest->length <= HEAD_BYTES ||
        !memchr(rest->data + HEAD_BYTES, '\0', rest->length - HEAD_BYTES)) {
        return false;
    }
    *kind = (unsigned char)*rest->data;
    numbers[0] = hpf__read8(rest->data + 1);
    numbers[1] = hpf__read8(rest->data + 9);
    *rest = hpf_str_from(*rest, HEAD_BYTES);
    *name = hpf__take_until(rest, '\0');
    return true;
}

/* Reads the unit of an amount: "", "B", "k", "MiB", "GB". Stores the power of its prefix, and the
 * base, 1024 or 1000; 0 if the unit does not say which. Returns false if it is none of these. */
static inline bool hpf__read_unit(hpf_str unit, int *power, int *base)
{
    static const char prefixes[] = "kmgt";
    const char *prefix =
        unit.length > 0 ? memchr(prefixes, *unit.data | 0x20, sizeof prefixes - 1) : NULL;
    hpf_str rest = hpf_str_from(unit, prefix != NULL);
    *power = prefix ? (int)(prefix - prefixes) + 1 : 0;
    *base = !prefix ? 0 : hpf_str_is(rest, "iB") ? 1024 : hpf_str_is(rest, "B") ? 1000 : 0;
    return rest.length == 0 || *base > 0 || (!prefix && hpf_str_is(rest, "B"));
}

#endif
