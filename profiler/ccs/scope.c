/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A scope notes the current stack when it opens, pushes its cost centre, and puts the stack back
 * when it closes (hpprof/scope.h). longjmp leaves functions without closing their scopes. Each open
 * scope has a frame with the address of its function's frame; stacks grow downwards, so a scope
 * that opens at or above the innermost frame shows that this one was skipped. Exact are only jumps
 * that restore a mark.
 */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "hpprof/scope.h"

#include <pthread.h>

#include "ccs_push.h"

/* Returns the addresses of the calling thread's stack; [1, 1), which contains no address, if they
 * are unknown. */
static hpp__stack_range find_stack(void)
{
    hpp__stack_range range = {1, 1};
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return range;
    }
    void *low;
    size_t size_bytes;
    if (pthread_attr_getstack(&attributes, &low, &size_bytes) == 0) {
        range = (hpp__stack_range){(uintptr_t)low, (uintptr_t)low + size_bytes};
    }
    pthread_attr_destroy(&attributes);
    return range;
}

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
        t->range = find_stack();
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

HPP_COLD static void enter_slowly(hpp_scope *scope, hpp_cc *centre, void *frame,
                                  void *return_address)
{
    hpp__thread *t = prepare(scope, frame, return_address);
    open_scope(t, scope, frame, return_address);
    hpp__push(t, centre);
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
    hpp__push(t, centre);
}

void hpp_scope_enter_under(hpp_scope *scope, const hpp_ccs *ccs, void *frame, void *return_address)
{
    open_scope(prepare(scope, frame, return_address), scope, frame, return_address);
    hpp_ccs_set(ccs);
}

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
