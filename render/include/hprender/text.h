/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Measuring text, so that layout can decide what fits. The measurer is handed to the layout as a
 * value, so tests lay out with a made-up one; the real one asks Pango.
 */
#ifndef HPRENDER_TEXT_H
#define HPRENDER_TEXT_H

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

/* The fonts of one document. Each is loaded when a text first needs it: from a short list of
 * well-known files for Liberation Sans (which also stands in for Helvetica and Arial, having their
 * widths) and DejaVu Sans; for other families, and characters that those two lack, by way of the
 * system's font configuration, which costs some 10 ms. NULL `family`: "Liberation Sans".
 * `font_file`, unless NULL, is a file to be used before all others, bold texts included; that it
 * cannot be used shows when something is drawn. Returns NULL when there is no memory. Threads: one
 * at a time. */
HPF_API hpr_fonts *hpr_fonts_create(const char *family, const char *font_file);
HPF_API void hpr_fonts_destroy(hpr_fonts *fonts);

/* The family that stands in for the one asked for, which the system does not have; NULL: it does.
 * Borrowed from `fonts`. */
HPF_API const char *hpr_fonts_substitute(hpr_fonts *fonts);

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
