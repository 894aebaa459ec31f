/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a file of colours: lines of "#rrggbb NAME". Lines that start with "# " are comments.
 */
#ifndef CENSUS_COLOUR_LIST_H
#define CENSUS_COLOUR_LIST_H

#include "hprender/render.h"

#include "name_list.h"

typedef struct colour_list {
    name_list lines; /* the names of the pins point into it */
    hpr_pin *pins;
    size_t n;
} colour_list;

/* Reads the file at `path`; NULL gives an empty list. Returns false after a message; there is
 * nothing to free then. */
bool colour_list_read(colour_list *out, const char *path);
void colour_list_finish(colour_list *list);

#endif
