/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Figures for papers: the widths of well-known classes, and the lines that put a picture into a
 * document.
 */
#ifndef CENSUS_FIGURE_PRESETS_H
#define CENSUS_FIGURE_PRESETS_H

#include "hprender/render.h"

/* For --for; ends with NULL. Index 0 is no paper. */
extern const char *const figure_preset_names[];

/* The size, in points, of a figure for a paper, and of its text. */
typedef struct figure_preset {
    double width_pt, height_pt, text_pt;
    const char *tex_width; /* "\columnwidth": what it fills */
} figure_preset;

const figure_preset *figure_preset_of(int index);

/* Prints the line that includes the picture at `path`, in the format `backend`, and a \Description
 * with `words`, which are TeX already. */
void figure_print_latex(const char *path, const hpr_backend *backend, const figure_preset *preset,
                        hpf_str words);

#endif
