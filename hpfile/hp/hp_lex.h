/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Strings and keywords of a `.hp` text (docs/formats/hp.md).
 */
#ifndef HPF_HP_LEX_H
#define HPF_HP_LEX_H

#include "base/lex.h"
#include "hpfile/str.h"

/* Reads the text between double quotes that begin at `at`. Escaped quotes ("" and \") are left as
 * they are, and reported by `has_escapes`. HPF__LEX_MORE with `is_final`: the string is not closed.
 */
typedef struct hpf__string_token {
    const char *end;
    hpf_str inside;
    bool has_escapes;
} hpf__string_token;
hpf__lexed hpf__lex_string(hpf__string_token *token, const char *at, const char *end,
                           bool is_final);

/* Writes `inside` with its escapes resolved to `out` (as long as `inside`); returns the length. */
size_t hpf__string_unescape(char *out, hpf_str inside);

/* The keyword that [at, at + length) is, or HPF__KEYWORD_NONE. The first four are hpf_header's. */
typedef enum hpf__keyword {
    HPF__KEYWORD_JOB,
    HPF__KEYWORD_DATE,
    HPF__KEYWORD_SAMPLE_UNIT,
    HPF__KEYWORD_VALUE_UNIT,
    HPF__KEYWORD_BEGIN_SAMPLE,
    HPF__KEYWORD_END_SAMPLE,
    HPF__KEYWORD_MARK,
    HPF__KEYWORD_NONE
} hpf__keyword;
hpf__keyword hpf__keyword_of(const char *at, size_t length);
const char *hpf__keyword_text(hpf__keyword keyword);

#endif
