/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Address bins of a native program: processor time and allocation by code address, in all of its
 * objects.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_SITE_BINS_H
#define HPP_NATIVE_COLLECTOR_PROFILE_SITE_BINS_H

#include "site_heap.h"
#include "hpfile/address_bins.h"

/* Writes the bins of the given sums to the file `path`. Allocation counts at the producer of a
 * block: allocators are skipped. Errors: IO, MEMORY. */
hpf_status hpp__site_bins_write(const char *path, hpp__site_heap *heap,
                                const hpp__window_sums *sums, hpf_bins_kind kind, uint64_t unit,
                                hpf_error *err);

#endif
