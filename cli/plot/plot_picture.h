/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a laid-out picture to files: the picture, and the lines of LaTeX that
 * include it.
 */
#ifndef CENSUS_PLOT_PICTURE_H
#define CENSUS_PLOT_PICTURE_H

#include "hprender/page.h"

#include "input.h"

/* Choices of --for, for well-known document classes; ends with NULL. Index 0 is no preset. */
extern const char *const figure_preset_names[];

/* Size of a figure and of its text, in points. */
typedef struct figure_preset {
    double width_pt, height_pt, text_pt;
    const char *tex_width; /* "\columnwidth": width in TeX */
} figure_preset;

const figure_preset *figure_preset_of(int index);

typedef struct plot_picture {
    const input *in;        /* for messages */
    const char *path;       /* NULL: standard output */
    const hpr_chart *chart; /* or NULL: `page` */
    const hpr_page *page;
    const hpr_options *options;
    const hpr_backend *backend;
    hpr_fonts *fonts;
    double dpi;
    bool latex; /* print the lines */
    int preset; /* of --for */
} plot_picture;

/* Writes a part of a picture, or something else with its fonts. */
typedef hpf_status plot_picture_function(const plot_picture *p, const void *context,
                                         const hpr_output *output, hpf_sink *sink, hpf_error *err);

/* Calls a function for the file `path`. Returns an exit status; failures print a message. */
int plot_picture_write_to(const plot_picture *p, const char *path, plot_picture_function *write,
                          const void *context);

/* Writes the picture, and what its options ask for. Returns an exit status. */
int plot_picture_write(const plot_picture *p);

#endif
