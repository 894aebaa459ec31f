/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the text of a program around the places of profiles.
 */
#ifndef CENSUS_PLOT_SOURCES_H
#define CENSUS_PLOT_SOURCES_H

#include "hpfile/survey.h"

#include "source/source_lines.h"

typedef struct plot_sources {
    source_lines lines;
    hpf_text_costs table; /* owns the names of files */
} plot_sources;

/* Reads lines near each place from the files below a folder, the most important files first, up to
 * a megabyte; NULL: from the files that the places name. Files that cannot be read are left out.
 * Call plot_sources_finish in any case. Errors: with a folder, UNSUPPORTED if no frame of the
 * profiles has a line, or no file is found; from source_folder_create. */
HPF_MUST_USE hpf_status plot_sources_read(plot_sources *sources, hpf_survey *const *surveys,
                                          size_t n_surveys, const char *folder, hpf_error *err);
void plot_sources_finish(plot_sources *sources);

#endif
