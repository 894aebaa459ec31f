/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The runtime's state, shared by its parts: heap.c (allocation and collection), eval.c (evaluation
 * and the stack) and profile.c (the profiler).
 */
#ifndef LAZY_RUNTIME_H
#define LAZY_RUNTIME_H

#include <pthread.h>
#include <stdio.h>

#include "hpprof/log.h"
#include "lazy.h"

enum {
    LZ_MAX_FRAMES = 120000, /* the C stack has room for as many: see main.c */
    LZ_MAX_SLOTS = 8 * LZ_MAX_FRAMES,
    LZ_FORK_FRAMES = 1000, /* of a thread that lz_fork creates */
    LZ_MAX_SPARKS = 4096,
};

/* A piece of the heap, filled from its beginning. A large object has a chunk of its own. */
typedef struct lz_chunk {
    struct lz_chunk *next;
    size_t capacity_bytes;
    size_t used_bytes;
    size_t scanned_bytes; /* during a collection */
    unsigned found_by;    /* of a large object: number of the last collection that reached it */
    bool has_survivors;   /* some objects are older than the last collection */
} lz_chunk;

/* A thunk or function whose code is running. */
typedef struct lz_frame {
    const lz_info *info;
    size_t first_slot;
} lz_frame;

/* A lz_try that is running. */
typedef struct lz_handler {
    hpp_jmp_buf jump;
    size_t n_frames;     /* of the thread, when it began */
    const char *message; /* of the exception; NULL: none yet */
    struct lz_handler *outer;
} lz_handler;

/* A thread of the language is a thread of the system that waits until it is its turn. */
typedef struct lz_thread {
    lz_object tso, stack; /* represent the thread and its stack in profiles */
    lz_object **slots;
    lz_frame *frames;
    size_t max_slots, max_frames, n_slots, n_frames;
    struct lz_thread *next; /* in a ring of all threads */
    lz_runtime *rt;
    lz_handler *handler; /* the innermost; NULL: none */
    uint32_t id;         /* Profiler: in the event log; from 1 */
} lz_thread;

/* Thunks that are not evaluated yet, which the pool does not keep alive. */
typedef struct lz_spark_pool {
    lz_object *thunks[LZ_MAX_SPARKS];
    hpp_log_spark_counts counts;
} lz_spark_pool;

/* A reading of the clocks, or a time. */
typedef struct lz_moment {
    uint64_t cpu_ns, elapsed_ns;
} lz_moment;

/* For -s and -S. */
typedef struct lz_stats {
    FILE *out;        /* NULL: none are wanted */
    bool prints_each; /* collection */
    lz_moment begun, collector, profiler;
    uint64_t longest_pause_ns, copied_bytes, most_live_bytes, memory_bytes;
} lz_stats;

struct lz_runtime {
    /* Heap. */
    lz_chunk *chunks;       /* oldest first */
    lz_chunk *filling;      /* the last of them */
    lz_chunk *scanning;     /* during a collection: chunks before it are scavenged */
    lz_chunk *large;        /* one object in each */
    lz_static *unscanned;   /* static objects that are reached, but not yet scavenged */
    lz_object *weaks;       /* all weak pointers whose keys are alive */
    lz_object **finalizers; /* that are due */
    size_t n_finalizers, finalizers_capacity;
    size_t allocated_bytes; /* since the last collection */
    size_t limit_bytes;     /* collect after allocating this many */
    size_t nursery_bytes;   /* minimum of limit_bytes */
    double growth;          /* size at the next collection / live bytes; -F */
    uint64_t total_bytes;   /* allocated before the last collection */
    size_t live_bytes;      /* after the last collection, without the profiler's words */
    unsigned n_collections;
    lz_stats stats;
    FILE *live_log; /* gets live_bytes at each census, or NULL */

    /* Threads and their stacks. */
    lz_thread main_thread;
    lz_thread *running;
    pthread_mutex_t turn_mutex; /* held by the running thread */
    pthread_cond_t turn_changed;
    lz_object *main_slots[LZ_MAX_SLOTS];
    lz_frame main_frames[LZ_MAX_FRAMES];
    unsigned n_pushed;  /* frames so far */
    uint32_t n_threads; /* created so far */
    lz_spark_pool sparks;

    /* Profiler. */
    hpp_runtime *profile;   /* NULL without a profile */
    hpp_needs needs;        /* hooks that the profile needs */
    hpp_options *options;   /* NULL without memory */
    bool counts_entries;    /* the event log has ticky counters */
    uint64_t collecting_ns; /* processor time of the collector */
};

/* heap.c */
void lz_collect(lz_runtime *rt);
void lz_heap_finish(lz_runtime *rt);
bool lz_is_static(const lz_object *o);
size_t lz_size_bytes(const lz_object *o);

/* Overwrites a thunk with an object of one word, and the rest of its space with zeros (slop). */
void lz_overwrite(lz_runtime *rt, lz_object *o, const lz_info *info, lz_object *first);

/* Visits all objects in the heap until `visit` returns another value than 0, and returns it. */
typedef int lz_visit(lz_object *o, void *context);
int lz_each_object(lz_runtime *rt, lz_visit *visit, void *context);

/* Payload of a weak pointer. */
enum { LZ_WEAK_KEY, LZ_WEAK_VALUE, LZ_WEAK_FINALIZER, LZ_WEAK_NEXT, LZ_WEAK_WORDS };

/* thread.c */
void lz_threads_start(lz_runtime *rt);

/* Creates a thread that runs the finalizers that are due, if there are any. */
void lz_finalizers_start(lz_runtime *rt);

/* spark.c */

/* Creates a thread that evaluates the sparks, if there are any. */
void lz_sparks_start(lz_runtime *rt);

/* Removes sparks that are dead or have values, at the end of a collection. `moved` returns the
 * new place of an object, or NULL if it is dead. */
void lz_sparks_moved(lz_runtime *rt, lz_object *moved(lz_object *o));

/* ticky.c: count that code is entered, that an object of a class is allocated; report what was
 * counted since the last report. */
void lz_ticky_entered(lz_runtime *rt, const lz_info *info);
void lz_ticky_allocated(lz_runtime *rt, const lz_info *info, size_t n_bytes);
void lz_ticky_report(lz_runtime *rt);

/* stats.c: begins; adds a collection, or a census, that began at a moment; prints with -s. */
lz_moment lz_now(void);
void lz_stats_start(lz_runtime *rt);
void lz_stats_collected(lz_runtime *rt, lz_moment begun, uint64_t memory_bytes);
void lz_stats_profiled(lz_runtime *rt, lz_moment begun);
void lz_stats_print(lz_runtime *rt);

/* profile.c */

/* Initialises what represents a new thread in profiles; its producer is the current stack. Ends it.
 */
void lz_profile_thread(lz_runtime *rt, lz_thread *t, const char *name);
void lz_profile_thread_end(lz_runtime *rt, lz_thread *t);

/* Notes in the event log that a thread of the system runs a thread of the language. */
void lz_profile_task(lz_runtime *rt, const lz_thread *t);

/* Note in the event log that the running thread stops, and that another one runs. */
void lz_profile_stops(lz_runtime *rt, hpp_log_thread_event why);
void lz_profile_runs(lz_runtime *rt);

/* Starts a profile with the options in HPP_OPTIONS, then `options`. `arguments` are the arguments
 * of the program. All texts are borrowed until lz_profile_stop. Exits if the options are invalid.
 * If the profile cannot start, prints a warning, and the program runs without a profile. */
void lz_profile_start(lz_runtime *rt, const char *program, const char *const *arguments,
                      size_t n_arguments, const char *options);

/* Ends the profile. Garbage must have been collected immediately before. */
void lz_profile_stop(lz_runtime *rt);

/* Returns the processor time of the process. */
uint64_t lz_processor_ns(void);

#endif
