/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A plan: which name goes into which band. The outcome of select, order and limit, and all that
 * stacking needs to know of them.
 */
#ifndef HPR_BAND_ASSIGNMENT_H
#define HPR_BAND_ASSIGNMENT_H

#include "base/arena.h"
#include "hpfile/survey.h"

/* Instead of a name: the band of the names folded together. */
#define HPR__PLAN_OTHER UINT32_MAX

typedef struct hpr__assignment {
    hpf_name *names; /* n_bands, bottom first; at most one is HPR__PLAN_OTHER. For a group of names
                        the first of them */
    const hpf_str *texts; /* n_bands: what the bands are called; NULL: by their names */
    uint32_t n_bands;
    uint32_t *band_of_name; /* by name: its band, that of OTHER, or HPF_NO_BAND when dropped */
    uint32_t other_names;   /* names folded into OTHER */
    uint32_t dropped_names; /* names in no band */
} hpr__assignment;

/* What a plan is made of. */
typedef struct hpr__assignment_parts {
    const hpf_name *drawn; /* names with a band of their own, bottom first */
    uint32_t n_drawn;
    const hpf_name *folded; /* names that share the band OTHER; none: there is no such band */
    uint32_t n_folded;
    bool other_on_top; /* else it is the lowest band */
} hpr__assignment_parts;

/* Makes a plan for a survey of `n_names` names; it lives as long as the arena. Names in neither
 * list are dropped. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__assignment_init(hpr__assignment *plan, hpf_arena *arena,
                                             uint32_t n_names, const hpr__assignment_parts *parts,
                                             hpf_error *err);

#endif
