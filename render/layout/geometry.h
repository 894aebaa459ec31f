/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Geometry of a modern chart: functions of a chart that is laid out, or of the fields that are
 * final at the time of the call.
 */
#ifndef HPR_GEOMETRY_H
#define HPR_GEOMETRY_H

#include "chart/chart.h"
#include "chart/units.h"

#define HPR__TEXT_GAP_PT 4.0 /* between a text and the labelled item */

enum {
    HPR__TICK_GAP_PT = 4, /* between a tick label and the plot */
    HPR__NARROW_PT = 300, /* narrower sheets fit the column of a paper */
    HPR__WIDE_PT = 480,   /* wider ones have room for names right of the plot */
};

typedef struct hpr__type_sizes {
    double title_pt, text_pt, smallest_pt;
} hpr__type_sizes;

/* Returns the font sizes for a sheet of this width. */
hpr__type_sizes hpr__type_sizes_of(double sheet_width_pt, const hpr_options *options);

/* Returns whether a chart is for the column of a paper, or the options say that it is a figure. */
bool hpr__is_figure(const hpr_chart *chart, const hpr_options *options);

/* Returns the width of the empty border around the sheet. */
double hpr__sheet_pad_pt(const hpr_chart *chart);

/* A rectangle in the coordinates of the chart. */
typedef struct hpr__area {
    double left_pt, right_pt, bottom_pt, top_pt;
} hpr__area;

static inline double hpr__right_of_plot(const hpr_chart *chart)
{
    return chart->plot_x_pt + chart->plot_width_pt;
}

static inline double hpr__top_of_plot(const hpr_chart *chart)
{
    return chart->plot_y_pt + chart->plot_height_pt;
}

/* Return the position of a value of the x axis (hpr_chart.xs), of a time, and of a value of the y
 * axis, in points of the drawing area, clamped to the plot. */
double hpr__x_of(const hpr_chart *chart, double x);
double hpr__x_of_time(const hpr_chart *chart, double time);
double hpr__y_of(const hpr_chart *chart, double amount);

/* Returns the left end of the label of an x tick: centred at `at_pt`, but inside the sheet and left
 * of the unit. */
double hpr__x_label_left(const hpr_chart *chart, double at_pt, double width_pt, double unit_pt);

/* Returns the distance from the x axis down to the baseline of its labels, which clears the lowest
 * label of the y axis. */
double hpr__x_label_drop(const hpr_text_size *line, double text_pt);

/* Returns the height of an amount, in points. */
double hpr__height_of(const hpr_chart *chart, double amount);

/* The ranges that the axes must include. */
typedef struct hpr__reach {
    double x_low, x_high;
    double y_low, y_high; /* amounts; 0 is always between them */
} hpr__reach;

/* Returns the reach of the bands and quantities of a chart. Quantities have at most a quarter of
 * the height above the bands. */
hpr__reach hpr__reach_of(const hpr_chart *chart);

/* Returns whether an amount is above a y axis that quantities have extended as far as they may over
 * bands with that peak. */
bool hpr__is_above(double amount, double peak);

/* Returns whether a band is drawn: OTHER is not in a chart of lines. */
bool hpr__is_shown(const hpr_chart *chart, const hpr_band *band);

/* Returns whether any mark has a label, so that labels need a row above the plot. */
bool hpr__has_mark_labels(const hpr_chart *chart);

/* The point marked as the peak: of the total; in a chart of lines of the highest line; in a chart
 * of differences where the total is farthest from 0. */
typedef struct hpr__peak {
    double value; /* an amount */
    double time;
    double at;            /* on the y axis */
    const hpr_band *band; /* whose line it is; NULL: it is the total */
} hpr__peak;

/* Finds the peak. Returns false if none is to be marked. */
bool hpr__peak_of(hpr__peak *peak, const hpr_chart *chart);

typedef enum hpr__peak_words {
    HPR__PEAK_AND_TIME, /* "peak 9.3 MiB at 4.2 s", "peak of NAME: 9.3 MiB at 4.2 s" */
    HPR__PEAK_ALONE,    /* "peak 9.3 MiB" */
    HPR__PEAK_BARE,     /* "9.3 MiB" */
} hpr__peak_words;
#define HPR__PEAK_BYTES (2 * HPR_UNIT_LABEL_BYTES + 1024)
/* Writes the text of the peak to `out`, which has HPR__PEAK_BYTES, in the units of the axes. `name`
 * is the line's, or NULL. In a chart of differences the text begins "total (line): largest change
 * +9.3 MiB". */
void hpr__peak_text(char *out, const hpr_chart *chart, const hpr__peak *peak, bool si_units,
                    hpr__peak_words words, const char *name);

#endif
