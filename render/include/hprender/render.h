/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a survey to a drawing: options, chart, scene, and one call for all steps.
 */
#ifndef HPRENDER_RENDER_H
#define HPRENDER_RENDER_H

#include "hpfile/diff.h"
#include "hpfile/event.h"
#include "hprender/auxfile.h"
#include "hprender/backend.h"
#include "hprender/chart.h"
#include "hprender/scene.h"
#include "hprender/text.h"

HPF_BEGIN_DECLS

/* The order in which bands are stacked. */
typedef enum hpr_order {
    HPR_ORDER_DEFAULT, /* classic: SUM ascending; modern: WIGGLE */
    HPR_ORDER_WIGGLE,  /* least movement of the picture; never more than in the order of hp2ps */
    HPR_ORDER_SUM,     /* largest sum of amounts on top (classic) or at the bottom (modern) */
    HPR_ORDER_STDDEV,  /* largest standard deviation on top */
    HPR_ORDER_NAME,    /* by bytes: classic -i+ greatest on top; modern: first name on top */
    HPR_ORDER_GROWTH,  /* fastest growth, by least squares, on top */
} hpr_order;

/* The words for orders in options and data: "wiggle"; NULL after the last. */
HPF_API extern const char *const hpr_order_names[];

/* What names are grouped by. A name without that part forms its own group. */
typedef enum hpr_group {
    HPR_GROUP_NONE,
    HPR_GROUP_MODULE,  /* "GHC.Maybe" of "base:GHC.Maybe.Just" */
    HPR_GROUP_TYPE,    /* "Just"; "THUNK" of "THUNK_1_0" */
    HPR_GROUP_PACKAGE, /* "base" */
    HPR_GROUP_PREFIX,  /* the first parts: "apply/eval" of "(304)apply/eval/main" */
    HPR_GROUP_STACK,   /* "apply/eval/main" of "(304)apply/eval/main" */
    HPR_GROUP_HOLDER,  /* "email" of "(7)email.header.Header", if this retainer set of Python has
                          less than a fiftieth of the area; chosen for many sets */
} hpr_group;

/* Where names are set. */
typedef enum hpr_legend {
    HPR_LEGEND_AUTO,     /* on bands or next to them; in a legend if there is no room */
    HPR_LEGEND_RIGHT,    /* in a legend right of the plot */
    HPR_LEGEND_BELOW,    /* in a legend below the plot */
    HPR_LEGEND_NONE,     /* on bands, if they fit */
    HPR_LEGEND_SEPARATE, /* outside of the picture */
} hpr_legend;

/* Colours of the background, of text, and fills of bands. */
typedef enum hpr_theme {
    HPR_THEME_AUTO, /* light; an HTML page follows the setting of the reader's browser */
    HPR_THEME_LIGHT,
    HPR_THEME_DARK,  /* light text on a dark background */
    HPR_THEME_PRINT, /* black and white: hatches and greys */
    HPR_THEME_SLIDE, /* light, with larger text and stronger lines */
} hpr_theme;

/* The words for themes in options and data: "dark"; NULL after the last. */
HPF_API extern const char *const hpr_theme_names[];

/* Which quantities are drawn over the bands. The y axis is at most a third longer for them; an
 * arrow at its end stands for what is above it, with the maximum in its name. */
typedef enum hpr_overlay {
    HPR_OVERLAY_FITTING, /* quantities that rise above the bands, but not above the plot for more
                            than three quarters of the time, and whose distance from the bands
                            changes by a tenth of their peak; never "profiler", the memory of the
                            profiler itself */
    HPR_OVERLAY_ALL,
    HPR_OVERLAY_NONE,
    HPR_OVERLAY_NAMED,
} hpr_overlay;

/* A fixed colour for a name. The id of a cost-centre stack is optional. */
typedef struct hpr_pin {
    hpf_str name;
    hpr_colour colour;
} hpr_pin;

/* Options of the classic look alone (docs/hp2ps.md), with the flags of hp2ps. */
typedef struct hpr_classic {
    bool colour;                 /* -c */
    bool big_title, small_title; /* -b, -s */
    bool key_pages;              /* -M */
    bool no_marks;               /* -y */
    bool portrait;               /* -g */
    double eps_width_pt;         /* -e; 0: not encapsulated */
    const hpr_auxfile *previous; /* -p; NULL: none. Borrowed during the call */
} hpr_classic;

/* A line of a program's text, for interactive pages. */
typedef struct hpr_source_line {
    hpf_str file;  /* as the places of frames name it */
    uint32_t line; /* from 1 */
    hpf_str text;
} hpr_source_line;

/* Options of charts, of pages of several profiles (page.h), and of differences (diff.h). */
typedef struct hpr_options {
    size_t size; /* of the struct (hpfile/version.h) */
    hpr_look look;
    hpr_order order;
    bool reverse; /* reverse the order, except for OTHER on top; classic: -i- */
    /* Modern: names from top to bottom; `order` applies to the others. "*" stands for all others,
     * which otherwise come last; ids of cost-centre stacks are ignored. Borrowed during the call.
     */
    const hpf_str *order_names;
    size_t n_order_names;
    int n_bands; /* most bands drawn; 0: no limit; < 0: none. Default: classic 20, modern 15 */
    double trace_percent; /* names below it (docs/hp2ps.md) are dropped (classic) or merged into
                             OTHER (modern) */
    hpr_group group;      /* modern */
    int n_prefix_parts;   /* for HPR_GROUP_PREFIX; at least 1 */
    bool fit_bands; /* modern: draw more bands than n_bands, for each name that is a twentieth of
                       the peak in any sample, up to 40 bands; and in a picture of one profile
                       draw more, or group names, if OTHER would be more than half of the
                       picture; chart.h: caption */
    bool by_sample; /* modern: evenly spaced samples, regardless of their times */
    bool normalise; /* modern: percent of the total at each time */
    bool as_lines;  /* modern: one line per band but OTHER, instead of a stack */
    bool as_steps;  /* modern: amounts stay until the next sample, instead of a slope to it */
    double width_pt, height_pt;   /* modern: the drawing area; 0: 648 x 432 */
    hpr_legend legend;            /* modern */
    bool no_title;                /* modern */
    bool is_figure;               /* modern: for a paper. Sheets below 300 pt always are */
    bool no_marks;                /* modern */
    bool mark_censuses;           /* modern: a triangle on the x axis at the time of each sample */
    bool si_units;                /* modern: kB = 1000 bytes instead of KiB */
    hpr_theme theme;              /* modern */
    double text_pt;               /* modern: size of text; 0: 7 to 9, by the width */
    hpr_overlay overlay;          /* modern; none if normalised */
    const hpf_str *overlay_names; /* for NAMED; borrowed during the call */
    size_t n_overlay_names;
    /* Modern: garbage collections, by time, drawn as ticks. Borrowed during the call. */
    const hpf_collection *collections;
    size_t n_collections;
    /* Modern, one profile: drawn as lanes below the plot, its messages as marks. NULL: none.
     * Borrowed during the call. */
    const hpf_activity *activity;
    const hpr_pin *pins; /* modern: colours of names, ignored in print. Borrowed during the call */
    size_t n_pins;
    /* For pictures that are redrawn while the profile grows. */
    bool steady_y; /* modern: the y axis ends at one of ten round numbers a decade, so that it
                      seldom changes */
    const hpf_str *keep_names; /* modern: names that had a band; they keep it unless another name is
                                  larger by a tenth. Borrowed during the call */
    size_t n_keep_names;
    /* Precision of curves; hpr_write and hpr_render set both for their back end. */
    double tolerance_pt; /* largest distance of a curve from its points; 0: 0.1. Extremes of curves
                            and bands are exact */
    size_t most_points;  /* modern: about the most points of a curve; 0: no limit */
    hpr_classic classic;

    /* Pages of several profiles: all panels have the same axes, so that heights and times compare,
     * and must have the same units. Else each panel has its own. */
    bool same_scale;
    const hpr_source_line *sources; /* interactive pages: by file and line; NULL: none */
    size_t n_sources;
    hpf_survey *const *allocated; /* interactive pages: by profile, what each stack has allocated up
                                     to each sample, or NULL; NULL: not known */
    const hpf_str *findings; /* interactive pages: by profile, what stands out, as JSON in one line
                                (docs/formats/page.md), or empty; NULL: not known */
    /* Interactive pages of two profiles with call stacks: shows the stacks of the second as changes
     * of the first, with moved lines matched, and their times aligned. Else NULL. Borrowed. */
    const hpf_alignment *compares;

    /* Differences. */
    hpf_str title; /* replaces the program of a profile; borrowed during the call */
    const hpf_alignment *alignment; /* of the two surveys; NULL: equal times. Borrowed */

    hpf_survey *const
        *resident; /* interactive pages: by profile, HPR_N_RESIDENT surveys of what the
                      resident set is made of, or NULL for each; NULL: not known */
} hpr_options;

/* The values "resident", "pinned", "pinned-64K" and "pinned-2M" of recordings by --resident. */
enum { HPR_N_RESIDENT = 4 };

/* Sets the options of a look to their defaults; `options->size` is set. */
HPF_API void hpr_options_init(hpr_options *options, hpr_look look);

/* Returns the default options of a look. */
static inline hpr_options hpr_options_default(hpr_look look)
{
    hpr_options options;
    options.size = sizeof options;
    hpr_options_init(&options, look);
    return options;
}

/* Creates a chart: select, order, limit, stack, scale, layout. Reads the source of the survey
 * again. Errors: from hpf_survey_series; LIMIT for a `.aux` file with too many entries. */
HPF_API HPF_MUST_USE hpf_status hpr_chart_create(hpr_chart **out, hpf_survey *survey,
                                                 const hpr_options *options, hpr_measurer measurer,
                                                 hpf_error *err);
HPF_API void hpr_chart_destroy(hpr_chart *chart);

/* Returns how many names in samples have no part as `options->group` wants it, or were cut within
 * it: each is a group of its own. */
HPF_API uint32_t hpr_count_ungrouped(const hpf_survey *survey, const hpr_options *options);

/* Creates the scene of a chart. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpr_scene_create(hpr_scene **out, const hpr_chart *chart,
                                                 const hpr_options *options, hpr_measurer measurer,
                                                 hpf_error *err);
HPF_API void hpr_scene_destroy(hpr_scene *scene);

/* Writes a chart with a back end. Does not finish the sink. `output->fonts` must be those that the
 * chart was measured with. Errors: from the back end. */
HPF_API HPF_MUST_USE hpf_status hpr_write(const hpr_chart *chart, const hpr_options *options,
                                          const hpr_backend *backend, const hpr_output *output,
                                          hpf_sink *sink, hpf_error *err);

/* Does all steps: chart, scene, back end. Does not finish the sink. Measures text with
 * `output->fonts`. Errors: from the steps. */
HPF_API HPF_MUST_USE hpf_status hpr_render(hpf_survey *survey, const hpr_options *options,
                                           const hpr_backend *backend, const hpr_output *output,
                                           hpf_sink *sink, hpf_error *err);

HPF_END_DECLS
#endif
