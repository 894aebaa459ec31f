/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Series of many bands, packed in one pass over a profile within a budget: while they exceed it,
 * the last band is dropped.
 */
#ifndef HPR_HTML_COLUMNS_H
#define HPR_HTML_COLUMNS_H

#include "hpfile/survey.h"
#include "html/html_pack.h"

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
