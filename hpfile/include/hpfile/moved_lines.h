/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names with a line, such as `function file.c:120` or `function@file.c:120`, in a program and in an
 * edited version of it, where the same call may be at `file.c:131`.
 *
 * Lines of one function in one file are paired in their order. If the function has several lines,
 * lines that moved by the same distance are paired first, as many as possible (of equally many the
 * smaller distance, and down), then the lines between them in the same way.
 */
#ifndef HPFILE_MOVED_LINES_H
#define HPFILE_MOVED_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

/* Functions with more lines than this in one of the profiles are left as they are. */
#define HPF_MOST_MOVED_LINES 1000

/* Of the `n` different `texts`, `sides` says which profiles have them: bit 0 the old one, bit 1 the
 * new one. Stores for each text of the old profile the number of its text in the new one; itself if
 * it did not move, or has none. Returns false if there is no memory. */
HPF_API bool hpf_moved_lines_find(const hpf_str *texts, uint32_t n, const uint64_t *sides,
                                  uint32_t *moved_to);

/* Returns the part of a name from its line number on, "120" or "120:1-30"; empty: it has none. */
HPF_API hpf_str hpf_line_of_name(hpf_str name);

HPF_END_DECLS
#endif
