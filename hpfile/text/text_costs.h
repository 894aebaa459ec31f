/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Costs by place in the text of a program. A place is what profiles write: "file.c:12", or as GHC
 * does "file.hs:12:3-20" and "file.hs:(12,3)-(15,8)".
 */
#ifndef HPF_TEXT_COSTS_H
#define HPF_TEXT_COSTS_H

#include "base/arena.h"
#include "base/intern.h"
#include "hpfile/sink.h"

#include "hpfile/text_folder.h"

enum { HPF_TEXT_MOST_COLUMNS = 2 };

/* Costs of some lines, from 1. */
typedef struct hpf_text_span {
    uint32_t first_line, last_line;
    double amounts[HPF_TEXT_MOST_COLUMNS];
} hpf_text_span;

typedef struct hpf_text_file {
    hpf_str name;      /* as in the profile */
    const char *path;  /* of the text; NULL: not found */
    bool is_ambiguous; /* several files could be meant; there is no path then */
    hpf_text_span *spans;
    size_t n_spans, capacity;
    double totals[HPF_TEXT_MOST_COLUMNS];
} hpf_text_file;

typedef struct hpf_text_column {
    const char *name;
    hpf_str unit;
} hpf_text_column;

/* The caller sets the columns; the rest begins as zero. */
typedef struct hpf_text_costs {
    hpf_text_column columns[HPF_TEXT_MOST_COLUMNS];
    size_t n_columns;
    size_t heat; /* the column that colours lines and sorts files */
    hpf_text_file
        *files; /* by number in `names` until hpf_text_costs_find, then by totals, decreasing */
    size_t n_files, capacity;
    double totals[HPF_TEXT_MOST_COLUMNS]; /* also of costs without a place */
    double placed[HPF_TEXT_MOST_COLUMNS]; /* of costs with a place */
    hpf__intern names;
    hpf_arena *texts;
} hpf_text_costs;

/* Adds costs at a place; a text that is no place adds to the totals only. Returns false without
 * memory. */
HPF_API bool hpf_text_costs_add(hpf_text_costs *table, hpf_str place, const double *amounts);

/* Finds the files in a folder, and sorts them. Errors: MEMORY. */
HPF_API hpf_status hpf_text_costs_find(hpf_text_costs *table, const hpf_text_folder *folder,
                                       hpf_error *err);

HPF_API void hpf_text_costs_finish(hpf_text_costs *table);

/* A line of a text. */
typedef struct hpf_text_line {
    double amounts[HPF_TEXT_MOST_COLUMNS]; /* of spans that begin here */
    double heat;                           /* of the most expensive span that contains it */
    bool is_near; /* it is one of the most expensive lines, or two lines from one at most */
} hpf_text_line;

typedef struct hpf_text_lines {
    hpf_text_line *all; /* [1] is the first */
    size_t n;
    double hottest;
    bool is_too_short; /* costs are at lines after the last one */
} hpf_text_lines;

/* Sums up the costs of the `n` lines of a file, and finds the `most` expensive ones (0: all with a
 * cost). Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_text_lines_make(hpf_text_lines *out,
                                                    const hpf_text_costs *table,
                                                    const hpf_text_file *file, size_t n,
                                                    size_t most, hpf_error *err);
HPF_API void hpf_text_lines_finish(hpf_text_lines *lines);

/* Returns the level of the colour of a line, from 0 for none. */
enum { HPF_TEXT_LEVELS = 5 };
HPF_API int hpf_text_level(const hpf_text_lines *lines, size_t line);

#endif
