/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Text that hp2ps accepts is read as hp2ps reads it. Text that only other tools write, and hp2ps
 * refuses, is read as they mean it.
 */
#include "hp/hp_lex.h"

#include <string.h>

/* Returns whether the backslash before the quote at `quote` is an ordinary byte, so that the quote
 * ends the string. It is where hp2ps could go on: nothing but a statement follows on the line. */
static bool ends_after_backslash(const char *quote, const char *line_end)
{
    const char *p = hpf__skip_blanks(quote + 1, line_end);
    if (p == line_end || !memchr(p, '"', (size_t)(line_end - p))) {
        return true;
    }
    const char *word_end = hpf__word_end(p, line_end);
    hpf__keyword keyword = hpf__keyword_of(p, (size_t)(word_end - p));
    const char *argument = hpf__skip_blanks(word_end, line_end);
    if (keyword == HPF__KEYWORD_NONE || argument == line_end) {
        return false;
    }
    return keyword <= HPF__KEYWORD_VALUE_UNIT ? *argument == '"' : hpf__is_digit(*argument);
}

/* Bytes of a string, and the end of the line that was looked at last: a string may have a million
 * quotes on one line. */
typedef struct string_scan {
    const char *first;
    const char *end;
    bool is_final;
    const char *line_end; /* `end` when the line has none */
} string_scan;

/* Returns what the quote at `quote` is: HPF__LEXED the end of the string; HPF__LEX_BAD part of it,
 * the string goes on at `*next`; HPF__LEX_MORE undecided without more bytes. */
static hpf__lexed judge_quote(const char **next, string_scan *s, const char *quote)
{
    if (quote + 1 == s->end && !s->is_final) {
        return HPF__LEX_MORE;
    }
    bool is_pair = quote + 1 < s->end && quote[1] == '"';
    *next = is_pair ? quote + 2 : quote + 1;
    if (quote == s->first || quote[-1] != '\\') {
        return is_pair ? HPF__LEX_BAD : HPF__LEXED;
    }
    if (s->line_end < quote) {
        const char *line_feed = memchr(quote, '\n', (size_t)(s->end - quote));
        s->line_end = line_feed ? line_feed : s->end;
    }
    if (s->line_end == s->end && !s->is_final) {
        return HPF__LEX_MORE;
    }
    if (!is_pair) {
        return ends_after_backslash(quote, s->line_end) ? HPF__LEXED : HPF__LEX_BAD;
    }
    /* `\""` at the end of a line is an escaped quote and the end of the string. */
    if (hpf__skip_blanks(quote + 2, s->line_end) == s->line_end) {
        *next = quote + 1;
    }
    return HPF__LEX_BAD;
}

hpf__lexed hpf__lex_string(hpf__string_token *token, const char *at, const char *end, bool is_final)
{
    if (at == end) {
        return is_final ? HPF__LEX_BAD : HPF__LEX_MORE;
    }
    if (*at != '"') {
        return HPF__LEX_BAD;
    }
    string_scan scan = {at + 1, end, is_final, at};
    const char *p = scan.first;
    token->has_escapes = false;
    for (;;) {
        const char *quote = memchr(p, '"', (size_t)(end - p));
        if (!quote) {
            return HPF__LEX_MORE;
        }
        hpf__lexed is_end = judge_quote(&p, &scan, quote);
        if (is_end == HPF__LEX_BAD) {
            token->has_escapes = true;
            continue;
        }
        token->inside = (hpf_str){scan.first, (size_t)(quote - scan.first)};
        token->end = quote + 1;
        return is_end;
    }
}

size_t hpf__string_unescape(char *out, hpf_str inside)
{
    size_t n = 0;
    for (size_t i = 0; i < inside.length; i++) {
        bool is_pair = inside.data[i] == '"' && i + 1 < inside.length && inside.data[i + 1] == '"';
        if (inside.data[i] == '"' && !is_pair) {
            n--; /* a backslash precedes it */
        }
        out[n++] = inside.data[i];
        i += is_pair;
    }
    return n;
}

static const char *const keyword_texts[] = {
    "JOB", "DATE", "SAMPLE_UNIT", "VALUE_UNIT", "BEGIN_SAMPLE", "END_SAMPLE", "MARK"};

hpf__keyword hpf__keyword_of(const char *at, size_t length)
{
    for (int i = 0; i < HPF__KEYWORD_NONE; i++) {
        const char *text = keyword_texts[i];
        if (length && *at == *text && strlen(text) == length && memcmp(at, text, length) == 0) {
            return (hpf__keyword)i;
        }
    }
    return HPF__KEYWORD_NONE;
}

const char *hpf__keyword_text(hpf__keyword keyword)
{
    return keyword < HPF__KEYWORD_NONE ? keyword_texts[keyword] : "";
}
