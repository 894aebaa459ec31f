/* SPDX-License-Identifier: BSD-2-Clause
 *
 * UTF-8: decoding characters, and cutting texts between characters. Names are bytes; these
 * functions serve to show and to shorten them.
 */
#ifndef HPFILE_UTF8_H
#define HPFILE_UTF8_H

#include "hpfile/error.h"
#include "hpfile/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the length in bytes (1 to 4) of the valid character at the start of `text`, or 0 if there
 * is none. Overlong forms, surrogates and numbers above U+10FFFF are not valid. Stores the number
 * of the character in `*code_point`, unless NULL. */
size_t hpf_utf8_next(hpf_str text, uint32_t *code_point);

/* Returns the number of bytes of the first `n` characters; a byte that is not UTF-8 is one. */
size_t hpf_utf8_bytes(hpf_str text, size_t n);

/* Returns the number of characters, of bytes that continue none. */
size_t hpf_utf8_length(hpf_str text);

/* Writes the number of a character as UTF-8 into `out`. Returns the number of bytes, 1 to 4.
 * Surrogates are encoded like other numbers. */
size_t hpf_utf8_put(char out[4], uint32_t code_point);

/* Returns whether a character can be shown: it is no control character, no line or paragraph
 * separator, does not change the direction of text, with which a name could disguise the text next
 * to it, and is neither U+FFFE nor U+FFFF, which XML forbids. */
bool hpf_utf8_is_printable(uint32_t code_point);

/* Writes a text as UTF-8 that can be shown to `out`, at least 3 * length + 1 bytes: U+FFFD instead
 * of invalid bytes and of characters that cannot be printed, except the ASCII characters `kept`.
 * Returns the length without the terminating NUL. */
size_t hpf_utf8_printable(char *out, hpf_str text, const char *kept);

/* Returns the length of the longest prefix of at most `most_bytes` bytes that does not end inside a
 * character. Each byte that is not UTF-8 counts as a character. */
size_t hpf_utf8_cut(hpf_str text, size_t most_bytes);

#ifdef __cplusplus
}
#endif
#endif
