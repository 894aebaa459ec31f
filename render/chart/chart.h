/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The private side of a chart: its arena, and its arrays while they can still be written.
 *
 * Both looks take the same steps: assign names to bands (select.h), fetch the series and cumulate
 * them (stack.h), then scale and lay out, which fills the rest of the public struct.
 */
#ifndef HPR_CHART_H
#define HPR_CHART_H

#include "base/arena.h"
#include "base/intern.h"
#include "hprender/render.h"

typedef struct hpr__chart {
    hpr_chart public; /* first, so that a pointer to it is a pointer to the whole */
    hpf_arena *arena;
    hpf__intern texts; /* as the profile has them: many bands have the same frames */
    hpr_band *bands;   /* public.bands */
    double *values;    /* n_bands rows of n_points: `values` of the bands, in the order fetched */
    double *upper;     /* the same for `upper` */
    double *totals;    /* public.totals */
} hpr__chart;

/* Creates an empty chart with an arena; free it with hpr_chart_destroy. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__chart_begin(hpr__chart **out, hpf_error *err);

/* Stores a copy of `bytes`, with a NUL behind it, that lives as long as the chart; equal texts have
 * one copy. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__chart_bytes(hpr__chart *chart, hpf_str bytes, hpf_str *out,
                                         hpf_error *err);

/* Converts `bytes` to displayable UTF-8 in the arena of the chart. White space becomes spaces;
 * other control characters and invalid bytes become U+FFFD. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__chart_text(hpr__chart *chart, hpf_str bytes, const char **out,
                                        hpf_error *err);

/* Copies the headers of the profile. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__chart_headers(hpr__chart *chart, const hpf_survey *survey,
                                           hpf_error *err);

/* Takes the place of a name: the band of the names that are folded together. */
#define HPR__OTHER_BAND UINT32_MAX

/* Which name goes into which band: the outcome of select, order and limit. */
typedef struct hpr__assignment {
    hpf_name *names; /* n_bands, bottom first; at most one is HPR__OTHER_BAND. Of a group of names:
                        the first */
    const hpf_str *texts; /* n_bands: names to show for the bands; NULL: the texts of `names` */
    uint32_t n_bands;
    uint32_t *band_of_name; /* by name: its band, the band of OTHER, or HPF_NO_BAND if dropped */
    uint32_t other_names;   /* names folded into OTHER */
    uint32_t dropped_names; /* names in no band */
} hpr__assignment;

typedef struct hpr__assignment_parts {
    const hpf_name *drawn; /* names with a band of their own, bottom first */
    uint32_t n_drawn;
    const hpf_name *folded; /* names that share the band OTHER; without any there is no OTHER */
    uint32_t n_folded;
    bool other_on_top; /* else OTHER is the lowest band */
} hpr__assignment_parts;

/* Initialises the assignment for a survey of `n_names` names; names in neither list are dropped. It
 * lives as long as the arena. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__assignment_init(hpr__assignment *assignment, hpf_arena *arena,
                                             uint32_t n_names, const hpr__assignment_parts *parts,
                                             hpf_error *err);

#endif
