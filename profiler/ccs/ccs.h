/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost-centre stacks inside the library: the one tree of stacks (ccs.c), and what each thread keeps
 * about them (ccs_thread.c).
 *
 * The tree is shared, and grows under a lock. A thread has a cell of counters for each stack that
 * it has been on, and a table that leads from a cell and a cost centre to the cell of the stack
 * above. So after the first time, a push takes no lock and touches nothing that another thread
 * writes. What a stack costs is the sum of its cells.
 */
#ifndef HPP_CCS_INTERNAL_H
#define HPP_CCS_INTERNAL_H

#include "hpprof/ccs.h"

struct hpp_ccs {
    hpp_cc *centre;
    const hpp_ccs *parent; /* NULL for MAIN */
    const hpp_ccs *root; /* MAIN, or the CAF at the bottom: stacks with other roots share nothing */
    uint32_t depth;
    uint32_t id;
    hpp_costs *retired; /* what threads that have ended, or could not be tracked, spent here */
};

/* The stack `parent` with `centre` on top: the same one, one cut back to `centre`, a known child or
 * a new one. NULL when there is no memory for a new one. */
const hpp_ccs *hpp__ccs_child(const hpp_ccs *parent, hpp_cc *centre);

/* "*** `what` (reporting due to -xc), stack trace:" and the current stack. Safe in signal handlers.
 */
void hpp__print_exception(const char *what, int fd);

/* Keep the tree still while the process forks. */
void hpp__ccs_lock(void);
void hpp__ccs_unlock(void);

/* Charges each thread's current stack with the processor time that it has used since the last call,
 * in whole ticks; what is left over counts next time. A tick lasts `tick_ns`. */
void hpp__threads_tick(uint64_t tick_ns);

/* Charges all threads' processor time up to now to nobody. */
void hpp__threads_skip_time(void);

#endif
