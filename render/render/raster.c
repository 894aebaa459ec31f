/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each row has one cell for each pixel: the difference between the coverage of that pixel and of
 * the one before. An edge adds to the cells that it crosses; a running sum along the row then gives
 * the coverage of all pixels. Where shapes laid together overlap, the sum exceeds 1 and is cut.
 */
#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE_PX     2.0
#define MIN_POINTS      5
#define LEAST_COVERAGE  (1.0f / 512)
#define NOTHING_TOUCHED ((span){SIZE_MAX, 0})

/* Cells that edges have touched in a row, [begin, end). */
typedef struct span {
    size_t begin, end;
} span;

struct hpr__raster {
    unsigned char *pixels;
    size_t width, height, stride_bytes;
    double px_per_pt, down_px;
    float *cells;  /* height rows of width + 2 */
    span *touched; /* by row */
};

hpr__raster *hpr__raster_create(unsigned char *pixels, size_t width_px, size_t height_px,
                                size_t stride_bytes)
{
    hpr__raster *r = calloc(1, sizeof *r);
    if (!r) {
        return NULL;
    }
    *r = (hpr__raster){.pixels = pixels,
                       .width = width_px,
                       .height = height_px,
                       .stride_bytes = stride_bytes,
                       .px_per_pt = 1};
    r->cells = calloc((width_px + 2) * height_px, sizeof *r->cells);
    r->touched = calloc(height_px, sizeof *r->touched);
    if (!r->cells || !r->touched) {
        hpr__raster_destroy(r);
        return NULL;
    }
    for (size_t y = 0; y < height_px; y++) {
        r->touched[y] = NOTHING_TOUCHED;
    }
    return r;
}

void hpr__raster_destroy(hpr__raster *raster)
{
    if (raster) {
        free(raster->cells);
        free(raster->touched);
        free(raster);
    }
}

void hpr__raster_place(hpr__raster *raster, double px_per_pt, double down_px)
{
    raster->px_per_pt = px_per_pt;
    raster->down_px = down_px;
}

/* Unlike fmin and fmax these need no call: no coordinate here is a NaN. */
static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static hpr_point to_px(const hpr__raster *r, hpr_point p)
{
    return (hpr_point){p.x_pt * r->px_per_pt, p.y_pt * r->px_per_pt + r->down_px};
}

static void touch(hpr__raster *r, size_t row, size_t begin, size_t end)
{
    span *s = &r->touched[row];
    s->begin = begin < s->begin ? begin : s->begin;
    s->end = end > s->end ? end : s->end;
}

/* A piece of an edge within one row, from `left` to `right`, `height` high (negative: upwards). The
 * area to its right, within the columns before t, grows with the square of t - left between the
 * ends, and evenly behind them. */
static void add_piece(hpr__raster *r, size_t row, double left, double right, double height)
{
    float *cells = r->cells + row * (r->width + 2);
    size_t first = (size_t)left;
    size_t last = (size_t)right;
    touch(r, row, first, last + 2);
    if (first == last) {
        double part = height * (1 - ((left + right) / 2 - (double)first));
        cells[first] += (float)part;
        cells[first + 1] += (float)(height - part);
        return;
    }
    double bend = height / (2 * (right - left));
    double area_before = 0;
    double coverage_before = 0;
    for (size_t x = first; x <= last; x++) {
        double t = (double)(x + 1) - left;
        double area = x < last ? bend * t * t : height * ((double)(x + 1) - (left + right) / 2);
        double coverage = area - area_before;
        cells[x] += (float)(coverage - coverage_before);
        area_before = area;
        coverage_before = coverage;
    }
    cells[last + 1] += (float)(height - coverage_before);
}

/* An edge, cut into rows. Points are on the picture. */
static void add_edge(hpr__raster *r, hpr_point from, hpr_point to)
{
    double sign = from.y_pt < to.y_pt ? 1 : -1;
    hpr_point top = sign > 0 ? from : to;
    hpr_point bottom = sign > 0 ? to : from;
    double whole = bottom.y_pt - top.y_pt;
    if (!(whole > 0)) {
        return;
    }
    double slope = (bottom.x_pt - top.x_pt) / whole;
    double x = top.x_pt;
    for (size_t row = (size_t)top.y_pt; (double)row < bottom.y_pt; row++) {
        double upper = most((double)row, top.y_pt);
        double lower = least((double)(row + 1), bottom.y_pt);
        double next = lower == bottom.y_pt ? bottom.x_pt : top.x_pt + slope * (lower - top.y_pt);
        add_piece(r, row, least(x, next), most(x, next), sign * (lower - upper));
        x = next;
    }
}

static unsigned byte_of(double part)
{
    return (unsigned)floor(least(most(part, 0), 1) * 255 + 0.5);
}

/* One channel between two values; `part` of 256 is the second. */
static uint32_t mix(uint32_t under, uint32_t over, uint32_t part, int shift)
{
    uint32_t a = under >> shift & 0xFF;
    uint32_t b = over >> shift & 0xFF;
    return (a * (256 - part) + b * part + 128) >> 8 << shift;
}

static void paint_pixel(unsigned char *pixel, uint32_t colour, float coverage)
{
    uint32_t out = colour;
    if (coverage < 1 - LEAST_COVERAGE) {
        uint32_t under;
        uint32_t part = (uint32_t)(coverage * 256 + 0.5f);
        memcpy(&under, pixel, sizeof under);
        out = mix(under, colour, part, 16) | mix(under, colour, part, 8) |
              mix(under, colour, part, 0);
    }
    memcpy(pixel, &out, sizeof out);
}

static void paint_row(hpr__raster *r, size_t row, uint32_t colour)
{
    span *s = &r->touched[row];
    float *cells = r->cells + row * (r->width + 2);
    unsigned char *pixels = r->pixels + row * r->stride_bytes;
    size_t end = s->end < r->width ? s->end : r->width;
    float sum = 0;
    for (size_t x = s->begin; x < end; x++) {
        sum += cells[x];
        float coverage = fabsf(sum);
        if (coverage > LEAST_COVERAGE) {
            paint_pixel(pixels + 4 * x, colour, coverage);
        }
    }
    memset(cells + s->begin, 0, (s->end - s->begin) * sizeof *cells);
    *s = NOTHING_TOUCHED;
}

/* Paints what edges have gathered, and forgets it. */
static void paint(hpr__raster *r, hpr_colour colour)
{
    uint32_t packed = byte_of(colour.red) << 16 | byte_of(colour.green) << 8 | byte_of(colour.blue);
    for (size_t row = 0; row < r->height; row++) {
        if (r->touched[row].begin < r->touched[row].end) {
            paint_row(r, row, packed);
        }
    }
}

static void fill(hpr__raster *r, const hpr_item *item)
{
    hpr_point from = to_px(r, item->points[item->n_points - 1]);
    for (size_t i = 0; i < item->n_points; i++) {
        hpr_point to = to_px(r, item->points[i]);
        add_edge(r, from, to);
        from = to;
    }
    paint(r, item->fill.colour);
}

/* A segment as a rectangle of the line's width, always in the same sense of rotation. */
static void add_segment(hpr__raster *r, hpr_point from, hpr_point to, double width_px)
{
    double x = to.x_pt - from.x_pt;
    double y = to.y_pt - from.y_pt;
    double length = sqrt(x * x + y * y);
    if (!(length > 0)) {
        return;
    }
    double across_x = -y / length * width_px / 2;
    double across_y = x / length * width_px / 2;
    const hpr_point corners[4] = {{from.x_pt + across_x, from.y_pt + across_y},
                                  {from.x_pt - across_x, from.y_pt - across_y},
                                  {to.x_pt - across_x, to.y_pt - across_y},
                                  {to.x_pt + across_x, to.y_pt + across_y}};
    for (int i = 0; i < 4; i++) {
        add_edge(r, corners[i], corners[(i + 1) % 4]);
    }
}

static void stroke(hpr__raster *r, const hpr_item *item)
{
    double width_px = item->stroke.width_pt * r->px_per_pt;
    bool is_closed = item->kind == HPR_ITEM_POLYGON;
    hpr_point from = to_px(r, item->points[is_closed ? item->n_points - 1 : 0]);
    for (size_t i = is_closed ? 0 : 1; i < item->n_points; i++) {
        hpr_point to = to_px(r, item->points[i]);
        add_segment(r, from, to, width_px);
        from = to;
    }
    paint(r, item->stroke.colour);
}

/* Whether all points, and half a line around them, are on the picture. */
static bool is_inside(const hpr__raster *r, const hpr_item *item)
{
    double margin_px = item->stroke.on ? item->stroke.width_pt * r->px_per_pt / 2 : 0;
    double right_px = (double)r->width - margin_px;
    double bottom_px = (double)r->height - margin_px;
    for (size_t i = 0; i < item->n_points; i++) {
        hpr_point p = to_px(r, item->points[i]);
        if (!(p.x_pt >= margin_px && p.x_pt <= right_px && p.y_pt >= margin_px &&
              p.y_pt <= bottom_px)) {
            return false;
        }
    }
    return true;
}

bool hpr__raster_draw(hpr__raster *raster, const hpr_item *item)
{
    bool is_polygon = item->kind == HPR_ITEM_POLYGON;
    const hpr_paint *line = &item->stroke;
    if ((!is_polygon && item->kind != HPR_ITEM_LINE) || item->n_points < MIN_POINTS) {
        return false;
    }
    if (line->on && (line->dash_pt > 0 || line->width_pt * raster->px_per_pt > MAX_LINE_PX)) {
        return false;
    }
    if (!is_inside(raster, item)) {
        return false;
    }
    if (is_polygon && item->fill.on) {
        fill(raster, item);
    }
    if (line->on) {
        stroke(raster, item);
    }
    return true;
}
