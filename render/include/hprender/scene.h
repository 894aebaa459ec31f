/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A scene: the ink of one chart as a flat list of shapes and texts, in drawing order, page after
 * page.
 *
 * draw.c makes it from a chart; every graphical back end only knows how to put these few items into
 * its own syntax. So a new look needs no change in a back end, and a new back end none in a look.
 *
 * Units: points; origin at the upper left of the drawing area, y downwards.
 * Ownership: a scene owns all its points and texts. Threads: read-only once drawn.
 */
#ifndef HPRENDER_SCENE_H
#define HPRENDER_SCENE_H

#include "hprender/chart.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hpr_item_kind {
    HPR_ITEM_PAGE,        /* a new page begins; the first item of every scene */
    HPR_ITEM_GROUP_BEGIN, /* what follows belongs to `title` (a band): a tooltip where the format
                             has them */
    HPR_ITEM_GROUP_END,
    HPR_ITEM_POLYGON, /* closed; filled and/or stroked */
    HPR_ITEM_LINE,    /* open polyline; stroked */
    HPR_ITEM_TEXT,
} hpr_item_kind;

typedef enum hpr_anchor { HPR_ANCHOR_START, HPR_ANCHOR_MIDDLE, HPR_ANCHOR_END } hpr_anchor;

typedef struct hpr_point {
    double x_pt, y_pt;
} hpr_point;

/* Paint; `width_pt` only matters for strokes. No alpha: what is to look transparent is pre-blended.
 */
typedef struct hpr_paint {
    bool on;
    hpr_colour colour;
    double width_pt;
    double dash_pt; /* 0: solid; else dashes and gaps of this length */
} hpr_paint;

typedef struct hpr_item {
    hpr_item_kind kind;
    hpr_paint fill;   /* POLYGON; TEXT: its colour */
    hpr_paint stroke; /* POLYGON, LINE */
    const hpr_point *points;
    size_t n_points;
    const char *text; /* TEXT: UTF-8; GROUP_BEGIN: the title, UTF-8, one or more lines */
    hpr_point at;     /* TEXT: the baseline at the anchor */
    hpr_anchor anchor;
    double size_pt;  /* TEXT */
    double turn_deg; /* TEXT: counter-clockwise around `at`; 0 or 90 */
    bool bold;       /* TEXT */
    hpr_paper paper; /* PAGE: for PostScript; width_pt 0: the drawing area is the page */
} hpr_item;

typedef struct hpr_scene {
    double width_pt, height_pt; /* the drawing area, the same on each page */
    const hpr_item *items;
    size_t n_items;
    const char *title; /* of the document, UTF-8 */
    const char *date;  /* of the profile, UTF-8: never the clock's */
    const char *creator;
    hpr_colour background;
    bool is_encapsulated;
} hpr_scene;

#ifdef __cplusplus
}
#endif
#endif
