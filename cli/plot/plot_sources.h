/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The lines of a program's text around the places of stacks, for pages.
 */
#ifndef CENSUS_PLOT_SOURCES_H
#define CENSUS_PLOT_SOURCES_H

#include "hpfile/survey.h"
#include "hprender/page.h"

#include "source/source_table.h"

typedef struct plot_sources {
    hpr_source_line *all;
    size_t n, capacity;
    source_table table; /* owns the texts */
} plot_sources;

/* Reads lines near each place from the files below a folder, the most important files first, up to
 * a megabyte. Files that cannot be read are left out. Call plot_sources_finish in any case. Errors:
 * UNSUPPORTED if no frame of the profiles has a line, or no file is found; those of
 * source_table_find. */
HPF_MUST_USE hpf_status plot_sources_read(plot_sources *sources, hpf_survey *const *surveys,
                                          size_t n_surveys, const char *folder, hpf_error *err);
void plot_sources_finish(plot_sources *sources);

#endif
