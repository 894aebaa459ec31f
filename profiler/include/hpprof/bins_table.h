/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Address bins (docs/formats/address-bins.md) with the names of their addresses. Bins of several
 * runs are added up: an address is known by its object and its place in the object's file.
 */
#ifndef HPPROF_BINS_TABLE_H
#define HPPROF_BINS_TABLE_H

#include "hpfile/address_bins.h"
#include "hpprof/resolve.h"

HPF_BEGIN_DECLS

enum { HPP_BINS_MOST_FILES = 2 };

/* The rows into which addresses are grouped. */
typedef enum hpp_bins_group {
    HPP_BINS_BY_FUNCTION,
    HPP_BINS_BY_LINE,
    HPP_BINS_BY_ADDRESS,
    HPP_BINS_BY_MODULE
} hpp_bins_group;

/* An address or a group of them. Amounts are in bytes or nanoseconds. Texts are empty where they
 * are unknown or differ within the group. */
typedef struct hpp_bins_row {
    uint64_t amounts[HPP_BINS_MOST_FILES]; /* one for each side of a comparison */
    hpf_str function;
    hpf_str module;   /* file name of the object */
    hpf_str place;    /* "file:line" */
    hpf_str linkage;  /* symbol of the function that contains the address, inlined or not */
    hpf_str path;     /* of the object */
    uint64_t address; /* in the object's file */
} hpp_bins_row;

/* Read-only, but for the functions below. */
typedef struct hpp_bins_table {
    hpf_bins_kind kind; /* 0: no file yet */
    hpp_bins_row *rows;
    size_t n_rows;
    uint64_t unknown[HPP_BINS_MOST_FILES]; /* amounts without an address */
    uint64_t totals[HPP_BINS_MOST_FILES];  /* with the unknown */
    /* private */
    size_t capacity;
    hpp_resolver *resolver;
    struct hpf_arena *texts;
} hpp_bins_table;

/* Initialises an empty table. Errors: MEMORY; there is nothing to finish then. */
HPF_API HPF_MUST_USE hpf_status hpp_bins_init(hpp_bins_table *table, hpf_error *err);
HPF_API void hpp_bins_finish(hpp_bins_table *table);

/* Adds addresses, with their names, to one side of the table. Errors: ARGUMENT, if those before
 * were of another kind; MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpp_bins_add(hpp_bins_table *table, const hpf_bins *bins, int side,
                                             hpf_error *err);

/* Groups the rows of all files: largest amounts of both sides together first, then by name. */
HPF_API void hpp_bins_group_rows(hpp_bins_table *table, hpp_bins_group group);

/* Sorts grouped rows: largest differences between the sides first. */
HPF_API void hpp_bins_sort_by_change(hpp_bins_table *table);

/* Returns the amount of an object's addresses in [from, to). */
HPF_API uint64_t hpp_bins_amount_between(const hpp_bins_table *table, hpf_str path, uint64_t from,
                                         uint64_t to);

HPF_END_DECLS
#endif
