/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile drawn in the modern look, and what every such drawing has to satisfy.
 */
#ifndef CENSUS_TEST_MODERN_DRAWING_H
#define CENSUS_TEST_MODERN_DRAWING_H

#include "hprender/render.h"

/* The headers of a profile. */
#define HEAD "JOB \"a.out\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

/* A profile, its chart and its scene. */
typedef struct drawing {
    hpf_source *source;
    hpf_survey *survey;
    hpr_chart *chart;
    hpr_scene *scene;
} drawing;

/* Draw a zeroed drawing. */
void draw_file(drawing *d, const char *path, const hpr_options *options);
void draw_text(drawing *d, const char *text, const hpr_options *options);
void destroy(drawing *d);

/* Returns the default options of the look, with a size. */
hpr_options sheet(double width_pt, double height_pt);

/* Check what must hold for every drawing: of its labels; of its scene; of a single sample or
 * unusual numbers; of any other profile; of the texts on a sheet that has room for them. */
void expect_labels_in_place(const hpr_chart *chart);
void expect_sound_scene(const drawing *d);
void expect_sound(const drawing *d);
void expect_good(const drawing *d);
void expect_texts_in_place(const drawing *d);
#endif
