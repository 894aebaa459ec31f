/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table as text, CSV, Markdown or JSON: the columns as data, the cells by a function.
 */
#ifndef CENSUS_TABLE_H
#define CENSUS_TABLE_H

#include "io/json.h"
#include "hpfile/sink.h"

/* The formats of census report, in the order of its choices. */
typedef enum table_format {
    TABLE_AS_TEXT,
    TABLE_AS_JSON,
    TABLE_AS_CSV,
    TABLE_AS_MARKDOWN
} table_format;

typedef enum table_kind {
    TABLE_NAME, /* bytes of a profile */
    TABLE_COUNT,
    TABLE_BYTES,
    TABLE_TIME, /* seconds */
} table_kind;

typedef struct table_column {
    const char *key;     /* in JSON and CSV; no words for people */
    const char *heading; /* for people */
    table_kind kind;
} table_column;

/* What its column's kind says. */
typedef union table_cell {
    hpf_str name;
    uint64_t whole; /* COUNT and BYTES */
    double seconds;
} table_cell;

typedef struct table {
    const table_column *columns;
    size_t n_columns;
    size_t n_rows;
    table_cell (*cell)(const void *context, size_t row, size_t column);
    const void *context;
    bool exact; /* for people, too, all digits */
} table;

void table_write_text(const table *t, hpf_sink *sink);
void table_write_csv(const table *t, hpf_sink *sink); /* names as the bytes they are */
void table_write_markdown(const table *t, hpf_sink *sink);

/* An array of objects. */
void table_write_json(const table *t, hpf_json *json, const char *key);

#endif
