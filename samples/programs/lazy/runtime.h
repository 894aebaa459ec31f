/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The runtime's state, shared by its parts: heap.c (allocation and collection), eval.c (evaluation
 * and the stack) and profile.c (the profiler).
 */
#ifndef LAZY_RUNTIME_H
#define LAZY_RUNTIME_H

#include <stdio.h>

#include "lazy.h"

enum {
    LZ_MAX_FRAMES = 120000, /* so deep the C stack goes, too: see main.c */
    LZ_MAX_SLOTS = 8 * LZ_MAX_FRAMES,
};

/* A piece of heap, filled from its beginning. A large object has a chunk to itself. */
typedef struct lz_chunk {
    struct lz_chunk *next;
    size_t capacity_bytes;
    size_t used_bytes;
    size_t scanned_bytes; /* during a collection */
    unsigned found_by;    /* a large one: the number of the last collection that reached it */
} lz_chunk;

/* What is running. */
typedef struct lz_frame {
    const lz_info *info;
    size_t first_slot;
} lz_frame;

struct lz_runtime {
    /* Heap. */
    lz_chunk *chunks;       /* oldest first */
    lz_chunk *filling;      /* the last of them */
    lz_chunk *scanning;     /* during a collection: all before it has been scavenged */
    lz_chunk *large;        /* each one object */
    lz_static *unscanned;   /* static objects that are found, and not yet scavenged */
    lz_object *weaks;       /* all weak pointers whose keys are alive */
    size_t allocated_bytes; /* since the last collection */
    size_t limit_bytes;     /* collect when that many are allocated */
    size_t nursery_bytes;   /* the least value of that */
    size_t live_bytes;      /* after the last collection, without the profiler's words */
    unsigned n_collections;
    FILE *live_log; /* gets live_bytes at each census, or NULL */

    /* Stack. */
    lz_object *slots[LZ_MAX_SLOTS];
    lz_frame frames[LZ_MAX_FRAMES];
    size_t n_slots, n_frames;
    unsigned n_pushed; /* frames so far */

    /* Profiler. */
    hpp_runtime *profile; /* NULL when nothing is asked for */
    hpp_needs needs;      /* which hooks it needs */
    hpp_options options;
    uint64_t collecting_ns; /* processor time that was not the program's */
    lz_object stack;        /* stands for the stack */
};

/* heap.c */
void lz_collect(lz_runtime *rt);
void lz_heap_finish(lz_runtime *rt);
bool lz_is_static(const lz_object *o);
size_t lz_size_bytes(const lz_object *o);

/* Overwrites a thunk by an object of one word. What is left over becomes slop: zeros. */
void lz_overwrite(lz_runtime *rt, lz_object *o, const lz_info *info, lz_object *first);

/* Visits all objects in the heap until `visit` returns something other than 0; returns that. */
typedef int lz_visit(lz_object *o, void *context);
int lz_each_object(lz_runtime *rt, lz_visit *visit, void *context);

/* A weak pointer's key and value; the next weak pointer. */
enum { LZ_WEAK_KEY, LZ_WEAK_VALUE, LZ_WEAK_NEXT, LZ_WEAK_WORDS };

/* profile.c */

/* Starts the profile that options ask for: those in the environment, then `options`. `arguments`
 * are the program's own. All is borrowed until the stop. Ends the program when the options make no
 * sense; when the profile cannot start, the program goes on without. */
void lz_profile_start(lz_runtime *rt, const char *program, const char *const *arguments,
                      size_t n_arguments, const char *options);

/* Ends it. The heap has just been collected. */
void lz_profile_stop(lz_runtime *rt);

/* Processor time of the process. */
uint64_t lz_processor_ns(void);

#endif
