/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of Haskell as text, as its `show` writes them and its `read` reads them: words, numbers,
 * strings and the symbols between them. `.tix` and `.mix` files and overlays consist of these.
 *
 * Of what `read` accepts, these are refused, because no program writes them: values in parentheses
 * of their own, negative, octal and hexadecimal numbers, and characters that are half of a pair
 * (surrogates).
 */
#ifndef HPC_HASKELL_TEXT_H
#define HPC_HASKELL_TEXT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "hpfile/sink.h"

/* A place in a text, read from the start to the end. */
typedef struct hpc_haskell {
    hpf_str text;
    size_t at;
    hpf_arena *arena;    /* owner of the strings that are read */
    hpf__buffer scratch; /* of the string that is read */
    hpf_error *err;
} hpc_haskell;

/* Frees the memory of the reader, not the strings. */
void hpc_haskell_finish(hpc_haskell *h);

/* Fills the error for the byte at offset `at`, with line and column. Returns `status`. */
hpf_status hpc_haskell_fail(const hpc_haskell *h, size_t at, hpf_status status, const char *format,
                            ...) HPF_PRINTF(4, 5);

/* Fails with "expected WHAT, found ..." at the current place. */
hpf_status hpc_haskell_expected(hpc_haskell *h, const char *what);

/* Skips blanks. Returns the next byte, or 0 at the end. */
char hpc_haskell_peek(hpc_haskell *h);

/* Skips blanks, and the text `token` if it comes next. Returns whether it did. A token of letters
 * is not followed by another letter or digit. */
bool hpc_haskell_take(hpc_haskell *h, const char *token);

/* Reads the text `token`. Errors: SYNTAX. */
hpf_status hpc_haskell_expect(hpc_haskell *h, const char *token);

/* Reads a whole number of at most `most`; `what` names it in errors. Errors: SYNTAX; RANGE. */
hpf_status hpc_haskell_whole(hpc_haskell *h, uint64_t most, const char *what, uint64_t *out);

/* Reads a string into the arena, in UTF-8. Errors: SYNTAX; MEMORY. */
hpf_status hpc_haskell_string(hpc_haskell *h, const char *what, hpf_str *out);

/* Writes a string in quotes, with escapes for all characters that are not ASCII. Bytes that are not
 * UTF-8 are written like the characters U+0080 to U+00FF. */
void hpc_haskell_show(hpf_sink *sink, hpf_str text);

#endif
