/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The lines of a program's text around the places of stacks, for pages.
 */
#ifndef CENSUS_SOURCE_LINES_H
#define CENSUS_SOURCE_LINES_H

#include "hprender/page.h"

#include "hpfile/text_folder.h"
#include "text/text_costs.h"

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

#endif
