/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a page is told, as JSON: profiles, names, and what is shown first.
 */
#ifndef HPR_HTML_PROFILE_H
#define HPR_HTML_PROFILE_H

#include "io/json.h"
#include "hprender/html.h"

/* What the packed series of a page may take, all profiles together. */
#define HPR__HTML_MOST_BYTES ((size_t)24 << 20)

/* Adds a colour: "#rrggbb". */
void hpr__html_colour(hpf_json *json, const char *key, hpr_colour colour);

/* Adds one profile to a JSON text, its names grouped and coloured as the options say. `*chosen` as
 * in hpr_html_profile_json. Errors: those of hpf_survey_series; MEMORY. */
HPF_MUST_USE hpf_status hpr__html_profile(hpf_json *json, hpf_survey *survey,
                                          const hpr_html_profile *about,
                                          const hpr_html_limits *limits, const hpr_options *options,
                                          uint32_t **chosen, hpf_error *err);

/* Adds the member "view": what the options say of what is shown first. */
void hpr__html_view(hpf_json *json, const hpr_page_options *page);

/* Adds the member "look": the colours of the palette and of the themes. */
void hpr__html_look(hpf_json *json);

#endif
