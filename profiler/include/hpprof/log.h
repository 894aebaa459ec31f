/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a runtime adds to the event log of its profile (-l): messages, collections, threads, sparks,
 * tasks, ticky counters, the size of the heap and the bytes allocated. Tools show them on the clock
 * of the profile (`census plot --lanes`). hpp_profiler_mark adds markers.
 *
 * Without an event log, for a profiler that is NULL, and for records that the letters after -l
 * leave out (options.h), the functions do nothing. Threads: as the
 * other functions of a profiler, call them on one thread at a time.
 */
#ifndef HPPROF_LOG_H
#define HPPROF_LOG_H

#include "hpprof/profiler.h"

HPF_BEGIN_DECLS

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

/* Memory that does not move, in segments of blocks of one size: after a collection, once for each
 * size. Written with -ln. */
typedef struct hpp_log_blocks {
    uint8_t log2_bytes; /* of a block */
    uint32_t n_active;  /* segments with room */
    uint32_t n_filled;  /* segments without */
    uint32_t n_live;    /* blocks in use */
} hpp_log_blocks;
HPF_API void hpp_log_unmoved(hpp_profiler *profiler, const hpp_log_blocks *blocks);

/* ---- Threads ---- */

typedef enum hpp_log_thread_event {
    HPP_THREAD_CREATED,
    HPP_THREAD_RUNS,
    HPP_THREAD_STOPS,    /* another may run */
    HPP_THREAD_COLLECTS, /* stops for a collection */
    HPP_THREAD_BLOCKED,  /* waits */
    HPP_THREAD_ENDED,
    HPP_THREAD_FOR_SPARKS, /* was created to evaluate sparks; with -lf */
} hpp_log_thread_event;

/* Adds an event of thread `thread`, a number that the runtime chooses. Events of one `processor`,
 * of those numbered from 0 that run threads, exclude each other: one thread runs at a time. */
HPF_API void hpp_log_thread(hpp_profiler *profiler, uint32_t thread, hpp_log_thread_event event,
                            uint16_t processor);

/* Names a thread. */
HPF_API void hpp_log_thread_name(hpp_profiler *profiler, uint32_t thread, hpf_str name);

/* A task is a thread of the system, `kernel_thread`, that runs threads on a processor. */
HPF_API void hpp_log_task_created(hpp_profiler *profiler, uint64_t task, uint16_t processor,
                                  uint64_t kernel_thread);
HPF_API void hpp_log_task_moved(hpp_profiler *profiler, uint64_t task, uint16_t from, uint16_t to);
HPF_API void hpp_log_task_ended(hpp_profiler *profiler, uint64_t task, uint16_t processor);

/* ---- Sparks: computations that may run in parallel, in a pool of each processor ---- */

typedef enum hpp_log_spark_event {
    HPP_SPARK_CREATED,
    HPP_SPARK_DUD,        /* not created: it has a value already */
    HPP_SPARK_OVERFLOWED, /* not created: the pool is full */
    HPP_SPARK_RUNS,
    HPP_SPARK_STOLEN,    /* and runs: the pool is another processor's, `from` */
    HPP_SPARK_FIZZLED,   /* left the pool, because it has got a value meanwhile */
    HPP_SPARK_COLLECTED, /* left the pool, because nothing refers to it */
} hpp_log_spark_event;

/* Adds an event of one spark. Written with -lf. */
HPF_API void hpp_log_spark(hpp_profiler *profiler, hpp_log_spark_event event, uint16_t processor,
                           uint16_t from);

/* The sparks of a processor since the program started. After each collection is often enough. */
typedef struct hpp_log_spark_counts {
    uint64_t created, duds, overflowed, converted, collected, fizzled;
    uint64_t remaining; /* in the pool now */
} hpp_log_spark_counts;
HPF_API void hpp_log_sparks(hpp_profiler *profiler, const hpp_log_spark_counts *counts,
                            uint16_t processor);

/* ---- Ticky counters: how often code was entered, and what it allocated. Written with -lT ---- */

/* Defines a counter. `kinds` has a letter for each of the arguments. Texts are cut at 1000 bytes.
 */
HPF_API void hpp_log_counter(hpp_profiler *profiler, uint64_t id, const char *name, uint16_t n_args,
                             const char *kinds);

/* What was counted since the last call. */
typedef struct hpp_log_count {
    uint64_t id, entries;
    uint64_t allocs_bytes; /* allocated by the code */
    uint64_t allocd_bytes; /* of the objects that run it, as they were allocated */
} hpp_log_count;
HPF_API void hpp_log_counts(hpp_profiler *profiler, const hpp_log_count *counts, size_t n);

HPF_END_DECLS
#endif
