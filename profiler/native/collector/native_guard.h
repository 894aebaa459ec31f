/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory that the profiler takes in a program, and the limit that the user has set for it. From
 * nine tenths of the limit on the program is asked to keep no new stacks, and from the limit on to
 * count no new blocks. It is asked once: memory is never given back.
 */
#ifndef HPP_NATIVE_GUARD_H
#define HPP_NATIVE_GUARD_H

#include "native/window/window_reader.h"

typedef struct hpp__native_guard {
    uint64_t max_bytes;   /* 0: no limit */
    uint32_t max_percent; /* of the program's own resident set, but 16 MiB at least; 0: no limit */
    uint32_t control;     /* HPP_CONTROL_ values that the program was given */
    uint64_t table_bytes; /* the table of blocks, as last measured */
    uint64_t measured_ns;
    bool was_measured;
} hpp__native_guard;

/* What the profiler takes: the window `file`, and the table of blocks, which is measured at most
 * once a second. -1 when it cannot be told. */
double hpp__native_guard_measure(hpp__native_guard *guard, const hpp__window_reader *reader,
                                 int file, uint32_t process_id, uint64_t now_ns);

/* The HPP_CONTROL_ values that the program should have now. */
uint32_t hpp__native_guard_judge(hpp__native_guard *guard, double profiler_bytes,
                                 double resident_bytes);

#endif
