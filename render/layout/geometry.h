/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where things are in a modern chart: functions of a chart that is laid out, or of the part of it
 * that is settled so far.
 */
#ifndef HPR_GEOMETRY_H
#define HPR_GEOMETRY_H

#include "chart/chart.h"
#include "chart/units.h"

#define HPR__TEXT_GAP_PT 4.0 /* between a text and what it names */

enum {
    HPR__TICK_GAP_PT = 4, /* between a tick label and the plot */
    HPR__NARROW_PT = 300, /* a sheet as wide as the column of a paper is narrow */
};

/* Font sizes for a sheet. */
typedef struct hpr__type_sizes {
    double title_pt, text_pt, smallest_pt;
} hpr__type_sizes;

hpr__type_sizes hpr__type_sizes_of(double sheet_width_pt, const hpr_options *options);

/* Empty space around everything. */
double hpr__sheet_pad_pt(const hpr_chart *chart);

/* Where a value of the x axis (hpr_chart.xs), a time, and a value of the y axis lie in the plot, in
 * points of the drawing area. Never outside the plot. */
double hpr__x_of(const hpr_chart *chart, double x);
double hpr__x_of_time(const hpr_chart *chart, double time);
double hpr__y_of(const hpr_chart *chart, double amount);

/* Where a number under the x axis begins whose tick is at `at_pt`: centred there, but on the sheet
 * and before the axis' unit. */
double hpr__x_label_left(const hpr_chart *chart, double at_pt, double width_pt, double unit_pt);

/* From the x axis down to the baseline of its numbers: below the lowest number of the y axis, half
 * of which hangs down too. */
double hpr__x_label_drop(const hpr_text_size *line, double text_pt);

/* How high so much is, in points. */
double hpr__height_of(const hpr_chart *chart, double amount);

/* What lies between these is drawn. */
typedef struct hpr__reach {
    double x_low, x_high;
    double y_low, y_high; /* amounts; 0 is always between them */
} hpr__reach;

/* The reach of a chart that was laid out. */
hpr__reach hpr__reach_of(const hpr_chart *chart);

/* Whether a band is in the picture: OTHER is no line, being nothing in itself, and larger than all.
 */
bool hpr__is_shown(const hpr_chart *chart, const hpr_band *band);

/* Whether any mark has a label: then there is a row for them above the plot and the peak's text. */
bool hpr__has_mark_labels(const hpr_chart *chart);

/* Whether marks are few enough to be drawn through the whole plot. */
bool hpr__has_rules(const hpr_chart *chart);

/* The place that is marked as the peak: of the total, or where bands are lines of the highest; in a
 * chart of differences where the total is farthest from 0. */
typedef struct hpr__peak {
    double value; /* an amount */
    double time;
    double at; /* on the y axis */
} hpr__peak;

/* False: there is none to be marked. */
bool hpr__peak_of(hpr__peak *peak, const hpr_chart *chart);

/* "peak 9.3 MiB at 4.2 s", or of a chart of differences "total (line): largest change +9.3 MiB at
 * 4.2 s"; `out` has HPR__PEAK_BYTES. Where there is less room: "peak 9.3 MiB", and only
 * "9.3 MiB". */
typedef enum hpr__peak_words {
    HPR__PEAK_AND_TIME,
    HPR__PEAK_ALONE,
    HPR__PEAK_BARE
} hpr__peak_words;
#define HPR__PEAK_BYTES (2 * HPR_UNIT_LABEL_BYTES + 256)
void hpr__peak_text(char *out, const hpr_chart *chart, const hpr__peak *peak, bool si_units,
                    hpr__peak_words words);

#endif
