/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Places of the texts that are set over a finished chart, after its other labels: the text of the
 * peak, and the names of quantity lines.
 */
#ifndef HPR_NOTES_H
#define HPR_NOTES_H

#include "layout/elide.h"
#include "layout/geometry.h"

#define HPR__ARROW_PT 6.0 /* width and height of the arrow at the top of a line that is cut */

/* Returns the place of that arrow on the x axis, at the maximum of the line; NAN if it is not cut.
 */
double hpr__arrow_of(const hpr_chart *chart, const hpr_quantity *line);

/* How these texts are set. */
typedef struct hpr__note_style {
    hpr_measurer measurer;
    double text_pt;
    bool si_units;
} hpr__note_style;

/* The text of the peak and its box. */
typedef struct hpr__peak_note {
    bool is_there;
    double dot_x_pt, dot_y_pt;
    char text[HPR__PEAK_BYTES + 8];
    hpr__area area; /* from the baseline up */
} hpr__peak_note;

/* Returns the peak with its text above the highest point (of differences: above the plot), moved to
 * where no mark and no quantity line crosses it. */
hpr__peak_note hpr__peak_note_place(const hpr_chart *chart, const hpr__note_style *style);

/* Returns the distance of the dot from the text. */
double hpr__peak_note_distance(const hpr__peak_note *note);

/* Returns the areas of the names of the quantity lines, which the caller frees; NULL without
 * memory. Each is near the right end of its line. As far as there is room, it overlaps neither
 * `taken` nor a rule, another name, or the name of a band. */
HPF_MUST_USE hpr__area *hpr__quantity_names_place(const hpr_chart *chart,
                                                  const hpr__note_style *style,
                                                  const hpr__area *taken);

#endif
