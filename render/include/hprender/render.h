/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a survey to a drawing: options, the chart, the scene, and one call for all of it.
 */
#ifndef HPRENDER_RENDER_H
#define HPRENDER_RENDER_H

#include "hpfile/eventlog_gc.h"
#include "hprender/auxfile.h"
#include "hprender/backend.h"
#include "hprender/chart.h"
#include "hprender/scene.h"
#include "hprender/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which band lies on which. */
typedef enum hpr_order {
    HPR_ORDER_DEFAULT,    /* classic: SUM ascending; modern: WIGGLE */
    HPR_ORDER_WIGGLE,     /* the picture moves least; never more than in hp2ps's order */
    HPR_ORDER_SUM,        /* largest sum of amounts on top (classic) or at the bottom (modern) */
    HPR_ORDER_AREA,       /* the same by trapezium area */
    HPR_ORDER_STDDEV,     /* largest standard deviation on top */
    HPR_ORDER_NAME,       /* by bytes: classic -i+ greatest on top; modern: first name on top */
    HPR_ORDER_FIRST_SEEN, /* what came first at the bottom */
    HPR_ORDER_GROWTH,     /* what grows fastest, by least squares, on top */
} hpr_order;

/* What names are put together by. A name that does not say it stays by itself. */
typedef enum hpr_group {
    HPR_GROUP_NONE,
    HPR_GROUP_MODULE,  /* "GHC.Maybe" of "base:GHC.Maybe.Just" */
    HPR_GROUP_TYPE,    /* "Just" of the same; "THUNK" of "THUNK_1_0" */
    HPR_GROUP_PACKAGE, /* "base" */
    HPR_GROUP_PREFIX,  /* the first parts: "apply/eval" of "(304)apply/eval/main" */
} hpr_group;

/* Where names stand. */
typedef enum hpr_legend {
    HPR_LEGEND_AUTO,     /* on the bands or beside them; a key only where there is no room */
    HPR_LEGEND_RIGHT,    /* all in a key at the right */
    HPR_LEGEND_BELOW,    /* all in a key below the plot */
    HPR_LEGEND_NONE,     /* only those that fit on their bands */
    HPR_LEGEND_SEPARATE, /* none: they are in a picture of their own (hpr_legend_scene_create) */
} hpr_legend;

/* Paper, ink, and what bands are filled with. */
typedef enum hpr_theme {
    HPR_THEME_AUTO, /* light; a page of HTML is as its reader likes pages */
    HPR_THEME_LIGHT,
    HPR_THEME_DARK,  /* light ink on dark ground */
    HPR_THEME_PRINT, /* for black and white: hatches and greys */
    HPR_THEME_SLIDE, /* light, with larger text and stronger lines */
} hpr_theme;

/* Which of the survey's lines are drawn over the bands. */
typedef enum hpr_overlay {
    HPR_OVERLAY_FITTING, /* those that rise above the bands, but not to more than three times their
                            peak, which would leave the bands flat; never "profiler", which is what
                            the profiler takes itself */
    HPR_OVERLAY_ALL,
    HPR_OVERLAY_NONE,
    HPR_OVERLAY_NAMED,
} hpr_overlay;

/* A colour that a name has whatever else. A name matches with or without the number of its
 * cost-centre stack. */
typedef struct hpr_pin {
    hpf_str name;
    hpr_colour colour;
} hpr_pin;

/* What only the classic look has (docs/hp2ps.md; the letters are hp2ps's flags). */
typedef struct hpr_classic {
    bool colour;                 /* -c */
    bool big_title, small_title; /* -b, -s */
    bool key_pages;              /* -M */
    bool no_marks;               /* -y */
    bool portrait;               /* -g */
    double eps_width_pt;         /* -e; 0: not encapsulated */
    const hpr_auxfile *previous; /* -p; NULL: none. Borrowed during the call */
} hpr_classic;

typedef struct hpr_options {
    hpr_look look;
    hpr_order order;
    bool reverse; /* upside down, but for OTHER on top; classic: -i- */
    /* Modern: names in the order in which they are wanted, the top one first; before it counts
     * `order`. "*" stands for all others, which otherwise come last; the numbers of cost-centre
     * stacks do not matter. Borrowed during the call. */
    const hpf_str *order_names;
    size_t n_order_names;
    int n_bands; /* most bands drawn; 0: no limit; below 0: none. Classic default 20, modern 15 */
    double trace_percent; /* names below it (docs/hp2ps.md) are dropped (classic) or join OTHER
                             (modern) */
    bool drop_traces;     /* modern: they are dropped as well */
    hpr_group group;      /* modern */
    int n_prefix_parts;   /* for HPR_GROUP_PREFIX; at least 1 */
    bool by_sample;       /* modern: samples side by side, whatever time lies between them */
    bool normalise;       /* modern: percent of the total at each moment */
    bool as_lines; /* modern: a line for each band but OTHER, from zero, instead of a stack */
    double width_pt, height_pt;   /* modern: the drawing area; 0: 648 x 432 */
    hpr_legend legend;            /* modern */
    bool no_title;                /* modern */
    bool no_marks;                /* modern */
    bool si_units;                /* modern: kB = 1000 bytes instead of KiB */
    hpr_theme theme;              /* modern */
    double text_pt;               /* modern: size of the text; 0: 7 to 9, by the width */
    hpr_overlay overlay;          /* modern; with percents there is none */
    const hpf_str *overlay_names; /* for NAMED; borrowed during the call */
    size_t n_overlay_names;
    const hpf_collection
        *collections; /* modern: by time; drawn as ticks. Borrowed during the call */
    size_t n_collections;
    const hpr_pin *pins; /* modern: colours of names; borrowed during the call. The theme
                            for print has none */
    size_t n_pins;
    /* For pictures that are drawn again and again. */
    bool steady_y; /* modern: the y axis ends at one of ten round numbers a decade, so that it
                      stays when a little is added */
    const hpf_str *keep_names; /* modern: names that had a band; they lose it only to names that
                                  are a tenth larger. Borrowed during the call */
    size_t n_keep_names;
    /* How finely curves are drawn; hpr_write and hpr_render set both for their back end. */
    double tolerance_pt; /* a curve is drawn at most so far from its points; 0: 0.1. The lowest and
                            the highest point of a curve, and of each band, are exact */
    size_t most_points;  /* modern: a curve has about so many points; 0: what the tolerance takes */
    hpr_classic classic;
} hpr_options;

/* Options of a look as its users expect them. */
HPF_API hpr_options hpr_options_default(hpr_look look);

/* Select, order, limit, stack, scale, layout. The survey is read, and its source read again.
 * Errors: those of hpf_survey_series; LIMIT for a `.aux` file with too many entries. */
HPF_API HPF_MUST_USE hpf_status hpr_chart_create(hpr_chart **out, hpf_survey *survey,
                                                 const hpr_options *options, hpr_measurer measurer,
                                                 hpf_error *err);
HPF_API void hpr_chart_destroy(hpr_chart *chart);

/* Draw: the ink of a chart. */
HPF_API HPF_MUST_USE hpf_status hpr_scene_create(hpr_scene **out, const hpr_chart *chart,
                                                 const hpr_options *options, hpr_measurer measurer,
                                                 hpf_error *err);
/* The names of a modern chart's bands, with their colours, as a picture of its own, as large as
 * they need it and at most as wide as the chart. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpr_legend_scene_create(hpr_scene **out, const hpr_chart *chart,
                                                        const hpr_options *options,
                                                        hpr_measurer measurer, hpf_error *err);
HPF_API void hpr_scene_destroy(hpr_scene *scene);

/* Draws a chart, or the legend of a modern one, through a back end, which for a legend must be a
 * graphical one (hpr_backend.is_graphical). The sink is not finished. `output->fonts` are the ones
 * that the chart was measured with. */
HPF_API HPF_MUST_USE hpf_status hpr_write(const hpr_chart *chart, const hpr_options *options,
                                          const hpr_backend *backend, const hpr_output *output,
                                          hpf_sink *sink, hpf_error *err);
HPF_API HPF_MUST_USE hpf_status hpr_write_legend(const hpr_chart *chart, const hpr_options *options,
                                                 const hpr_backend *backend,
                                                 const hpr_output *output, hpf_sink *sink,
                                                 hpf_error *err);

/* All of it: chart, scene, back end. The sink is not finished. `output->fonts` is used for
 * measuring. */
HPF_API HPF_MUST_USE hpf_status hpr_render(hpf_survey *survey, const hpr_options *options,
                                           const hpr_backend *backend, const hpr_output *output,
                                           hpf_sink *sink, hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
