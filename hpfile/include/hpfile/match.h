/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matching the names of several profiles.
 *
 * Names are matched without the numbers that a run gives its cost-centre stacks: `(12)f/g` and
 * `(345)f/g` are one row, also within one profile. GHC cuts long names, number included, so that
 * the same stack may be cut sooner in one run: `(99)f/g/mai...` and `(100)f/g/ma...` are one row
 * too, if all of them end in dots, each begins with all of the next shorter one, at most three
 * bytes are between the longest and the shortest, no profile has two of them, and no other name
 * would fit as well. Event logs cut nothing: `f/g/ma...` and `f/g/main` are one row if no other
 * whole name begins like that, and no profile has both.
 *
 * In a comparison of two profiles, names with lines are matched also if the lines moved
 * (below).
 *
 * Memory: the names of all.
 */
#ifndef HPFILE_MATCH_H
#define HPFILE_MATCH_H

#include "hpfile/survey.h"
#include <stdbool.h>
#include <stdint.h>
#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

/* Most profiles that can be matched. */
#define HPF_MATCH_MOST 64

typedef struct hpf_match hpf_match;

/* Matches the names of `n` surveys, at least one, which are only read. With `moves_lines`, of two
 * versions of a program, the first the older. Errors: MEMORY; LIMIT for more than HPF_MATCH_MOST
 * profiles or too many names. */
HPF_API HPF_MUST_USE hpf_status hpf_match_create(hpf_match **out, hpf_survey *const *surveys,
                                                 size_t n, bool moves_lines, hpf_error *err);
HPF_API void hpf_match_destroy(hpf_match *match);

HPF_API uint32_t hpf_match_n_rows(const hpf_match *match);

/* Returns what a row is called: the name without its number, the whole one or of cut ones the
 * longest. Borrowed. */
HPF_API hpf_str hpf_match_name(const hpf_match *match, uint32_t row);

/* Returns what the row is called in the first of two profiles, if its line moved; else empty. */
HPF_API hpf_str hpf_match_moved_from(const hpf_match *match, uint32_t row);

/* Returns the row of a name of profile `which`, or HPF_NO_ROW. */
HPF_API uint32_t hpf_match_row(const hpf_match *match, size_t which, hpf_name name);

/* Names with a line, such as `function file.c:120` or `function@file.c:120`, in a program and in an
 * edited version of it, where the same call may be at `file.c:131`.
 * Lines of one function in one file are paired in their order. If the function has several lines,
 * lines that moved by the same distance are paired first, as many as possible (of equally many the
 * smaller distance, and down), then the lines between them in the same way. */

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
