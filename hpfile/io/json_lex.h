/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON texts (RFC 8259) to tokens, pulled one by one from a source. Memory: the longest string.
 */
#ifndef HPF_JSON_LEX_H
#define HPF_JSON_LEX_H

#include "base/buffer.h"
#include "io/byte_cursor.h"
#include "io/json_lex.h"

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

/* Walking over the objects and arrays of a JSON text, for readers of documents. */

/* Reads the next token, which must be of a kind; `what` names it in the message. */
hpf_status hpf__json_expect(hpf__json_lex *lex, hpf__json_kind kind, const char *what);

/* Read the next value: a number of 0 or more, as an amount or whole; true or false. The name of
 * `*out` stays as it is. */
hpf_status hpf__json_amount(hpf__json_lex *lex, hpf_cost *out);
hpf_status hpf__json_whole(hpf__json_lex *lex, uint64_t *out);
hpf_status hpf__json_truth(hpf__json_lex *lex, bool *out);

/* Returns the whole number that the last token is. */
hpf_status hpf__json_as_whole(const hpf__json_lex *lex, uint64_t *out);

/* Passes the next value. */
hpf_status hpf__json_pass(hpf__json_lex *lex);

/* Reads the member whose key was read; the next token is the first of its value. The key is
 * borrowed for the call. */
typedef hpf_status hpf__json_member(void *context, hpf_str key);

/* Reads the members of an object, whose '{' was read. */
hpf_status hpf__json_members(hpf__json_lex *lex, hpf__json_member *read, void *context);

/* Reads the members of an object, which is the next value; or the whole text. */
hpf_status hpf__json_object(hpf__json_lex *lex, hpf__json_member *read, void *context);
hpf_status hpf__json_document(hpf__json_lex *lex, hpf__json_member *read, void *context);

/* Reads the items of an array, which is the next value. `read` is called after the first token of
 * each. */
hpf_status hpf__json_items(hpf__json_lex *lex, hpf_status (*read)(void *context), void *context);

/* Reads the objects of an array, which is the next value. `read` is called after the '{' of each.
 */
hpf_status hpf__json_objects(hpf__json_lex *lex, hpf_status (*read)(void *context), void *context);

#endif
