/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scopes: statements that run under a cost centre of their own.
 *
 * Entering a scope looks the stack above up in a table of the thread, counts an entry, and notes
 * where the scope is, outside of the C stack. Leaving it restores what was current before, whatever
 * happened in between.
 */
#ifndef HPPROF_SCOPE_H
#define HPPROF_SCOPE_H

#include <setjmp.h>

#include "hpprof/ccs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The module of the cost centres that scopes define. A source file may define its own before. */
#ifndef HPP_MODULE
#define HPP_MODULE __FILE__
#endif

/* HPP_SCC("name") { ... }
 *
 * Runs the statement under a new cost centre. The stack is restored when the statement ends and
 * when it is left by return, goto or break. The statement is a loop of one turn: break and continue
 * leave it, not a loop around it; where that matters, use HPP_SCC_HERE. For longjmp see below. */
#define HPP_SCC(label) HPP_SCOPE_(__COUNTER__, hpp_scope_enter, HPP_CC_HERE_(label))

/* HPP_SCC_HERE("name"); among the declarations of a block: from here to the end of the block, with
 * break, continue, return and goto as usual. */
#define HPP_SCC_HERE(label) HPP_HERE_(__COUNTER__, HPP_CC_HERE_(label))

/* HPP_SCC_OF(&centre) { ... }: like HPP_SCC, with a cost centre defined elsewhere. */
#define HPP_SCC_OF(centre) HPP_SCOPE_(__COUNTER__, hpp_scope_enter, (centre))

/* HPP_UNDER(ccs) { ... }: runs the statement under a stack captured earlier: the evaluation of a
 * thunk. No entry is counted. */
#define HPP_UNDER(ccs) HPP_SCOPE_(__COUNTER__, hpp_scope_enter_under, (ccs))

/* ---- longjmp ------------------------------------------------------------------------------- */

/* longjmp skips the ends of scopes. Three remedies, best first:
 *
 * 1. An hpp_jmp_buf: `if (setjmp(HPP_JMP_MARK(&jump)) == 0) {...}` and `hpp_longjmp(&jump, 1)`.
 *    When setjmp returns again, the stack is the one that it was.
 * 2. `hpp_ccs_mark mark = hpp_ccs_save();` before a foreign setjmp, and hpp_ccs_restore(mark) where
 *    it has returned non-zero.
 * 3. Nothing. The next scope that opens finds the skipped ones: by frames that are deeper than its
 *    own; by frames at the same address that return elsewhere, hence of another call; by its own
 *    place, taken. And any scope around the setjmp restores its stack when it ends. Between the
 *    landing and that moment the skipped scopes pay. What stays hidden are skipped scopes of the
 *    very function that called setjmp, those of a call no deeper than the next scope's, and those
 *    more than 65,000 scopes deep.
 *
 * Frames are compared on the thread's own stack only: a coroutine library calls hpp_ccs_save and
 * hpp_ccs_restore where it switches. */
typedef struct hpp_ccs_mark {
    const hpp_ccs *current;
    size_t depth;
} hpp_ccs_mark;

HPF_API hpp_ccs_mark hpp_ccs_save(void);
HPF_API void hpp_ccs_restore(hpp_ccs_mark mark);

typedef struct hpp_jmp_buf {
    jmp_buf environment;
    hpp_ccs_mark mark;
} hpp_jmp_buf;

/* The argument for setjmp: notes the current stack in `*jump`. */
#define HPP_JMP_MARK(jump) (*(((jump)->mark = hpp_ccs_save()), &(jump)->environment))

/* Restores the stack that was noted, then jumps. */
HPF_API HPF_NORETURN void hpp_longjmp(hpp_jmp_buf *jump, int value);

/* ---- the library's ---------------------------------------------------------------------------
 * What the macros need. Nothing below is meant to be used by hand, and it may change. */

#define HPP_TEXT_OF_(line) #line
#define HPP_TEXT_OF(line)  HPP_TEXT_OF_(line)
#define HPP_JOIN_(a, b)    a##b
#define HPP_JOIN(a, b)     HPP_JOIN_(a, b)

#define HPP_CC_HERE_(label)                                                                        \
    HPP_STATIC(hpp_cc, HPP_CC_INIT("" label, HPP_MODULE, __FILE__ ":" HPP_TEXT_OF(__LINE__), 0))

/* A scope's variables have a number of their own: scopes nest without shadowing. */
#define HPP_SCOPE_(n, enter, what)                                                                 \
    HPP_RUN_(HPP_JOIN(hpp_scope_, n), HPP_JOIN(hpp_turn_, n), enter, what)
#define HPP_RUN_(scope, turn, enter, what)                                                         \
    for (hpp_scope scope HPP_CLEANUP(hpp_scope_leave),                                             \
         *turn = (enter(&scope, what, HPP_FRAME_ADDRESS(), HPP_RETURN_ADDRESS()), &scope);         \
         turn; turn = NULL)
#define HPP_HERE_(n, centre) HPP_OPEN_(HPP_JOIN(hpp_scope_, n), centre)
#define HPP_OPEN_(scope, centre)                                                                   \
    hpp_scope scope HPP_CLEANUP(hpp_scope_leave);                                                  \
    hpp_scope_enter(&scope, centre, HPP_FRAME_ADDRESS(), HPP_RETURN_ADDRESS())

/* What leaving a scope restores. Kept in memory, where setjmp does not forget it. */
typedef struct hpp_scope {
    struct hpp_cell *volatile before;
    struct hpp_frame *volatile top;
} hpp_scope;

/* `frame` and `return_address` are those of the function that has the scope. */
HPF_API void hpp_scope_enter(hpp_scope *scope, hpp_cc *centre, void *frame, void *return_address);
HPF_API void hpp_scope_enter_under(hpp_scope *scope, const hpp_ccs *ccs, void *frame,
                                   void *return_address);

static inline void hpp_scope_leave(hpp_scope *scope)
{
    hpp_thread *thread = hpp_this_thread;
    thread->top = scope->top;
    HPP_RELEASE_STORE(&thread->current, scope->before);
}

#ifdef __cplusplus
}
#endif
#endif
