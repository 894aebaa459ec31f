/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Setting one line of text. Most texts of a profile are plain: characters that stand side by side,
 * left to right, one glyph each. Those are set here, from at most three font files (the one asked
 * for, the family's, DejaVu Sans for symbols), with the advances and the kerning of the font in
 * font units; so widths are exact at every size and resolution. All other texts go to Pango.
 */
#include "text_line.h"

#include <cairo-ft.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include FT_ADVANCES_H

#include "base/utf8.h"
#include "hprender/backend.h"

#include "font_file.h"
#include "text_ink.h"
#include "text_pango.h"

#define DEFAULT_FAMILY  "Liberation Sans"
#define FALLBACK_FAMILY "DejaVu Sans"

/* For want of any font, what a letter of a typical one measures. */
#define GUESSED_ADVANCE_EM 0.55
#define GUESSED_ASCENT_EM  0.9
#define GUESSED_DESCENT_EM 0.2

#define REPLACEMENT 0xFFFD /* stands for bytes that are no text */

enum { RANK_ASKED, RANK_FAMILY, RANK_FALLBACK, N_RANKS };

enum { N_ASCII = 128 };

struct hpr__face {
    bool is_tried;
    char *path;
    int index;        /* of the face in its file */
    char *substitute; /* the family that stands in for the one asked for, or NULL */
    FT_Face metrics;
    cairo_font_face_t *ink; /* made when it is first drawn with */
};

typedef struct kerning {
    bool is_known;
    int16_t units; /* of the left one's face */
} kerning;

/* What fonts say of the characters that most texts consist of. Names are measured many times over
 * until a cut of them fits, so it is asked once. */
typedef struct memory {
    hpr__glyph glyphs[N_ASCII]; /* those without a face were not asked for yet */
    kerning pairs[N_ASCII][N_ASCII];
} memory;

struct hpr_fonts {
    char *family, *font_file; /* font_file may be NULL */
    FT_Library library;
    hpr__face faces[2][N_RANKS]; /* regular, bold */
    memory known[2];
    FcConfig *config; /* the system's; NULL until it is needed */
    bool is_pango_tried;
    hpr__pango *pango;
    cairo_font_options_t *options;
    bool failed; /* there was no memory */

    size_t capacity; /* of the three arrays */
    hpr__glyph *line;
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

static void close_face(hpr__face *f)
{
    cairo_font_face_destroy(f->ink);
    FT_Done_Face(f->metrics);
    free(f->path);
    free(f->substitute);
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

/* A copy of a path; NULL for NULL, and (with failed set) when there is no memory. */
static char *copy_path(hpr_fonts *fonts, const char *path)
{
    char *copy = path ? strdup(path) : NULL;
    fonts->failed |= path && !copy;
    return copy;
}

/* Fills in path and index of the font for a rank; leaves the path NULL when there is none. */
static void locate(hpr_fonts *fonts, hpr__face *f, int rank, bool bold)
{
    char known[256];
    if (rank == RANK_ASKED) {
        f->path = copy_path(fonts, fonts->font_file);
        return;
    }
    const char *family = rank == RANK_FAMILY ? fonts->family : FALLBACK_FAMILY;
    if (hpr__font_file_known(known, sizeof known, family, bold)) {
        f->path = copy_path(fonts, known);
    } else if (rank == RANK_FAMILY && system_config(fonts)) {
        hpr__font_match match;
        hpr__font_file_match(&match, fonts->config, family, bold);
        f->path = match.path;
        f->index = match.face_index;
        f->substitute = match.substitute;
    }
}

/* Opens the font, if it is one with outlines. */
static void open_face(hpr_fonts *fonts, hpr__face *f)
{
    if (!fonts->library && FT_Init_FreeType(&fonts->library) != 0) {
        fonts->library = NULL;
        fonts->failed = true;
        return;
    }
    FT_Error error = FT_New_Face(fonts->library, f->path, f->index, &f->metrics);
    if (error) {
        f->metrics = NULL;
        fonts->failed |= error == FT_Err_Out_Of_Memory;
    } else if (!FT_IS_SCALABLE(f->metrics)) {
        FT_Done_Face(f->metrics);
        f->metrics = NULL;
    }
}

static hpr__face *get_face(hpr_fonts *fonts, int rank, bool bold)
{
    hpr__face *f = &fonts->faces[bold][rank];
    if (!f->is_tried) {
        f->is_tried = true;
        locate(fonts, f, rank, bold);
        if (f->path) {
            open_face(fonts, f);
        }
    }
    return f->metrics ? f : NULL;
}

/* The face that gives a text its height. */
static hpr__face *first_face(hpr_fonts *fonts, bool bold)
{
    for (int rank = 0; rank < N_RANKS; rank++) {
        hpr__face *f = get_face(fonts, rank, bold);
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
static bool find_glyph(hpr_fonts *fonts, uint32_t character, bool bold, hpr__glyph *out)
{
    for (int rank = 0; rank < N_RANKS; rank++) {
        hpr__face *f = get_face(fonts, rank, bold);
        FT_UInt glyph = f ? FT_Get_Char_Index(f->metrics, character) : 0;
        if (glyph) {
            out->face = f;
            out->index = glyph;
            return true;
        }
    }
    out->face = first_face(fonts, bold);
    out->index = 0;
    return false;
}

double hpr__glyph_advance_em(const hpr__glyph *glyph)
{
    FT_Fixed advance = 0;
    if (!glyph->face ||
        FT_Get_Advance(glyph->face->metrics, glyph->index, FT_LOAD_NO_SCALE, &advance) != 0) {
        return GUESSED_ADVANCE_EM;
    }
    return (double)advance / glyph->face->metrics->units_per_EM;
}

/* The glyph of a character and its advance; false when no face has one. */
static bool get_glyph(hpr_fonts *fonts, uint32_t character, bool bold, hpr__glyph *out)
{
    hpr__glyph *known = character < N_ASCII ? &fonts->known[bold].glyphs[character] : NULL;
    if (known && known->face) {
        *out = *known;
        return out->index != 0;
    }
    *out = (hpr__glyph){.character = character};
    bool has_glyph = find_glyph(fonts, character, bold, out);
    out->advance_em = hpr__glyph_advance_em(out);
    if (known) {
        *known = *out;
    }
    return has_glyph;
}

static FT_Pos ask_kerning(const hpr__glyph *left, const hpr__glyph *right)
{
    FT_Vector vector = {0, 0};
    FT_Face metrics = left->face->metrics;
    bool is_told = FT_HAS_KERNING(metrics) && FT_Get_Kerning(metrics, left->index, right->index,
                                                             FT_KERNING_UNSCALED, &vector) == 0;
    return is_told ? vector.x : 0;
}

static double kerning_em(hpr_fonts *fonts, const hpr__glyph *left, const hpr__glyph *right,
                         bool bold)
{
    if (!left->face || left->face != right->face) {
        return 0;
    }
    bool is_ascii = left->character < N_ASCII && right->character < N_ASCII;
    kerning none = {0};
    kerning *pair = is_ascii ? &fonts->known[bold].pairs[left->character][right->character] : &none;
    if (!pair->is_known) {
        *pair = (kerning){true, (int16_t)ask_kerning(left, right)};
    }
    return (double)pair->units / left->face->metrics->units_per_EM;
}

static bool reserve(hpr_fonts *fonts, size_t n)
{
    if (n <= fonts->capacity) {
        return true;
    }
    size_t capacity = n < 256 ? 256 : n;
    hpr__glyph *line = NULL;
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

/* Places each character of `text`, up to the first that is not plain unless `anyway`. */
static hpr__line set_plain(hpr_fonts *fonts, const char *text, bool bold, bool anyway)
{
    size_t length = strlen(text);
    if (!reserve(fonts, length)) {
        return (hpr__line){.is_plain = true};
    }
    hpr__line line = {.glyphs = fonts->line, .is_plain = true};
    for (size_t i = 0; i < length; line.n_glyphs++) {
        hpr__glyph *g = &fonts->line[line.n_glyphs];
        uint32_t character = REPLACEMENT;
        size_t n_bytes = hpf_utf8_next((hpf_str){text + i, length - i}, &character);
        bool has_glyph = get_glyph(fonts, character, bold, g);
        if (!anyway && !(has_glyph && is_plain(character))) {
            return (hpr__line){.is_plain = false};
        }
        g->n_bytes = n_bytes ? n_bytes : 1;
        i += g->n_bytes;
        g->x_em = line.width_em + (line.n_glyphs ? kerning_em(fonts, g - 1, g, bold) : 0);
        line.width_em = g->x_em + g->advance_em;
    }
    return line;
}

static hpr__pango *get_pango(hpr_fonts *fonts)
{
    if (!fonts->is_pango_tried) {
        fonts->is_pango_tried = true;
        hpr__face *asked = get_face(fonts, RANK_ASKED, false);
        const char *family = asked ? asked->metrics->family_name : fonts->family;
        if (system_config(fonts)) {
            fonts->pango = hpr__pango_create(fonts->config, family);
        }
    }
    return fonts->pango;
}

hpr__line hpr__fonts_set(hpr_fonts *fonts, const char *text, bool bold)
{
    hpr__line line = set_plain(fonts, text, bold, false);
    return line.is_plain || get_pango(fonts) ? line : set_plain(fonts, text, bold, true);
}

static double width_pt(hpr_fonts *fonts, const hpr__line *line, const char *text, double size_pt,
                       bool bold)
{
    return line->is_plain ? line->width_em * size_pt
                          : hpr__pango_width_pt(fonts->pango, text, size_pt, bold);
}

static hpr_text_size measure(void *context, const char *text, double size_pt, bool bold)
{
    hpr_fonts *fonts = context;
    hpr__line line = hpr__fonts_set(fonts, text, bold);
    hpr_text_size size = {
        .width_pt = width_pt(fonts, &line, text, size_pt, bold),
        .ascent_pt = GUESSED_ASCENT_EM * size_pt,
        .descent_pt = GUESSED_DESCENT_EM * size_pt,
    };
    hpr__face *f = first_face(fonts, bold);
    if (f) {
        double pt_per_unit = size_pt / f->metrics->units_per_EM;
        size.ascent_pt = f->metrics->ascender * pt_per_unit;
        size.descent_pt = -f->metrics->descender * pt_per_unit;
    }
    return size;
}

const char *hpr_fonts_substitute(hpr_fonts *fonts)
{
    (void)get_face(fonts, RANK_FAMILY, false);
    return fonts->faces[0][RANK_FAMILY].substitute;
}

/* The fonts of TeX are up to so much wider in small sizes than those of the system. */
static const double foreign_width = 1.2;

static hpr_text_size measure_foreign(void *context, const char *text, double size_pt, bool bold)
{
    hpr_text_size size = measure(context, text, size_pt, bold);
    size.width_pt *= foreign_width;
    return size;
}

hpr_measurer hpr_fonts_measurer(hpr_fonts *fonts)
{
    return (hpr_measurer){measure, fonts};
}

hpr_measurer hpr_fonts_measurer_for(hpr_fonts *fonts, const hpr_backend *backend)
{
    return (hpr_measurer){backend->has_foreign_fonts ? measure_foreign : measure, fonts};
}

/* cairo opens the file itself: its scaled fonts outlive ours in a cache. */
static cairo_font_face_t *get_ink(hpr_fonts *fonts, hpr__face *f)
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

/* Shows a line, one call for each stretch of one font. */
static void show_plain(hpr_fonts *fonts, cairo_t *cr, const char *text, const hpr__line *line,
                       double x_pt, double size_pt)
{
    const hpr__glyph *glyphs = line->glyphs;
    for (size_t from = 0, to = 0; from < line->n_glyphs; from = to) {
        size_t n_bytes = 0;
        for (; to < line->n_glyphs && glyphs[to].face == glyphs[from].face; to++) {
            fonts->glyphs[to - from] =
                (cairo_glyph_t){glyphs[to].index, x_pt + glyphs[to].x_em * size_pt, 0};
            fonts->clusters[to - from] = (cairo_text_cluster_t){(int)glyphs[to].n_bytes, 1};
            n_bytes += glyphs[to].n_bytes;
        }
        cairo_set_font_face(cr, get_ink(fonts, glyphs[from].face));
        cairo_set_font_size(cr, size_pt);
        int n = (int)(to - from);
        cairo_show_text_glyphs(cr, text, (int)n_bytes, fonts->glyphs, n, fonts->clusters, n, 0);
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

hpf_status hpr__fonts_check(hpr_fonts *fonts, bool bold, hpf_error *err)
{
    if (fonts->failed) {
        return hpf_error_set_memory(err);
    }
    if (fonts->font_file && !get_face(fonts, RANK_ASKED, bold)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "%.100s is no font file that can be used",
                             fonts->font_file);
    }
    if (!first_face(fonts, bold)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "no font found on this system");
    }
    return HPF_OK;
}

double hpr__line_start_pt(const hpr_item *item, double line_width_pt)
{
    static const double before[] = {
        [HPR_ANCHOR_START] = 0, [HPR_ANCHOR_MIDDLE] = 0.5, [HPR_ANCHOR_END] = 1};
    return -before[item->anchor] * line_width_pt;
}

FT_Face hpr__face_metrics(const hpr__face *face)
{
    return face->metrics;
}

hpf_status hpr__fonts_draw(hpr_fonts *fonts, cairo_t *cr, const hpr_item *item, hpf_error *err)
{
    hpf_status status = hpr__fonts_check(fonts, item->bold, err);
    if (status != HPF_OK) {
        return status;
    }
    hpr__line line = hpr__fonts_set(fonts, item->text, item->bold);
    double line_width_pt = width_pt(fonts, &line, item->text, item->size_pt, item->bold);
    double x_pt = hpr__line_start_pt(item, line_width_pt);
    cairo_save(cr);
    set_font_options(fonts, cr);
    cairo_translate(cr, item->at.x_pt, item->at.y_pt);
    cairo_rotate(cr, -item->turn_deg * (acos(-1) / 180));
    if (line.is_plain) {
        show_plain(fonts, cr, item->text, &line, x_pt, item->size_pt);
    } else {
        cairo_move_to(cr, x_pt, 0);
        hpr__pango_show(fonts->pango, cr, item->text, item->size_pt, item->bold, wants_path(cr));
    }
    cairo_restore(cr);
    return fonts->failed ? hpf_error_set_memory(err) : HPF_OK;
}
