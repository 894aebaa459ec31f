/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts as bytes with a length.
 */
#ifndef HPFILE_STR_H
#define HPFILE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes with a length; not terminated, of no particular encoding. Borrowed unless said otherwise.
 */
typedef struct hpf_str {
    const char *data;
    size_t length;
} hpf_str;

/* A string literal as an hpf_str. */
#define HPF_STR(literal) ((hpf_str){(literal), sizeof(literal) - 1})

/* Returns the bytes before the NUL of a string. Borrowed. */
static inline hpf_str hpf_str_of(const char *string)
{
    hpf_str text = {string, strlen(string)};
    return text;
}

/* Compares by bytes, a prefix before longer texts. Returns a negative number, 0 or a positive one.
 */
static inline int hpf_str_compare(hpf_str a, hpf_str b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Returns whether two texts have the same bytes. */
static inline bool hpf_str_equal(hpf_str a, hpf_str b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

/* Returns whether `text` has the bytes of `word`, which ends with a NUL. */
static inline bool hpf_str_is(hpf_str text, const char *word)
{
    return hpf_str_equal(text, hpf_str_of(word));
}

/* Returns whether `text` begins with the bytes of `beginning`, which ends with a NUL. */
static inline bool hpf_str_begins(hpf_str text, const char *beginning)
{
    size_t length = strlen(beginning);
    return text.length >= length && memcmp(text.data, beginning, length) == 0;
}

/* Returns whether `text` ends with the bytes of `end`, which ends with a NUL. */
static inline bool hpf_str_ends(hpf_str text, const char *end)
{
    size_t length = strlen(end);
    return text.length >= length && memcmp(text.data + text.length - length, end, length) == 0;
}

/* Returns where `part` begins in a text, or NULL. */
static inline const char *hpf_str_find(hpf_str text, const char *part)
{
    for (; text.length > 0; text.data++, text.length--) {
        if (hpf_str_begins(text, part)) {
            return text.data;
        }
    }
    return NULL;
}

/* Returns a text without its first `n_bytes`, which it must have. */
static inline hpf_str hpf_str_from(hpf_str text, size_t n_bytes)
{
    hpf_str rest = {text.data + n_bytes, text.length - n_bytes};
    return rest;
}

#endif
