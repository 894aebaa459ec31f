/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of bands. A name is set inside its band where it fits; else in the margin right of the
 * plot, next to the end of the band, with a swatch and a leader, in the order of the bands and
 * spread so that none overlap. If the margin cannot hold all of those, they go into a legend in its
 * place, which holds the largest bands.
 */
#ifndef HPR_LABELS_H
#define HPR_LABELS_H

#include "chart/chart.h"

/* Between the plot and a name in the margin. */
#define HPR__LEADER_PT     14.0 /* from the plot to the swatch */
#define HPR__SWATCH_PT     5.5  /* its height */
#define HPR__SWATCH_GAP_PT 3.0

/* Returns the width of a swatch: enough to show the dashes of a line or a few lines of a hatch. */
double hpr__swatch_width_pt(const hpr_chart *chart);

/* Returns the width of leader, swatch and gap together. */
double hpr__margin_extra_pt(const hpr_chart *chart);

/* Returns the point whose bands the names in the margin refer to: the last one or, since programs
 * tend to end with an empty heap, one of the two before it in the final tenth of the time. */
size_t hpr__end_point(const hpr_chart *chart);

typedef struct hpr__label_style {
    hpr_measurer measurer;
    double largest_pt, smallest_pt; /* font sizes to try, in steps of one point */
    double margin_text_pt;          /* width of the widest text that fits in a margin */
} hpr__label_style;

/* Sets what labels show of the names of all bands (hpr_band.shown): without the ids of stacks where
 * names differ without them. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__labels_name(hpr__chart *chart, hpf_error *err);

/* Leaves out a prefix, or the callers, that all names have in common; this goes to the text of
 * chart->public.common. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__labels_shorten(hpr__chart *chart, hpf_error *err);

/* Returns whether any label is elided, or missing. */
bool hpr__labels_are_cut(const hpr_chart *chart);

/* Returns the name of a band as it is shown, elided to `width_pt`, in the arena of the chart. Of a
 * stack that could be mistaken for another one then, it has the frame that differs, or if that does
 * not fit, the id. Returns NULL if there is no memory. */
const char *hpr__label_text(hpr__chart *chart, const hpr_band *band, double width_pt,
                            const hpr__label_style *style, double size_pt);

/* Returns whether a band is visible and has no label yet. */
bool hpr__label_is_due(const hpr_chart *chart, const hpr_band *band);

/* Compares pointers to bands for qsort: the largest area first, then the lowest band. */
int hpr__compare_areas(const void *a, const void *b);

/* Places names inside their bands: whole names, and elided ones where the margin would cut them
 * even shorter. All other labels become HPR_LABEL_NONE. Labels avoid the rules of marks if
 * possible. The box of the plot and the y axis must be final; `x_pt` are the points, from the left
 * of the plot. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__labels_inside(hpr__chart *chart, const hpr__label_style *style,
                                           const double *x_pt, hpf_error *err);

/* Computes the width that the names not yet placed need in a margin of a height, including swatch
 * and leader; 0 if there are none. Names that do not fit there do not count. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__labels_margin_width(double *width_pt, hpr__chart *chart,
                                                 const hpr__label_style *style, double height_pt,
                                                 hpf_error *err);

/* The margin right of the plot. */
typedef struct hpr__margin_box {
    double width_pt;
    double low_pt, high_pt;
} hpr__margin_box;

/* Places the remaining names in the margin: next to their bands if all fit and `as_legend` is
 * false, else in a legend. Names that do not fit there stay HPR_LABEL_NONE. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__labels_margin(hpr__chart *chart, const hpr__label_style *style,
                                           const hpr__margin_box *box, bool as_legend,
                                           hpf_error *err);

#endif
