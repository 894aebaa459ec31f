/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists of names: lines of a file, or comma-separated words; and lists of their colours.
 */
#ifndef CENSUS_NAME_LIST_H
#define CENSUS_NAME_LIST_H

#include "base/buffer.h"
#include "hpfile/event.h"
#include "hprender/render.h"

typedef struct name_list {
    hpf__buffer text; /* of all names */
    hpf_str *names;
    size_t n, capacity;
} name_list;

/* Reads the lines of the file at `path`, except empty ones; NULL gives an empty list. Returns false
 * after a message; there is nothing to free then. */
bool name_list_read(name_list *out, const char *path);

/* Splits `text` at commas and drops empty names. Fails like name_list_read. */
bool name_list_split(name_list *out, const char *text);
void name_list_finish(name_list *list);

typedef struct colour_list {
    name_list lines; /* the names of the pins point into it */
    hpr_pin *pins;
    size_t n;
} colour_list;

/* Reads the file at `path`: lines of "#rrggbb NAME". Lines that start with "# " are comments. NULL
 * gives an empty list. Returns false after a message; there is nothing to free then. */
bool colour_list_read(colour_list *out, const char *path);
void colour_list_finish(colour_list *list);

#endif
