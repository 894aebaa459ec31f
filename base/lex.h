/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blanks, words and numbers in bytes [at, end), which may be only the beginning of a text: a token
 * that more bytes could change is reported as HPF__LEX_MORE (docs/formats/hp.md).
 */
#ifndef HPF_LEX_H
#define HPF_LEX_H

#include <stdint.h>

#include "base/number.h"

#include "hpfile/str.h"

/* Numbers stay below this, so that no sum, square or area over a profile overflows. */
#define HPF__NUMBER_LIMIT 1e100

static inline bool hpf__is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns whether a character can be in a name: a letter, a digit, '_', or a byte outside ASCII. */
static inline bool hpf__is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || hpf__is_digit(c) || c == '_' ||
           (c & 0x80) != 0;
}

static inline bool hpf__is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

typedef enum hpf__lexed {
    HPF__LEXED,    /* a token, ending at `token.end` */
    HPF__LEX_MORE, /* the bytes end before the token surely does */
    HPF__LEX_BAD,  /* none of the kind begins here */
    HPF__LEX_LONG, /* a number of more than HPF__NUMBER_MAX characters that is not split
                    */
    HPF__LEX_HUGE, /* a number of HPF__NUMBER_LIMIT or more */
} hpf__lexed;

/* First byte that is not blank, or `end`. */
const char *hpf__skip_blanks(const char *at, const char *end);

/* First blank or NUL, or `end`. */
const char *hpf__word_end(const char *at, const char *end);

/* A number: digits and points beginning with a digit, as hp2ps has it, then maybe an exponent. The
 * value is the value of the part before a second point. `is_final`: nothing comes after `end`. */
typedef struct hpf__number_token {
    const char *end;
    bool is_whole; /* no point, no exponent, and below 2^64: `whole` holds it */
    uint64_t whole;
    double real; /* always the value, rounded */
} hpf__number_token;
hpf__lexed hpf__lex_number(hpf__number_token *token, const char *at, const char *end,
                           bool is_final);

/* Returns whether `text`, after any number of apostrophes, is what a spreadsheet calculates. */
static inline bool hpf__is_formula(hpf_str text)
{
    size_t i = 0;
    while (i < text.length && text.data[i] == '\'') {
        i++;
    }
    return i < text.length && memchr("=+-@\t\r\n", text.data[i], 7) != NULL;
}

#endif
