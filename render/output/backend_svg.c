/* SPDX-License-Identifier: BSD-2-Clause
 *
 * SVG, written directly: shapes are paths, texts are texts. Paths use relative coordinates and the
 * shortest command for each segment.
 */
#include "hpfile/sink.h"
#include "output/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "style/colour.h"

/* Returns whole hundredths of a point: so relative coordinates do not accumulate rounding errors.
 */
static long hundredths_of(double value_pt)
{
    return lround(fmin(fmax(100 * value_pt, -1e9), 1e9));
}

/* Writes hundredths as points, in the fewest characters: "-.5", "12", "3.07". */
static void put_hundredths(hpf_sink *sink, long hundredths)
{
    char text[32];
    const char *sign = hundredths < 0 ? "-" : "";
    long size = labs(hundredths);
    int n = size % 100 ? snprintf(text, sizeof text, "%s%.0ld.%02ld", sign, size / 100, size % 100)
                       : snprintf(text, sizeof text, "%s%ld", sign, size / 100);
    hpf_sink_write(sink, text, (size_t)n - (size % 100 && size % 10 == 0));
}

static void put_number(hpf_sink *sink, double value_pt)
{
    put_hundredths(sink, hundredths_of(value_pt));
}

/* Writes ` name="12.5"`. */
static void put_attribute(hpf_sink *sink, const char *name, double value_pt)
{
    hpf_sink_printf(sink, " %s=\"", name);
    put_number(sink, value_pt);
    hpf_sink_text(sink, "\"");
}

/* Writes ` name="#rrggbb"`, or `"#rgb"` where that is equal. */
static void put_colour(hpf_sink *sink, const char *name, hpr_colour colour)
{
    unsigned red = hpr__colour_byte(colour.red);
    unsigned green = hpr__colour_byte(colour.green);
    unsigned blue = hpr__colour_byte(colour.blue);
    if (red % 17 == 0 && green % 17 == 0 && blue % 17 == 0) {
        hpf_sink_printf(sink, " %s=\"#%x%x%x\"", name, red / 17, green / 17, blue / 17);
    } else {
        hpf_sink_printf(sink, " %s=\"#%02x%02x%02x\"", name, red, green, blue);
    }
}

/* A path being written. */
typedef struct pen {
    hpf_sink *sink;
    long x, y;    /* in hundredths */
    char command; /* the last one; 0: none */
} pen;

/* Writes a number after its command, or after a blank if the command is repeated and the number has
 * no sign. */
static void put_operand(pen *p, char command, long hundredths)
{
    if (p->command != command) {
        hpf_sink_write(p->sink, &command, 1);
        p->command = command;
    } else if (hundredths >= 0) {
        hpf_sink_text(p->sink, " ");
    }
    put_hundredths(p->sink, hundredths);
}

static void put_path(hpf_sink *sink, const hpr_item *item)
{
    pen p = {.sink = sink};
    hpf_sink_text(sink, "<path d=\"");
    for (size_t i = 0; i < item->n_points; i++) {
        long x = hundredths_of(item->points[i].x_pt), y = hundredths_of(item->points[i].y_pt);
        if (i == 0) {
            put_operand(&p, 'M', x);
            put_operand(&p, 'M', y);
        } else if (x != p.x && y != p.y) {
            put_operand(&p, 'l', x - p.x);
            put_operand(&p, 'l', y - p.y);
        } else if (x != p.x) {
            put_operand(&p, 'h', x - p.x);
        } else if (y != p.y) {
            put_operand(&p, 'v', y - p.y);
        }
        p.x = x;
        p.y = y;
    }
    hpf_sink_text(sink, item->kind == HPR_ITEM_POLYGON ? "z\"" : "\"");
}

static bool is_black(hpr_colour colour)
{
    return !hpr__colour_byte(colour.red) && !hpr__colour_byte(colour.green) &&
           !hpr__colour_byte(colour.blue);
}

static void put_shape(hpf_sink *sink, const hpr_item *item)
{
    put_path(sink, item);
    if (item->kind == HPR_ITEM_LINE || !item->fill.on) {
        hpf_sink_text(sink, " fill=\"none\"");
    } else if (!is_black(item->fill.colour)) {
        put_colour(sink, "fill", item->fill.colour);
    }
    if (item->stroke.on) {
        put_colour(sink, "stroke", item->stroke.colour);
        if (hundredths_of(item->stroke.width_pt) != 100) {
            put_attribute(sink, "stroke-width", item->stroke.width_pt);
        }
        if (item->stroke.dash_pt > 0) {
            put_attribute(sink, "stroke-dasharray", item->stroke.dash_pt);
        }
        /* Only boxes have mitred corners: on the spikes of a curve they would rise above its
         * values. */
        hpf_sink_text(sink, item->n_points > 4 ? " stroke-linejoin=\"round\"" : "");
    }
    hpf_sink_text(sink, "/>\n");
}

static void put_text(hpf_sink *sink, const hpr_item *item)
{
    static const char *const anchors[] = {[HPR_ANCHOR_START] = "",
                                          [HPR_ANCHOR_MIDDLE] = " text-anchor=\"middle\"",
                                          [HPR_ANCHOR_END] = " text-anchor=\"end\""};
    hpf_sink_text(sink, "<text");
    if (item->turn_deg != 0) {
        hpf_sink_text(sink, " transform=\"translate(");
        put_number(sink, item->at.x_pt);
        hpf_sink_text(sink, " ");
        put_number(sink, item->at.y_pt);
        hpf_sink_text(sink, ")rotate(");
        put_number(sink, -item->turn_deg);
        hpf_sink_text(sink, ")\"");
    } else {
        put_attribute(sink, "x", item->at.x_pt);
        put_attribute(sink, "y", item->at.y_pt);
    }
    put_attribute(sink, "font-size", item->size_pt);
    hpf_sink_text(sink, anchors[item->anchor]);
    hpf_sink_text(sink, item->bold ? " font-weight=\"bold\"" : "");
    if (!is_black(item->fill.colour)) {
        put_colour(sink, "fill", item->fill.colour);
    }
    hpf_sink_text(sink, ">");
    hpf_sink_markup(sink, hpf_str_of(item->text));
    hpf_sink_text(sink, "</text>\n");
}

static void put_item(hpf_sink *sink, const hpr_item *item)
{
    switch (item->kind) {
    case HPR_ITEM_POLYGON:
    case HPR_ITEM_LINE:
        put_shape(sink, item);
        break;
    case HPR_ITEM_TEXT:
        put_text(sink, item);
        break;
    case HPR_ITEM_GROUP_BEGIN:
        hpf_sink_text(sink, "<g class=\"b\"><title>");
        hpf_sink_markup(sink, hpf_str_of(item->text));
        hpf_sink_text(sink, "</title>\n");
        break;
    case HPR_ITEM_GROUP_END:
        hpf_sink_text(sink, "</g>\n");
        break;
    case HPR_ITEM_PAGE:
        break;
    }
}

static void put_head(hpf_sink *sink, const hpr_scene *scene, double height_pt, const char *family)
{
    hpf_sink_text(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    put_number(sink, scene->width_pt);
    hpf_sink_text(sink, "pt\" height=\"");
    put_number(sink, height_pt);
    hpf_sink_text(sink, "pt\" viewBox=\"0 0 ");
    put_number(sink, scene->width_pt);
    hpf_sink_text(sink, " ");
    put_number(sink, height_pt);
    hpf_sink_text(sink, "\" font-family=\"");
    hpf_sink_markup(sink, hpf_str_of(family));
    /* The first two have the widths of Liberation Sans. */
    hpf_sink_text(sink, ",Arial,Helvetica,sans-serif\" xml:space=\"preserve\">\n");
}

static void put_description(hpf_sink *sink, const hpr_scene *scene, const hpr_output *output)
{
    if (scene->title[0]) {
        hpf_sink_text(sink, "<title>");
        hpf_sink_markup(sink, hpf_str_of(scene->title));
        hpf_sink_text(sink, "</title>\n");
    }
    if (output->software) {
        hpf_sink_text(sink, "<desc>");
        hpf_sink_markup(sink, hpf_str_of(output->software));
        hpf_sink_text(sink, "</desc>\n");
    }
    hpf_sink_text(sink, "<style>.b:hover path{stroke:#000;stroke-width:1.5}</style>\n");
}

static void put_page(hpf_sink *sink, const hpr__page *page, double y_pt)
{
    if (y_pt > 0) {
        hpf_sink_text(sink, "<g transform=\"translate(0 ");
        put_number(sink, y_pt);
        hpf_sink_text(sink, ")\">\n");
    }
    for (size_t i = 0; i < page->n_items; i++) {
        put_item(sink, &page->items[i]);
    }
    hpf_sink_text(sink, y_pt > 0 ? "</g>\n" : "");
}

static hpf_status write_svg(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    put_head(sink, scene, scene->height_pt * (double)hpr__scene_n_pages(scene),
             hpr_fonts_family(output->fonts));
    put_description(sink, scene, output);
    hpf_sink_text(sink, "<rect width=\"100%\" height=\"100%\"");
    put_colour(sink, "fill", scene->background);
    hpf_sink_text(sink, "/>\n");
    double y_pt = 0;
    size_t at = 0;
    for (hpr__page page; hpr__scene_next_page(scene, &at, &page);) {
        put_page(sink, &page, y_pt);
        y_pt += scene->height_pt;
    }
    hpf_sink_text(sink, "</svg>\n");
    return hpf_sink_flush(sink, err);
}

/* SVG 1.1; one page below the other. */
const hpr_backend hpr__backend_svg = {
    .name = "svg",
    .extension = "svg",
    .summary = "Scalable Vector Graphics, with tooltips",
    .is_graphical = true,
    .write = write_svg,
};
