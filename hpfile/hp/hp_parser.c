/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Statements of every form that is read (docs/formats/hp.md), and the errors of all others, placed
 * at the byte that is wrong.
 */
#include <string.h>

#include "hp/hp_lex.h"
#include "hp/hp_reader.h"
#include "hp/hp_state.h"
#include "base/number.h"

/* --- gathering a sample --- */

hpf_status hpf__hp_fail_memory(hpf__hp_reader *r)
{
    return hpf_error_set_memory(&r->error);
}

hpf_status hpf__hp_fail_long(hpf__hp_reader *r)
{
    hpf_error_set(&r->error, HPF_ERR_LIMIT, "a name or text of more than %zu bytes",
                  r->max_statement_bytes);
    r->error.offset = r->offset;
    r->error.line = r->line;
    r->error.column = (uint32_t)(r->offset - r->line_offset + 1);
    return HPF_ERR_LIMIT;
}

hpf_status hpf__hp_define_name(hpf__hp_reader *r, hpf_str text, hpf_name *name)
{
    bool is_new;
    if (text.length > r->max_statement_bytes) {
        return hpf__hp_fail_long(r);
    }
    hpf_status status = hpf__intern_add(&r->names, text, name, &is_new);
    if (status == HPF_ERR_LIMIT) {
        return hpf_error_set(&r->error, status, "more than 2^30 names");
    }
    if (status != HPF_OK) {
        return hpf__hp_fail_memory(r);
    }
    if (!is_new) {
        return HPF_OK;
    }
    if (!HPF__ARRAY_RESERVE(r->next_name, r->next_name_capacity, (size_t)*name + 2)) {
        return hpf__hp_fail_memory(r);
    }
    r->next_name[*name + 1] = 0;
    return r->events.name ? r->events.name(r->context, *name, hpf__hp_name(r, *name), &r->error)
                          : HPF_OK;
}

void hpf__hp_begin_sample(hpf__hp_reader *r, double time, size_t time_bytes)
{
    r->time = time;
    r->time_bytes = time_bytes;
    r->in_sample = true;
}

hpf_status hpf__hp_end_sample(hpf__hp_reader *r, uint64_t end_offset)
{
    hpf_sample sample = {.time = r->time,
                         .costs = r->costs.all,
                         .n_costs = r->costs.n,
                         .begin_offset = r->sample_offset,
                         .end_offset = end_offset};
    r->in_sample = false;
    r->n_samples++;
    r->costs.n = 0;
    r->last_name = 0;
    r->sample_offset = end_offset;
    return r->events.sample ? r->events.sample(r->context, &sample, &r->error) : HPF_OK;
}

/* --- errors --- */

/* Sets line, column and offset of the sticky error to the byte `at` in the statement that begins at
 * `begin`, the next byte to be read. */
static void place_error(hpf__hp_reader *r, hpf_error *error, const char *begin, const char *at)
{
    uint64_t line_offset = r->line_offset;
    error->line = r->line;
    for (const char *p = begin; p < at; p++) {
        if (*p == '\n') {
            error->line++;
            line_offset = r->offset + (uint64_t)(p + 1 - begin);
        }
    }
    error->offset = r->offset + (uint64_t)(at - begin);
    error->column = (uint32_t)(error->offset - line_offset + 1);
}

static hpf_status fail_at(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
                          hpf_status status, const char *message)
{
    hpf_error_set(&r->error, status, "%s", message);
    place_error(r, &r->error, p->begin, at);
    return status;
}

static const char nul_message[] = "NUL byte, expected text";

/* Number of bytes of a word that a message shows. */
#define SHOWN_BYTES 23

static const char *shown_end(const char *at, const char *end)
{
    const char *last = end - at > SHOWN_BYTES ? at + SHOWN_BYTES : end;
    while (at < last && !hpf__is_blank(*at)) {
        at++;
    }
    return at;
}

/* Writes a word for a message: short, printable, quoted. `out` has room for 40 bytes. */
static void describe(char *out, const char *at, const char *end)
{
    if (at == end) {
        strcpy(out, "the end of the input");
        return;
    }
    const char *last = shown_end(at, end);
    size_t n = 0;
    out[n++] = '\'';
    for (; at < last; at++) {
        out[n++] = (unsigned char)*at < ' ' || (unsigned char)*at >= 127 ? '?' : *at;
    }
    bool is_all = at == end || hpf__is_blank(*at);
    strcpy(out + n, is_all ? "'" : "...'");
}

/* Waits for as much of the refused word as the message shows: however the input is cut, the error
 * is the same. */
static hpf_status fail_expecting(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
                                 const char *expected, const char *after)
{
    char found[40];
    const char *limit = p->end - at > SHOWN_BYTES ? at + SHOWN_BYTES : p->end;
    const char *word_end = hpf__word_end(at, limit);
    if (!p->is_final && word_end == p->end) {
        return HPF_MORE;
    }
    if (word_end < limit && *word_end == '\0') {
        return fail_at(r, p, word_end, HPF_ERR_SYNTAX, nul_message);
    }
    describe(found, at, p->end);
    hpf_error_set(&r->error, HPF_ERR_SYNTAX, "expected %s after %s, found %s", expected, after,
                  found);
    place_error(r, &r->error, p->begin, at);
    return HPF_ERR_SYNTAX;
}

/* --- statements --- */

/* Each reads the statement at p->begin and returns HPF_OK with its end in `*next`, HPF_MORE when it
 * is not all there, or an error. `at` is where its argument is to be looked for. */

/* Drops the statement in which the input ends; HPF_MORE if the input may continue. */
static hpf_status cut_off(hpf__hp_reader *r, const hpf__hp_piece *p, const char **next)
{
    if (!p->is_final) {
        return HPF_MORE;
    }
    r->is_truncated = true;
    *next = p->end;
    return HPF_OK;
}

static hpf_status fail_number(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
                              hpf__lexed why, const char *after)
{
    if (why == HPF__LEX_LONG) {
        return fail_at(r, p, at, HPF_ERR_RANGE, "number of more than 32 characters");
    }
    if (why == HPF__LEX_HUGE) {
        return fail_at(r, p, at, HPF_ERR_RANGE, "number of 1e100 or more");
    }
    return fail_expecting(r, p, at, "a number", after);
}

static hpf_status read_header(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
                              hpf_header which, const char **next)
{
    hpf__string_token token;
    at = hpf__skip_blanks(at, p->end);
    const char *keyword = hpf__keyword_text((hpf__keyword)which);
    switch (hpf__lex_string(&token, at, p->end, p->is_final)) {
    case HPF__LEX_MORE:
        return p->is_final ? fail_at(r, p, at, HPF_ERR_SYNTAX, "string is not closed, expected \"")
                           : HPF_MORE;
    case HPF__LEXED:
        break;
    default:
        return fail_expecting(r, p, at, "a string in double quotes", keyword);
    }
    hpf_str text = token.inside;
    if (text.length > r->max_statement_bytes) {
        return hpf__hp_fail_long(r);
    }
    const char *nul = memchr(at, '\0', (size_t)(token.end - at));
    if (nul) {
        return fail_at(r, p, nul, HPF_ERR_SYNTAX, nul_message);
    }
    if (token.has_escapes) {
        r->unescaped.length = 0;
        if (!hpf__buffer_reserve(&r->unescaped, text.length)) {
            return hpf__hp_fail_memory(r);
        }
        text = (hpf_str){r->unescaped.bytes, hpf__string_unescape(r->unescaped.bytes, text)};
    }
    r->has_header[which] = true;
    *next = token.end;
    return r->events.header ? r->events.header(r->context, which, text, &r->error) : HPF_OK;
}

/* Reads the number after BEGIN_SAMPLE, END_SAMPLE or MARK. */
static hpf_status read_time(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
                            hpf__keyword keyword, double *time, const char **next)
{
    hpf__number_token token;
    at = hpf__skip_blanks(at, p->end);
    if (at == p->end) {
        return cut_off(r, p, next);
    }
    hpf__lexed lexed = hpf__lex_number(&token, at, p->end, p->is_final);
    if (lexed == HPF__LEX_MORE) {
        return HPF_MORE;
    }
    if (lexed != HPF__LEXED) {
        return fail_number(r, p, at, lexed, hpf__keyword_text(keyword));
    }
    *time = token.real;
    *next = token.end;
    return HPF_OK;
}

static hpf_status begin_sample(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
                               double time, size_t n_bytes)
{
    if (time < r->time) {
        char now[HPF__NUMBER_BYTES];
        char before[HPF__NUMBER_BYTES];
        now[hpf__number_shortest(now, time)] = '\0';
        before[hpf__number_shortest(before, r->time)] = '\0';
        hpf_error_set(&r->error, HPF_ERR_ORDER, "sample time %s goes back, expected at least %s",
                      now, before);
        place_error(r, &r->error, p->begin, hpf__skip_blanks(at, p->end));
        return HPF_ERR_ORDER;
    }
    hpf__hp_begin_sample(r, time, n_bytes);
    return HPF_OK;
}

static hpf_status read_timed(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
                             hpf__keyword keyword, const char **next)
{
    double time = 0;
    hpf_status status = read_time(r, p, at, keyword, &time, next);
    if (status != HPF_OK || r->is_truncated) {
        return status;
    }
    /* The last number of a file that was cut may have been cut too: the one of BEGIN_SAMPLE begins
     * no sample, the one of END_SAMPLE should be as long as the one of BEGIN_SAMPLE. */
    bool is_last = p->is_final && *next == p->end;
    size_t n_bytes = (size_t)(*next - hpf__skip_blanks(at, p->end));
    if (keyword == HPF__KEYWORD_BEGIN_SAMPLE) {
        return is_last ? cut_off(r, p, next) : begin_sample(r, p, at, time, n_bytes);
    }
    if (keyword == HPF__KEYWORD_END_SAMPLE) {
        r->has_cut_line = is_last && (time != r->time || n_bytes < r->time_bytes);
        return r->in_sample ? hpf__hp_end_sample(r, r->offset + (uint64_t)(*next - p->begin))
                            : fail_at(r, p, p->begin, HPF_ERR_ORDER,
                                      "END_SAMPLE without a BEGIN_SAMPLE before it");
    }
    return r->events.mark ? r->events.mark(r->context, time, HPF_STR(""), &r->error) : HPF_OK;
}

static const char *line_end(const char *at, const char *end)
{
    const char *line_feed = memchr(at, '\n', (size_t)(end - at));
    return line_feed ? line_feed : end;
}

/* NAME with blanks inside: allowed when a tab parts it from a number that ends the line. Finds that
 * tab; HPF__LEX_BAD when there is none. */
static hpf__lexed find_value_tab(const hpf__hp_piece *p, const char *at, const char **tab)
{
    const char *end = line_end(at, p->end);
    if (end == p->end && !p->is_final) {
        return HPF__LEX_MORE;
    }
    for (*tab = end; *tab > at && (*tab)[-1] != '\t'; (*tab)--) {
    }
    hpf__number_token token;
    const char *value = hpf__skip_blanks(*tab, end);
    if (*tab == at || hpf__lex_number(&token, value, end, true) != HPF__LEXED ||
        hpf__skip_blanks(token.end, end) != end || memchr(at, '\0', (size_t)(end - at))) {
        return HPF__LEX_BAD;
    }
    return HPF__LEXED;
}

static hpf_status take_cost(hpf__hp_reader *r, const hpf__hp_piece *p, hpf_str name, const char *at,
                            const char **next)
{
    hpf__number_token token;
    char quoted[40];
    hpf__lexed lexed = hpf__lex_number(&token, at, p->end, p->is_final);
    if (lexed == HPF__LEX_MORE) {
        return HPF_MORE;
    }
    if (lexed != HPF__LEXED) {
        describe(quoted, name.data, name.data + name.length);
        return fail_number(r, p, at, lexed, quoted);
    }
    hpf_cost cost = {.is_real = !token.is_whole};
    hpf_status status = hpf__hp_define_name(r, name, &cost.name);
    if (status != HPF_OK) {
        return status;
    }
    if (token.is_whole) {
        cost.whole = token.whole;
    } else {
        cost.real = token.real;
    }
    *next = token.end;
    return hpf__hp_add_cost(r, cost);
}

/* The text at `*at`, on the line of the name, is not a value: if it belongs to the name, extends
 * the name and moves `*at` to the value. Returns HPF_END when the input ends inside the line. */
static hpf_status widen_name(hpf__hp_reader *r, const hpf__hp_piece *p, hpf_str *name,
                             const char **at)
{
    const char *tab;
    hpf__lexed lexed = find_value_tab(p, *at, &tab);
    if (lexed == HPF__LEX_MORE) {
        return HPF_MORE;
    }
    if (lexed == HPF__LEXED) {
        *at = hpf__skip_blanks(tab, p->end);
        for (; hpf__is_blank(tab[-1]); tab--) {
        }
        name->length = (size_t)(tab - p->begin);
        return HPF_OK;
    }
    const char *end = line_end(*at, p->end);
    const char *nul = memchr(*at, '\0', (size_t)(end - *at));
    if (nul) {
        return fail_at(r, p, nul, HPF_ERR_SYNTAX, nul_message);
    }
    return end == p->end ? HPF_END : HPF_OK;
}

static hpf_status read_cost(hpf__hp_reader *r, const hpf__hp_piece *p, const char *word_end,
                            const char **next)
{
    const char *at = hpf__skip_blanks(word_end, p->end);
    if (at == p->end) {
        return cut_off(r, p, next);
    }
    hpf_str name = {p->begin, (size_t)(word_end - p->begin)};
    if (!hpf__is_digit(*at) && !memchr(word_end, '\n', (size_t)(at - word_end))) {
        hpf_status status = widen_name(r, p, &name, &at);
        if (status != HPF_OK) {
            return status == HPF_END ? cut_off(r, p, next) : status;
        }
    }
    return take_cost(r, p, name, at, next);
}

hpf_status hpf__hp_read_statement(hpf__hp_reader *r, const hpf__hp_piece *p, const char **next)
{
    const char *word_end = hpf__word_end(p->begin, p->end);
    if (*p->begin == '"') {
        return fail_at(r, p, p->begin, HPF_ERR_SYNTAX,
                       "expected a name or a keyword, found a string");
    }
    if (word_end == p->end) {
        return cut_off(r, p, next);
    }
    if (*word_end == '\0') {
        return fail_at(r, p, word_end, HPF_ERR_SYNTAX, nul_message);
    }
    hpf__keyword keyword = hpf__keyword_of(p->begin, (size_t)(word_end - p->begin));
    if (keyword == HPF__KEYWORD_NONE) {
        return read_cost(r, p, word_end, next);
    }
    if (keyword <= HPF__KEYWORD_VALUE_UNIT) {
        return read_header(r, p, word_end, (hpf_header)keyword, next);
    }
    return read_timed(r, p, word_end, keyword, next);
}
