/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The lines of a program's text around the places of stacks, for pages.
 */
#ifndef CENSUS_SOURCE_LINES_H
#define CENSUS_SOURCE_LINES_H

#include "hprender/page.h"

#include "hpfile/text_folder.h"
#include "text/text_costs.h"
#include "hpfile/survey.h"

/* Zero: none. */
typedef struct source_lines {
    hpr_source_line *all;
    size_t n, capacity;
    hpf_arena *texts;
} source_lines;

/* Adds the lines near the places of a file until `*room` bytes are used up. A path that is NULL, or
 * a file that cannot be read, has none. Returns false without memory. */
bool source_lines_add(source_lines *lines, const hpf_text_file *file, const hpf_text_folder *folder,
                      const char *path, size_t *room);
void source_lines_finish(source_lines *lines);

typedef struct source_texts {
    source_lines lines;
    hpf_text_costs table; /* owns the names of files */
} source_texts;

/* Reads lines near each place from the files below a folder, the most important files first, up to
 * a megabyte; NULL: from the files that the places name. Files that cannot be read are left out.
 * Call source_texts_finish in any case. Errors: with a folder, UNSUPPORTED if no frame of the
 * profiles has a line, or no file is found; from source_folder_create. */
HPF_MUST_USE hpf_status source_texts_read(source_texts *sources, hpf_survey *const *surveys,
                                          size_t n_surveys, const char *folder, hpf_error *err);
void source_texts_finish(source_texts *sources);

#endif
