/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Measuring text, so that layout can decide what fits. The measurer is handed to the layout as a
 * value, so tests lay out with a made-up one; the real one asks Pango.
 */
#ifndef HPRENDER_TEXT_H
#define HPRENDER_TEXT_H

#include "hpfile/error.h"
#include "hprender/chart.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Opens the fonts of a document: those of the system without bitmaps and colours, in the order
 * `family`, Liberation Sans, DejaVu Sans, any other; so a text gets each of its glyphs from the
 * first that has it. `family` may be NULL. With `font_file`, which may be NULL, that file comes
 * first. A system without fonts is no error here: texts are measured by a guess, and drawing them
 * is one. The caller destroys `*out`. Costs about 10 ms. Errors: MEMORY; ARGUMENT for a file that
 * is no font with outlines. Threads: one at a time. */
HPF_API HPF_MUST_USE hpf_status hpr_fonts_create(hpr_fonts **out, const char *family,
                                                 const char *font_file, hpf_error *err);
HPF_API void hpr_fonts_destroy(hpr_fonts *fonts);

/* Returns the family that is used instead of the one asked for, which the system does not have;
 * NULL if it has. Borrowed from `fonts`. */
HPF_API const char *hpr_fonts_substitute(const hpr_fonts *fonts);

/* Returns the family that most text is set in; "Liberation Sans" if there is no font, or `fonts` is
 * NULL. Borrowed from `fonts`. */
HPF_API const char *hpr_fonts_family(const hpr_fonts *fonts);

HPF_API hpr_measurer hpr_fonts_measurer(hpr_fonts *fonts);

/* `name` as UTF-8 in `out` (at least 3 * length + 1 bytes): bytes that are no UTF-8, control
 * characters, and those that turn the direction of others become U+FFFD. Returns the length
 * written, without the terminating NUL. */
HPF_API size_t hpr_text_from_bytes(char *out, hpf_str name);

/* The same for several lines: line feeds stay. */
HPF_API size_t hpr_lines_from_bytes(char *out, hpf_str lines);

#ifdef __cplusplus
}
#endif
#endif
