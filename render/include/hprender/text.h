/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fonts, and measuring text, so that the layout can decide what fits. The layout takes a measurer
 * as an argument; tests pass one of their own.
 */
#ifndef HPRENDER_TEXT_H
#define HPRENDER_TEXT_H

#include "hpfile/error.h"
#include "hprender/chart.h"

HPF_BEGIN_DECLS

typedef struct hpr_text_size {
    double width_pt;
    double ascent_pt;  /* above the baseline, of the font */
    double descent_pt; /* below it, positive */
} hpr_text_size;

typedef struct hpr_measurer {
    hpr_text_size (*measure)(void *context, const char *text, double size_pt, bool bold);
    void *context;
} hpr_measurer;

typedef struct hpr_fonts hpr_fonts;

/* Opens the fonts of a document. Each glyph comes from the first font that has it: `font_file`,
 * `family`, Liberation Sans, DejaVu Sans, any other font of the system. Bitmap and colour fonts are
 * not used. `font_file` and `family` may be NULL. On a system without fonts this succeeds: widths
 * are guessed, and drawing texts fails. The caller destroys `*out`. Takes about 10 ms. Errors:
 * MEMORY; ARGUMENT for a file that is not an outline font. Threads: one at a time for each
 * hpr_fonts. */
HPF_API HPF_MUST_USE hpf_status hpr_fonts_create(hpr_fonts **out, const char *family,
                                                 const char *font_file, hpf_error *err);
HPF_API void hpr_fonts_destroy(hpr_fonts *fonts);

/* Returns the family that replaces a requested one that the system does not have; NULL if it has
 * it. Borrowed from `fonts`. */
HPF_API const char *hpr_fonts_substitute(const hpr_fonts *fonts);

/* Returns the family of most text; "Liberation Sans" if there is no font, or `fonts` is NULL.
 * Borrowed from `fonts`. */
HPF_API const char *hpr_fonts_family(const hpr_fonts *fonts);

/* Returns a measurer of texts as they will be drawn. Valid as long as `fonts`. */
HPF_API hpr_measurer hpr_fonts_measurer(hpr_fonts *fonts);

HPF_END_DECLS
#endif
