/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Parts of texts in the formats of other tools: numbers and words at their beginning, names of
 * files, and the frames of Valgrind.
 */
#ifndef HPF_WORDS_H
#define HPF_WORDS_H

#include <stdint.h>

#include "hpfile/frame.h"

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

/* Removes a word from the beginning of a text, if it is there. */
static inline bool hpf__take_word(hpf_str *text, const char *word)
{
    bool is_there = hpf_str_begins(*text, word);
    *text = is_there ? hpf_str_from(*text, strlen(word)) : *text;
    return is_there;
}

/* Removes and returns the bytes before the next `end`, and `end`; all if there is none. */
static inline hpf_str hpf__take_until(hpf_str *text, char end)
{
    const char *found = text->length ? memchr(text->data, end, text->length) : NULL;
    hpf_str part = {text->data, found ? (size_t)(found - text->data) : text->length};
    *text = hpf_str_from(*text, part.length + (found != NULL));
    return part;
}

/* Splits a frame as Valgrind's tools write it, "0x109164: inner (t.c:3)" or
 * "0x4A2B: ??? (in /lib/x.so)"; its parts are borrowed from the text. A function without a name is
 * its address. A text without an address is a label. */
static inline hpf_frame hpf__valgrind_frame(hpf_str text)
{
    hpf_frame frame = {.label = text};
    size_t colon = 0, open = text.length;
    while (colon < text.length && text.data[colon] != ':') {
        colon++;
    }
    if (!hpf_str_begins(text, "0x") || colon + 2 > text.length) {
        return frame;
    }
    hpf_str address = {text.data, colon};
    hpf_str rest = hpf_str_from(text, colon + 2);
    for (size_t i = 0; i + 1 < rest.length; i++) {
        open = rest.data[i] == ' ' && rest.data[i + 1] == '(' ? i : open;
    }
    frame.label = rest;
    if (open + 3 <= rest.length && rest.data[rest.length - 1] == ')') {
        hpf_str place = {rest.data + open + 2, rest.length - open - 3};
        bool is_module = hpf_str_begins(place, "in ");
        frame.label.length = open;
        frame.module = is_module ? hpf_str_from(place, 3) : frame.module;
        frame.source = is_module ? frame.source : place;
    }
    frame.label = hpf_str_is(frame.label, "???") ? address : frame.label;
    return frame;
}

#endif
