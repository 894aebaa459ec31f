/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pango behind a table of function pointers, filled from the library at run time.
 */
#include "text_pango.h"

#include <dlfcn.h>
#include <pango/pangocairo.h>
#include <pango/pangofc-fontmap.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libpangocairo-1.0.so.0"

typedef struct calls {
    PangoFontMap *(*map_new)(cairo_font_type_t type);
    void (*map_set_resolution)(PangoCairoFontMap *map, double dpi);
    void (*map_set_config)(PangoFcFontMap *map, FcConfig *config);
    PangoContext *(*context_new)(PangoFontMap *map);
    void (*context_set_options)(PangoContext *context, const cairo_font_options_t *options);
    void (*context_set_rounding)(PangoContext *context, gboolean on);
    PangoLayout *(*layout_new)(PangoContext *context);
    void (*layout_set_single_paragraph)(PangoLayout *layout, gboolean on);
    void (*layout_set_font)(PangoLayout *layout, const PangoFontDescription *font);
    void (*layout_set_text)(PangoLayout *layout, const char *text, int n_bytes);
    PangoLayoutLine *(*layout_line)(PangoLayout *layout, int index);
    void (*line_extents)(PangoLayoutLine *line, PangoRectangle *ink, PangoRectangle *logical);
    void (*line_show)(cairo_t *cr, PangoLayoutLine *line);
    void (*line_path)(cairo_t *cr, PangoLayoutLine *line);
    PangoFontDescription *(*font_new)(void);
    void (*font_free)(PangoFontDescription *font);
    void (*font_set_family)(PangoFontDescription *font, const char *family);
    void (*font_set_size)(PangoFontDescription *font, double size);
    void (*font_set_weight)(PangoFontDescription *font, PangoWeight weight);
    void (*unref)(gpointer object);
} calls;

typedef struct symbol {
    const char *name;
    size_t offset;
} symbol;

static const symbol symbols[] = {
    {"pango_cairo_font_map_new_for_font_type", offsetof(calls, map_new)},
    {"pango_cairo_font_map_set_resolution", offsetof(calls, map_set_resolution)},
    {"pango_fc_font_map_set_config", offsetof(calls, map_set_config)},
    {"pango_font_map_create_context", offsetof(calls, context_new)},
    {"pango_cairo_context_set_font_options", offsetof(calls, context_set_options)},
    {"pango_context_set_round_glyph_positions", offsetof(calls, context_set_rounding)},
    {"pango_layout_new", offsetof(calls, layout_new)},
    {"pango_layout_set_single_paragraph_mode", offsetof(calls, layout_set_single_paragraph)},
    {"pango_layout_set_font_description", offsetof(calls, layout_set_font)},
    {"pango_layout_set_text", offsetof(calls, layout_set_text)},
    {"pango_layout_get_line_readonly", offsetof(calls, layout_line)},
    {"pango_layout_line_get_extents", offsetof(calls, line_extents)},
    {"pango_cairo_show_layout_line", offsetof(calls, line_show)},
    {"pango_cairo_layout_line_path", offsetof(calls, line_path)},
    {"pango_font_description_new", offsetof(calls, font_new)},
    {"pango_font_description_free", offsetof(calls, font_free)},
    {"pango_font_description_set_family", offsetof(calls, font_set_family)},
    {"pango_font_description_set_absolute_size", offsetof(calls, font_set_size)},
    {"pango_font_description_set_weight", offsetof(calls, font_set_weight)},
    {"g_object_unref", offsetof(calls, unref)},
};

struct hpr__pango {
    calls call;
    PangoFontMap *map;
    PangoContext *context;
    PangoLayout *layout;
    PangoFontDescription *font;
};

/* The library stays loaded: GLib, on which it stands, cannot be unloaded. */
static bool load(calls *call)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address) {
            return false;
        }
        memcpy((char *)call + symbols[i].offset, &address, sizeof address);
    }
    return true;
}

/* Unhinted, so that a layout does not depend on a resolution. */
static void set_unhinted(hpr__pango *pango)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango->call.context_set_options(pango->context, options);
    pango->call.context_set_rounding(pango->context, FALSE);
    cairo_font_options_destroy(options);
}

hpr__pango *hpr__pango_create(FcConfig *config, const char *family)
{
    hpr__pango *pango = calloc(1, sizeof *pango);
    if (!pango || !load(&pango->call)) {
        free(pango);
        return NULL;
    }
    const calls *call = &pango->call;
    pango->map = call->map_new(CAIRO_FONT_TYPE_FT);
    if (!pango->map) {
        free(pango);
        return NULL;
    }
    call->map_set_config((PangoFcFontMap *)pango->map, config);
    call->map_set_resolution((PangoCairoFontMap *)pango->map, 72);
    pango->context = call->context_new(pango->map);
    set_unhinted(pango);
    pango->layout = call->layout_new(pango->context);
    call->layout_set_single_paragraph(pango->layout, TRUE);
    pango->font = call->font_new();
    call->font_set_family(pango->font, family);
    return pango;
}

void hpr__pango_destroy(hpr__pango *pango)
{
    if (!pango) {
        return;
    }
    const calls *call = &pango->call;
    call->font_free(pango->font);
    call->unref(pango->layout);
    call->unref(pango->context);
    call->unref(pango->map);
    free(pango);
}

static PangoLayoutLine *set_line(hpr__pango *pango, const char *text, double size_pt, bool bold)
{
    const calls *call = &pango->call;
    call->font_set_size(pango->font, size_pt * PANGO_SCALE);
    call->font_set_weight(pango->font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    call->layout_set_font(pango->layout, pango->font);
    call->layout_set_text(pango->layout, text, -1);
    return call->layout_line(pango->layout, 0);
}

double hpr__pango_width_pt(hpr__pango *pango, const char *text, double size_pt, bool bold)
{
    PangoRectangle logical;
    pango->call.line_extents(set_line(pango, text, size_pt, bold), NULL, &logical);
    return (double)logical.width / PANGO_SCALE;
}

void hpr__pango_show(hpr__pango *pango, cairo_t *cr, const char *text, double size_pt, bool bold,
                     bool as_path)
{
    PangoLayoutLine *line = set_line(pango, text, size_pt, bold);
    if (as_path) {
        pango->call.line_path(cr, line);
        cairo_fill(cr);
    } else {
        pango->call.line_show(cr, line);
    }
}
