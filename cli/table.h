/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table that can be written as text, CSV or JSON: columns are data, the cells of a row
 * come from a function.
 */
#ifndef CENSUS_TABLE_H
#define CENSUS_TABLE_H

#include "base/json.h"
#include "hpfile/sink.h"

/* The formats of census report, in the order of its choices. */
typedef enum table_format { TABLE_AS_TEXT, TABLE_AS_JSON, TABLE_AS_CSV } table_format;

typedef enum table_kind {
    TABLE_NAME, /* text from a profile */
    TABLE_COUNT,
    TABLE_BYTES,
    TABLE_TIME,         /* seconds */
    TABLE_SHARE,        /* 0..1 */
    TABLE_BYTES_CHANGE, /* signed */
    TABLE_TIME_CHANGE,  /* seconds, signed */
} table_kind;

typedef struct table_column {
    const char *key;     /* name in JSON and CSV */
    const char *heading; /* heading in text */
    table_kind kind;
} table_column;

/* The member is chosen by the kind of the column. */
typedef union table_cell {
    hpf_str name;
    uint64_t whole; /* COUNT and BYTES */
    double real;    /* all others */
} table_cell;

enum { TABLE_MOST_COLUMNS = 16 };

typedef struct table {
    const table_column *columns;
    size_t n_columns;
    size_t n_rows;
    /* Sets the cells of all columns. Names are used until the next row. */
    void (*fill)(const void *context, size_t row, table_cell *cells);
    const void *context;
    bool exact;      /* print exact numbers in text */
    uint32_t hidden; /* columns that are left out: `1u << index` */
} table;

/* Writes the table as text or CSV. CSV has names unchanged and exact numbers. */
void table_write(const table *t, table_format format, hpf_sink *sink);

/* Write the members of one row, and an array of objects. */
void table_write_json_cells(const table *t, const table_cell *cells, hpf_json *json);
void table_write_json(const table *t, hpf_json *json, const char *key);

#endif
