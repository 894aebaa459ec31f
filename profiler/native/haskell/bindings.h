/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bindings of code, by the tables of `ghc -finfo-table-map` (rts/IPE.h), which a program has
 * in memory: of each module a list of info tables, with the binding that they are of, its file and
 * line. They name inner thunks and functions, and with -fdistinct-constructor-tables, where
 * constructors were used.
 *
 * Nothing that is read is trusted. Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_HASKELL_BINDINGS_H
#define HPP_NATIVE_HASKELL_BINDINGS_H

#include "base/intern.h"
#include "base/map.h"
#include "layouts.h"
#include "native/collector/image/image.h"

/* The tables of a module. */
typedef struct hpp__haskell_bindings_node {
    uint64_t entries, end, texts; /* addresses */
    uint32_t module;              /* among the texts; 0: entries have it */
} hpp__haskell_bindings_node;

/* All zero: no tables. */
typedef struct hpp__haskell_bindings {
    const hpp_haskell_layout *layout;
    uint64_t list; /* address of the first module's, when they were read */
    hpp__haskell_bindings_node *nodes;
    size_t n_nodes, n_entries, nodes_capacity;
    hpp__map entry_of; /* address of an info table -> address of its entry */
    hpf__intern texts; /* of bindings that were asked for */
} hpp__haskell_bindings;

/* Reads the tables of a program. `variable` is the address of the run-time system's variable that
 * has the first one, 0 if it is not known. Without memory, some are missing. */
void hpp__haskell_bindings_read(hpp__haskell_bindings *bindings, const hpp__image *image,
                                const hpp_haskell_layout *layout, uint64_t variable);
void hpp__haskell_bindings_finish(hpp__haskell_bindings *bindings);

/* What code is of; texts are valid as long as the tables. */
typedef struct hpp__haskell_binding {
    hpf_str name; /* "step.add" */
    hpf_str module;
    hpf_str file; /* empty: not known; then `line` is 0 */
    uint32_t line;
} hpp__haskell_binding;

/* Finds the binding that the code behind an info table is of. Returns false if it is not known. */
bool hpp__haskell_bindings_find(hpp__haskell_bindings *bindings, const hpp__image *image,
                                uint64_t info, hpp__haskell_binding *out);

#endif
