/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cost-centre stacks of a thread: its counters, for its start and end (ccs_thread.c), for
 * pushes (ccs_push.h) and for scopes (scope.c).
 */
#ifndef HPP_CCS_THREAD_H
#define HPP_CCS_THREAD_H

#include <time.h>

#include "ccs.h"
#include "hpprof/ccs.h"

/* The costs of one stack in one thread. Only the thread writes them, except `ticks`; all threads
 * read them. */
struct hpp_cell {
    const hpp_ccs *ccs; /* NULL until the thread has used the stack */
    uint64_t entries;
    uint64_t ticks;
    uint64_t allocated_bytes;
};
typedef struct hpp_cell hpp_cell;

/* An open scope; detects scopes that a longjmp skipped. */
struct hpp_frame {
    uintptr_t address;
    uintptr_t return_address;
    uintptr_t place; /* the address of the scope */
    hpp_cell *before;
};
typedef struct hpp_frame hpp_frame;

/* The result of a push: `centre` on the stack of `from` gives the stack of `to`. */
typedef struct hpp__edge {
    const hpp_cell *from; /* NULL: no edge */
    const hpp_cc *centre;
    hpp_cell *to;
    uint64_t n_entries; /* entries per push: 1, or 0 for HPP_CC_UNCOUNTED */
} hpp__edge;

/* The addresses [low, high) of the stack of a thread. */
typedef struct hpp__stack_range {
    uintptr_t low, high;
} hpp__stack_range;

typedef struct hpp__thread {
    hpp_thread fast;   /* first: hpp_this_thread points here */
    hpp_frame *end;    /* of the room for frames; fast.top[-1] always exists */
    hpp__edge *edges;  /* hash table */
    size_t edges_mask; /* of offsets in bytes */
    hpp_frame *frames; /* [0] is a sentinel above all */
    size_t n_edges;    /* in use; the table is at most half full */
    hpp_cell **chunks; /* cells by id of the stack; missing ones are NULL */
    uint32_t n_chunks;
    hpp__stack_range range;
    bool has_clock;
    clockid_t clock;      /* processor time of this thread */
    uint64_t credited_ns; /* of it, already charged as ticks */
    struct hpp__thread *next;
} hpp__thread;

/* Returns the calling thread's data, and creates it at the first call. Returns NULL without memory,
 * and then until the scopes that were opened without it are closed. */
hpp__thread *hpp__this_thread(void);

/* Sets hpp_this_thread to dummy data, for a thread without memory, and returns it. Its costs are
 * lost. */
hpp__thread *hpp__lost_thread(void);

/* Returns the thread's cell of a stack; NULL without memory for a new one. */
hpp_cell *hpp__cell_of(hpp__thread *thread, const hpp_ccs *ccs);

/* Counts a stack or cell that could not be created; its costs go to the parent. */
void hpp__count_lost_stack(void);

/* Makes `ccs` the current stack of a thread. */
void hpp__set_current(hpp__thread *thread, const hpp_ccs *ccs);

#endif
