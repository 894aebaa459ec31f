/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The private side of cost-centre stacks: the tree of stacks (ccs.c) and the data of each thread
 * (ccs_thread.c).
 *
 * All threads share the tree, which grows under a lock. A thread has a cell of counters for each
 * stack that it has used, and a table from a cell and a cost centre to the cell of the resulting
 * stack. So a repeated push takes no lock and touches no memory that other threads write. The cost
 * of a stack is the sum of its cells.
 */
#ifndef HPP_CCS_H
#define HPP_CCS_H

#include "hpprof/ccs.h"

typedef struct hpp_costs {
    uint64_t entries;
    uint64_t ticks;
    uint64_t allocated_bytes;
} hpp_costs;

struct hpp_ccs {
    hpp_cc *centre;
    const hpp_ccs *parent; /* NULL for MAIN */
    uint32_t depth;
    uint32_t id;
    hpp_costs *retired; /* costs of threads that have ended or have no cells */
};

/* Returns the stack `parent` with `centre` on top: a child, or `parent` cut back to `centre`.
 * Returns NULL without memory for a new child. */
const hpp_ccs *hpp__ccs_child(const hpp_ccs *parent, hpp_cc *centre);

/* Prints "*** `what` (reporting due to -xc), stack trace:" and the current stack. Safe in signal
 * handlers. */
void hpp__print_exception(const char *what, int fd);

/* Install and remove a handler of SIGABRT that prints the raising thread's cost-centre stack to
 * standard error (-xc), then does what the earlier handler did. */
void hpp__ccs_abort_watch(void);
void hpp__ccs_abort_unwatch(void);

/* Lock the tree while the process forks. */
void hpp__ccs_lock(void);
void hpp__ccs_unlock(void);

/* Charges each thread's processor time since the last call to its current stack, in whole ticks of
 * `tick_ns`. The remainder counts in the next call. */
void hpp__threads_tick(uint64_t tick_ns);

/* Drops the processor time of all threads since the last call. */
void hpp__threads_skip_time(void);

/* Return the top of a stack, the stack below it (NULL for MAIN), and its id: from 1 in order of
 * creation, parents before children. */
const hpp_cc *hpp_ccs_centre(const hpp_ccs *ccs);
const hpp_ccs *hpp_ccs_parent(const hpp_ccs *ccs);
uint32_t hpp_ccs_id(const hpp_ccs *ccs);

/* Return the number of stacks, and the stack with an id; NULL if there is none. */
uint32_t hpp_ccs_count(void);
const hpp_ccs *hpp_ccs_by_id(uint32_t id);

/* Returns the newest registered cost centre; hpp_cc.next is the next older one, or NULL. */
const hpp_cc *hpp_cc_newest(void);

/* Returns the individual costs of a stack so far, summed over all threads. */
hpp_costs hpp_ccs_costs(const hpp_ccs *ccs);

/* What is missing for lack of memory: stacks that could not be created (their costs go to the
 * parent), and threads without counters (entries and ticks are lost, allocation goes to MAIN). */
typedef struct hpp_losses {
    uint64_t stacks;
    uint64_t threads;
} hpp_losses;
hpp_losses hpp_ccs_losses(void);

#endif
