/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts by address. A slot is taken by one compare-and-swap of its address and never given back.
 */
#include "address_histogram.h"

#include <stdlib.h>

#include "hpprof/compiler.h"

enum {
    N_SLOTS = 1 << 16,
    MAX_PROBES = 64,
};

/* Where the linker puts the program; absent in some links, and then the addresses are NULL. */
extern const char __executable_start[] HPP_WEAK_SYMBOL;
extern const char etext[] HPP_WEAK_SYMBOL;

static uint64_t base_address(void)
{
    return (uintptr_t)__executable_start;
}

bool hpp__address_is_own(uint64_t address)
{
    uint64_t end = (uintptr_t)etext;
    return end == 0 || (address >= base_address() && address < end);
}

bool hpp__address_histogram_init(hpp__address_histogram *places)
{
    *places = (hpp__address_histogram){calloc(N_SLOTS, sizeof *places->slots), 0};
    return places->slots != NULL;
}

void hpp__address_histogram_finish(hpp__address_histogram *places)
{
    free(places->slots);
    places->slots = NULL;
}

/* The slot of an address, taken if need be; NULL when there is none near its hash. */
static hpf_bin *find(hpp__address_histogram *places, uint64_t address)
{
    size_t home = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    for (size_t i = 0; i < MAX_PROBES; i++) {
        hpf_bin *slot = &places->slots[(home + i) % N_SLOTS];
        uint64_t taken = HPP_RELAXED_LOAD(&slot->address);
        if (taken == address ||
            (taken == 0 && HPP_RELAXED_REPLACE(&slot->address, &taken, address)) ||
            taken == address) {
            return slot;
        }
    }
    return NULL;
}

void hpp__address_histogram_add(hpp__address_histogram *places, uint64_t address, uint64_t n)
{
    hpf_bin *slot = address != 0 && places->slots ? find(places, address) : NULL;
    HPP_RELAXED_ADD(slot ? &slot->count : &places->unknown_count, n);
}

void hpp__address_histogram_write(const hpp__address_histogram *places, hpf_bins_kind kind,
                                  uint64_t unit, hpf_sink *sink)
{
    hpf_bins bins = {.kind = kind,
                     .unit = unit,
                     .base_address = base_address(),
                     .unknown_count = HPP_RELAXED_LOAD(&places->unknown_count),
                     .bins = places->slots,
                     .n_bins = places->slots ? N_SLOTS : 0};
    hpf_bins_write(sink, &bins);
}
