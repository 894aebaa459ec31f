/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PGF's basic layer, for \input into a document with \usepackage{pgf}. Shapes are where the layout
 * placed them; TeX sets the texts in the font of the document, at the sizes of the layout.
 *
 * Points are TeX's (72.27 to the inch), so that a figure as wide as a column fits it.
 */
#include "hpfile/sink.h"
#include "output/backend.h"

#include <math.h>

#include "output/tex.h"

/* A picture being written, and the state of TeX, so that it is not set again. */
typedef struct picture {
    hpf_sink *sink;
    double height_pt;
    hpr_colour colours[2]; /* of strokes, of fills */
    bool has_colour[2];
    double width_pt, dash_pt;
} picture;

enum { STROKE, FILL };

static void put_path(const picture *p, const hpr_item *item)
{
    for (size_t i = 0; i < item->n_points; i++) {
        hpf_sink_text(p->sink, i == 0 ? "\\M" : "\\L");
        /* Writes the operand of the path commands below: "12,34.5;". */
        hpf_sink_shortest(p->sink, floor(100 * item->points[i].x_pt + 0.5) / 100);
        hpf_sink_text(p->sink, ",");
        hpf_sink_shortest(p->sink, floor(100 * (p->height_pt - item->points[i].y_pt) + 0.5) / 100);
        hpf_sink_text(p->sink, ";");
        hpf_sink_text(p->sink, i % 8 == 7 ? "%\n" : "");
    }
    hpf_sink_text(p->sink, item->kind == HPR_ITEM_POLYGON ? "\\Z" : "");
}

static void set_colour(picture *p, int which, hpr_colour colour)
{
    static const char *const commands[] = {"\\S{", "\\F{"};
    const hpr_colour *now = &p->colours[which];
    if (!p->has_colour[which] || now->red != colour.red || now->green != colour.green ||
        now->blue != colour.blue) {
        p->colours[which] = colour;
        p->has_colour[which] = true;
        hpf_sink_text(p->sink, commands[which]);
        hpr__tex_colour(p->sink, colour);
        hpf_sink_text(p->sink, "}");
    }
}

static void set_pen(picture *p, const hpr_paint *stroke)
{
    set_colour(p, STROKE, stroke->colour);
    if (p->width_pt != stroke->width_pt) {
        p->width_pt = stroke->width_pt;
        hpf_sink_text(p->sink, "\\pgfsetlinewidth{");
        hpf_sink_fixed(p->sink, stroke->width_pt, 2);
        hpf_sink_text(p->sink, "pt}");
    }
    if (p->dash_pt != stroke->dash_pt) {
        p->dash_pt = stroke->dash_pt;
        if (stroke->dash_pt > 0) {
            hpf_sink_text(p->sink, "\\pgfsetdash{{");
            hpf_sink_fixed(p->sink, stroke->dash_pt, 2);
            hpf_sink_text(p->sink, "pt}{");
            hpf_sink_fixed(p->sink, stroke->dash_pt, 2);
            hpf_sink_text(p->sink, "pt}}{0pt}");
        } else {
            hpf_sink_text(p->sink, "\\pgfsetdash{}{0pt}");
        }
    }
}

static void put_shape(picture *p, const hpr_item *item)
{
    bool is_filled = item->kind == HPR_ITEM_POLYGON && item->fill.on;
    if (is_filled) {
        set_colour(p, FILL, item->fill.colour);
    }
    if (item->stroke.on) {
        set_pen(p, &item->stroke);
    }
    if (is_filled || item->stroke.on) {
        put_path(p, item);
        hpf_sink_text(p->sink, is_filled && item->stroke.on ? "\\pgfusepath{fill,stroke}%\n"
                               : is_filled                  ? "\\pgfusepath{fill}%\n"
                                                            : "\\pgfusepath{stroke}%\n");
    }
}

static void put_text(const picture *p, const hpr_item *item)
{
    static const char *const anchors[] = {
        [HPR_ANCHOR_START] = "left", [HPR_ANCHOR_MIDDLE] = "center", [HPR_ANCHOR_END] = "right"};
    hpf_sink_printf(p->sink, "\\pgftext[%s,base,x=", anchors[item->anchor]);
    hpf_sink_fixed(p->sink, item->at.x_pt, 2);
    hpf_sink_text(p->sink, "pt,y=");
    hpf_sink_fixed(p->sink, p->height_pt - item->at.y_pt, 2);
    hpf_sink_text(p->sink, item->turn_deg != 0 ? "pt,rotate=" : "pt");
    if (item->turn_deg != 0) {
        hpf_sink_fixed(p->sink, item->turn_deg, 0);
    }
    hpf_sink_text(p->sink, "]{\\T{");
    hpf_sink_fixed(p->sink, item->size_pt, 1);
    hpf_sink_text(p->sink, "}{");
    hpr__tex_colour(p->sink, item->fill.colour);
    hpf_sink_text(p->sink, item->bold ? "}\\bfseries " : "}");
    hpr__tex_text(p->sink, item->text);
    hpf_sink_text(p->sink, "}%\n");
}

static void put_item(picture *p, const hpr_item *item)
{
    switch (item->kind) {
    case HPR_ITEM_POLYGON:
    case HPR_ITEM_LINE:
        put_shape(p, item);
        break;
    case HPR_ITEM_TEXT:
        put_text(p, item);
        break;
    case HPR_ITEM_PAGE:
    case HPR_ITEM_GROUP_BEGIN:
    case HPR_ITEM_GROUP_END:
        break;
    }
}

/* Defines short names, local to the picture, for frequent commands. */
static void put_head(const picture *p, double width_pt)
{
    hpf_sink_text(p->sink,
                  "\\begin{pgfpicture}%\n"
                  "\\def\\M#1,#2;{\\pgfpathmoveto{\\pgfqpoint{#1pt}{#2pt}}}%\n"
                  "\\def\\L#1,#2;{\\pgfpathlineto{\\pgfqpoint{#1pt}{#2pt}}}%\n"
                  "\\def\\Z{\\pgfpathclose}%\n"
                  "\\def\\S#1{\\definecolor{census}{HTML}{#1}\\pgfsetstrokecolor{census}}%\n"
                  "\\def\\F#1{\\definecolor{census}{HTML}{#1}\\pgfsetfillcolor{census}}%\n"
                  "\\def\\T#1#2{\\fontsize{#1pt}{#1pt}\\selectfont"
                  "\\definecolor{census}{HTML}{#2}\\color{census}}%\n"
                  "\\pgfsetroundjoin%\n"
                  "\\pgfpathrectangle{\\pgfpointorigin}{\\pgfqpoint{");
    hpf_sink_fixed(p->sink, width_pt, 2);
    hpf_sink_text(p->sink, "pt}{");
    hpf_sink_fixed(p->sink, p->height_pt, 2);
    hpf_sink_text(p->sink, "pt}}\\pgfusepath{use as bounding box}%\n");
}

static void put_ground(picture *p, const hpr_scene *scene)
{
    hpr_point corners[4] = {
        {0, 0}, {scene->width_pt, 0}, {scene->width_pt, scene->height_pt}, {0, scene->height_pt}};
    hpr_item ground = {.kind = HPR_ITEM_POLYGON,
                       .fill = {.on = true, .colour = scene->background},
                       .points = corners,
                       .n_points = 4};
    if (scene->background.red < 1 || scene->background.green < 1 || scene->background.blue < 1) {
        put_shape(p, &ground);
    }
}

static hpf_status write_pgf(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    hpr__tex_head(sink, output->software);
    size_t at = 0;
    for (hpr__page page; hpr__scene_next_page(scene, &at, &page);) {
        picture p = {.sink = sink, .height_pt = scene->height_pt};
        put_head(&p, scene->width_pt);
        put_ground(&p, scene);
        for (size_t i = 0; i < page.n_items; i++) {
            put_item(&p, &page.items[i]);
        }
        hpf_sink_text(sink, "\\end{pgfpicture}%\n");
    }
    return hpf_sink_flush(sink, err);
}

const hpr_backend hpr__backend_pgf = {
    .name = "pgf",
    .extension = "pgf",
    .summary = "TeX: \\input it with \\usepackage{pgf}",
    .most_points = 300,
    .has_foreign_fonts = true,
    .is_graphical = true,
    .write = write_pgf,
};
