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

#define LEAST_COVERAGE  (1.0f / 512)
#define NOTHING_TOUCHED ((span){SIZE_MAX, 0})

/* A join closes the gap that two segments leave on the outer side of a bend; a narrower one cannot
 * be seen, and a join there would only be painted twice along its rim. */
#define LEAST_GAP_PX 0.4
#define JOIN_CORNERS 12 /* of the polygon that rounds a join */

/* Cells that edges have touched in a row, [begin, end). */
typedef struct span {
    size_t begin, end;
} span;

struct hpr__raster {
    unsigned char *pixels;
    size_t width, height, stride_bytes;
    float *cells;  /* height rows of width + 2 */
    span *touched; /* by row */
    span rows;     /* that have touched cells */
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
                       .rows = NOTHING_TOUCHED};
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

/* Unlike fmin and fmax these need no call: no coordinate here is a NaN. */
static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static void widen(span *s, size_t begin, size_t end)
{
    s->begin = begin < s->begin ? begin : s->begin;
    s->end = end > s->end ? end : s->end;
}

/* Of a coordinate inside the raster. By way of int, which processors convert in one step. */
static size_t whole_part(double px)
{
    return (size_t)(int)px;
}

/* A piece of an edge within one row, from `left` to `right`, `height` high (negative: upwards). The
 * area to its right, within the columns before t, grows with the square of t - left between the
 * ends, and evenly behind them. */
static void add_piece(hpr__raster *r, size_t row, double left, double right, double height)
{
    float *cells = r->cells + row * (r->width + 2);
    size_t first = whole_part(left);
    size_t last = whole_part(right);
    widen(&r->touched[row], first, last + 2);
    if (first == last) {
        double part = height * (1 - ((left + right) / 2 - (double)(int)first));
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

static double clamp(double value, double high)
{
    return least(most(value, 0), high);
}

void hpr__raster_edge(hpr__raster *raster, hpr__px from, hpr__px to)
{
    double sign = from.y < to.y ? 1 : -1;
    hpr__px top = sign > 0 ? from : to;
    hpr__px bottom = sign > 0 ? to : from;
    double whole = bottom.y - top.y;
    double end = least(bottom.y, (double)raster->height);
    double y = most(top.y, 0);
    if (!(whole > 0 && y < end)) {
        return;
    }
    double width = (double)raster->width;
    double slope = (bottom.x - top.x) / whole;
    double x = clamp(top.x + slope * (y - top.y), width);
    size_t row = whole_part(y);
    size_t first_row = row;
    for (; y < end; row++) {
        double lower = least((double)(int)(row + 1), end);
        double next = clamp(top.x + slope * (lower - top.y), width);
        add_piece(raster, row, least(x, next), most(x, next), sign * (lower - y));
        x = next;
        y = lower;
    }
    widen(&raster->rows, first_row, row);
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

void hpr__raster_paint(hpr__raster *raster, hpr_colour colour)
{
    uint32_t packed = byte_of(colour.red) << 16 | byte_of(colour.green) << 8 | byte_of(colour.blue);
    for (size_t row = raster->rows.begin; row < raster->rows.end; row++) {
        if (raster->touched[row].begin < raster->touched[row].end) {
            paint_row(raster, row, packed);
        }
    }
    raster->rows = NOTHING_TOUCHED;
}

/* An item on its way to the pixels. */
typedef struct job {
    hpr__raster *raster;
    const hpr_item *item;
    double px_per_pt, down_px;
    double line_px; /* width of the line */
    double dash_px; /* 0: solid */
    double run_px;  /* length of the line so far */
    bool is_box;    /* of sharp corners: each segment has the corner that it runs into */
    double ux, uy;  /* direction of the last segment; 0, 0 before it */
} job;

static hpr__px point_px(const job *j, size_t index)
{
    const hpr_point *p = &j->item->points[index];
    return (hpr__px){p->x_pt * j->px_per_pt, p->y_pt * j->px_per_pt + j->down_px};
}

static void add_fill(const job *j)
{
    hpr__px from = point_px(j, j->item->n_points - 1);
    for (size_t i = 0; i < j->item->n_points; i++) {
        hpr__px to = point_px(j, i);
        hpr__raster_edge(j->raster, from, to);
        from = to;
    }
}

/* A segment as a rectangle of the line's width, always in the same sense of rotation; `ux`, `uy`
 * are its direction. */
static void add_bar(const job *j, hpr__px from, hpr__px to, double ux, double uy)
{
    double half = j->line_px / 2;
    double along_x = j->is_box ? ux * half : 0;
    double along_y = j->is_box ? uy * half : 0;
    double across_x = -uy * half;
    double across_y = ux * half;
    const hpr__px corners[4] = {
        {from.x + along_x + across_x, from.y + along_y + across_y},
        {from.x + along_x - across_x, from.y + along_y - across_y},
        {to.x + along_x - across_x, to.y + along_y - across_y},
        {to.x + along_x + across_x, to.y + along_y + across_y},
    };
    for (int i = 0; i < 4; i++) {
        hpr__raster_edge(j->raster, corners[i], corners[(i + 1) % 4]);
    }
}

/* The parts of a segment that dashes leave. */
static void add_dashes(job *j, hpr__px from, double length, double ux, double uy)
{
    double at = 0;
    while (at < length) {
        double phase = fmod(j->run_px + at, 2 * j->dash_px);
        bool is_gap = phase >= j->dash_px;
        double left = (is_gap ? 2 : 1) * j->dash_px - phase;
        double next = least(at + most(left, j->dash_px / 64), length);
        if (!is_gap) {
            add_bar(j, (hpr__px){from.x + ux * at, from.y + uy * at},
                    (hpr__px){from.x + ux * next, from.y + uy * next}, ux, uy);
        }
        at = next;
    }
    j->run_px += length;
}

/* Rounds a bend by a small polygon in the sense of the bars. */
static void add_join(const job *j, hpr__px at)
{
    const double step = 2 * acos(-1) / JOIN_CORNERS;
    double radius = j->line_px / 2;
    hpr__px from = {at.x + radius, at.y};
    for (int i = 1; i <= JOIN_CORNERS; i++) {
        hpr__px to = {at.x + radius * cos(i * step), at.y + radius * sin(i * step)};
        hpr__raster_edge(j->raster, from, to);
        from = to;
    }
}

/* Whether the line bends so much, from the last segment to one of this direction, that it gapes. */
static bool is_gaping(const job *j, double ux, double uy)
{
    double across = fabs(j->ux * uy - j->uy * ux);
    bool turns_back = j->ux * ux + j->uy * uy < 0;
    return j->line_px / 2 * (turns_back ? 1 : across) > LEAST_GAP_PX;
}

static void add_segment(job *j, hpr__px from, hpr__px to)
{
    double x = to.x - from.x;
    double y = to.y - from.y;
    double length = sqrt(x * x + y * y);
    if (!(length > 0 && length < 1e9)) {
        return;
    }
    double ux = x / length;
    double uy = y / length;
    if (j->dash_px > 0) {
        add_dashes(j, from, length, ux, uy);
        return;
    }
    add_bar(j, from, to, ux, uy);
    if (!j->is_box && is_gaping(j, ux, uy)) {
        add_join(j, from);
    }
    j->ux = ux;
    j->uy = uy;
}

static void add_line(job *j)
{
    size_t n = j->item->n_points;
    bool is_closed = j->item->kind == HPR_ITEM_POLYGON;
    hpr__px from = point_px(j, is_closed ? n - 1 : 0);
    for (size_t i = is_closed ? 0 : 1; i < n; i++) {
        hpr__px to = point_px(j, i);
        add_segment(j, from, to);
        from = to;
    }
}

void hpr__raster_draw(hpr__raster *raster, const hpr_item *item, double px_per_pt, double down_px)
{
    bool is_polygon = item->kind == HPR_ITEM_POLYGON;
    job j = {.raster = raster,
             .item = item,
             .px_per_pt = px_per_pt,
             .down_px = down_px,
             .line_px = item->stroke.width_pt * px_per_pt,
             .dash_px = item->stroke.dash_pt * px_per_pt,
             .is_box = is_polygon && item->n_points <= 4};
    if (is_polygon && item->fill.on) {
        add_fill(&j);
        hpr__raster_paint(raster, item->fill.colour);
    }
    if (item->stroke.on) {
        add_line(&j);
        hpr__raster_paint(raster, item->stroke.colour);
    }
}
