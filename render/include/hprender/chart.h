/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A chart: a profile laid out, as data. It says what is drawn where; a scene (scene.h) says how.
 *
 * hpr_chart_create (render.h) makes it from a survey in these steps: select, order, limit, stack,
 * scale, layout. The JSON back end writes the chart itself, the other back ends its scene.
 *
 * Units: `_pt` are PostScript points in the drawing area, origin at the lower left, y upwards.
 * Times are in the profile's sample unit, amounts in its value unit. Ownership: the chart owns
 * everything; nothing points into the survey. Before a new soname, a chart gets members only at its
 * end, and the structs in it get none (hpfile/version.h). Threads: a finished chart is not
 * modified, and any number of threads may read it.
 */
#ifndef HPRENDER_CHART_H
#define HPRENDER_CHART_H

#include "hpfile/survey.h"

HPF_BEGIN_DECLS

typedef enum hpr_look {
    HPR_LOOK_MODERN,  /* the default of `census plot` */
    HPR_LOOK_CLASSIC, /* as hp2ps draws */
} hpr_look;

typedef struct hpr_colour {
    double red, green, blue; /* 0..1, sRGB */
} hpr_colour;

typedef struct hpr_fill {
    bool is_gray; /* `colour` has three equal components; JSON writes {"gray":g} */
    hpr_colour colour;
    double hatch_gap_pt;  /* 0: plain; else the distance of black lines on the colour */
    double hatch_deg;     /* their direction, counter-clockwise from the x axis */
    double hatch_line_pt; /* their width */
    hpr_colour line;      /* in a chart of lines: `colour`, darker or lighter until it is visible */
    double dash_pt;       /* in a chart of lines. 0: solid; else the length of dashes and gaps */
    unsigned marker;      /* in a chart of lines. 0: none; else a shape on the line */
} hpr_fill;

/* Where the name of a band is. */
typedef enum hpr_label_place {
    HPR_LABEL_NONE,   /* nowhere */
    HPR_LABEL_INSIDE, /* on the band */
    HPR_LABEL_MARGIN, /* next to the right end of the band, with a leader if it was moved */
    HPR_LABEL_LEGEND, /* in the legend or key: box and text */
} hpr_label_place;

typedef struct hpr_label {
    hpr_label_place place;
    const char *text;  /* UTF-8, elided if necessary; NULL with HPR_LABEL_NONE */
    double x_pt, y_pt; /* left end of the baseline; INSIDE: centre of the baseline */
    double size_pt;    /* font size */
    double box_x_pt,
        box_y_pt;       /* LEGEND, MARGIN: lower left of the box, 14 x 14 (classic), or 5.5 high */
    double anchor_y_pt; /* MARGIN: middle of the band's right end, the start of the leader */
    int page;           /* of a classic key entry, from 0 */
} hpr_label;

typedef struct hpr_band {
    hpf_str name;     /* bytes as in the input */
    const char *text; /* `name` as displayable UTF-8: other bytes are U+FFFD */
    const char
        *tooltip;      /* UTF-8: the text, then one line per frame or member; NULL: none of these */
    const char *shown; /* modern: what its label shows if it fits whole: without the id of a stack
                          if it needs none, and without what `common` says; NULL: `text` */
    /* Of a band with one name: the frames of its stack in an event log, innermost first, and the
     * members of its retainer set (hpfile/retainer_sets.h). */
    const hpf_frame *frames;
    size_t n_frames;
    hpf_str members;
    bool is_other;           /* the band of all names that are not drawn on their own */
    bool is_named_elsewhere; /* of a difference: the smaller half of a row, without a label */
    uint32_t n_names;        /* names in the band: 1 unless is_other or grouped */
    hpr_fill fill;
    double classic_shade; /* classic: the number in the .aux file; else 0 */
    const double *values; /* n_points amounts, or percents in a normalised chart */
    const double *upper;  /* n_points: sum of this band and all below it */
    double sum, trapezium, max;
    hpr_label label;
} hpr_band;

/* Returns the name of a band for people. */
static inline const char *hpr_band_shown(const hpr_band *band)
{
    return band->shown ? band->shown : band->text;
}

typedef struct hpr_tick {
    double value;
    double at_pt; /* along the axis: x of an x tick, y of a y tick */
    const char *label;
} hpr_tick;

typedef struct hpr_axis {
    double low, high; /* the range of the axis */
    double range;     /* high - low, before any rounding; never 0 */
    const hpr_tick *ticks;
    size_t n_ticks;
    const char *unit;   /* shown at the axis, UTF-8 */
    double factor;      /* one `unit` in units of the profile */
    const char *suffix; /* modern: of each number but 0: "k"; or "" */
} hpr_axis;

typedef enum hpr_title_box { HPR_TITLE_NONE, HPR_TITLE_SMALL, HPR_TITLE_BIG } hpr_title_box;

/* The texts as shown, in UTF-8, and as bytes of the input. */
typedef struct hpr_title {
    hpr_title_box box;
    const char *job;  /* cut to the length that the look shows */
    const char *area; /* classic: "1,234 bytes x seconds"; modern: "" */
    const char *date;
    const char *caption; /* modern: instead of a title, the caption of the chart, cut; or NULL */
    hpf_str job_bytes, area_bytes, date_bytes;
} hpr_title;

typedef struct hpr_mark {
    double time;
    double x_pt;
    const char *label; /* UTF-8, maybe "" */
    const char *shown; /* modern: `label` as far as it fits, from label_x_pt on; maybe "" */
    double label_x_pt;
    unsigned row;  /* above the plot; 0 is the lowest */
    bool is_ruled; /* modern: drawn through the whole plot; else a tick at the x axis */
} hpr_mark;

/* Garbage collections that share a tick at the upper edge of the plot. */
typedef struct hpr_collection {
    double time, x_pt; /* of the first */
    size_t n;          /* number of collections */
    bool is_major;     /* one of them is */
} hpr_collection;

/* A quantity measured in addition to the bands, drawn as a line over them. */
typedef struct hpr_quantity {
    hpf_str name;
    const char
        *text; /* `name` as displayable UTF-8, with the maximum if the y axis does not show it */
    const hpf_quantity_point *points; /* by time, within the times of the chart; at least one */
    size_t n_points;
    const double *values; /* at the times of the chart, interpolated; NAN outside the points */
    double max;
    bool has_own_unit; /* not the unit of the bands */
    double scale;      /* points, values and max are multiplied by it; 1 in the unit of the bands */
} hpr_quantity;

/* What a run-time system did over time, below the plot and with the same x axis. */
typedef struct hpr_lane {
    const char *name; /* left of it: "allocation", "GC", "threads", "sparks" */
    const char *unit; /* of amounts: "bytes per second" */
    const char *note; /* right of it: "max 1.2 GiB/s" */
    double y_pt;      /* of its lower edge */
    double high;      /* the amount at its upper edge */
    bool is_line;     /* drawn as a line; else as an area */
    size_t n;
    const double *edges_pt; /* n + 1 */
    const double *times;    /* n + 1: of the edges */
    const double *amounts;  /* n: means between edges */
    const double *parts;    /* n: of the amounts, drawn darker; NULL: none */
    /* The lane of a processor: amounts are shares of the time in which threads ran, parts those in
     * which the processor collected, pauses those in which any did. NULL in other lanes. */
    const uint32_t
        *threads;         /* n: the thread that ran longest, in `thread_names`; or HPF_NO_THREAD */
    const double *pauses; /* n */
    const char *const *thread_names;
    uint32_t keys[2]; /* the threads that ran longest on it, which the note names */
    size_t n_keys;
} hpr_lane;

/* A page for PostScript. The matrix (a b c d e f, as PostScript's concat) places the drawing area
 * on it. width_pt 0: the page is the drawing area. */
typedef struct hpr_paper {
    double width_pt, height_pt;
    double matrix[6];
} hpr_paper;

typedef struct hpr_chart {
    hpr_look look;
    hpf_str headers[HPF_N_HEADERS]; /* as in the input */

    size_t n_points;
    bool is_by_sample;     /* the x axis counts samples, from 1 */
    bool is_normalised;    /* y axis and values are percents of the total */
    bool is_lines;         /* bands are lines from zero instead of a stack; OTHER is not drawn */
    bool is_reduced;       /* the points are a selection of the samples (survey.h) */
    const double *times;   /* n_points */
    const double *xs;      /* n_points: values on the x axis: times, or numbers of samples */
    const hpr_band *bands; /* bottom first */
    uint32_t n_bands;
    const char *caption;          /* how names were chosen to be visible, UTF-8; NULL: not said */
    uint32_t other_names;         /* names folded into OTHER */
    uint32_t dropped_names;       /* names removed as traces */
    const double *totals;         /* n_points: sum of the drawn bands, always amounts */
    double area;                  /* trapezium of the drawn bands */
    double peak_total, peak_time; /* of the drawn bands */
    double rate_bytes; /* amounts are estimates (hpf_survey_rate_bytes); 0: they are exact */
    double spread;     /* of the total (hpf_survey_spread_of_all) */
    /* In a chart of differences (diff.h): n_points amounts <= 0, on which the bands are stacked;
     * then `values` are thicknesses, `totals` differences of totals, and the peak is the total
     * farthest from 0. NULL: the bands are stacked on 0. */
    const double *base;

    hpr_axis x, y;
    const char *time_unit, *amount_unit; /* units of the profile as shown, UTF-8 */
    hpr_title title;
    const hpr_mark *marks;
    size_t n_marks;
    bool has_census_marks;             /* modern: samples have triangles on the x axis */
    const hpr_collection *collections; /* modern, by time */
    size_t n_collections;
    const hpr_lane *lanes; /* modern, top first */
    size_t n_lanes;
    double lanes_pt; /* height of all lanes, between the plot and the labels of the x axis */
    double lane_pt;  /* height of one */
    const hpr_quantity *quantities; /* modern; the y axis may end below their maxima */
    size_t n_quantities;

    hpr_label common; /* above a legend: what all names have in common, and do not show */

    double width_pt, height_pt; /* the drawing area */
    double plot_x_pt, plot_y_pt, plot_width_pt, plot_height_pt;
    int n_key_pages;       /* classic -M: pages with key entries before the graph */
    hpr_paper paper;       /* of the graph's page */
    hpr_paper later_paper; /* of the second and later pages */
    bool is_encapsulated;  /* write PostScript as EPS */
} hpr_chart;

HPF_END_DECLS
#endif
