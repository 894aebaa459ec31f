/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Making a plan from two lists of names.
 */
#include "base/arena.h"
#include "chart/band_assignment.h"

hpf_status hpr__assignment_init(hpr__assignment *plan, hpf_arena *arena, uint32_t n_names,
                                const hpr__assignment_parts *parts, hpf_error *err)
{
    bool has_other = parts->n_folded > 0;
    uint32_t n_bands = parts->n_drawn + has_other;
    uint32_t first_drawn = has_other && !parts->other_on_top;
    uint32_t other_band = parts->other_on_top ? parts->n_drawn : 0;

    *plan = (hpr__assignment){
        .names = hpf_arena_array(arena, n_bands, sizeof *plan->names),
        .band_of_name = hpf_arena_array(arena, n_names, sizeof *plan->band_of_name),
        .n_bands = n_bands,
        .other_names = parts->n_folded,
        .dropped_names = n_names - parts->n_drawn - parts->n_folded,
    };
    if (!plan->names || !plan->band_of_name) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n_names; i++) {
        plan->band_of_name[i] = HPF_NO_BAND;
    }
    for (uint32_t i = 0; i < parts->n_drawn; i++) {
        plan->names[first_drawn + i] = parts->drawn[i];
        plan->band_of_name[parts->drawn[i]] = first_drawn + i;
    }
    for (uint32_t i = 0; i < parts->n_folded; i++) {
        plan->band_of_name[parts->folded[i]] = other_band;
    }
    if (has_other) {
        plan->names[other_band] = HPR__PLAN_OTHER;
    }
    return HPF_OK;
}
