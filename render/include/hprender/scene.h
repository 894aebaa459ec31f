/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A scene: a picture as a flat list of shapes and texts, in drawing order, page after page.
 *
 * hpr_scene_create makes it from a chart; a graphical back end writes its items in the syntax of a
 * format. So a new look needs no change in back ends, and a new back end none in looks.
 *
 * Units: points; origin at the upper left of the drawing area, y downwards. Ownership: a scene owns
 * its points and texts. Threads: a scene is not modified after it was created.
 */
#ifndef HPRENDER_SCENE_H
#define HPRENDER_SCENE_H

#include "hprender/chart.h"

HPF_BEGIN_DECLS

typedef enum hpr_item_kind {
    HPR_ITEM_PAGE,        /* a new page begins; the first item of every scene */
    HPR_ITEM_GROUP_BEGIN, /* a band begins, or thin bands drawn as one; the title is `text`, a
                             tooltip in formats that have tooltips */
    HPR_ITEM_GROUP_END,
    HPR_ITEM_POLYGON, /* closed; filled and/or stroked */
    HPR_ITEM_LINE,    /* open polyline; stroked */
    HPR_ITEM_TEXT,
} hpr_item_kind;

typedef enum hpr_anchor { HPR_ANCHOR_START, HPR_ANCHOR_MIDDLE, HPR_ANCHOR_END } hpr_anchor;

typedef struct hpr_point {
    double x_pt, y_pt;
} hpr_point;

/* Paint is opaque: transparent colours are blended beforehand. `width_pt` and `dash_pt` are for
 * strokes. */
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
    const char *date;  /* of the profile, UTF-8; never the current one */
    const char *creator;
    hpr_colour background;
    bool is_encapsulated;
} hpr_scene;

HPF_END_DECLS
#endif
