/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Series as a page holds them: packed bytes, from which every number can be had again exactly
 * (docs/formats/page.md).
 *
 * A series of a profile mostly repeats itself or is 0, so what is written are differences, and how
 * often the one before comes again. Numbers with a few decimals, such as times, are whole numbers
 * of their last decimal. What does not fit that is written as doubles.
 */
#ifndef HPR_HTML_PACK_H
#define HPR_HTML_PACK_H

#include "io/json.h"

/* Packed bytes of one series. Zeroed: empty. */
typedef struct hpr__packed {
    unsigned char *bytes;
    size_t n_bytes, capacity;
} hpr__packed;

/* Numbers below this, either way, can be told by differences. */
#define HPR__PACK_MOST_WHOLE 1125899906842624.0 /* 2^50 */

/* Whole numbers being packed one by one. Zeroed: none yet. */
typedef struct hpr__packer {
    hpr__packed packed;
    int64_t before, step; /* the last number, and its difference to the one before */
    size_t n_times;       /* that the difference has come again since it was written */
    size_t n;             /* numbers so far */
} hpr__packer;

/* Adds a number; as many zeros as it takes to have `n` numbers; what is pending at the end. False
 * when there is no memory. */
bool hpr__packer_put(hpr__packer *packer, int64_t number);
bool hpr__packer_fill(hpr__packer *packer, size_t n);
bool hpr__packer_finish(hpr__packer *packer);

/* Packs `n` numbers into `out`, over what was in it. False when there is no memory. */
bool hpr__pack(hpr__packed *out, const double *numbers, size_t n);
void hpr__packed_finish(hpr__packed *packed);

/* Adds the bytes to a JSON text, as a string in base64 (RFC 4648, with padding). False when there
 * is no memory. */
bool hpr__packed_json(hpf_json *json, const char *key, const hpr__packed *packed);

#endif
