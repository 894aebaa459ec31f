/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A census of the Haskell heap in an image: what GHC's own profile by closure type (-hT) would say
 * after a collection now, for a program that was not compiled for profiling. What a collection
 * would free is one sum, and so is the room in blocks of pinned arrays that no array has: GHC's own
 * profile counts these blocks as arrays.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_HASKELL_CENSUS_H
#define HPP_NATIVE_HASKELL_CENSUS_H

#include "marking.h"

typedef struct hpp__haskell_census {
    hpp__haskell_heap heap;
    hpp__haskell_closures closures;
    hpp__haskell_marking marking;
    uint64_t unreached_bytes, pinned_rest_bytes;
    uint32_t n_infos, n_uses; /* that closures have */
} hpp__haskell_census;

/* Takes a census. With `names`, which may be NULL, closures have descriptions. Both are borrowed.
 * Call hpp__haskell_census_finish in any case. */
hpp__haskell_found hpp__haskell_census_take(hpp__haskell_census *census, const hpp__image *image,
                                            const hpp_haskell_layout *layout,
                                            const hpp__haskell_variables *variables,
                                            hpp__haskell_names *names);
void hpp__haskell_census_finish(hpp__haskell_census *census);

/* Closures that were reached, or a rest. */
typedef struct hpp__haskell_sum {
    hpf_str kind; /* their type, or constructor */
    /* With names; all but the description may be empty. */
    hpf_str description, module, file;
    uint32_t line;
    uint64_t n_bytes, n_closures;
} hpp__haskell_sum;

/* Visits the sums of reached closures, and of the rests UNREACHED and PINNED; several may have the
 * same names. `kind` is a number of what closures have in common. */
typedef void hpp__haskell_visit(const hpp__haskell_sum *sum, uint32_t kind, void *context);
void hpp__haskell_census_each(hpp__haskell_census *census, hpp__haskell_visit *visit,
                              void *context);

/* Visits the places of closures, with the bytes that were reached in each: the generations, large
 * objects, compact regions, pinned arrays; and the rests. All of them are the bytes of the census.
 */
typedef void hpp__haskell_visit_place(const char *name, uint64_t n_bytes, void *context);
void hpp__haskell_census_each_place(const hpp__haskell_census *census,
                                    hpp__haskell_visit_place *visit, void *context);

/* Returns the kind of a closure that was reached, UINT32_MAX without memory. */
uint32_t hpp__haskell_census_kind(hpp__haskell_census *census, const hpp__haskell_closure *closure);

/* Returns the kind UNREACHED, the last but one; the last is PINNED. */
uint32_t hpp__haskell_census_unreached(const hpp__haskell_census *census);

#endif
