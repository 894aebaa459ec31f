/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts by address: a lock-free table of fixed size, for any number of threads and signal
 * handlers. Addresses without room count as unknown.
 */
#ifndef HPP_ADDRESS_HISTOGRAM_H
#define HPP_ADDRESS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/address_bins.h"

typedef struct hpp__address_histogram {
    hpf_bin *slots; /* by hash of the address; address 0 is free */
    uint64_t unknown_count;
} hpp__address_histogram;

/* Initialises a histogram. Returns false without memory. */
bool hpp__address_histogram_init(hpp__address_histogram *places);
void hpp__address_histogram_finish(hpp__address_histogram *places);

/* Adds to the count of an address; 0 is unknown. Safe in signal handlers. */
void hpp__address_histogram_add(hpp__address_histogram *places, uint64_t address, uint64_t n);

/* Writes the counts as a file of bins. `unit` and `kind` as in hpf_bins. */
void hpp__address_histogram_write(const hpp__address_histogram *places, hpf_bins_kind kind,
                                  uint64_t unit, hpf_sink *sink);

#endif
