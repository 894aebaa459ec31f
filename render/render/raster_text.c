/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeType hands out each outline as lines and curves in font units; curves become lines here.
 */
#include "raster_text.h"

#include <math.h>
#include FT_OUTLINE_H

/* How far a line may lie from the curve that it stands for. */
#define FLATNESS_PX 0.1
#define MAX_LINES   32

/* A glyph being drawn: where its origin is, and what a font unit to the right and upwards is. */
typedef struct pen {
    hpr__raster *raster;
    hpr__px origin, right, up;
    hpr__px begin, at; /* of the contour */
} pen;

static hpr__px place(const pen *p, const FT_Vector *v)
{
    double x = (double)v->x;
    double y = (double)v->y;
    return (hpr__px){p->origin.x + x * p->right.x + y * p->up.x,
                     p->origin.y + x * p->right.y + y * p->up.y};
}

static void draw_to(pen *p, hpr__px to)
{
    hpr__raster_edge(p->raster, p->at, to);
    p->at = to;
}

static int on_move(const FT_Vector *to, void *context)
{
    pen *p = context;
    draw_to(p, p->begin);
    p->begin = p->at = place(p, to);
    return 0;
}

static int on_line(const FT_Vector *to, void *context)
{
    pen *p = context;
    draw_to(p, place(p, to));
    return 0;
}

/* Lines for a curve whose control points lie so far from where a straight line would have them: the
 * distance shrinks with the square of the number of lines. */
static int n_lines(double far_px)
{
    return 1 + (int)fmin(sqrt(far_px / FLATNESS_PX / 4), MAX_LINES - 1);
}

static double distance(double x, double y)
{
    return sqrt(x * x + y * y);
}

static int on_conic(const FT_Vector *control, const FT_Vector *to, void *context)
{
    pen *p = context;
    hpr__px a = p->at;
    hpr__px b = place(p, control);
    hpr__px c = place(p, to);
    int n = n_lines(distance(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y));
    for (int i = 1; i <= n; i++) {
        double t = (double)i / n;
        double s = 1 - t;
        draw_to(p, (hpr__px){s * s * a.x + 2 * s * t * b.x + t * t * c.x,
                             s * s * a.y + 2 * s * t * b.y + t * t * c.y});
    }
    return 0;
}

static int on_cubic(const FT_Vector *control_1, const FT_Vector *control_2, const FT_Vector *to,
                    void *context)
{
    pen *p = context;
    hpr__px a = p->at;
    hpr__px b = place(p, control_1);
    hpr__px c = place(p, control_2);
    hpr__px d = place(p, to);
    double far_1 = distance(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y);
    double far_2 = distance(b.x - 2 * c.x + d.x, b.y - 2 * c.y + d.y);
    int n = n_lines(3 * fmax(far_1, far_2));
    for (int i = 1; i <= n; i++) {
        double t = (double)i / n;
        double s = 1 - t;
        double p0 = s * s * s;
        double p1 = 3 * s * s * t;
        double p2 = 3 * s * t * t;
        double p3 = t * t * t;
        draw_to(p, (hpr__px){p0 * a.x + p1 * b.x + p2 * c.x + p3 * d.x,
                             p0 * a.y + p1 * b.y + p2 * c.y + p3 * d.y});
    }
    return 0;
}

static void add_glyph(pen *p, FT_Face metrics, FT_UInt glyph)
{
    static const FT_Outline_Funcs functions = {
        .move_to = on_move, .line_to = on_line, .conic_to = on_conic, .cubic_to = on_cubic};
    if (FT_Load_Glyph(metrics, glyph, FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING) != 0 ||
        metrics->glyph->format != FT_GLYPH_FORMAT_OUTLINE) {
        return;
    }
    p->begin = p->at = p->origin;
    FT_Outline_Decompose(&metrics->glyph->outline, &functions, p);
    draw_to(p, p->begin);
}

void hpr__raster_text(hpr__raster *raster, const hpr_item *item, const hpr__line *line,
                      double px_per_pt, double down_px)
{
    double turn = item->turn_deg * (acos(-1) / 180);
    double em_px = item->size_pt * px_per_pt;
    double start_px = hpr__line_start_pt(item, line->width_em * item->size_pt) * px_per_pt;
    for (size_t i = 0; i < line->n_glyphs; i++) {
        const hpr__glyph *g = &line->glyphs[i];
        if (!g->face) {
            continue;
        }
        FT_Face metrics = hpr__face_metrics(g->face);
        double unit_px = em_px / metrics->units_per_EM;
        double along_px = start_px + g->x_em * em_px;
        pen p = {.raster = raster,
                 .origin = {item->at.x_pt * px_per_pt + along_px * cos(turn),
                            item->at.y_pt * px_per_pt + down_px - along_px * sin(turn)},
                 .right = {unit_px * cos(turn), -unit_px * sin(turn)},
                 .up = {-unit_px * sin(turn), -unit_px * cos(turn)}};
        add_glyph(&p, metrics, g->index);
    }
    hpr__raster_paint(raster, item->fill.colour);
}
