/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names in a file, one to a line, or in a word, between commas.
 */
#ifndef CENSUS_NAME_LIST_H
#define CENSUS_NAME_LIST_H

#include "hpfile/event.h"

typedef struct name_list {
    char *bytes; /* of all of them */
    hpf_str *names;
    size_t n;
} name_list;

/* Reads the file at `path`: its lines without what ends them, but no empty ones. NULL is an empty
 * list. False: a message was printed and there is nothing to free. */
bool name_list_read(name_list *out, const char *path);

/* The names between the commas of `text`, but no empty ones. The same for failure. */
bool name_list_split(name_list *out, const char *text);
void name_list_finish(name_list *list);

#endif
