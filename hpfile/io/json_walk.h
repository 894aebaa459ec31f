/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walking over the objects and arrays of a JSON text, for readers of documents.
 */
#ifndef HPF_JSON_WALK_H
#define HPF_JSON_WALK_H

#include "io/json_lex.h"

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
