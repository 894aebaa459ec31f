/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap of a program that was not profiled, from its core file: its live blocks are found by the
 * structures of glibc's malloc (2.31 to 2.43) and of Python's allocator (3.9 to 3.15), on x86-64;
 * their types, holders and references as in a profile of a running program. Which code allocated a
 * block is not known.
 *
 * Threads: any, one call at a time for each output.
 */
#ifndef HPPROF_CORE_H
#define HPPROF_CORE_H

#include <stdint.h>

#include "hpfile/snapshot.h"

HPF_BEGIN_DECLS

/* Memory that does nothing (hpfile/waste.h); the type is cut to its size, and terminated. */
typedef struct hpp_core_waste {
    hpf_waste_kind kind;
    char type[120];
    uint64_t n_blocks, bytes;
} hpp_core_waste;

enum { HPP_CORE_MOST_WASTE = 5 };

/* What was found. Sizes of blocks are those that malloc_usable_size returns. */
typedef struct hpp_core_figures {
    size_t size;      /* of the struct (hpfile/version.h), set by the caller */
    char program[16]; /* its name, as the kernel has it: at most 15 bytes */
    long process_id;
    size_t n_threads, n_arenas;
    uint64_t live_bytes, n_live;
    uint64_t lost_bytes, n_lost;               /* of these: that no root reaches */
    uint64_t free_bytes;                       /* that the allocator keeps free */
    uint64_t cached_bytes;                     /* of these: in caches of threads and fast bins */
    uint64_t unread_bytes;                     /* of heaps, behind a chunk that is damaged */
    hpp_core_waste waste[HPP_CORE_MOST_WASTE]; /* the largest parts; the snapshot has all */
    size_t n_waste;
} hpp_core_figures;

/* Reads the core file `core` and writes its heap as the heap snapshot `out` (V8's format, which
 * census and Chromium open). Errors: IO; SYNTAX
 * if it is no core file; UNSUPPORTED for another machine or allocator; MEMORY; LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpp_core_snapshot(const char *core, const char *out,
                                                  hpp_core_figures *figures, hpf_error *err);

HPF_END_DECLS

#endif
