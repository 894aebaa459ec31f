/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A chart: a profile laid out, as data. What is drawn where, before any ink.
 *
 * Made from a survey by hpr_chart_create (render.h) in named steps: select, order, limit, stack,
 * scale, layout. The JSON back end writes it out; draw.h turns it into a scene for the other back
 * ends.
 *
 * Units: `_pt` are PostScript points in the drawing area, origin at the lower left, y upwards.
 * Times are in the profile's sample unit, amounts in its value unit. Ownership: everything hangs on
 * the chart and dies with it; nothing points into the survey. Threads: a finished chart is not
 * modified and may be read by any number of threads.
 */
#ifndef HPRENDER_CHART_H
#define HPRENDER_CHART_H

#include "hpfile/survey.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hpr_look {
    HPR_LOOK_MODERN,  /* readable without being told; the default of `census plot` */
    HPR_LOOK_CLASSIC, /* what hp2ps draws */
} hpr_look;

typedef struct hpr_colour {
    double red, green, blue; /* 0..1, sRGB */
} hpr_colour;

typedef struct hpr_fill {
    bool is_gray; /* `colour` holds three equal parts, and JSON says {"gray":g} */
    hpr_colour colour;
    double hatch_gap_pt; /* 0: plain; else dark lines this far apart on the colour */
    double hatch_deg;    /* in which direction they run, counter-clockwise from the x axis */
    double dash_pt;      /* in a chart of lines. 0: solid; else dashes and gaps this long */
    unsigned marker;     /* in a chart of lines. 0: none; else a shape that stands on the line */
} hpr_fill;

/* Where the name of a band stands. */
typedef enum hpr_label_place {
    HPR_LABEL_NONE,   /* nowhere */
    HPR_LABEL_INSIDE, /* on the band */
    HPR_LABEL_MARGIN, /* beside the right end of the band, with a leader where it had to move */
    HPR_LABEL_LEGEND, /* in the key: box and text */
} hpr_label_place;

typedef struct hpr_label {
    hpr_label_place place;
    const char *text;  /* UTF-8, elided where it had to be; NULL with HPR_LABEL_NONE */
    double x_pt, y_pt; /* left end of the baseline; INSIDE: centre of the baseline */
    double size_pt;    /* font size */
    double box_x_pt,
        box_y_pt;       /* KEY, MARGIN: lower left of the box, 14 x 14 (classic), or 5.5 high */
    double anchor_y_pt; /* MARGIN: middle of the band's right end, where a leader begins */
    int page;           /* from 0: the page of the key entry */
} hpr_label;

typedef struct hpr_band {
    hpf_str name;     /* bytes as in the input */
    const char *text; /* name as UTF-8 for showing: other bytes are U+FFFD */
    const char *tip;  /* UTF-8: the text and, line by line, what is known beside it */
    /* What the one name of the band stands for, copied: the frames of an event log's stack,
     * innermost first, and the members of a retainer set as its report has them (hpfile/sets.h). */
    const hpf_frame *frames;
    size_t n_frames;
    hpf_str members;
    bool is_other;    /* the band of names folded together */
    uint32_t n_names; /* names in it: 1 unless is_other */
    hpr_fill fill;
    double classic_shade; /* classic: the number of the .aux file; else 0 */
    const double *values; /* n_points amounts; percents in a normalised chart */
    const double *upper;  /* n_points: amounts of this band and all below it */
    double sum, trapezium, max;
    hpr_label label;
} hpr_band;

typedef struct hpr_tick {
    double value;
    double at_pt; /* along the axis: x of an x tick, y of a y tick */
    const char *label;
} hpr_tick;

typedef struct hpr_axis {
    double low, high; /* the range that the axis stands for */
    double range;     /* high - low, before any rounding; never 0 */
    const hpr_tick *ticks;
    size_t n_ticks;
    const char *unit; /* text at the axis, UTF-8 */
    double factor;    /* how many of the profile's units one of these is */
} hpr_axis;

typedef enum hpr_title_box { HPR_TITLE_NONE, HPR_TITLE_SMALL, HPR_TITLE_BIG } hpr_title_box;

/* The texts as they are shown, in UTF-8, and the bytes that they stand for. */
typedef struct hpr_title {
    hpr_title_box box;
    const char *job;  /* cut to what the look shows */
    const char *area; /* classic: "1,234 bytes x seconds"; modern: "" */
    const char *date;
    hpf_str job_bytes, area_bytes, date_bytes;
} hpr_title;

typedef struct hpr_mark {
    double time;
    double x_pt;
    const char *label; /* UTF-8, maybe "" */
    const char *shown; /* modern: what of it there is room for, from label_x_pt on; maybe "" */
    double label_x_pt;
    unsigned row; /* of those above the plot, the lowest being 0 */
} hpr_mark;

/* Garbage collections that share a tick at the upper edge of the plot. */
typedef struct hpr_collection {
    double time, x_pt; /* of the first */
    size_t n;          /* how many there are */
    bool is_major;     /* whether one of them is */
} hpr_collection;

/* A quantity measured beside the bands, as a line over them. */
typedef struct hpr_line {
    hpf_str name;
    const char *text;             /* name as UTF-8 for showing */
    const hpf_line_point *points; /* by time; within the times of the chart; at least one */
    size_t n_points;
    const double *values; /* at the chart's times: straight between points, NAN beyond their ends */
    double max;
} hpr_line;

/* A page for PostScript: the drawing area placed on paper by a matrix (a b c d e f, as PostScript's
 * concat). width_pt 0: the page is the drawing area. */
typedef struct hpr_paper {
    double width_pt, height_pt;
    double matrix[6];
} hpr_paper;

typedef struct hpr_chart {
    hpr_look look;
    hpf_str headers[HPF_N_HEADERS]; /* as in the input */

    size_t n_points;
    bool is_by_sample;   /* the x axis counts samples, from 1 */
    bool is_normalised;  /* the y axis and all values are percents of the total */
    bool is_lines;       /* bands are drawn as lines from zero, not on each other; OTHER is not */
    bool is_reduced;     /* the points are some of the samples (survey.h says which) */
    const double *times; /* n_points */
    const double *xs;    /* n_points: where they lie on the x axis: times, or numbers of samples */
    const hpr_band *bands; /* bottom first */
    uint32_t n_bands;
    uint32_t other_names;         /* names folded into OTHER */
    uint32_t dropped_names;       /* names removed as traces */
    const double *totals;         /* n_points: sum of the drawn bands, always amounts */
    double area;                  /* trapezium of the drawn bands */
    double peak_total, peak_time; /* of the drawn bands */
    /* A chart of differences (diff.h): n_points amounts, not above 0, from which the bands are
     * stacked; values are then thicknesses, `totals` the differences of the totals, and the peak is
     * the one farthest from 0. NULL: the bands stand on 0. */
    const double *base;

    hpr_axis x, y;
    const char *time_unit, *amount_unit; /* the profile's own units as they are shown, UTF-8 */
    hpr_title title;
    const hpr_mark *marks;
    size_t n_marks;
    const hpr_collection *collections; /* modern, by time */
    size_t n_collections;
    const hpr_line *lines; /* modern; the y axis reaches over them */
    size_t n_lines;

    double width_pt, height_pt; /* the drawing area */
    double plot_x_pt, plot_y_pt, plot_width_pt, plot_height_pt;
    int n_key_pages;       /* classic -M: key entries on pages before the graph */
    hpr_paper paper;       /* of the graph's page */
    hpr_paper later_paper; /* of the second and later pages */
    bool is_encapsulated;  /* PostScript output is to be EPS */
} hpr_chart;

#ifdef __cplusplus
}
#endif
#endif
