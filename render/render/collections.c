/* SPDX-License-Identifier: BSD-2-Clause
 *
 * There may be far more collections than places for ticks.
 */
#include "base/arena.h"
#include "collections.h"

#define LEAST_APART_PT 0.9
#define MINOR_PT       3.0
#define MAJOR_PT       7.0
#define TICK_WIDTH_PT  0.5

hpf_status hpr__collections_place(hpr__chart *chart, const hpr_options *options, hpf_error *err)
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

/* What the ticks are stands right of them, where there is room. */
static void draw_name(const hpr__drawing *d)
{
    const double gap_pt = 3;
    double size_pt = d->type.text_pt;
    hpr_text_size size = d->measurer.measure(d->measurer.context, "GC", size_pt, false);
    double left = hpr__right_of_plot(d->chart) + gap_pt;
    if (left + size.width_pt <= d->chart->width_pt) {
        hpr__draw_text(d, "GC", left, hpr__top_of_plot(d->chart) - size.ascent_pt, size_pt,
                       HPR_ANCHOR_START, d->theme->faint);
    }
}

void hpr__draw_collections(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    double top = hpr__top_of_plot(chart);
    hpr_paint paint = hpr__stroke_of(d, d->theme->ink, TICK_WIDTH_PT);
    if (chart->n_collections == 0) {
        return;
    }
    hpr__ink_group_begin(d->ink, "garbage collections; the longer ticks are major ones");
    for (size_t i = 0; i < chart->n_collections; i++) {
        const hpr_collection *c = &chart->collections[i];
        double length = c->is_major ? MAJOR_PT : MINOR_PT;
        hpr__draw_segment(d, c->x_pt, top, c->x_pt, top - length, paint);
    }
    hpr__ink_group_end(d->ink);
    draw_name(d);
}
