/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost centres and cost-centre stacks.
 *
 * A cost centre is a named place in the program. A cost-centre stack says which places led here; a
 * program has one tree of them, rooted at MAIN, and each thread has a current one, which pays for
 * time and allocation. Stacks are interned: equal stacks are the same pointer, so that a heap
 * object or a suspended computation keeps the stack that made it in one word.
 *
 * The rules are those of GHC's profiler (user's guide, "Rules for attributing costs"):
 *   - entering a scope pushes its cost centre on the current stack and counts an entry;
 *   - a cost centre that is on the stack already is not pushed again: the stack is cut back to
 *     where it is (GHC 7.4 and later), so recursion, mutual recursion too, makes no deep stacks;
 *   - a suspended computation (thunk) keeps the stack that made it and is evaluated under it;
 *   - calling a function appends the stack that the function captured to the caller's, without the
 *     prefix that both have;
 *   - a top-level computation (CAF) has a stack of its own, below MAIN in reports.
 *
 * Ownership: cost centres are static data of the program; stacks live as long as the process.
 * Errors: there are none. Where memory for a stack is missing, the parent pays, and
 * hpp_ccs_losses says so. Threads: everything may be called from any thread.
 */
#ifndef HPPROF_CCS_H
#define HPPROF_CCS_H

#include <setjmp.h>

#include "hpprof/compiler.h"
#include "hpprof/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a cost centre is besides its name. */
enum {
    HPP_CC_CAF = 1,       /* a top-level computation, or all those of a module */
    HPP_CC_UNCOUNTED = 2, /* entries are not counted */
};

/* A cost centre. Define it with HPP_CC_INIT, in static storage; the texts are static too. */
typedef struct hpp_cc {
    const char *label;
    const char *module;
    const char *srcloc;  /* "file.c:12", or "<built-in>" */
    uint32_t flags;      /* HPP_CC_ values */
    uint32_t id;         /* the library's: 0 until first used, then dense from 1 */
    struct hpp_cc *next; /* the library's */
} hpp_cc;

#define HPP_CC_INIT(label, module, srcloc, flags)                                                  \
    {                                                                                              \
        (label), (module), (srcloc), (flags), 0, NULL                                              \
    }

/* A cost-centre stack. Opaque and immutable, but for its costs. */
typedef struct hpp_ccs hpp_ccs;

/* ---- scopes ------------------------------------------------------------------------------- */

/* The module of the cost centres that scopes define. A source file may define its own before. */
#ifndef HPP_MODULE
#define HPP_MODULE __FILE__
#endif

#define HPP_TEXT_OF_(line) #line
#define HPP_TEXT_OF(line)  HPP_TEXT_OF_(line)
#define HPP_JOIN_(a, b)    a##b
#define HPP_JOIN(a, b)     HPP_JOIN_(a, b)
#define HPP_SRCLOC         __FILE__ ":" HPP_TEXT_OF(__LINE__)

/* An open scope: what leaving it restores. The members are the library's. */
typedef struct hpp_scope {
    void *before;
    uint32_t depth;
} hpp_scope;

/* HPP_SCC("name") { ... }
 *
 * Runs the statement under a new cost centre. The stack is restored when the statement ends and
 * when it is left by return, goto or break. The statement is a loop of one turn: break and continue
 * leave it, not a loop around it; where that matters, use HPP_SCC_HERE. For longjmp see below. */
#define HPP_SCC(label) HPP_SCOPE_(hpp_scope_enter, HPP_CC_HERE_(label))

/* HPP_SCC_HERE("name"); among the declarations of a block: from here to the end of the block, with
 * break, continue, return and goto as usual. */
#define HPP_SCC_HERE(label)                                                                        \
    hpp_scope HPP_JOIN(hpp_scope_, __LINE__) HPP_CLEANUP(hpp_scope_leave);                         \
    hpp_scope_enter(&HPP_JOIN(hpp_scope_, __LINE__), HPP_CC_HERE_(label), HPP_FRAME_ADDRESS(),     \
                    HPP_RETURN_ADDRESS())

/* HPP_SCC_OF(&centre) { ... }: like HPP_SCC, with a cost centre defined elsewhere. */
#define HPP_SCC_OF(centre) HPP_SCOPE_(hpp_scope_enter, (centre))

/* HPP_UNDER(ccs) { ... }: runs the statement under a stack captured earlier: the evaluation of a
 * thunk. No entry is counted. */
#define HPP_UNDER(ccs) HPP_SCOPE_(hpp_scope_enter_under, (ccs))

/* What the macros are made of. */
#define HPP_CC_HERE_(label) HPP_STATIC(hpp_cc, HPP_CC_INIT("" label, HPP_MODULE, HPP_SRCLOC, 0))
#define HPP_SCOPE_(enter, what)                                                                    \
    for (hpp_scope HPP_JOIN(hpp_scope_, __LINE__) HPP_CLEANUP(hpp_scope_leave),                    \
         *HPP_JOIN(hpp_turn_, __LINE__) = (enter(&HPP_JOIN(hpp_scope_, __LINE__), what,            \
                                                 HPP_FRAME_ADDRESS(), HPP_RETURN_ADDRESS()),       \
                                           &HPP_JOIN(hpp_scope_, __LINE__));                       \
         HPP_JOIN(hpp_turn_, __LINE__); HPP_JOIN(hpp_turn_, __LINE__) = NULL)

/* `frame` and `return_address` are those of the function that has the scope. */
HPF_API void hpp_scope_enter(hpp_scope *scope, hpp_cc *centre, void *frame, void *return_address);
HPF_API void hpp_scope_enter_under(hpp_scope *scope, const hpp_ccs *ccs, void *frame,
                                   void *return_address);
HPF_API void hpp_scope_leave(hpp_scope *scope);

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
 *    very function that called setjmp, and those of a call no deeper than the next scope's.
 *
 * Frames are compared on the thread's own stack only: a coroutine library calls hpp_ccs_save and
 * hpp_ccs_restore where it switches. */
typedef struct hpp_ccs_mark {
    const hpp_ccs *current;
    uint32_t depth;
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

/* ---- the current stack, for language runtimes ---------------------------------------------- */

/* The calling thread's stack: keep it in a thunk, in a heap object, in a function value. */
HPF_API const hpp_ccs *hpp_ccs_current(void);

/* Makes `ccs` the calling thread's stack, until the next change: for runtimes that keep their own
 * stack of frames, and when a thread of the language is resumed. */
HPF_API void hpp_ccs_set(const hpp_ccs *ccs);

/* Pushes a cost centre on the current stack and counts an entry. */
HPF_API void hpp_ccs_enter(hpp_cc *centre);

/* A call of a function that captured `function`: current = hpp_ccs_append(current, function). */
HPF_API void hpp_ccs_enter_function(const hpp_ccs *function);

/* ---- stacks as values ----------------------------------------------------------------------- */

/* The stack `ccs` with `centre` on top, or cut back to it when it is there already. */
HPF_API const hpp_ccs *hpp_ccs_push(const hpp_ccs *ccs, hpp_cc *centre);

/* `current` followed by `function` without their common prefix:
 *   <a,b,c> and <a,b,d> give <a,b,c,d>; <a,b> and <a,b,c> give <a,b,c>; <a,b,c> and <> the first.
 * Below a CAF nothing is shared with stacks of MAIN: all of `function` but its CAF is appended. A
 * function that captured a CAF alone runs under the caller's stack. */
HPF_API const hpp_ccs *hpp_ccs_append(const hpp_ccs *current, const hpp_ccs *function);

/* The stack of a top-level computation: `centre`, which should have HPP_CC_CAF, alone. */
HPF_API const hpp_ccs *hpp_ccs_of_caf(hpp_cc *centre);

/* Stacks that exist from the start. All but MAIN and PINNED are kept out of totals and reports,
 * unless `-pa` asks for everything. */
typedef enum hpp_builtin {
    HPP_CCS_MAIN,      /* the root: costs that no cost centre claims */
    HPP_CCS_SYSTEM,    /* the runtime itself */
    HPP_CCS_GC,        /* garbage collection */
    HPP_CCS_OVERHEAD,  /* the profiler */
    HPP_CCS_DONT_CARE, /* static objects; never pays */
    HPP_CCS_PINNED,    /* memory whose objects cannot be told apart */
    HPP_CCS_IDLE,      /* waiting */
    HPP_N_BUILTINS
} hpp_builtin;
HPF_API const hpp_ccs *hpp_ccs_builtin(hpp_builtin which);

/* The top, what is below it (NULL for MAIN), cost centres on it (1 for MAIN), and its number: dense
 * from 1, in order of creation, parents before children. */
HPF_API const hpp_cc *hpp_ccs_centre(const hpp_ccs *ccs);
HPF_API const hpp_ccs *hpp_ccs_parent(const hpp_ccs *ccs);
HPF_API uint32_t hpp_ccs_depth(const hpp_ccs *ccs);
HPF_API uint32_t hpp_ccs_id(const hpp_ccs *ccs);

/* Stacks made so far, and the stack with a given number; NULL when there is none. */
HPF_API uint32_t hpp_ccs_count(void);
HPF_API const hpp_ccs *hpp_ccs_by_id(uint32_t id);

/* Stacks as a heap adapter names producers: the handles are `const hpp_ccs *`. */
HPF_API extern const hpp_stacks hpp_ccs_stacks;

/* Makes a cost centre known before it is used, so that a report of everything (-pa) lists it. */
HPF_API void hpp_cc_declare(hpp_cc *centre);

/* Cost centres known so far, newest first; NULL ends the list that hpp_cc.next makes. */
HPF_API const hpp_cc *hpp_cc_newest(void);

/* ---- costs --------------------------------------------------------------------------------- */

/* Charges an allocation to the current stack, or to a given one. */
HPF_API void hpp_ccs_allocated(size_t n_bytes);
HPF_API void hpp_ccs_allocated_by(const hpp_ccs *ccs, size_t n_bytes);

/* Charges a clock tick to the current stack of the calling thread. Safe in a signal handler. */
HPF_API void hpp_ccs_tick(void);

typedef struct hpp_costs {
    uint64_t entries;
    uint64_t ticks;
    uint64_t allocated_bytes;
} hpp_costs;

/* What a stack has cost so far, in all threads, without what is above it. */
HPF_API hpp_costs hpp_ccs_costs(const hpp_ccs *ccs);

/* What is missing for want of memory: stacks that could not be made (their parents pay), and
 * threads whose costs could not be kept (entries and ticks are lost, allocation goes to MAIN). */
typedef struct hpp_losses {
    uint64_t stacks;
    uint64_t threads;
} hpp_losses;
HPF_API hpp_losses hpp_ccs_losses(void);

/* Whether entries are counted, from now on, in all threads. They are at the start. */
HPF_API void hpp_ccs_count_entries(bool on);

/* ---- in words -------------------------------------------------------------------------------- */

/* Writes the stack, innermost first, to a file descriptor:
 *   Module.label,
 *     called from Module.label
 * Allocates nothing: safe in a signal handler. */
HPF_API void hpp_ccs_print(const hpp_ccs *ccs, int fd);

#ifdef __cplusplus
}
#endif
#endif
