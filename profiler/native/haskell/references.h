/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which closures refer to which, after a census: a second walk over what it has reached, in the
 * order of addresses. It needs one number for each 64 words of the heap.
 *
 * Indirections are skipped, as a collection would. A thread that has not ended is a root, and
 * nothing else refers to it: what waits for it, or is waited for, does not hold what it works with.
 * A variable at the top level that was evaluated (CAF) is a root, too, also if only the code of one
 * closure refers to it.
 *
 * What was not reached, and the rest of blocks of pinned arrays, are two closures with roots of
 * their own.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_HASKELL_REFERENCES_H
#define HPP_NATIVE_HASKELL_REFERENCES_H

#include "census.h"

typedef enum hpp__haskell_root {
    HPP__HASKELL_CAF,
    HPP__HASKELL_STABLE, /* stable pointers */
    HPP__HASKELL_THREAD,
    HPP__HASKELL_WEAK, /* values and finalizers of weak pointers */
    HPP__HASKELL_REST,
} hpp__haskell_root;

/* Functions of the caller, which return false to end the walk. First come the closures, numbered as
 * they come, each followed by its references, then the roots, the same. `kind` is that of the
 * census. A root that refers to nothing does not come. */
typedef struct hpp__haskell_visitor {
    bool (*closure)(void *context, uint64_t n_bytes, uint32_t kind);
    bool (*reference)(void *context, uint32_t to);
    bool (*root)(void *context, hpp__haskell_root root, hpf_str name);
    void *context;
} hpp__haskell_visitor;

/* Visits closures and roots. The census has names. Returns false if the visitor ended it, or
 * without memory. */
bool hpp__haskell_references_visit(hpp__haskell_census *census,
                                   const hpp__haskell_visitor *visitor);

#endif
