/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the resident set of a program is made of: the rows of a HEAP_PROF_RESIDENT record of an
 * event log, which `census run --resident` writes.
 */
#ifndef HPFILE_RESIDENT_H
#define HPFILE_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

/* The parts, whose sum is the resident set. */
typedef enum hpf_resident_part {
    HPF_RESIDENT_LIVE,      /* live blocks */
    HPF_RESIDENT_GAPS,      /* the rest of pages with live blocks */
    HPF_RESIDENT_FREE,      /* pages of allocators without live blocks */
    HPF_RESIDENT_MAPPED,    /* that the program mapped itself */
    HPF_RESIDENT_STACKS,    /* of threads */
    HPF_RESIDENT_LIBRARIES, /* files with code: the program and its libraries */
    HPF_RESIDENT_FILES,     /* other mapped files */
    HPF_RESIDENT_SHARED,    /* shared memory */
    HPF_RESIDENT_OTHER,     /* other anonymous memory: tables of allocators */
    HPF_RESIDENT_PROFILER,
    /* In place of GAPS, FREE and OTHER, where a sample of the blocks is known, or those since
     * census attached: what is not in known blocks. */
    HPF_RESIDENT_REST,
    HPF_RESIDENT_BEFORE, /* the same, with all that there was before */
    HPF_N_RESIDENT_PARTS
} hpf_resident_part;

HPF_API const char *hpf_resident_part_name(hpf_resident_part part);

/* The sizes of ranges of addresses that may be pinned: 4 KiB, 64 KiB, 2 MiB. */
enum { HPF_N_PINNED = 3 };
HPF_API uint64_t hpf_pinned_range_bytes(size_t range);

/* A row is: its kind in one byte, two amounts of eight bytes, a name and a NUL. */
enum {
    HPF_RESIDENT_ROW_PART,        /* a part: bytes of the resident and the proportional set */
    HPF_RESIDENT_ROW_PAGE_TABLES, /* the page tables of the process, which are in no set */
    /* and more, for each size of range: ranges of which less than a tenth is live, by site of the
     * live blocks in them: bytes that are not live, and bytes that are */
    HPF_RESIDENT_ROW_PINNED,
    /* The margin of error (95 %) of the live blocks, and so of REST and BEFORE, in both sets, which
     * is at most as large in the second one; none if blocks are no sample. */
    HPF_RESIDENT_ROW_MARGIN = HPF_RESIDENT_ROW_PINNED + HPF_N_PINNED,
};

typedef struct hpf_resident_row {
    unsigned kind;
    uint64_t bytes, second_bytes;
    hpf_str name; /* borrowed */
} hpf_resident_row;

/* Removes the next row from the payload of a record. Returns false if there is none. */
HPF_API bool hpf_resident_take_row(hpf_resident_row *row, hpf_str *rest);

HPF_END_DECLS
#endif
