/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bins: a count for each place in a program's code, for time and heap alike
 * (docs/formats/address-bins.md).
 *
 * The file is sparse: it has the places whose count is not zero, in no order, as 64-bit addresses
 * with 64-bit counts, and one count for what belongs to no known place. It is written by a program
 * that may have little memory left; so the reader sorts, and adds up what has the same address.
 * (After a proposal of H. Cejtin on the MLton list, August 2001.)
 */
#ifndef HPFILE_BINS_H
#define HPFILE_BINS_H

#include "hpfile/sink.h"
#include "hpfile/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_bin {
    uint64_t address;
    uint64_t count;
} hpf_bin;

typedef enum hpf_bins_kind {
    HPF_BINS_TIME = 1, /* counts are clock ticks of `unit` nanoseconds */
    HPF_BINS_HEAP = 2, /* counts are multiples of `unit` bytes allocated */
} hpf_bins_kind;

typedef struct hpf_bins {
    hpf_bins_kind kind;
    uint64_t unit;
    uint64_t base_address;  /* where the program was loaded: what to subtract from addresses */
    uint64_t unknown_count; /* of no known place: shared libraries, places there was no room for */
    const hpf_bin *bins;
    size_t n_bins;
} hpf_bins;

/* Writes a file. Bins with a count of 0 are left out; the order is that of the array. */
HPF_API void hpf_bins_write(hpf_sink *sink, const hpf_bins *bins);

/* Reads a file: bins by address, increasing, each address once. Sums that do not fit are as large
 * as can be. `out->bins` is the caller's, to be freed with hpf_bins_finish. Errors: those of the
 * source; SYNTAX with the offset; VERSION; MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_bins_read(hpf_bins *out, hpf_source *source, hpf_error *err);

/* Frees what hpf_bins_read has made. */
HPF_API void hpf_bins_finish(hpf_bins *bins);

#ifdef __cplusplus
}
#endif
#endif
