/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Costs by place in the text of a program. A place is what profiles write: "file.c:12", or as GHC
 * does "file.hs:12:3-20" and "file.hs:(12,3)-(15,8)".
 */
#ifndef CENSUS_SOURCE_TABLE_H
#define CENSUS_SOURCE_TABLE_H

#include "base/arena.h"
#include "base/intern.h"
#include "hpfile/sink.h"

#include "source_folder.h"

enum { SOURCE_MOST_COLUMNS = 2 };

/* Costs of some lines, from 1. */
typedef struct source_span {
    uint32_t first_line, last_line;
    double amounts[SOURCE_MOST_COLUMNS];
} source_span;

typedef struct source_file {
    hpf_str name;      /* as in the profile */
    const char *path;  /* of the text; NULL: not found */
    bool is_ambiguous; /* several files could be meant; there is no path then */
    source_span *spans;
    size_t n_spans, capacity;
    double totals[SOURCE_MOST_COLUMNS];
} source_file;

typedef struct source_column {
    const char *name;
    hpf_str unit;
} source_column;

/* The caller sets the columns; the rest begins as zero. */
typedef struct source_table {
    source_column columns[SOURCE_MOST_COLUMNS];
    size_t n_columns;
    size_t heat; /* the column that colours lines and sorts files */
    source_file
        *files; /* by number in `names` until source_table_find, then by totals, decreasing */
    size_t n_files, capacity;
    double totals[SOURCE_MOST_COLUMNS]; /* also of costs without a place */
    double placed[SOURCE_MOST_COLUMNS]; /* of costs with a place */
    hpf__intern names;
    hpf_arena *texts;
} source_table;

/* Adds costs at a place; a text that is no place adds to the totals only. Returns false without
 * memory. */
bool source_table_add(source_table *table, hpf_str place, const double *amounts);

/* Finds the files in a folder, and sorts them. Errors: MEMORY. */
hpf_status source_table_find(source_table *table, const source_folder *folder, hpf_error *err);

void source_table_finish(source_table *table);

#endif
