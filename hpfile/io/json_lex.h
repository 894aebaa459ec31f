/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON texts (RFC 8259) to tokens, pulled one by one from a source. Memory: the longest string.
 */
#ifndef HPF_JSON_LEX_H
#define HPF_JSON_LEX_H

#include "base/buffer.h"
#include "io/byte_cursor.h"

typedef enum hpf__json_kind {
    HPF__JSON_END, /* the input ends */
    HPF__JSON_STRING,
    HPF__JSON_NUMBER,
    HPF__JSON_WORD, /* true, false, null */
    HPF__JSON_OPEN_OBJECT,
    HPF__JSON_CLOSE_OBJECT,
    HPF__JSON_OPEN_ARRAY,
    HPF__JSON_CLOSE_ARRAY,
    HPF__JSON_COLON,
    HPF__JSON_COMMA,
} hpf__json_kind;

/* Begins as {.scan = {.source = ..., .err = ..., .line = 1}}. */
typedef struct hpf__json_lex {
    hpf__cursor scan;
    hpf__buffer buf;
    uint32_t high;       /* a high surrogate that waits for its other half, or 0 */
    hpf__json_kind kind; /* of the last token */
    hpf__location place; /* where it begins */
    hpf_str text;        /* of a string, its escapes resolved, of a number, of a word; borrowed
                            until the next token */
} hpf__json_lex;

/* Reads the next token. Of strings, `\udcNN` for NN of 80 and above is the byte NN, as
 * hpf_json_bytes writes it; other lone surrogates are U+FFFD. */
hpf_status hpf__json_next(hpf__json_lex *lex);

/* Passes the value that the last token began, with all that is in it. Only brackets are counted: it
 * is not checked otherwise. */
hpf_status hpf__json_pass_value(hpf__json_lex *lex);

/* "expected WHAT, found ..." with the last token and its place. */
hpf_status hpf__json_unexpected(const hpf__json_lex *lex, const char *what);

void hpf__json_lex_finish(hpf__json_lex *lex);

#endif
