/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `.tix` files: how often a program compiled with -fhpc evaluated each of its boxes
 * (docs/formats/tix.md). What a box is, the `.mix` file of its module says (mix.h).
 */
#ifndef HPF_TIX_H
#define HPF_TIX_H

#include "base/arena.h"
#include "hpfile/sink.h"

typedef struct hpf__tix_module {
    hpf_str name;        /* "Main", "Data.Tree", "package-1.0/Main" */
    uint32_t hash;       /* of the .mix file of the same compilation; modulo 2^32 */
    uint64_t n_declared; /* number of counts as the file states it, which may be wrong */
    uint64_t *counts;    /* by box */
    size_t n_counts;
} hpf__tix_module;

/* All zero is empty. */
typedef struct hpf__tix {
    hpf_arena *arena; /* owner of the names and counts */
    hpf__tix_module *modules;
    size_t n_modules, capacity;
} hpf__tix;

/* Reads a file. Errors, after which `out` is empty: SYNTAX; RANGE, for a count above 2^64 - 1;
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf__tix_read(hpf__tix *out, hpf_str text, hpf_error *err);

/* Appends an empty module with copies of its name and room for its counts, which are zero. Returns
 * NULL without memory. */
HPF_API hpf__tix_module *hpf__tix_add(hpf__tix *tix, hpf_str name, uint32_t hash, size_t n_counts);

/* Removes the modules for which `keep` returns false. */
HPF_API void hpf__tix_filter(hpf__tix *tix, bool (*keep)(const void *context, hpf_str name),
                             const void *context);

/* Writes the file as hpc does, without a line feed. Errors are the sink's. */
HPF_API void hpf__tix_write(const hpf__tix *tix, hpf_sink *sink);
HPF_API void hpf__tix_finish(hpf__tix *tix);

/* How two counts of a box become one. */
typedef enum hpf__tix_join {
    HPF__TIX_ADD,
    HPF__TIX_DIFF, /* 1 if only the second program evaluated the box, otherwise 0 */
    HPF__TIX_SUB,  /* the first minus the second, at least 0 */
} hpf__tix_join;

/* What becomes of each count. */
typedef enum hpf__tix_map {
    HPF__TIX_ID,
    HPF__TIX_INV, /* 1 for 0, and 0 for all others */
    HPF__TIX_ZERO,
} hpf__tix_map;

/* Combines the modules of two files that have the same name, and with `is_union` keeps those that
 * only one has, sorted by name. If a file has several modules of a name, the last one counts.
 * Errors, after which `out` is empty: ARGUMENT, if a module has another hash or another number of
 * counts in the other file, or not as many as it declares; RANGE; MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf__tix_combine(hpf__tix *out, const hpf__tix *a,
                                                 const hpf__tix *b, hpf__tix_join how,
                                                 bool is_union, hpf_error *err);
HPF_API void hpf__tix_apply(hpf__tix *tix, hpf__tix_map how);

#endif
