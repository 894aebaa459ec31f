/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The part of a TrueType font that a document needs: a small font file with only the glyphs used,
 * renumbered, and without hinting instructions (documents are unhinted).
 *
 * Source: the OpenType specification 1.9, chapters on the tables glyf, loca, head, hhea, hmtx,
 * maxp.
 */
#ifndef HPRENDER_SFNT_SUBSET_H
#define HPRENDER_SFNT_SUBSET_H

#include <ft2build.h>
#include FT_FREETYPE_H

#include "hpfile/sink.h"

/* A font file cut down. */
typedef struct hpr__subset {
    unsigned char *bytes;
    size_t n_bytes;
    size_t *breaks; /* offsets where a table or a glyph begins: PostScript cuts the file there */
    size_t n_breaks;
} hpr__subset;

/* Whether the font has TrueType outlines, and its maker allows to embed a part of it. */
bool hpr__sfnt_may_cut(FT_Face face);

/* Glyph i of the subset is `glyphs[i]` of the face; parts of composed glyphs follow behind. Glyph 0
 * must be first. Errors: MEMORY; SYNTAX for a damaged font. */
HPF_MUST_USE hpf_status hpr__sfnt_subset(hpr__subset *out, FT_Face face, const uint32_t *glyphs,
                                         size_t n_glyphs, hpf_error *err);

void hpr__subset_finish(hpr__subset *subset);

#endif
