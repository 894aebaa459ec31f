/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The places that cost most, from groups of sites: groups with the same place are one, whatever
 * stacks lead there, and the heaviest of these stacks is shown.
 */
#ifndef HPP_NATIVE_TOP_H
#define HPP_NATIVE_TOP_H

#include "hpprof/collector.h"
#include "native_heap.h"

/* What is alive of a group. */
typedef struct hpp__alive {
    uint64_t bytes, blocks;
} hpp__alive;

/* Writes at most `n_most` places to `out`, largest first; returns how many. `alive` has an entry
 * for each of the first `n_alive` groups. Texts are borrowed from the heap, or written into
 * `arena`. Nothing without memory. */
size_t hpp__native_top(const hpp__native_heap *heap, const hpp__alive *alive, size_t n_alive,
                       hpp_site_figures *out, size_t n_most, hpf_arena *arena);

#endif
