/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Setting one line of text. Most texts of a profile are plain: characters that stand side by side,
 * left to right, one glyph each. Those are set here, from at most three font files (the one asked
 * for, the family's, DejaVu Sans for symbols), with the advances and the kerning of the font in
 * font units; so widths are exact at every size and resolution. All other texts go to Pango.
 */
#include "text_ink.h"

#include <cairo-ft.h>
#include <ft2build.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H

#include "font_file.h"
#include "text_pango.h"
#include "utf8.h"

#define DEFAULT_FAMILY  "Liberation Sans"
#define FALLBACK_FAMILY "DejaVu Sans"

/* For want of any font, what a letter of a typical one measures. */
#define GUESSED_ADVANCE_EM 0.55
#define GUESSED_ASCENT_EM  0.9
#define GUESSED_DESCENT_EM 0.2

enum { RANK_ASKED, RANK_FAMILY, RANK_FALLBACK, N_RANKS };

typedef struct face {
    bool is_tried;
    char *path;
    int index; /* of the face in its file */
    FT_Face metrics;
    cairo_font_face_t *ink; /* made when it is first drawn with */
} face;

/* A character in its place. */
typedef struct placed {
    face *face; /* NULL: no font at all */
    FT_UInt glyph;
    size_t n_bytes; /* of the text */
    double x_em;
} placed;

struct hpr_fonts {
    char *family, *font_file; /* font_file may be NULL */
    FT_Library library;
    face faces[2][N_RANKS]; /* regular, bold */
    FcConfig *config;       /* the system's; NULL until it is needed */
    bool is_pango_tried;
    hpr__pango *pango;
    cairo_font_options_t *options;
    bool failed; /* there was no memory */

    size_t capacity; /* of the three arrays */
    placed *line;
    cairo_glyph_t *glyphs;
    cairo_text_cluster_t *clusters;
};

hpr_fonts *hpr_fonts_create(const char *family, const char *font_file)
{
    hpr_fonts *fonts = calloc(1, sizeof *fonts);
    if (!fonts) {
        return NULL;
    }
    fonts->family = strdup(family ? family : DEFAULT_FAMILY);
    fonts->font_file = font_file ? strdup(font_file) : NULL;
    if (!fonts->family || (font_file && !fonts->font_file)) {
        hpr_fonts_destroy(fonts);
        return NULL;
    }
    return fonts;
}

static void close_face(face *f)
{
    cairo_font_face_destroy(f->ink);
    FT_Done_Face(f->metrics);
    free(f->path);
}

void hpr_fonts_destroy(hpr_fonts *fonts)
{
    if (!fonts) {
        return;
    }
    for (int rank = 0; rank < N_RANKS; rank++) {
        close_face(&fonts->faces[0][rank]);
        close_face(&fonts->faces[1][rank]);
    }
    FT_Done_FreeType(fonts->library);
    hpr__pango_destroy(fonts->pango);
    if (fonts->config) {
        FcConfigDestroy(fonts->config);
    }
    if (fonts->options) {
        cairo_font_options_destroy(fonts->options);
    }
    free(fonts->line);
    free(fonts->glyphs);
    free(fonts->clusters);
    free(fonts->family);
    free(fonts->font_file);
    free(fonts);
}

static FcConfig *system_config(hpr_fonts *fonts)
{
    if (!fonts->config) {
        fonts->config = hpr__font_config_create(fonts->font_file);
    }
    return fonts->config;
}

/* Fills in path and index of the font for a rank; leaves the path NULL when there is none. */
static void locate(hpr_fonts *fonts, face *f, int rank, bool bold)
{
    char known[256];
    if (rank == RANK_ASKED) {
        f->path = fonts->font_file ? strdup(fonts->font_file) : NULL;
        return;
    }
    const char *family = rank == RANK_FAMILY ? fonts->family : FALLBACK_FAMILY;
    if (hpr__font_file_known(known, sizeof known, family, bold)) {
        f->path = strdup(known);
    } else if (rank == RANK_FAMILY && system_config(fonts)) {
        hpr__font_file_match(&f->path, &f->index, fonts->config, family, bold);
    }
}

static face *get_face(hpr_fonts *fonts, int rank, bool bold)
{
    face *f = &fonts->faces[bold][rank];
    if (!f->is_tried) {
        f->is_tried = true;
        locate(fonts, f, rank, bold);
        if (f->path && (fonts->library || FT_Init_FreeType(&fonts->library) == 0) &&
            FT_New_Face(fonts->library, f->path, f->index, &f->metrics) != 0) {
            f->metrics = NULL;
        }
        if (f->metrics && !FT_IS_SCALABLE(f->metrics)) {
            FT_Done_Face(f->metrics);
            f->metrics = NULL;
        }
    }
    return f->metrics ? f : NULL;
}

/* The face that gives a text its height. */
static face *first_face(hpr_fonts *fonts, bool bold)
{
    for (int rank = 0; rank < N_RANKS; rank++) {
        face *f = get_face(fonts, rank, bold);
        if (f) {
            return f;
        }
    }
    return NULL;
}

/* Characters that stand side by side and change nothing around them. */
static bool is_plain(uint32_t character)
{
    typedef struct range {
        uint32_t first, last;
    } range;
    static const range plain[] = {
        {0x20, 0x7E},     {0xA0, 0xAC},     {0xAE, 0x2FF},    {0x370, 0x482},
        {0x48A, 0x52F},   {0x1E00, 0x1FFF}, {0x2000, 0x200A}, {0x2010, 0x2027},
        {0x202F, 0x205F}, {0x2070, 0x20BF}, {0x2100, 0x2BFF}, {0xFFFD, 0xFFFD},
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (character <= plain[i].last) {
            return character >= plain[i].first;
        }
    }
    return false;
}

/* The first face with a glyph for `character`; else the missing glyph of the first face. */
static bool find_glyph(hpr_fonts *fonts, uint32_t character, bool bold, placed *out)
{
    for (int rank = 0; rank < N_RANKS; rank++) {
        face *f = get_face(fonts, rank, bold);
        FT_UInt glyph = f ? FT_Get_Char_Index(f->metrics, character) : 0;
        if (glyph) {
            out->face = f;
            out->glyph = glyph;
            return true;
        }
    }
    out->face = first_face(fonts, bold);
    out->glyph = 0;
    return false;
}

static double advance_em(const placed *p)
{
    FT_Fixed advance = 0;
    if (!p->face || FT_Get_Advance(p->face->metrics, p->glyph, FT_LOAD_NO_SCALE, &advance) != 0) {
        return GUESSED_ADVANCE_EM;
    }
    return (double)advance / p->face->metrics->units_per_EM;
}

static double kerning_em(const placed *left, const placed *right)
{
    FT_Vector kerning = {0, 0};
    FT_Face metrics = left->face ? left->face->metrics : NULL;
    if (left->face != right->face || !metrics || !FT_HAS_KERNING(metrics) ||
        FT_Get_Kerning(metrics, left->glyph, right->glyph, FT_KERNING_UNSCALED, &kerning) != 0) {
        return 0;
    }
    return (double)kerning.x / metrics->units_per_EM;
}

static bool reserve(hpr_fonts *fonts, size_t n)
{
    if (n <= fonts->capacity) {
        return true;
    }
    size_t capacity = n < 256 ? 256 : n;
    placed *line = NULL;
    if (capacity <= SIZE_MAX / sizeof *line) {
        line = realloc(fonts->line, capacity * sizeof *line);
    }
    fonts->line = line ? line : fonts->line;
    cairo_glyph_t *glyphs = line ? realloc(fonts->glyphs, capacity * sizeof *glyphs) : NULL;
    fonts->glyphs = glyphs ? glyphs : fonts->glyphs;
    cairo_text_cluster_t *clusters =
        glyphs ? realloc(fonts->clusters, capacity * sizeof *clusters) : NULL;
    fonts->clusters = clusters ? clusters : fonts->clusters;
    if (!clusters) {
        fonts->failed = true;
        return false;
    }
    fonts->capacity = capacity;
    return true;
}

/* A text set as plain. */
typedef struct setting {
    size_t n; /* characters in fonts->line */
    double width_em;
    bool is_plain; /* false: Pango would do better */
} setting;

/* Places each character of `text`, up to the first that is not plain unless `anyway`. */
static setting set_plain(hpr_fonts *fonts, const char *text, bool bold, bool anyway)
{
    setting s = {.is_plain = true};
    size_t length = strlen(text);
    if (!reserve(fonts, length)) {
        return s;
    }
    for (size_t i = 0; i < length; s.n++) {
        uint32_t character = 0xFFFD;
        placed *p = &fonts->line[s.n];
        size_t n_bytes = hpr__utf8_decode(text + i, length - i, &character);
        p->n_bytes = n_bytes ? n_bytes : 1;
        i += p->n_bytes;
        bool has_glyph = find_glyph(fonts, character, bold, p);
        if (!has_glyph || !is_plain(character)) {
            s.is_plain = false;
        }
        if (!s.is_plain && !anyway) {
            return s;
        }
        p->x_em = s.width_em + (s.n ? kerning_em(p - 1, p) : 0);
        s.width_em = p->x_em + advance_em(p);
    }
    return s;
}

static hpr__pango *get_pango(hpr_fonts *fonts)
{
    if (!fonts->is_pango_tried) {
        fonts->is_pango_tried = true;
        face *asked = get_face(fonts, RANK_ASKED, false);
        const char *family = asked ? asked->metrics->family_name : fonts->family;
        if (system_config(fonts)) {
            fonts->pango = hpr__pango_create(fonts->config, family);
        }
    }
    return fonts->pango;
}

/* Sets `text` the way it is to be drawn: plain, or (is_plain is false) by Pango. */
static setting set_text(hpr_fonts *fonts, const char *text, bool bold)
{
    setting s = set_plain(fonts, text, bold, false);
    if (!s.is_plain && !get_pango(fonts)) {
        s = set_plain(fonts, text, bold, true);
        s.is_plain = true;
    }
    return s;
}

static double width_pt(hpr_fonts *fonts, setting s, const char *text, double size_pt, bool bold)
{
    return s.is_plain ? s.width_em * size_pt
                      : hpr__pango_width_pt(fonts->pango, text, size_pt, bold);
}

static hpr_text_size measure(void *context, const char *text, double size_pt, bool bold)
{
    hpr_fonts *fonts = context;
    setting s = set_text(fonts, text, bold);
    hpr_text_size size = {
        .width_pt = width_pt(fonts, s, text, size_pt, bold),
        .ascent_pt = GUESSED_ASCENT_EM * size_pt,
        .descent_pt = GUESSED_DESCENT_EM * size_pt,
    };
    face *f = first_face(fonts, bold);
    if (f) {
        double pt_per_unit = size_pt / f->metrics->units_per_EM;
        size.ascent_pt = f->metrics->ascender * pt_per_unit;
        size.descent_pt = -f->metrics->descender * pt_per_unit;
    }
    return size;
}

hpr_measurer hpr_fonts_measurer(hpr_fonts *fonts)
{
    return (hpr_measurer){measure, fonts};
}

/* cairo opens the file itself: its scaled fonts outlive ours in a cache. */
static cairo_font_face_t *get_ink(hpr_fonts *fonts, face *f)
{
    FcPattern *pattern = f->ink ? NULL : FcPatternCreate();
    if (pattern) {
        FcPatternAddString(pattern, FC_FILE, (const FcChar8 *)f->path);
        FcPatternAddInteger(pattern, FC_INDEX, f->index);
        f->ink = cairo_ft_font_face_create_for_pattern(pattern);
        FcPatternDestroy(pattern);
    }
    fonts->failed |= !f->ink;
    return f->ink;
}

/* Small letters look better on pixels when they need not begin on a whole one. */
static bool wants_path(cairo_t *cr)
{
    return cairo_surface_get_type(cairo_get_target(cr)) == CAIRO_SURFACE_TYPE_IMAGE;
}

static void show(hpr_fonts *fonts, cairo_t *cr, const char *text, size_t n_bytes, size_t n)
{
    if (wants_path(cr)) {
        cairo_glyph_path(cr, fonts->glyphs, (int)n);
        cairo_fill(cr);
    } else {
        cairo_show_text_glyphs(cr, text, (int)n_bytes, fonts->glyphs, (int)n, fonts->clusters,
                               (int)n, 0);
    }
}

/* Shows what fonts->line holds, one call for each stretch of one font. */
static void show_plain(hpr_fonts *fonts, cairo_t *cr, const char *text, size_t n, double x_pt,
                       double size_pt)
{
    const placed *line = fonts->line;
    for (size_t from = 0, to = 0; from < n; from = to) {
        size_t n_bytes = 0;
        for (; to < n && line[to].face == line[from].face; to++) {
            fonts->glyphs[to - from] =
                (cairo_glyph_t){line[to].glyph, x_pt + line[to].x_em * size_pt, 0};
            fonts->clusters[to - from] = (cairo_text_cluster_t){(int)line[to].n_bytes, 1};
            n_bytes += line[to].n_bytes;
        }
        cairo_set_font_face(cr, get_ink(fonts, line[from].face));
        cairo_set_font_size(cr, size_pt);
        show(fonts, cr, text, n_bytes, to - from);
        text += n_bytes;
    }
}

/* Unhinted, so that drawing agrees with measuring. */
static void set_font_options(hpr_fonts *fonts, cairo_t *cr)
{
    if (!fonts->options) {
        fonts->options = cairo_font_options_create();
        cairo_font_options_set_hint_style(fonts->options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(fonts->options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_antialias(fonts->options, CAIRO_ANTIALIAS_GRAY);
    }
    cairo_set_font_options(cr, fonts->options);
}

static hpf_status check(hpr_fonts *fonts, bool bold, hpf_error *err)
{
    if (fonts->font_file && !get_face(fonts, RANK_ASKED, bold)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "%.100s is no font file that can be used",
                             fonts->font_file);
    }
    if (!first_face(fonts, bold)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "no font found on this system");
    }
    return HPF_OK;
}

hpf_status hpr__fonts_draw(hpr_fonts *fonts, cairo_t *cr, const hpr_item *item, hpf_error *err)
{
    static const double before[] = {
        [HPR_ANCHOR_START] = 0, [HPR_ANCHOR_MIDDLE] = 0.5, [HPR_ANCHOR_END] = 1};
    hpf_status status = check(fonts, item->bold, err);
    if (status != HPF_OK) {
        return status;
    }
    setting s = set_text(fonts, item->text, item->bold);
    double x_pt = -before[item->anchor] * width_pt(fonts, s, item->text, item->size_pt, item->bold);
    cairo_save(cr);
    set_font_options(fonts, cr);
    cairo_translate(cr, item->at.x_pt, item->at.y_pt);
    cairo_rotate(cr, -item->turn_deg * (acos(-1) / 180));
    if (s.is_plain) {
        show_plain(fonts, cr, item->text, s.n, x_pt, item->size_pt);
    } else {
        cairo_move_to(cr, x_pt, 0);
        hpr__pango_show(fonts->pango, cr, item->text, item->size_pt, item->bold, wants_path(cr));
    }
    cairo_restore(cr);
    return fonts->failed ? hpf_error_set_memory(err) : HPF_OK;
}
