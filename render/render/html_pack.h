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

#include "hpfile/json.h"

/* Packed bytes of one series. Zeroed: empty. */
typedef struct hpr__packed {
    unsigned char *bytes;
    size_t n_bytes, capacity;
} hpr__packed;

/* Packs `n` numbers into `out`, over what was in it. False when there is no memory. */
bool hpr__pack(hpr__packed *out, const double *numbers, size_t n);
void hpr__packed_finish(hpr__packed *packed);

/* Adds the bytes to a JSON text, as a string in base64 (RFC 4648, with padding). False when there
 * is no memory. */
bool hpr__packed_json(hpf_json *json, const char *key, const hpr__packed *packed);

#endif
