/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of Haskell as text, as its `show` writes them and its `read` reads them: words, numbers,
 * strings and the symbols between them. `.tix` and `.mix` files and overlays consist of these.
 *
 * Of what `read` accepts, these are refused, because no program writes them: values in parentheses
 * of their own, negative, octal and hexadecimal numbers, and characters that are half of a pair
 * (surrogates).
 */
#ifndef HPF_HASKELL_TEXT_H
#define HPF_HASKELL_TEXT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "hpfile/sink.h"

/* A place in a text, read from the start to the end. */
typedef struct hpf__haskell {
    hpf_str text;
    size_t at;
    hpf_arena *arena;    /* owner of the strings that are read */
    hpf__buffer scratch; /* of the string that is read */
    hpf_error *err;
} hpf__haskell;

/* Frees the memory of the reader, not the strings. */
void hpf__haskell_finish(hpf__haskell *h);

/* Fills the error for the byte at offset `at`, with line and column. Returns `status`. */
hpf_status hpf__haskell_fail(const hpf__haskell *h, size_t at, hpf_status status,
                             const char *format, ...) HPF_PRINTF(4, 5);

/* Fails with "expected WHAT, found ..." at the current place. */
hpf_status hpf__haskell_expected(hpf__haskell *h, const char *what);

/* Skips blanks. Returns the next byte, or 0 at the end. */
char hpf__haskell_peek(hpf__haskell *h);

/* Skips blanks, and the text `token` if it comes next. Returns whether it did. A token of letters
 * is not followed by another letter or digit. */
bool hpf__haskell_take(hpf__haskell *h, const char *token);

/* Reads the text `token`. Errors: SYNTAX. */
hpf_status hpf__haskell_expect(hpf__haskell *h, const char *token);

/* Reads a whole number of at most `most`; `what` names it in errors. Errors: SYNTAX; RANGE. */
hpf_status hpf__haskell_whole(hpf__haskell *h, uint64_t most, const char *what, uint64_t *out);

/* Reads a string into the arena, in UTF-8. Errors: SYNTAX; MEMORY. */
hpf_status hpf__haskell_string(hpf__haskell *h, const char *what, hpf_str *out);

/* Writes a string in quotes, with escapes for all characters that are not ASCII. Bytes that are not
 * UTF-8 are written like the characters U+0080 to U+00FF. */
HPF_API void hpf__haskell_show(hpf_sink *sink, hpf_str text);

#endif
