/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of a page: its files, cut into pieces, and profiles as JSON.
 */
#ifndef HPR_HTML_PROFILE_H
#define HPR_HTML_PROFILE_H

#include "chart/chart.h"
#include "base/json.h"
#include "hprender/html.h"

/* Budget of all packed series of a page. */
#define HPR__HTML_MOST_BYTES ((size_t)24 << 20)

/* Adds a colour: "#rrggbb". */
void hpr__html_colour(hpf_json *json, const char *key, hpr_colour colour);

/* Adds the member "look": the colours of everything except names. */
void hpr__html_look(hpf_json *json);

/* Makes the picture that `census plot` draws, without its layout: the order and the colours of its
 * bands. Pins these colours in `options`, with memory from `arena`, for all profiles of the page.
 * The caller destroys `*out`. Errors: from hpf_survey_series; MEMORY. */
HPF_MUST_USE hpf_status hpr__html_picture(hpr_chart **out, hpf_survey *survey, hpr_options *options,
                                          hpf_arena *arena, hpf_error *err);

/* What a page that is a file adds to a profile. */
typedef struct hpr__html_view {
    const hpr_options *options; /* groups, pinned colours, and the order of the bands */
    const hpr_chart *picture;   /* from hpr__html_picture */
    hpf_survey *allocated;      /* what each stack has allocated up to each sample, or NULL */
    hpf_str findings;           /* JSON in one line; empty: none */
} hpr__html_view;

/* Adds one profile to a JSON text. `view` is NULL for a profile that grows: it has no order.
 * `chosen` as in hpr_html_profile_json. Errors: from hpf_survey_series; MEMORY. */
HPF_MUST_USE hpf_status hpr__html_profile(hpf_json *json, hpf_survey *survey,
                                          const hpr_html_profile *about, const hpr__html_view *view,
                                          uint32_t **chosen, hpf_error *err);

/* The pages, cut at the places of the allowed connections and of the data; not terminated. The
 * build makes them from html/js (cmake/CensusPage.cmake). */
typedef struct hpr__html_piece {
    const unsigned char *bytes;
    size_t n_bytes;
} hpr__html_piece;

enum { HPR__HTML_N_PIECES = 3 };
extern const hpr__html_piece hpr__html_pieces[HPR__HTML_N_PIECES];
extern const hpr__html_piece hpr__html_dominators_pieces[HPR__HTML_N_PIECES];
void hpr__html_piece_write(hpf_sink *sink, const hpr__html_piece *piece);

#endif
