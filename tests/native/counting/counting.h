/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An independent count of what a program allocates, to compare a census with. It knows nothing of
 * the profiler and shares no code with it: it wraps the malloc family, remembers the size that was
 * asked for in a plain hash table, and adds up.
 *
 * The counters lie in a file named by COUNTING_FILE, mapped and shared, so they are right at any
 * moment and however the program ends. A forked child counts in a file of its own, beginning with
 * what was live at the fork; so does a program that is executed. Files that follow the first are
 * named COUNTING_FILE.PID, and with another .PID as often as that name is taken.
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
