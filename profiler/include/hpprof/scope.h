/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scopes: statements that run under a cost centre of their own.
 *
 * Entering a scope looks the new stack up in a table of the thread, counts an entry, and pushes a
 * frame that is not on the C stack. Leaving it restores the stack that was current before.
 */
#ifndef HPPROF_SCOPE_H
#define HPPROF_SCOPE_H

#include <setjmp.h>

#include "hpprof/ccs.h"

HPF_BEGIN_DECLS

/* The module of the cost centres that scopes define. Define HPP_MODULE before the include to change
 * it. */
#ifndef HPP_MODULE
#define HPP_MODULE __FILE__
#endif

/* HPP_SCC("name") { ... }
 *
 * Runs a statement under a new cost centre. The stack is restored at the end of the statement, and
 * after return, goto or break. The statement is a loop that runs once: break and continue leave it,
 * not a loop around it; use HPP_SCC_HERE there. For longjmp see below. */
#define HPP_SCC(label) HPP_SCOPE_(__LINE__, hpp_scope_enter, HPP_CC_HERE_(label))

/* HPP_SCC_HERE("name"); Runs the rest of the block under a new cost centre, with break, continue,
 * return and goto as usual. It is a declaration. */
#define HPP_SCC_HERE(label) HPP_HERE_(__LINE__, HPP_CC_HERE_(label))

/* HPP_SCC_OF(&centre) { ... } Is HPP_SCC with a cost centre that is defined elsewhere. */
#define HPP_SCC_OF(centre) HPP_SCOPE_(__LINE__, hpp_scope_enter, (centre))

/* HPP_UNDER(ccs) { ... } Runs a statement under a stack that was captured earlier, for the
 * evaluation of a thunk. Does not count an entry. */
#define HPP_UNDER(ccs) HPP_SCOPE_(__LINE__, hpp_scope_enter_under, (ccs))

/* ---- longjmp ------------------------------------------------------------------------------- */

/* longjmp skips the ends of scopes. There are three remedies, best first:
 *
 * 1. An hpp_jmp_buf: `if (setjmp(HPP_JMP_MARK(&jump)) == 0) {...}` and `hpp_longjmp(&jump, 1)`.
 *    When setjmp returns again, the stack is the same as at the first return.
 * 2. `hpp_ccs_mark mark = hpp_ccs_save();` before another library's setjmp, and
 *    hpp_ccs_restore(mark) after it has returned non-zero.
 * 3. None. The next scope detects the skipped ones: by frames deeper than its own, by frames at the
 *    same address with another return address, and by a frame at its own place. A scope around the
 *    setjmp restores its stack at its end. Until then, costs go to the skipped scopes. Not detected
 *    are skipped scopes of the function that called setjmp, of a call that is not deeper than the
 *    next scope's, and more than 65,000 scopes deep.
 *
 * Only frames on the thread's own stack are compared: a coroutine library must call hpp_ccs_save
 * and hpp_ccs_restore at each switch. */
typedef struct hpp_ccs_mark {
    const hpp_ccs *current;
    size_t depth;
} hpp_ccs_mark;

/* Return the calling thread's stack and scopes, and restore them. */
HPF_API hpp_ccs_mark hpp_ccs_save(void);
HPF_API void hpp_ccs_restore(hpp_ccs_mark mark);

typedef struct hpp_jmp_buf {
    jmp_buf environment;
    hpp_ccs_mark mark;
} hpp_jmp_buf;

/* The argument for setjmp: saves the current stack in `*jump`. */
#define HPP_JMP_MARK(jump) (*(((jump)->mark = hpp_ccs_save()), &(jump)->environment))

/* Restores the saved stack, then jumps. */
HPF_API HPF_NORETURN void hpp_longjmp(hpp_jmp_buf *jump, int value);

/* ---- internal -----------------------------------------------------------------------------------
 * Used by the macros; may change. */

#define HPP_TEXT_OF_(line) #line
#define HPP_TEXT_OF(line)  HPP_TEXT_OF_(line)
#define HPP_JOIN_(a, b)    a##b
#define HPP_JOIN(a, b)     HPP_JOIN_(a, b)

#define HPP_CC_HERE_(label)                                                                        \
    HPP_STATIC(hpp_cc, HPP_CC_INIT("" label, HPP_MODULE, __FILE__ ":" HPP_TEXT_OF(__LINE__), 0))

/* Numbered variables: nested scopes do not shadow each other. */
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

/* What is restored at the end of a scope. Volatile, so that its values survive a longjmp. */
typedef struct hpp_scope {
    struct hpp_cell *volatile before;
    struct hpp_frame *volatile top;
} hpp_scope;

/* Enter a scope. `frame` and `return_address` belong to the function that contains it. */
HPF_API void hpp_scope_enter(hpp_scope *scope, hpp_cc *centre, void *frame, void *return_address);
HPF_API void hpp_scope_enter_under(hpp_scope *scope, const hpp_ccs *ccs, void *frame,
                                   void *return_address);

HPP_NO_ENTRY static inline void hpp_scope_leave(hpp_scope *scope)
{
    hpp_thread *thread = hpp_this_thread;
    thread->top = scope->top;
    HPP_RELEASE_STORE(&thread->current, scope->before);
}

HPF_END_DECLS
#endif
