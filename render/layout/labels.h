/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names on bands. A name stands on its band where a box of its size fits inside; else beside the
 * right end, with a swatch and a leader, in the order of the bands, spread so that none overlap;
 * and when the margin cannot hold all of those, in a key that takes the margin's place and holds
 * the largest bands.
 */
#ifndef HPR_LABELS_H
#define HPR_LABELS_H

#include "chart/chart.h"

/* What stands between the plot and a name in the margin. */
#define HPR__LEADER_PT     14.0 /* from the plot to the swatch */
#define HPR__SWATCH_PT     5.5  /* its height */
#define HPR__SWATCH_GAP_PT 3.0

/* The width of a swatch: of a piece of a line enough for its dashes, of a hatch for a few lines. */
double hpr__swatch_width_pt(const hpr_chart *chart);

/* All of these. */
double hpr__margin_extra_pt(const hpr_chart *chart);

/* The point at whose bands names in the margin are aimed: the last one, or, since programs tend to
 * end with an empty heap, one of the two before it in the final tenth of the time. */
size_t hpr__end_point(const hpr_chart *chart);

typedef struct hpr__label_style {
    hpr_measurer measurer;
    double largest_pt, smallest_pt; /* font sizes to try, one point apart */
    double margin_text_pt;          /* the widest text that a margin can have */
} hpr__label_style;

/* What a band is called where there is `width_pt` for it, in the chart's arena. OTHER says how many
 * names it holds, and other names the numbers of their cost centres, only where there is room for
 * all, or where what is left would be another one's name as well. NULL when there is no memory. */
const char *hpr__label_text(hpr__chart *chart, const hpr_band *band, double width_pt,
                            const hpr__label_style *style, double size_pt);

/* Whether a band shows, and has no label yet. */
bool hpr__label_is_due(const hpr_chart *chart, const hpr_band *band);

/* Places whole names inside, and cut ones where the margin would cut them even more; all other
 * labels become HPR_LABEL_NONE. None is put on the rule of a mark, if that can be helped. The
 * plot's box and the y axis are final, `x_pt` are the points'
 * places from the left of the plot. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__labels_inside(hpr__chart *chart, const hpr__label_style *style,
                                           const double *x_pt, hpf_error *err);

/* Width that the names not yet placed would take in the margin, swatch and leader included; 0 when
 * there are none. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__labels_margin_width(double *width_pt, hpr__chart *chart,
                                                 const hpr__label_style *style, hpf_error *err);

/* A margin right of the plot. */
typedef struct hpr__margin_box {
    double width_pt;
    double low_pt, high_pt; /* between these heights */
} hpr__margin_box;

/* Places the others in the margin, beside their bands if all have room there and `as_key` is not
 * asked for, else in a key. What finds no room in a key stays HPR_LABEL_NONE. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__labels_margin(hpr__chart *chart, const hpr__label_style *style,
                                           const hpr__margin_box *box, bool as_key, hpf_error *err);

#endif
