/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Questions about the objects of a heap snapshot, as text:
 *
 *     type ~ "Session" and retained > 1M and not reachable_from "g_cache"
 *
 * docs/dominators.md has the words.
 */
#ifndef HPFILE_QUESTION_H
#define HPFILE_QUESTION_H

#include "hpfile/dominator_tree.h"

HPF_BEGIN_DECLS

typedef struct hpf_question hpf_question;

/* Parses a question. Errors: SYNTAX, ARGUMENT (a regular expression) and LIMIT, with the column;
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_question_parse(hpf_question **out, const char *text,
                                                   hpf_error *err);
HPF_API void hpf_question_destroy(hpf_question *question);

/* The nodes that a question matches. */
typedef struct hpf_matches {
    uint8_t *is_match; /* by node; the root is none */
    uint32_t n;
    uint64_t self_bytes;
    uint64_t freed_bytes; /* what would be freed if all of them went: they, and what they alone */
    uint32_t n_freed;     /* keep alive together; objects */
} hpf_matches;

/* Finds the matches in a snapshot all of whose nodes the root reaches, with its dominators and
 * holders (hpf_dominators_holders). Takes a byte for each node and condition meanwhile, and 4 for
 * each node. Errors: MEMORY; UNSUPPORTED, for sites that the snapshot does not have. */
HPF_API HPF_MUST_USE hpf_status hpf_question_ask(hpf_matches *out, const hpf_question *question,
                                                 const hpf_snapshot *snapshot,
                                                 const hpf_dominators *dominators,
                                                 const uint32_t *holders, hpf_error *err);
HPF_API void hpf_matches_finish(hpf_matches *matches);

HPF_END_DECLS
#endif
