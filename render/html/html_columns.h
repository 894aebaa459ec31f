/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Series of many bands, packed in one pass over a profile, within a budget: when it is spent, the
 * last band is given up. What is left are as many of the first ones as have room.
 */
#ifndef HPR_HTML_COLUMNS_H
#define HPR_HTML_COLUMNS_H

#include "hpfile/survey.h"
#include "html/html_pack.h"

typedef struct hpr__columns {
    size_t most_bytes;    /* given: of all series, and of `costs` */
    const size_t *costs;  /* given: what each takes beside its series, n */
    uint32_t n;           /* given: how many are wanted; then, how many there are */
    hpr__packer *packers; /* made: n, each with a number for each pick of the survey */
} hpr__columns;

/* Packs the series of the bands below `columns->n`. Errors: UNSUPPORTED when there are numbers that
 * are not whole or too large, or when the survey cannot tell its samples again; those of
 * hpf_survey_replay; MEMORY. In any case hpr__columns_finish is to follow. */
HPF_MUST_USE hpf_status hpr__columns_pack(hpr__columns *columns, hpf_survey *survey,
                                          const uint32_t *band_of_name, hpf_error *err);
void hpr__columns_finish(hpr__columns *columns);

#endif
