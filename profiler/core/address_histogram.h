/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts by address while the program runs: a table of fixed size that signal handlers and any
 * number of threads add to without locks. What finds no room goes to the unknown count.
 */
#ifndef HPP_PLACES_H
#define HPP_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/bins.h"

typedef struct hpp__places {
    hpf_bin *slots; /* by hash of the address; address 0 is free */
    uint64_t unknown_count;
} hpp__places;

/* False without memory. */
bool hpp__places_init(hpp__places *places);
void hpp__places_finish(hpp__places *places);

/* Adds to the count of an address; 0 is unknown. Safe in signal handlers. */
void hpp__places_add(hpp__places *places, uint64_t address, uint64_t n);

/* The counts as a file of bins. `unit` and `kind` as in hpf_bins. */
void hpp__places_write(const hpp__places *places, hpf_bins_kind kind, uint64_t unit,
                       hpf_sink *sink);

/* Whether an address is in the program itself, not in a shared library. */
bool hpp__places_is_own(uint64_t address);

#endif
