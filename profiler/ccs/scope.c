/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The slow half of scopes: edges seen for the first time, scopes that a longjmp skipped, and the
 * marks that make jumps exact.
 */
#include "hpprof/scope.h"

#include <stdlib.h>

#include "ccs_thread.h"

/* ---- edges ---- */

/* Returns the home slot of an edge. Both hashes are offsets, because cells and edges have one size.
 * The number of the cell is added last, since it is available last. */
static inline hpp__edge *edge_home(const hpp__thread *t, const hpp_cell *from, const hpp_cc *centre)
{
    _Static_assert(sizeof(hpp__edge) == sizeof(hpp_cell), "offsets of cells are offsets of edges");
    size_t offset = ((uintptr_t)centre * 0x61c88647 + (uintptr_t)from) & t->edges_mask;
    return (hpp__edge *)(void *)((char *)t->edges + offset);
}

static size_t n_places(const hpp__thread *t)
{
    return t->edges_mask / sizeof *t->edges + 1;
}

/* Returns the edge, or the free place for it. */
static hpp__edge *probe(hpp__thread *t, const hpp_cell *from, const hpp_cc *centre)
{
    hpp__edge *edge = edge_home(t, from, centre);
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
    hpp__edge *home = edge_home(t, edge->from, edge->centre);
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
    bool is_counted = hpp__counts_entries() && (centre->flags & HPP_CC_UNCOUNTED) == 0;
    return remember(t, (hpp__edge){from, centre, to, is_counted});
}

/* ---- scopes ---- */

static bool is_on_stack(const hpp__thread *t, uintptr_t address)
{
    return address >= t->range.low && address < t->range.high;
}

/* A scope opens in a function whose frame is not below the innermost open scope's: that scope is of
 * the same function, or was skipped by a longjmp. Closes scopes that were certainly skipped: scopes
 * of deeper frames, and of this frame's place where the call or the scope's own place shows that it
 * is another call. */
static void close_skipped(hpp__thread *t, const hpp_frame *opened)
{
    if (t->range.high == 0) {
        t->range = hpp__find_stack();
    }
    if (!is_on_stack(t, opened->address)) {
        return;
    }
    hpp_frame *top = t->fast.top;
    while (top[-1].address < opened->address && is_on_stack(t, top[-1].address)) {
        top--;
    }
    for (hpp_frame *f = top; f[-1].address == opened->address; f--) {
        if (f[-1].return_address != opened->return_address || f[-1].place == opened->place) {
            top = f - 1;
        }
    }
    if (top < t->fast.top) {
        t->fast.top = top;
        HPP_RELEASE_STORE(&t->fast.current, top->before);
    }
}

/* Makes the thread ready to open `scope`: enrols it, finds room, closes skipped scopes. */
static hpp__thread *prepare(const hpp_scope *scope, void *frame, void *return_address)
{
    hpp__thread *t = hpp__this_thread();
    hpp_frame opened = {(uintptr_t)frame, (uintptr_t)return_address, (uintptr_t)scope, NULL};
    if (t && opened.address >= t->fast.top[-1].address) {
        close_skipped(t, &opened);
    }
    t = t ? t : hpp__lost_thread();
    if (t->fast.top == t->end) {
        t->fast.top--; /* the deepest scopes share the last place: they are found as one */
    }
    return t;
}

static inline void open_scope(hpp__thread *t, hpp_scope *scope, void *frame, void *return_address)
{
    hpp_frame *top = t->fast.top;
    hpp_cell *before = t->fast.current;
    *top = (hpp_frame){(uintptr_t)frame, (uintptr_t)return_address, (uintptr_t)scope, before};
    t->fast.top = top + 1;
    scope->before = before;
    scope->top = top;
}

static inline void follow(hpp__thread *t, const hpp__edge *edge)
{
    hpp_cell *to = edge->to;
    HPP_RELEASE_STORE(&t->fast.current, to);
    HPP_RELAXED_STORE(&to->entries, to->entries + edge->n_entries);
}

HPP_COLD static void push_slowly(hpp__thread *t, hpp_cc *centre)
{
    follow(t, find_edge(t->fast.current, centre));
}

static inline void push(hpp__thread *t, hpp_cc *centre)
{
    const hpp_cell *from = t->fast.current;
    const hpp__edge *edge = edge_home(t, from, centre);
    if (HPP_UNLIKELY(edge->from != from || edge->centre != centre)) {
        push_slowly(t, centre);
        return;
    }
    follow(t, edge);
}

void hpp__push(hpp__thread *t, hpp_cc *centre)
{
    push(t, centre);
}

HPP_COLD static void enter_slowly(hpp_scope *scope, hpp_cc *centre, void *frame,
                                  void *return_address)
{
    hpp__thread *t = prepare(scope, frame, return_address);
    open_scope(t, scope, frame, return_address);
    push(t, centre);
}

/* Slow cases are tail calls, so that the fast one saves no registers. */
void hpp_scope_enter(hpp_scope *scope, hpp_cc *centre, void *frame, void *return_address)
{
    hpp__thread *t = (hpp__thread *)hpp_this_thread;
    if (HPP_UNLIKELY(t->fast.top == t->end || (uintptr_t)frame >= t->fast.top[-1].address)) {
        enter_slowly(scope, centre, frame, return_address);
        return;
    }
    open_scope(t, scope, frame, return_address);
    push(t, centre);
}

void hpp_scope_enter_under(hpp_scope *scope, const hpp_ccs *ccs, void *frame, void *return_address)
{
    open_scope(prepare(scope, frame, return_address), scope, frame, return_address);
    hpp_ccs_set(ccs);
}

const hpp_cell *hpp__cell_above(hpp_cell *from, hpp_cc *centre)
{
    return find_edge(from, centre)->to;
}

/* ---- jumps ---- */

hpp_ccs_mark hpp_ccs_save(void)
{
    const hpp__thread *t = hpp__this_thread();
    if (!t) {
        return (hpp_ccs_mark){NULL, 0};
    }
    return (hpp_ccs_mark){t->fast.current->ccs, (size_t)(t->fast.top - t->frames)};
}

void hpp_ccs_restore(hpp_ccs_mark mark)
{
    hpp__thread *t = mark.current ? hpp__this_thread() : NULL;
    if (t) {
        if (mark.depth < (size_t)(t->fast.top - t->frames)) {
            t->fast.top = t->frames + mark.depth;
        }
        hpp__set_current(t, mark.current);
    }
}

void hpp_longjmp(hpp_jmp_buf *jump, int value)
{
    hpp_ccs_restore(jump->mark);
    longjmp(jump->environment, value);
}
