/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which glyphs of which fonts the texts of a scene use. In the document, a glyph of a font is
 * called by its slot: its number in the subset that is embedded. Slot 0 is the missing glyph.
 */
#ifndef HPRENDER_FONT_USE_H
#define HPRENDER_FONT_USE_H

#include "text_line.h"

typedef struct hpr__font_use {
    hpr__face *face;
    uint16_t *slot_of_glyph; /* 0: not used */
    uint32_t *glyphs;        /* by slot */
    uint32_t *characters;    /* by slot: one that the glyph stands for */
    size_t n_slots, capacity;
} hpr__font_use;

/* At most a regular and a bold one of each of the three fonts of hpr_fonts. */
#define HPR__MAX_FONT_USES 6

typedef struct hpr__font_uses {
    hpr__font_use fonts[HPR__MAX_FONT_USES];
    size_t n_fonts;
    bool is_plain; /* every text is set plainly, from fonts that may be cut */
} hpr__font_uses;

/* Goes through the texts of a scene, up to the first that is not plain. Errors: those of
 * hpr__fonts_check. */
HPF_MUST_USE hpf_status hpr__font_uses_collect(hpr__font_uses *out, const hpr_scene *scene,
                                               hpr_fonts *fonts, hpf_error *err);
void hpr__font_uses_finish(hpr__font_uses *uses);

/* The font of a collected glyph, and its slot there. */
size_t hpr__font_uses_find(const hpr__font_uses *uses, const hpr__glyph *glyph, unsigned *slot);

#endif
