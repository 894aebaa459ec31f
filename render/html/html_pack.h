/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Series in the packed format of pages, without loss (docs/formats/page.md).
 *
 * Most numbers of a series repeat the one before or are 0, so the format has differences and run
 * lengths. Numbers with a few decimals, such as times, are scaled to whole numbers; other numbers
 * are written as doubles.
 */
#ifndef HPR_HTML_PACK_H
#define HPR_HTML_PACK_H

#include "base/buffer.h"
#include "base/json.h"
#include "hpfile/survey.h"
#include "html/html_pack.h"

/* Whole numbers must have a smaller magnitude to be packed as differences. */
#define HPR__PACK_MOST_WHOLE                                                                       \
    1125899906842624.0 /* 2^50: a difference and its flags fit in 53 bits */

/* Packs whole numbers one by one. Zero-initialised: empty. */
typedef struct hpr__packer {
    hpf__buffer packed;
    int64_t before, step; /* the last number, and its difference from the one before */
    size_t n_times;       /* repetitions of the difference that are not written yet */
    size_t n;             /* numbers so far */
} hpr__packer;

/* Add a number; add zeros until there are `n` numbers; write pending bytes, at the end. Return
 * false without memory. */
bool hpr__packer_put(hpr__packer *packer, int64_t number);
bool hpr__packer_fill(hpr__packer *packer, size_t n);
bool hpr__packer_finish(hpr__packer *packer);

/* Packs `n` numbers into `out`, replacing its content. Returns false without memory. */
bool hpr__pack(hpf__buffer *out, const double *numbers, size_t n);

/* Adds the bytes to a JSON text as a base64 string (RFC 4648, padded). Returns false without
 * memory.
 */
bool hpr__packed_json(hpf_json *json, const char *key, const hpf__buffer *packed);

/* Series of many bands, packed in one pass over a profile within a budget: while they exceed it,
 * the last band is dropped. */

typedef struct hpr__columns {
    size_t most_bytes;    /* in: budget of all series and `costs` */
    const size_t *costs;  /* in: bytes of each band in addition to its series */
    uint32_t n;           /* in: bands to pack; out: bands in the budget */
    hpr__packer *packers; /* out: of each band, with a number for each drawn sample of the survey */
} hpr__columns;

/* Packs the series of the bands below `columns->n`. Errors: UNSUPPORTED when there are numbers that
 * are not whole or too large, or when the survey cannot replay its samples; from hpf_survey_emit;
 * MEMORY. Call hpr__columns_finish also after an error. */
HPF_MUST_USE hpf_status hpr__columns_pack(hpr__columns *columns, hpf_survey *survey,
                                          const uint32_t *band_of_name, hpf_error *err);
void hpr__columns_finish(hpr__columns *columns);

#endif
