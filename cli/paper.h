/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Figures for papers: the widths of well-known classes, and the lines that put a picture into a
 * document.
 */
#ifndef CENSUS_PAPER_H
#define CENSUS_PAPER_H

#include "hprender/render.h"

/* For --for; ends with NULL. Index 0 is no paper. */
extern const char *const paper_names[];

/* The size, in points, of a figure for a paper, and of its text. */
typedef struct paper {
    double width_pt, height_pt, text_pt;
    const char *tex_width; /* "\columnwidth": what it fills */
} paper;

const paper *paper_of(int index);

/* Prints the line that includes the picture at `path`, in the format `backend`, and a \Description
 * with `words`, which are TeX already. */
void paper_print_latex(const char *path, const hpr_backend *backend, const paper *for_paper,
                       hpf_str words);

#endif
