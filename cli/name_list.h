/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A file of names, one to a line.
 */
#ifndef CENSUS_NAME_LIST_H
#define CENSUS_NAME_LIST_H

#include "hpfile/event.h"

typedef struct name_list {
    char *bytes; /* of the whole file */
    hpf_str *names;
    size_t n;
} name_list;

/* Reads the file at `path`: its lines without what ends them, but no empty ones. NULL is an empty
 * list. False: a message was printed and there is nothing to free. */
bool name_list_read(name_list *out, const char *path);
void name_list_finish(name_list *list);

#endif
