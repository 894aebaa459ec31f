/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of address bins (docs/formats/address-bins.md) with the names of their addresses. Files of
 * several runs are added up: an address is known by its object and its place in the object's file.
 */
#ifndef CENSUS_BINS_H
#define CENSUS_BINS_H

#include "base/arena.h"
#include "prof/address_bins.h"
#include "symbol/resolve.h"

enum { BINS_MOST_FILES = 2 };

/* The rows into which addresses are grouped. */
typedef enum bins_group {
    BINS_BY_FUNCTION,
    BINS_BY_LINE,
    BINS_BY_ADDRESS,
    BINS_BY_MODULE
} bins_group;

/* An address or a group of them. Amounts are in bytes or nanoseconds. Texts are empty where they
 * are unknown or differ within the group. */
typedef struct bins_row {
    uint64_t amounts[BINS_MOST_FILES]; /* one for each side of a comparison */
    hpf_str function;
    hpf_str module;   /* file name of the object */
    hpf_str place;    /* "file:line" */
    hpf_str linkage;  /* symbol of the function that contains the address, inlined or not */
    hpf_str path;     /* of the object */
    uint64_t address; /* in the object's file */
} bins_row;

/* Read-only, but for the functions below. */
typedef struct bins_table {
    hpf_bins_kind kind; /* 0: no file yet */
    bins_row *rows;
    size_t n_rows;
    uint64_t unknown[BINS_MOST_FILES]; /* amounts without an address */
    uint64_t totals[BINS_MOST_FILES];  /* with the unknown */
    /* private */
    size_t capacity;
    hpp_resolver *resolver;
    hpf_arena *texts;
} bins_table;

/* Returns whether `path` is a file of bins; false for "-" and for files that cannot be read. */
bool bins_is_file(const char *path);

/* Initialises an empty table. Returns false after a message. */
bool bins_init(bins_table *table);
void bins_finish(bins_table *table);

/* Adds the addresses of a file, with their names, to one side of the table. Returns false after a
 * message. */
bool bins_add(bins_table *table, const char *path, int side);

/* Initialises a table with the sum of `n` files. Returns false after a message, with nothing to
 * finish. */
bool bins_load(bins_table *table, const char *const *paths, size_t n);

/* Groups the rows of all files: largest amounts of both sides together first, then by name. */
void bins_group_rows(bins_table *table, bins_group group);

#endif
