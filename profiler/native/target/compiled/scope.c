/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scopes (hpprof/scope.h) of programs that `census cc` compiled. Under `census run` they are kept
 * by the preloaded library (preload/function_hooks.c); else they are empty. A program that links
 * the profiler itself has the scopes of that.
 *
 * A stack (hpp_ccs) is the number of a node, and hpp_thread the beginning of the preloaded
 * library's data of the thread.
 */
#include "hpprof/scope.h"

#include "census/hook.h"

HPP_THREAD_LOCAL hpp_thread *hpp_this_thread;
static HPP_THREAD_LOCAL hpp_thread idle_thread;

/* What the end of a scope restores, as the preloaded library stores it. */
typedef struct restored {
    struct hpp_cell *before;
    struct hpp_frame *top;
} restored;

/* Finds the calling thread's stack. Returns false if there is none. */
static inline bool find_thread(void)
{
    void *(*find)(void);
    CENSUS_FIND_HOOK(find, census_scopes);
    hpp_thread *thread = find ? find() : NULL;
    hpp_this_thread = thread ? thread : &idle_thread;
    return thread != NULL;
}

static inline void keep(hpp_scope *scope, restored words)
{
    scope->before = words.before;
    scope->top = words.top;
}

void hpp_scope_enter(hpp_scope *scope, hpp_cc *centre, void *frame, void *return_address)
{
    void (*enter)(restored * out, uint32_t * number, const char *const texts[3],
                  void *frame_pointer, void *address);
    restored words = {NULL, NULL};
    if (find_thread()) {
        CENSUS_FIND_HOOK(enter, census_scope_enter);
        const char *const texts[3] = {centre->label, centre->module, centre->srcloc};
        enter(&words, &centre->id, texts, frame, return_address);
    }
    keep(scope, words);
}

void hpp_scope_enter_under(hpp_scope *scope, const hpp_ccs *ccs, void *frame, void *return_address)
{
    void (*enter)(restored * out, uint32_t node, void *frame_pointer, void *address);
    restored words = {NULL, NULL};
    if (find_thread()) {
        CENSUS_FIND_HOOK(enter, census_scope_enter_under);
        enter(&words, (uint32_t)(uintptr_t)ccs, frame, return_address);
    }
    keep(scope, words);
}

const hpp_ccs *hpp_ccs_current(void)
{
    return find_thread() ? (const hpp_ccs *)(uintptr_t)hpp_this_thread->current : NULL;
}

hpp_ccs_mark hpp_ccs_save(void)
{
    find_thread();
    return (hpp_ccs_mark){(const hpp_ccs *)(uintptr_t)hpp_this_thread->current,
                          (size_t)(uintptr_t)hpp_this_thread->top};
}

void hpp_ccs_restore(hpp_ccs_mark mark)
{
    if (find_thread() && (uintptr_t)hpp_this_thread->top > mark.depth) {
        hpp_this_thread->top = (struct hpp_frame *)mark.depth; /* NOLINT: was a pointer */
        hpp_this_thread->current = (struct hpp_cell *)(uintptr_t)mark.current;
    }
}

void hpp_longjmp(hpp_jmp_buf *jump, int value)
{
    hpp_ccs_restore(jump->mark);
    longjmp(jump->environment, value);
}
