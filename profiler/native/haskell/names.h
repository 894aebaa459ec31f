/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of closures by their code: constructors by their info tables, thunks and functions by
 * symbols and debugging information.
 *
 * GHC keeps symbols of exported functions only. The code of inner thunks and functions comes before
 * that of the function they are in, so the next symbol is that function, or one that uses it: they
 * are "near" it. Debugging information (ghc -g) and tables of the program's own (bindings.h) have
 * the function itself, and the line.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_HASKELL_NAMES_H
#define HPP_NATIVE_HASKELL_NAMES_H

#include "closures.h"
#include "bindings.h"
#include "symbol/resolve.h"

/* Names are made in it, one after the other. */
typedef struct hpp__haskell_names {
    hpp_resolver *resolver; /* borrowed */
    hpp__haskell_bindings bindings;
    /* Of the last closure: all but the description may be empty. */
    hpp__text description, module;
    hpf_str file; /* of its source, with folders; valid as long as these names and the resolver */
    uint32_t line;
} hpp__haskell_names;

void hpp__haskell_names_finish(hpp__haskell_names *names);

/* Names the closures with an info table. `subject` is the table of the function that they apply, of
 * the closure that they select a field from, or of a frame of the stack; NULL: not known. */
void hpp__haskell_names_make(hpp__haskell_names *names, const hpp__haskell_closures *closures,
                             const hpp__haskell_info *info, const hpp__haskell_info *subject);

/* Names a variable at the top level by its info table: "CAF Main.cache". */
void hpp__haskell_names_make_static(hpp__haskell_names *names,
                                    const hpp__haskell_closures *closures, uint64_t info);

/* Whose code is behind an info table. */
typedef enum hpp__haskell_owner {
    HPP__HASKELL_NOT_LOOKED_AT,
    HPP__HASKELL_RUN_TIME_SYSTEM, /* or not known, as in a stripped program */
    HPP__HASKELL_LIBRARY,         /* GHC's own packages that each program uses */
    HPP__HASKELL_PROGRAM,         /* all others */
} hpp__haskell_owner;

/* Returns the owner of the code of an info table, by its index. */
hpp__haskell_owner hpp__haskell_names_owner(hpp__haskell_names *names,
                                            hpp__haskell_closures *closures, uint32_t info);

#endif
