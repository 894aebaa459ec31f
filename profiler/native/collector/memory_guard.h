/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Limits the memory of the profiler in a program. From nine tenths of the limit on, the program
 * keeps no new stacks; from the limit on, it counts no new blocks. This is final, since the memory
 * is never freed.
 */
#ifndef HPP_NATIVE_COLLECTOR_MEMORY_GUARD_H
#define HPP_NATIVE_COLLECTOR_MEMORY_GUARD_H

#include "native/window/window_reader.h"

typedef struct hpp__memory_guard {
    uint64_t max_bytes;   /* 0: no limit */
    uint32_t max_percent; /* of the program's own resident set, at least 16 MiB; 0: no limit */
    uint32_t control;     /* HPP_CONTROL_ values set so far */
    uint64_t table_bytes; /* the table of blocks, as last measured */
    uint64_t measured_ns;
    bool was_measured;
} hpp__memory_guard;

/* Returns the profiler's memory in bytes: the window `file`, and the table of blocks, which is
 * measured at most once a second; -1 if it is unknown. */
double hpp__memory_guard_measure(hpp__memory_guard *guard, const hpp__window_reader *reader,
                                 int file, uint32_t process_id, uint64_t now_ns);

/* Returns the HPP_CONTROL_ values to set now. */
uint32_t hpp__memory_guard_judge(hpp__memory_guard *guard, double profiler_bytes,
                                 double resident_bytes);

#endif
