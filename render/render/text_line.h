/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A text set plainly: which glyph of which font stands where. For the measurer and for back ends
 * that write text themselves.
 */
#ifndef HPRENDER_TEXT_LINE_H
#define HPRENDER_TEXT_LINE_H

#include <ft2build.h>
#include FT_FREETYPE_H

#include "hprender/scene.h"
#include "hprender/text.h"

/* An open font file. */
typedef struct hpr__face hpr__face;

typedef struct hpr__glyph {
    hpr__face *face; /* NULL: there is no font at all */
    FT_UInt index;   /* in the face; 0: it has no such glyph */
    uint32_t character;
    size_t n_bytes; /* of the text */
    double advance_em;
    double x_em; /* from the left end of the line, kerned */
} hpr__glyph;

typedef struct hpr__line {
    const hpr__glyph *glyphs; /* borrowed until the next text is set */
    size_t n_glyphs;
    double width_em;
    bool is_plain; /* false: Pango is to set it; then there are no glyphs */
} hpr__line;

hpr__line hpr__fonts_set(hpr_fonts *fonts, const char *text, bool bold);

/* Whether texts can be drawn. Errors: MEMORY when there was none so far; ARGUMENT when the font
 * file that was asked for cannot be used; UNSUPPORTED when the system has no font. */
HPF_MUST_USE hpf_status hpr__fonts_check(hpr_fonts *fonts, bool bold, hpf_error *err);

/* Where a line begins, relative to the anchor. */
double hpr__line_start_pt(const hpr_item *item, double width_pt);

FT_Face hpr__face_metrics(const hpr__face *face);
double hpr__glyph_advance_em(const hpr__glyph *glyph);

#endif
