/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Address bins: a count for each address in a program's code, for time and heap alike
 * (docs/formats/address-bins.md).
 *
 * The file is sparse: it has the addresses with a count above zero, unsorted, with 64-bit counts,
 * and one count for unknown addresses. Its writer may have little memory left,
 * so the reader sorts and adds up equal addresses. (After a proposal of H. Cejtin on the MLton
 * list, August 2001.) The objects at the end of the file tell which function an address is in.
 */
#ifndef HPFILE_ADDRESS_BINS_H
#define HPFILE_ADDRESS_BINS_H

#include "hpfile/sink.h"
#include "hpfile/source.h"

HPF_BEGIN_DECLS

typedef struct hpf_bin {
    uint64_t address;
    uint64_t count;
} hpf_bin;

typedef enum hpf_bins_kind {
    HPF_BINS_TIME = 1, /* counts are clock ticks of `unit` nanoseconds */
    HPF_BINS_HEAP = 2, /* counts are multiples of `unit` bytes allocated */
} hpf_bins_kind;

/* An executable or shared library of the program. */
typedef struct hpf_bins_object {
    uint64_t start, end; /* addresses of its code in memory: start <= address < end */
    uint64_t bias;       /* address minus bias is the virtual address in the file */
    hpf_str path;
    hpf_str build_id; /* bytes; empty: none */
} hpf_bins_object;

typedef struct hpf_bins {
    hpf_bins_kind kind;
    uint64_t unit;
    uint64_t unknown_count; /* of events without an address, and without room for a bin */
    const hpf_bin *bins;
    size_t n_bins;
    const hpf_bins_object *objects; /* the executable first */
    size_t n_objects;
    char *texts; /* of the objects that hpf_bins_read returns, else NULL */
} hpf_bins;

/* Returns whether a file that begins with `bytes` is a file of bins. */
HPF_API bool hpf_bins_is_file(hpf_str bytes);

/* Writes a file. Skips bins with a count of 0; keeps the order of the array. */
HPF_API void hpf_bins_write(hpf_sink *sink, const hpf_bins *bins);

/* Reads a file: bins in increasing order, each address once. Sums that overflow are UINT64_MAX.
 * Free `out` with hpf_bins_finish. Errors: from the source; SYNTAX with the offset; VERSION;
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_bins_read(hpf_bins *out, hpf_source *source, hpf_error *err);

/* Frees what hpf_bins_read allocated. */
HPF_API void hpf_bins_finish(hpf_bins *bins);

HPF_END_DECLS
#endif
