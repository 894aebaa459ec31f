/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A file of colours: lines of "#rrggbb NAME". Lines that begin with "# " are remarks.
 */
#ifndef CENSUS_COLOUR_LIST_H
#define CENSUS_COLOUR_LIST_H

#include "hprender/render.h"

#include "name_list.h"

typedef struct colour_list {
    name_list lines; /* which the names of the pins point into */
    hpr_pin *pins;
    size_t n;
} colour_list;

/* Reads the file at `path`; NULL is an empty list. False: a message was printed and there is
 * nothing to free. */
bool colour_list_read(colour_list *out, const char *path);
void colour_list_finish(colour_list *list);

#endif
