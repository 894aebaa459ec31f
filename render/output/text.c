/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Measures and draws texts with Pango. Glyphs are not hinted and their positions not rounded, so a
 * text has the measured width in every format and at every resolution.
 */
#include "output/text.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <pango/pangofc-font.h>
#include <pango/pangofc-fontmap.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hprender/backend.h"

#if !PANGO_VERSION_CHECK(1, 48, 0)
#define pango_fc_font_get_pattern(font) ((font)->font_pattern)
#endif

/* Glyphs that the first family does not have come from the next one, then from any font. */
#define DEFAULT_FAMILY "Liberation Sans"
#define SECOND_FAMILY  "DejaVu Sans"

/* Measures of a typical font, for systems without any. */
#define GUESSED_ADVANCE_EM 0.55
#define GUESSED_ASCENT_EM  0.9
#define GUESSED_DESCENT_EM 0.2

/* Longer than any page. Pango's widths overflow at some hundred thousand letters. */
#define MAX_TEXT_BYTES 16384

#define METRICS_SIZE_PT 100.0

/* Family name of a font file of the caller. */
#define FONT_FILE_FAMILY "census font file"

struct hpr_fonts {
    FcConfig *config;
    PangoFontMap *map;
    PangoContext *context;
    PangoLayout *layout;
    PangoFontDescription *font;
    hpr_text_size em[2]; /* of regular and bold text of 1 pt: ascent and descent */
    char *family;        /* that most text is set in */
    bool is_substitute;  /* it replaces the requested one */
    bool has_fonts;
    bool has_bold; /* false for a font file: fontconfig would only smear its glyphs */
};

/* --- fonts of the system --------------------------------------------------------------------- */

static hpf_status add_font_file(FcConfig *config, const char *path, hpf_error *err)
{
    FcBool is_added = FcConfigAppFontAddFile(config, (const FcChar8 *)path);
    FcFontSet *added = is_added ? FcConfigGetFonts(config, FcSetApplication) : NULL;
    for (int i = 0; added && i < added->nfont; i++) {
        FcPattern *font = added->fonts[i];
        FcBool has_outlines = FcFalse, has_colour = FcFalse;
        FcPatternGetBool(font, FC_OUTLINE, 0, &has_outlines);
        FcPatternGetBool(font, FC_COLOR, 0, &has_colour);
        if (has_outlines && !has_colour) {
            /* By its own name, fontconfig could choose an installed font of the same family. */
            FcValue alias = {.type = FcTypeString, .u.s = (const FcChar8 *)FONT_FILE_FAMILY};
            FcPatternAdd(font, FC_FAMILY, alias, FcFalse);
            return HPF_OK;
        }
    }
    return hpf_error_set(err, HPF_ERR_ARGUMENT,
                         "%.100s cannot be used as a font: expected a readable TrueType or "
                         "OpenType file with outlines",
                         path);
}

/* Loads the fonts of the system without bitmap and colour fonts, which cairo embeds as Type 3. Adds
 * `font_file`, unless NULL, under the name FONT_FILE_FAMILY. */
static hpf_status create_config(FcConfig **out, const char *font_file, hpf_error *err)
{
    static const char outlines_only[] =
        "<fontconfig><selectfont><rejectfont>"
        "<pattern><patelt name=\"color\"><bool>true</bool></patelt></pattern>"
        "<pattern><patelt name=\"outline\"><bool>false</bool></patelt></pattern>"
        "</rejectfont></selectfont></fontconfig>";
    FcConfig *config = FcInitLoadConfig();
    if (!config) {
        return hpf_error_set_memory(err);
    }
    FcConfigParseAndLoadFromMemory(config, (const FcChar8 *)outlines_only, FcFalse);
    hpf_status status = FcConfigBuildFonts(config) ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK && font_file) {
        status = add_font_file(config, font_file, err);
    }
    if (status != HPF_OK) {
        FcConfigDestroy(config);
        return status;
    }
    *out = config;
    return HPF_OK;
}

static bool has_fonts(FcConfig *config)
{
    FcFontSet *system = FcConfigGetFonts(config, FcSetSystem);
    FcFontSet *added = FcConfigGetFonts(config, FcSetApplication);
    return (system && system->nfont > 0) || (added && added->nfont > 0);
}

static bool is_generic(const char *family)
{
    static const char *const generic[] = {"sans",      "sans-serif", "serif",   "mono",
                                          "monospace", "cursive",    "fantasy", "system-ui"};
    for (size_t i = 0; i < sizeof generic / sizeof generic[0]; i++) {
        if (strcasecmp(family, generic[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the family name of a font, owned by it. Sets `*is_asked` to whether `asked`, unless NULL,
 * is one of its names (there may be several, in different languages) or a generic family ("serif").
 */
static const char *family_of(const FcPattern *font, const char *asked, bool *is_asked)
{
    FcChar8 *name = NULL;
    const char *family = "";
    *is_asked = !asked || is_generic(asked);
    for (int i = 0; FcPatternGetString(font, FC_FAMILY, i, &name) == FcResultMatch; i++) {
        *is_asked |= asked && strcasecmp((const char *)name, asked) == 0;
        if (!family[0] && strcmp((const char *)name, FONT_FILE_FAMILY) != 0) {
            family = (const char *)name;
        }
    }
    return family;
}

/* --- opening --------------------------------------------------------------------------------- */

/* Blocks all signals, and returns the mask of before: threads that Pango starts inherit it, and
 * must not receive the signals of the program. */
static sigset_t block_signals(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    return before;
}

static void set_font(hpr_fonts *fonts, double size_pt, bool bold)
{
    pango_font_description_set_absolute_size(fonts->font, size_pt * PANGO_SCALE);
    pango_font_description_set_weight(fonts->font, bold && fonts->has_bold ? PANGO_WEIGHT_BOLD
                                                                           : PANGO_WEIGHT_NORMAL);
}

/* Makes text independent of device and locale: positions are exact, text runs from left to right,
 * and there are no ligatures, which searches in a PDF may not find. */
static void set_up_pango(hpr_fonts *fonts)
{
    fonts->map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(fonts->map), fonts->config);
    pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(fonts->map), 72);

    fonts->context = pango_font_map_create_context(fonts->map);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(fonts->context, options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(fonts->context, FALSE);
    pango_context_set_language(fonts->context, pango_language_from_string("en"));
    pango_context_set_base_dir(fonts->context, PANGO_DIRECTION_LTR);

    fonts->layout = pango_layout_new(fonts->context);
    pango_layout_set_single_paragraph_mode(fonts->layout, TRUE);
    pango_layout_set_auto_dir(fonts->layout, FALSE);
    PangoAttrList *attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_font_features_new("liga=0, clig=0"));
    pango_layout_set_attributes(fonts->layout, attributes);
    pango_attr_list_unref(attributes);
}

/* Reads the heights of the fonts, and the family that is used when `asked` is requested. */
static void read_font(hpr_fonts *fonts, const char *asked)
{
    for (int bold = 0; bold < 2; bold++) {
        set_font(fonts, METRICS_SIZE_PT, bold);
        PangoFontMetrics *metrics = pango_context_get_metrics(fonts->context, fonts->font, NULL);
        const double unit_em = 1.0 / (PANGO_SCALE * METRICS_SIZE_PT);
        fonts->em[bold].ascent_pt = pango_font_metrics_get_ascent(metrics) * unit_em;
        fonts->em[bold].descent_pt = pango_font_metrics_get_descent(metrics) * unit_em;
        pango_font_metrics_unref(metrics);
    }
    set_font(fonts, METRICS_SIZE_PT, false);
    PangoFont *used = pango_context_load_font(fonts->context, fonts->font);
    if (used) {
        bool is_asked;
        FcPattern *pattern = pango_fc_font_get_pattern(PANGO_FC_FONT(used));
        fonts->family = g_strdup(family_of(pattern, asked, &is_asked));
        fonts->is_substitute = !is_asked;
    }
    g_clear_object(&used);
}

hpf_status hpr_fonts_create(hpr_fonts **out, const char *family, const char *font_file,
                            hpf_error *err)
{
    *out = NULL;
    const char *first = font_file ? FONT_FILE_FAMILY : family;
    hpr_fonts *fonts = calloc(1, sizeof *fonts);
    if (!fonts) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = create_config(&fonts->config, font_file, err);
    if (status != HPF_OK) {
        free(fonts);
        return status;
    }
    fonts->has_fonts = has_fonts(fonts->config);
    fonts->has_bold = !font_file;
    if (fonts->has_fonts) {
        sigset_t before = block_signals();
        set_up_pango(fonts);
        char *families = g_strconcat(first ? first : "", first ? ", " : "",
                                     DEFAULT_FAMILY ", " SECOND_FAMILY, NULL);
        fonts->font = pango_font_description_new();
        pango_font_description_set_family(fonts->font, families);
        g_free(families);
        read_font(fonts, font_file ? NULL : family);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    } else {
        fonts->em[0] = fonts->em[1] = (hpr_text_size){0, GUESSED_ASCENT_EM, GUESSED_DESCENT_EM};
    }
    *out = fonts;
    return HPF_OK;
}

void hpr_fonts_destroy(hpr_fonts *fonts)
{
    if (!fonts) {
        return;
    }
    pango_font_description_free(fonts->font);
    g_clear_object(&fonts->layout);
    g_clear_object(&fonts->context);
    if (fonts->map) {
        /* Waits until the caller's reference to `map` is the last one. Threads of Pango 1.50 that
         * still sort fonts hold the others, and change the map without a lock when they end. */
        while (g_atomic_int_get(&G_OBJECT(fonts->map)->ref_count) > 1) {
            g_usleep(100);
        }
        /* Pango 1.50 does not release the configuration of a font map that ends. */
        sigset_t before = block_signals();
        pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(fonts->map), NULL);
        g_clear_object(&fonts->map);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    FcConfigDestroy(fonts->config);
    g_free(fonts->family);
    free(fonts);
}

const char *hpr_fonts_substitute(const hpr_fonts *fonts)
{
    return fonts->is_substitute ? fonts->family : NULL;
}

const char *hpr_fonts_family(const hpr_fonts *fonts)
{
    return fonts && fonts->family ? fonts->family : DEFAULT_FAMILY;
}

/* Sets `text` in one line. The layout owns the line until the next text. */
static PangoLayoutLine *set_line(hpr_fonts *fonts, const char *text, double size_pt, bool bold)
{
    size_t length = strnlen(text, MAX_TEXT_BYTES);
    const char *last = length == MAX_TEXT_BYTES ? g_utf8_find_prev_char(text, text + length) : NULL;
    if (last) {
        length = (size_t)(last - text); /* do not cut a character */
    }
    set_font(fonts, size_pt, bold);
    pango_layout_set_font_description(fonts->layout, fonts->font);
    if (g_utf8_validate(text, (gssize)length, NULL)) {
        pango_layout_set_text(fonts->layout, text, (int)length);
    } else {
        char *valid = g_utf8_make_valid(text, (gssize)length);
        pango_layout_set_text(fonts->layout, valid, -1);
        g_free(valid);
    }
    return pango_layout_get_line_readonly(fonts->layout, 0);
}

static double width_pt(PangoLayoutLine *line)
{
    PangoRectangle logical;
    pango_layout_line_get_extents(line, NULL, &logical);
    return (double)logical.width / PANGO_SCALE;
}

static hpr_text_size measure(void *context, const char *text, double size_pt, bool bold)
{
    hpr_fonts *fonts = context;
    return (hpr_text_size){
        .width_pt = fonts->has_fonts ? width_pt(set_line(fonts, text, size_pt, bold))
                                     : GUESSED_ADVANCE_EM * size_pt * (double)strlen(text),
        .ascent_pt = fonts->em[bold].ascent_pt * size_pt,
        .descent_pt = fonts->em[bold].descent_pt * size_pt,
    };
}

/* Small sizes of the fonts of TeX are wider than system fonts by up to this factor. */
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

bool hpr__cairo_is_vector(cairo_t *cr)
{
    switch (cairo_surface_get_type(cairo_get_target(cr))) {
    case CAIRO_SURFACE_TYPE_PDF:
    case CAIRO_SURFACE_TYPE_PS:
    case CAIRO_SURFACE_TYPE_SVG:
    case CAIRO_SURFACE_TYPE_SCRIPT:
    case CAIRO_SURFACE_TYPE_RECORDING:
        return true;
    default:
        return false;
    }
}

hpf_status hpr__fonts_draw(hpr_fonts *fonts, cairo_t *cr, const hpr_item *item, hpf_error *err)
{
    static const double before_anchor[] = {
        [HPR_ANCHOR_START] = 0, [HPR_ANCHOR_MIDDLE] = 0.5, [HPR_ANCHOR_END] = 1};
    if (!fonts->has_fonts) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "this system has no font: install one, for example the package "
                             "fonts-liberation or fonts-dejavu-core");
    }
    PangoLayoutLine *line = set_line(fonts, item->text, item->size_pt, item->bold);
    cairo_save(cr);
    cairo_translate(cr, item->at.x_pt, item->at.y_pt);
    cairo_rotate(cr, -item->turn_deg * (acos(-1) / 180));
    cairo_move_to(cr, -before_anchor[item->anchor] * width_pt(line), 0);
    if (hpr__cairo_is_vector(cr)) {
        pango_cairo_show_layout_line(cr, line);
    } else {
        /* As outlines, since cairo would move glyphs to whole pixels. */
        pango_cairo_layout_line_path(cr, line);
        cairo_fill(cr);
    }
    cairo_restore(cr);
    return HPF_OK;
}
