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
} hpp__haskell_census;

/* Takes a census. Call hpp__haskell_census_finish in any case. */
hpp__haskell_found hpp__haskell_census_take(hpp__haskell_census *census, const hpp__image *image,
                                            const hpp_haskell_layout *layout,
                                            hpp__haskell_stables stables);
void hpp__haskell_census_finish(hpp__haskell_census *census);

/* Visits the sums of reached closures; several may have the same name. */
typedef void hpp__haskell_visit(hpf_str name, uint64_t n_bytes, uint64_t n_closures, void *context);
void hpp__haskell_census_each(hpp__haskell_census *census, hpp__haskell_visit *visit,
                              void *context);

#endif
