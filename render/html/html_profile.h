/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of a page: its files, cut into pieces, and profiles as JSON.
 */
#ifndef HPR_HTML_PROFILE_H
#define HPR_HTML_PROFILE_H

#include "io/json.h"
#include "hprender/html.h"

/* Budget of all packed series of a page. */
#define HPR__HTML_MOST_BYTES ((size_t)24 << 20)

/* Adds a colour: "#rrggbb". */
void hpr__html_colour(hpf_json *json, const char *key, hpr_colour colour);

/* Adds one profile to a JSON text, with the groups, colours and order of the options; NULL: the
 * defaults, and no order, as for a profile that grows. `chosen` as in hpr_html_profile_json.
 * Errors: those of hpf_survey_series; MEMORY. */
HPF_MUST_USE hpf_status hpr__html_profile(hpf_json *json, hpf_survey *survey,
                                          const hpr_html_profile *about,
                                          const hpr_html_limits *limits, const hpr_options *options,
                                          uint32_t **chosen, hpf_error *err);

/* The page, cut at the places of the allowed connections and of the data; not terminated. The build
 * makes them from html/js (cmake/CensusPage.cmake). */
typedef struct hpr__html_piece {
    const unsigned char *bytes;
    size_t n_bytes;
} hpr__html_piece;

enum { HPR__HTML_N_PIECES = 3 };
extern const hpr__html_piece hpr__html_pieces[HPR__HTML_N_PIECES];

#endif
