/* SPDX-License-Identifier: BSD-2-Clause
 *
 * There may be far more collections than places for ticks.
 */
#include "base/arena.h"
#include "layout/gc_ticks.h"

#define LEAST_APART_PT 0.9

hpf_status hpr__gc_ticks_place(hpr__chart *chart, const hpr_options *options, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    if (options->n_collections == 0 || public->n_points == 0) {
        return HPF_OK;
    }
    hpr_collection *placed = hpf_arena_array(chart->arena, options->n_collections, sizeof *placed);
    if (!placed) {
        return hpf_error_set_memory(err);
    }
    double first = public->times[0];
    double last = public->times[public->n_points - 1];
    size_t n = 0;
    for (size_t i = 0; i < options->n_collections; i++) {
        const hpf_collection *c = &options->collections[i];
        double x = hpr__x_of_time(public, c->time_s);
        if (c->time_s < first || c->time_s > last) {
            continue;
        }
        if (n > 0 && x - placed[n - 1].x_pt < LEAST_APART_PT) {
            placed[n - 1].n++;
            placed[n - 1].is_major |= c->is_major;
        } else {
            placed[n++] = (hpr_collection){c->time_s, x, 1, c->is_major};
        }
    }
    public->collections = placed;
    public->n_collections = n;
    return HPF_OK;
}
