/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts that grow.
 */
#include "text.h"

#include <stdio.h>

#include "base/utf8.h"
#include "base/array.h"

void hpp__text_add(hpp__text *text, hpf_str piece)
{
    if (piece.length == 0 || text->is_short) {
        return;
    }
    if (!HPF__ARRAY_RESERVE(text->data, text->capacity, text->length + piece.length)) {
        text->is_short = true;
        return;
    }
    memcpy(text->data + text->length, piece.data, piece.length);
    text->length += piece.length;
}

void hpp__text_add_number(hpp__text *text, uint64_t number)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    hpp__text_add(text, (hpf_str){digits, (size_t)n});
}

void hpp__text_cut(hpp__text *text, size_t n_bytes)
{
    text->length = hpf_utf8_cut(hpp__text_str(text), n_bytes);
}

void hpp__text_finish(hpp__text *text)
{
    free(text->data);
    *text = (hpp__text){0};
}
