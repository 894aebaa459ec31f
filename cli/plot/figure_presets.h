/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sizes of figures for well-known document classes, and the LaTeX lines that include a picture.
 */
#ifndef CENSUS_FIGURE_PRESETS_H
#define CENSUS_FIGURE_PRESETS_H

#include "hprender/render.h"

/* Choices of --for; ends with NULL. Index 0 is no preset. */
extern const char *const figure_preset_names[];

/* Size of a figure and of its text, in points. */
typedef struct figure_preset {
    double width_pt, height_pt, text_pt;
    const char *tex_width; /* "\columnwidth": width in TeX */
} figure_preset;

const figure_preset *figure_preset_of(int index);

/* Prints the line that includes the picture at `path`, in the format `backend`, and a \Description
 * with `words`, which must be valid TeX, for document classes that have this command. */
void figure_print_latex(const char *path, const hpr_backend *backend, const figure_preset *preset,
                        hpf_str words);

#endif
