/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pushes cost centres on the current stack of a thread.
 *
 * A thread remembers the result of each push as an edge: from the cell of the stack, by the cost
 * centre, to the cell of the longer stack. So a push is a look in a hash table, one store of the
 * current cell and one count. The table has open addressing; a frequent edge moves to its home
 * slot, where the inlined half finds it. The slow half asks the tree of all stacks (ccs.h).
 *
 * Threads: the one whose data is passed.
 */
#ifndef HPP_CCS_PUSH_H
#define HPP_CCS_PUSH_H

#include "ccs_thread.h"

/* Returns the home slot of an edge. Both hashes are offsets, because cells and edges have one size.
 * The number of the cell is added last, since it is available last. */
static inline hpp__edge *hpp__edge_home(const hpp__thread *t, const hpp_cell *from,
                                        const hpp_cc *centre)
{
    _Static_assert(sizeof(hpp__edge) == sizeof(hpp_cell), "offsets of cells are offsets of edges");
    size_t offset = ((uintptr_t)centre * 0x61c88647 + (uintptr_t)from) & t->edges_mask;
    return (hpp__edge *)(void *)((char *)t->edges + offset);
}

/* Makes the end of an edge the current stack, and counts an entry. */
static inline void hpp__follow_edge(hpp__thread *t, const hpp__edge *edge)
{
    hpp_cell *to = edge->to;
    HPP_RELEASE_STORE(&t->fast.current, to);
    HPP_RELAXED_STORE(&to->entries, to->entries + edge->n_entries);
}

/* Finds the edge of a push, or creates it. */
void hpp__push_slowly(hpp__thread *thread, hpp_cc *centre);

/* Pushes a cost centre, and counts an entry. */
static inline void hpp__push(hpp__thread *t, hpp_cc *centre)
{
    const hpp_cell *from = t->fast.current;
    const hpp__edge *edge = hpp__edge_home(t, from, centre);
    if (HPP_UNLIKELY(edge->from != from || edge->centre != centre)) {
        hpp__push_slowly(t, centre);
        return;
    }
    hpp__follow_edge(t, edge);
}

#endif
