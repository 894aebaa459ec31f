/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `.tix` files: how often a program compiled with -fhpc evaluated each of its boxes
 * (docs/formats/tix.md). What a box is, the `.mix` file of its module says (mix.h).
 */
#ifndef HPC_TIX_H
#define HPC_TIX_H

#include "base/arena.h"
#include "hpfile/sink.h"

typedef struct hpc_tix_module {
    hpf_str name;        /* "Main", "Data.Tree", "package-1.0/Main" */
    uint32_t hash;       /* of the .mix file of the same compilation; modulo 2^32 */
    uint64_t n_declared; /* number of counts as the file states it, which may be wrong */
    uint64_t *counts;    /* by box */
    size_t n_counts;
} hpc_tix_module;

/* All zero is empty. */
typedef struct hpc_tix {
    hpf_arena *arena; /* owner of the names and counts */
    hpc_tix_module *modules;
    size_t n_modules, capacity;
} hpc_tix;

/* Reads a file. Errors, after which `out` is empty: SYNTAX; RANGE, for a count above 2^64 - 1;
 * MEMORY. */
HPF_MUST_USE hpf_status hpc_tix_read(hpc_tix *out, hpf_str text, hpf_error *err);

/* Appends an empty module with copies of its name and room for its counts, which are zero. Returns
 * NULL without memory. */
hpc_tix_module *hpc_tix_add(hpc_tix *tix, hpf_str name, uint32_t hash, size_t n_counts);

/* Removes the modules for which `keep` returns false. */
void hpc_tix_filter(hpc_tix *tix, bool (*keep)(const void *context, hpf_str name),
                    const void *context);

/* Writes the file as hpc does, without a line feed. Errors are the sink's. */
void hpc_tix_write(const hpc_tix *tix, hpf_sink *sink);
void hpc_tix_finish(hpc_tix *tix);

/* How two counts of a box become one. */
typedef enum hpc_tix_join {
    HPC_TIX_ADD,
    HPC_TIX_DIFF, /* 1 if only the second program evaluated the box, otherwise 0 */
    HPC_TIX_SUB,  /* the first minus the second, at least 0 */
} hpc_tix_join;

/* What becomes of each count. */
typedef enum hpc_tix_map {
    HPC_TIX_ID,
    HPC_TIX_INV, /* 1 for 0, and 0 for all others */
    HPC_TIX_ZERO,
} hpc_tix_map;

/* Combines the modules of two files that have the same name, and with `is_union` keeps modules that
 * only one has, sorted by name. If a file has several modules of a name, the last one counts.
 * Errors, after which `out` is empty: ARGUMENT, if a module has another hash or another number of
 * counts in the other file, or not as many as it declares; RANGE; MEMORY. */
HPF_MUST_USE hpf_status hpc_tix_combine(hpc_tix *out, const hpc_tix *a, const hpc_tix *b,
                                        hpc_tix_join how, bool is_union, hpf_error *err);
void hpc_tix_apply(hpc_tix *tix, hpc_tix_map how);

#endif
