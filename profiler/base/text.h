/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A growing text. Appending never fails; a text that lacked memory has `is_short` set.
 */
#ifndef HPP_TEXT_H
#define HPP_TEXT_H

#include <stdbool.h>
#include <string.h>
#include "hpfile/event.h"

/* All zero is an empty text. */
typedef struct hpp__text {
    char *data;
    size_t length;
    size_t capacity;
    bool is_short; /* a piece is missing for lack of memory */
} hpp__text;

void hpp__text_add(hpp__text *text, hpf_str piece);
void hpp__text_add_number(hpp__text *text, uint64_t number);

/* Cuts the text to at most `n_bytes`, on a character boundary. */
void hpp__text_cut(hpp__text *text, size_t n_bytes);

static inline hpf_str hpp__text_str(const hpp__text *text)
{
    return text->data ? (hpf_str){text->data, text->length} : HPF_STR("");
}

void hpp__text_finish(hpp__text *text);

#endif
