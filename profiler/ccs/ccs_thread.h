/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a thread knows of cost-centre stacks, shared between its life (ccs_thread.c) and its scopes
 * (scope.c).
 */
#ifndef HPP_CCS_THREAD_H
#define HPP_CCS_THREAD_H

#include <time.h>

#include "ccs.h"
#include "hpprof/ccs.h"
#include "thread_stack.h"

/* What a thread has spent on one stack. Written by the thread, but for `ticks`; read by all. */
struct hpp_cell {
    const hpp_ccs *ccs; /* NULL until the thread has been there */
    uint64_t entries;
    uint64_t ticks;
    uint64_t allocated_bytes;
};
typedef struct hpp_cell hpp_cell;

/* An open scope, as it is found after a longjmp. */
struct hpp_frame {
    uintptr_t address;
    uintptr_t return_address;
    uintptr_t place; /* the address of the scope */
    hpp_cell *before;
};
typedef struct hpp_frame hpp_frame;

/* Pushing `centre` on the stack of `from` leads to that of `to`. */
typedef struct hpp__edge {
    const hpp_cell *from; /* NULL: no edge */
    const hpp_cc *centre;
    hpp_cell *to;
    uint64_t n_entries; /* counted for a push: 1, or 0 for a centre that is not counted */
} hpp__edge;

typedef struct hpp__thread {
    hpp_thread fast;   /* first: hpp_this_thread points here */
    hpp_frame *end;    /* no room for frames from here; fast.top[-1] always exists */
    hpp__edge *edges;  /* by hash; most are in their home place */
    size_t edges_mask; /* of offsets in bytes */
    hpp_frame *frames; /* [0] is a sentinel above all */
    size_t n_edges;    /* in use; the table is at most half full */
    hpp_cell **chunks; /* cells by number of the stack; absent ones are NULL */
    uint32_t n_chunks;
    hpp__stack_range range;
    bool has_clock;
    clockid_t clock;      /* processor time of this thread */
    uint64_t credited_ns; /* of it, handed out as ticks */
    struct hpp__thread *next;
} hpp__thread;

/* The calling thread, enrolled first if need be; NULL without memory, and until the scopes are
 * closed that were opened without. */
hpp__thread *hpp__this_thread(void);

/* What a thread that cannot be enrolled pushes on: a place where nothing is kept. It becomes
 * hpp_this_thread. */
hpp__thread *hpp__lost_thread(void);

/* Pushes a cost centre on a thread's current stack and counts an entry. */
void hpp__push(hpp__thread *thread, hpp_cc *centre);

/* The calling thread's cell of the stack of `from` with `centre` on top. May be `from`. */
const hpp_cell *hpp__cell_above(hpp_cell *from, hpp_cc *centre);

bool hpp__counts_entries(void);

/* The thread's cell of a stack; NULL without memory for a new one. */
hpp_cell *hpp__cell_of(hpp__thread *thread, const hpp_ccs *ccs);

/* A stack could not be made, or its cell: its parent pays. */
void hpp__count_lost_stack(void);

/* Makes `ccs` the current stack of a thread. */
void hpp__set_current(hpp__thread *thread, const hpp_ccs *ccs);

#endif
