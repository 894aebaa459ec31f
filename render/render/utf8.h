/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading UTF-8 one character at a time (the public half is hpr_text_from_bytes in text.h).
 */
#ifndef HPRENDER_UTF8_H
#define HPRENDER_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at `bytes`, which has `n_bytes` >= 1. Returns its length, or 0 when they do
 * not begin with a whole character. */
size_t hpr__utf8_decode(const char *bytes, size_t n_bytes, uint32_t *character);

#endif
