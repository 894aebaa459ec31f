/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walking over the objects and arrays of a JSON text, for readers of documents.
 */
#ifndef HPF_JSON_WALK_H
#define HPF_JSON_WALK_H

#include "io/json_lex.h"

/* The next token must be of a kind; `what` says for people which. */
hpf_status hpf__json_expect(hpf__json_lex *lex, hpf__json_kind kind, const char *what);

/* Passes the next value. */
hpf_status hpf__json_pass(hpf__json_lex *lex);

/* Reads the member whose key was read; the next token is the first of its value. The key is
 * borrowed for the call. */
typedef hpf_status hpf__json_member(void *context, hpf_str key);

/* The members of an object, whose '{' was read. */
hpf_status hpf__json_members(hpf__json_lex *lex, hpf__json_member *read, void *context);

/* The items of an array, which is the next value. `read` gets each, its first token being read. */
hpf_status hpf__json_items(hpf__json_lex *lex, hpf_status (*read)(void *context), void *context);

/* The objects of an array, which is the next value. `read` gets each, its '{' being read. */
hpf_status hpf__json_objects(hpf__json_lex *lex, hpf_status (*read)(void *context), void *context);

#endif
