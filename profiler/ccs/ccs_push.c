/* SPDX-License-Identifier: BSD-2-Clause */
#include "ccs_push.h"

#include <stdlib.h>

static size_t n_places(const hpp__thread *t)
{
    return t->edges_mask / sizeof *t->edges + 1;
}

/* Returns the edge, or the free place for it. */
static hpp__edge *probe(hpp__thread *t, const hpp_cell *from, const hpp_cc *centre)
{
    hpp__edge *edge = hpp__edge_home(t, from, centre);
    const hpp__edge *end = t->edges + n_places(t);
    while (edge->from && (edge->from != from || edge->centre != centre)) {
        edge = edge + 1 == end ? t->edges : edge + 1;
    }
    return edge;
}

static bool grow_edges(hpp__thread *t)
{
    size_t n_old = n_places(t);
    hpp__edge *old = t->edges;
    hpp__edge *edges = calloc(n_old, 2 * sizeof *edges);
    if (!edges) {
        return false;
    }
    t->edges = edges;
    t->edges_mask = (2 * n_old - 1) * sizeof *edges;
    for (size_t i = 0; i < n_old; i++) {
        if (old[i].from) {
            *probe(t, old[i].from, old[i].centre) = old[i];
        }
    }
    free(old);
    return true;
}

/* An edge that there is no room to remember. */
static HPP_THREAD_LOCAL hpp__edge passing_edge;

static const hpp__edge *remember(hpp__thread *t, hpp__edge edge)
{
    bool has_room = t->n_edges < n_places(t) / 2 || grow_edges(t);
    if (!has_room) {
        passing_edge = edge;
        return &passing_edge;
    }
    t->n_edges++;
    hpp__edge *place = probe(t, edge.from, edge.centre);
    *place = edge;
    return place;
}

/* Swaps an edge with the one in its home slot, so that frequent pushes find their edge at once.
 * Both stay on their probe sequences, because all slots from either home to here are used. */
static const hpp__edge *bring_home(hpp__thread *t, hpp__edge *edge)
{
    hpp__edge *home = hpp__edge_home(t, edge->from, edge->centre);
    hpp__edge moved = *edge;
    *edge = *home;
    *home = moved;
    return home;
}

HPP_COLD static const hpp__edge *find_edge(hpp_cell *from, hpp_cc *centre)
{
    hpp__thread *t = hpp__this_thread();
    hpp__edge *known = t ? probe(t, from, centre) : NULL;
    if (known && known->from) {
        return bring_home(t, known);
    }
    const hpp_ccs *ccs = t ? hpp__ccs_child(from->ccs, centre) : NULL;
    hpp_cell *to = ccs ? hpp__cell_of(t, ccs) : NULL;
    if (!to) {
        hpp__count_lost_stack();
        passing_edge = (hpp__edge){from, centre, from, 0};
        return &passing_edge;
    }
    bool is_counted = (centre->flags & HPP_CC_UNCOUNTED) == 0;
    return remember(t, (hpp__edge){from, centre, to, is_counted});
}

HPP_COLD void hpp__push_slowly(hpp__thread *t, hpp_cc *centre)
{
    hpp__follow_edge(t, find_edge(t->fast.current, centre));
}

void hpp_ccs_enter(hpp_cc *centre)
{
    hpp__thread *t = hpp__this_thread();
    if (t) {
        hpp__push(t, centre);
    }
}

const hpp_ccs *hpp_ccs_push(const hpp_ccs *ccs, hpp_cc *centre)
{
    hpp__thread *t = hpp__this_thread();
    hpp_cell *from = t ? hpp__cell_of(t, ccs) : NULL;
    if (!from) {
        const hpp_ccs *child = hpp__ccs_child(ccs, centre);
        return child ? child : ccs;
    }
    return find_edge(from, centre)->to->ccs;
}
