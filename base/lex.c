/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where hp2ps and the writers of other profiles differ, a reading that hp2ps accepts wins; only
 * what it would refuse is read more generously.
 */
#include "base/lex.h"

#include <string.h>

const char *hpf__skip_blanks(const char *at, const char *end)
{
    while (at < end && hpf__is_blank(*at)) {
        at++;
    }
    return at;
}

const char *hpf__word_end(const char *at, const char *end)
{
    while (at < end && !hpf__is_blank(*at) && *at != '\0') {
        at++;
    }
    return at;
}

static const char *digits_end(const char *at, const char *end)
{
    while (at < end && hpf__is_digit(*at)) {
        at++;
    }
    return at;
}

/* Returns whether the word before `at` is a name for hp2ps, because a value follows; HPF__LEX_BAD
 * means no. After a line feed a number may also be a name, if another number follows it. */
static hpf__lexed lex_value_after(const char *at, const char *end, bool is_final)
{
    const char *value = hpf__skip_blanks(at, end);
    if (value == end || !hpf__is_digit(*value)) {
        return value < end || is_final ? HPF__LEX_BAD : HPF__LEX_MORE;
    }
    if (!memchr(at, '\n', (size_t)(value - at))) {
        return HPF__LEXED;
    }
    const char *value_end = digits_end(value, end);
    const char *next = hpf__skip_blanks(value_end, end);
    if (next == end) {
        return is_final ? HPF__LEXED : HPF__LEX_MORE;
    }
    return next > value_end && !hpf__is_digit(*next) ? HPF__LEXED : HPF__LEX_BAD;
}

/* Stores the end of an exponent that begins at `at`, or `at` if none does. `5e3` is one number;
 * but in `foo 5e3 6` hp2ps reads the value 5 and then a name e3 with the value 6. */
static hpf__lexed lex_exponent(const char **exponent_end, const char *at, const char *end,
                               bool is_final)
{
    *exponent_end = at;
    if (at == end || (*at != 'e' && *at != 'E')) {
        return HPF__LEXED;
    }
    const char *p = at + 1;
    if (p < end && (*p == '+' || *p == '-')) {
        p++;
    }
    const char *last = digits_end(p, end);
    if (last == end && !is_final) {
        return HPF__LEX_MORE;
    }
    if (last == p || (last < end && !hpf__is_blank(*last))) {
        return HPF__LEXED;
    }
    hpf__lexed value = lex_value_after(last, end, is_final);
    if (value == HPF__LEX_BAD) {
        *exponent_end = last;
    }
    return value == HPF__LEX_MORE ? HPF__LEX_MORE : HPF__LEXED;
}

/* The digits as a whole number, unless they do not fit. */
static bool parse_whole(uint64_t *whole, const char *at, const char *end)
{
    uint64_t value = 0;
    for (; at < end; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *whole = value;
    return true;
}

/* There are more than HPF__NUMBER_MAX digits and points before `last`. hp2ps splits them and takes
 * the rest for a name, so they are accepted if a value follows. */
static hpf__lexed lex_long_number(const char *last, const char *end, bool is_final)
{
    const char *word_end = hpf__word_end(last, end);
    const char *value = hpf__skip_blanks(word_end, end);
    if (value == end && !is_final) {
        return HPF__LEX_MORE;
    }
    return value > word_end && value < end && hpf__is_digit(*value) ? HPF__LEXED : HPF__LEX_LONG;
}

/* Finds the end of the digits and points at `at`, and of an exponent after them. */
static hpf__lexed lex_number_end(const char **number_end, const char *at, const char *end,
                                 bool is_final)
{
    const char *point = digits_end(at, end);
    const char *simple_end = point < end && *point == '.' ? digits_end(point + 1, end) : point;
    const char *last = simple_end;
    while (last < end && (hpf__is_digit(*last) || *last == '.')) {
        last++;
    }
    *number_end = last;
    if (last - at > HPF__NUMBER_MAX) {
        *number_end = at + HPF__NUMBER_MAX;
        return lex_long_number(last, end, is_final);
    }
    if (last == end && !is_final) {
        return HPF__LEX_MORE;
    }
    hpf__lexed lexed =
        last == simple_end ? lex_exponent(number_end, last, end, is_final) : HPF__LEXED;
    return *number_end - at > HPF__NUMBER_MAX ? HPF__LEX_LONG : lexed;
}

/* The part before a second point. */
static const char *value_end(const char *at, const char *end)
{
    const char *point = memchr(at, '.', (size_t)(end - at));
    const char *second = point ? memchr(point + 1, '.', (size_t)(end - point - 1)) : NULL;
    return second ? second : end;
}

hpf__lexed hpf__lex_number(hpf__number_token *token, const char *at, const char *end, bool is_final)
{
    if (at == end) {
        return is_final ? HPF__LEX_BAD : HPF__LEX_MORE;
    }
    if (!hpf__is_digit(*at)) {
        return HPF__LEX_BAD;
    }
    hpf__lexed lexed = lex_number_end(&token->end, at, end, is_final);
    if (lexed != HPF__LEXED) {
        return lexed;
    }
    token->is_whole =
        digits_end(at, token->end) == token->end && parse_whole(&token->whole, at, token->end);
    token->real = token->is_whole ? (double)token->whole
                                  : hpf__number_parse(at, (size_t)(value_end(at, token->end) - at));
    return token->real < HPF__NUMBER_LIMIT ? HPF__LEXED : HPF__LEX_HUGE;
}
