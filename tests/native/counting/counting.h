/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An independent count of a program's allocations, to compare a census with. It shares no code with
 * the profiler: it wraps the malloc family, stores each requested size in a plain hash table, and
 * adds them up.
 *
 * The counters are in a shared mapping of the file COUNTING_FILE, so they are right at any moment,
 * even after a crash. A forked child has its own file, which starts with the live blocks of the
 * fork; so does an executed program. Later files are named COUNTING_FILE.PID; while a file of that
 * name exists, another .PID is appended.
 *
 * If COUNTING_BLOCKS is set, the table of live blocks is in a new file of that name: buckets of 15
 * pairs of address and size, and a word more. Sizes are then those of malloc_usable_size. The
 * program must not fork.
 *
 * Linked into a program it sees each call before a preloaded library does; as a preloaded library,
 * it counts programs as they are. tests/native/harness.py reads the file.
 */
#ifndef CENSUS_TESTS_COUNTING_H
#define CENSUS_TESTS_COUNTING_H

#include <stdatomic.h>
#include <stdint.h>

enum { COUNTING_MALLOC, COUNTING_CALLOC, COUNTING_REALLOC, COUNTING_ALIGNED, COUNTING_N_CALLS };

/* A realloc that moves or resizes a block is a free and an allocation. Calls that fail, and frees
 * of NULL, do not count. Live bytes are asked_bytes - freed_bytes. */
typedef struct counting {
    _Atomic uint64_t allocations, asked_bytes;
    _Atomic uint64_t frees, freed_bytes;
    _Atomic uint64_t strangers;                  /* freed, but not known: must stay 0 */
    _Atomic uint64_t inherited, inherited_bytes; /* of a forked child: part of the first two */
    _Atomic uint64_t by_call[COUNTING_N_CALLS];
} counting;

#endif
