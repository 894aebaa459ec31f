/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a runtime adds to the event log of its profile (-l): messages, collections, threads, the
 * size of the heap and the bytes allocated. Tools show them on the clock of the profile (`census
 * plot --lanes`). hpp_profiler_mark adds markers.
 *
 * Without an event log, and for a profiler that is NULL, the functions do nothing. Threads: as the
 * other functions of a profiler, call them on one thread at a time.
 */
#ifndef HPPROF_LOG_H
#define HPPROF_LOG_H

#include "hpprof/profiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a message of the program. */
HPF_API void hpp_log_message(hpp_profiler *profiler, hpf_str text);

/* Adds the number of bytes allocated since the program started, from which tools compute the rate
 * of allocation. Once for each collection is often enough. */
HPF_API void hpp_log_allocated(hpp_profiler *profiler, uint64_t total_bytes);

/* What a collection did; 0 for what is unknown. */
typedef struct hpp_log_gc {
    uint32_t generation;   /* the oldest that was collected; 0: the youngest */
    uint64_t copied_bytes; /* or marked, where objects do not move */
    uint64_t heap_bytes;   /* of the heap afterwards, as the system sees it */
    uint64_t block_bytes;  /* of its blocks in use */
    uint64_t live_bytes;   /* of its objects, after a complete collection */
} hpp_log_gc;

/* Begin and end a collection, during which the program waits. */
HPF_API void hpp_log_gc_begin(hpp_profiler *profiler);
HPF_API void hpp_log_gc_end(hpp_profiler *profiler, const hpp_log_gc *gc);

typedef enum hpp_log_thread_event {
    HPP_THREAD_CREATED,
    HPP_THREAD_RUNS,
    HPP_THREAD_STOPS,   /* another may run */
    HPP_THREAD_BLOCKED, /* waits */
    HPP_THREAD_ENDED,
} hpp_log_thread_event;

/* Adds an event of thread `thread`, a number that the runtime chooses. Events of one `processor`,
 * of those numbered from 0 that run threads, exclude each other: one thread runs at a time. */
HPF_API void hpp_log_thread(hpp_profiler *profiler, uint32_t thread, hpp_log_thread_event event,
                            uint16_t processor);

/* Names a thread. */
HPF_API void hpp_log_thread_name(hpp_profiler *profiler, uint32_t thread, hpf_str name);

#ifdef __cplusplus
}
#endif
#endif
