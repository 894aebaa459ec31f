/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost centres and cost-centre stacks.
 *
 * A cost centre is a named place in the program. A cost-centre stack is the chain of cost centres
 * that led to a place; all stacks form one tree with the root MAIN. Each thread has a current
 * stack, which time and allocation are charged to. Stacks are interned (equal stacks are equal
 * pointers), so an object or a suspended computation stores its producer in one word.
 *
 * The rules are the same as in GHC's profiler (user's guide, "Rules for attributing costs"):
 *   - entering a scope (scope.h) pushes its cost centre on the current stack and counts an entry;
 *   - a cost centre that is already on the stack is not pushed again: the stack is cut back to it
 * (GHC 7.4 and later), so recursion does not make deep stacks;
 *   - a suspended computation (thunk) is evaluated under the stack that created it;
 *   - calling a function appends the stack that the function captured to the caller's, without the
 *     prefix that both have;
 *   - a top-level computation (CAF) has a stack of its own, below MAIN in reports.
 *
 * Ownership: cost centres are static data of the program; stacks are never freed. Errors: none.
 * Without memory for a stack, costs go to its parent, and the `.prof` file says so. Threads: call
 * any function in any thread.
 */
#ifndef HPPROF_CCS_H
#define HPPROF_CCS_H

#include "hpprof/compiler.h"
#include "hpprof/heap.h"

HPF_BEGIN_DECLS

/* Flags of a cost centre. */
enum {
    HPP_CC_CAF = 1,       /* a top-level computation, or all of a module */
    HPP_CC_UNCOUNTED = 2, /* entries are not counted */
};

/* A cost centre. Define it in static storage, with HPP_CC_INIT and static texts. */
typedef struct hpp_cc {
    const char *label;
    const char *module;
    const char *srcloc;  /* "file.c:12", or "<built-in>" */
    uint32_t flags;      /* HPP_CC_ values */
    uint32_t id;         /* internal: 0 until first used, then from 1 without gaps */
    struct hpp_cc *next; /* internal */
} hpp_cc;

#define HPP_CC_INIT(label, module, srcloc, flags)                                                  \
    {                                                                                              \
        (label), (module), (srcloc), (flags), 0, NULL                                              \
    }

/* A cost-centre stack. Opaque; only its costs change. */
typedef struct hpp_ccs hpp_ccs;

/* ---- the current stack, for language runtimes ---------------------------------------------- */

/* Returns the calling thread's stack, to be stored in a thunk, an object or a function value. */
HPF_API const hpp_ccs *hpp_ccs_current(void);

/* Sets the calling thread's stack: for runtimes with their own stack of frames, and when a thread
 * of the language is resumed. */
HPF_API void hpp_ccs_set(const hpp_ccs *ccs);

/* Pushes a cost centre on the current stack and counts an entry. */
HPF_API void hpp_ccs_enter(hpp_cc *centre);

/* Calls a function that captured `function`: sets the current stack to hpp_ccs_append(current,
 * function). */
HPF_API void hpp_ccs_enter_function(const hpp_ccs *function);

/* ---- stacks as values ----------------------------------------------------------------------- */

/* Returns the stack `ccs` with `centre` on top, or cut back to it if it is already there. */
HPF_API const hpp_ccs *hpp_ccs_push(const hpp_ccs *ccs, hpp_cc *centre);

/* Returns `current` followed by `function` without their common prefix:
 *   <a,b,c> and <a,b,d> give <a,b,c,d>; <a,b> and <a,b,c> give <a,b,c>; <a,b,c> and <> the first.
 * A stack below a CAF has no common prefix with stacks of MAIN: all of `function` except its CAF is
 * appended. A function that captured only a CAF runs under the caller's stack. */
HPF_API const hpp_ccs *hpp_ccs_append(const hpp_ccs *current, const hpp_ccs *function);

/* Returns the stack of a top-level computation: only `centre`, which should have HPP_CC_CAF. */
HPF_API const hpp_ccs *hpp_ccs_of_caf(hpp_cc *centre);

/* Stacks that exist from the start. Totals and reports leave out all except MAIN and PINNED, unless
 * `-pa` is given. */
typedef enum hpp_builtin {
    HPP_CCS_MAIN,      /* the root: costs that no cost centre claims */
    HPP_CCS_SYSTEM,    /* the runtime itself */
    HPP_CCS_GC,        /* garbage collection */
    HPP_CCS_OVERHEAD,  /* the profiler */
    HPP_CCS_DONT_CARE, /* static objects; has no costs */
    HPP_CCS_PINNED,    /* memory whose objects cannot be distinguished */
    HPP_CCS_IDLE,      /* waiting */
    HPP_N_BUILTINS
} hpp_builtin;
HPF_API const hpp_ccs *hpp_ccs_builtin(hpp_builtin which);

/* For heap adapters whose producers are of type `const hpp_ccs *`. */
HPF_API extern const hpp_stacks hpp_ccs_stacks;

/* Registers a cost centre before its first use, so that a report of everything (-pa) lists it. */
HPF_API void hpp_cc_declare(hpp_cc *centre);

/* ---- costs --------------------------------------------------------------------------------- */

/* Charges an allocation to the current stack, or to a given one. */
HPF_API void hpp_ccs_allocated(size_t n_bytes);
HPF_API void hpp_ccs_allocated_by(const hpp_ccs *ccs, size_t n_bytes);

/* Charges a clock tick to the current stack of the calling thread. Safe in a signal handler. */
HPF_API void hpp_ccs_tick(void);

/* ---- printing -------------------------------------------------------------------------------- */

/* Writes the stack, innermost first, to a file descriptor:
 *   Module.label,
 *     called from Module.label
 * Does not allocate: safe in a signal handler. */
HPF_API void hpp_ccs_print(const hpp_ccs *ccs, int fd);

/* ---- internal: used by the macros of scope.h ---------------------------------------------------
 */

/* The calling thread's innermost scope, and the stack with its counters. */
typedef struct hpp_thread {
    struct hpp_cell *current; /* NULL before the first scope */
    struct hpp_frame *top;
} hpp_thread;

HPF_API extern HPP_THREAD_LOCAL hpp_thread *hpp_this_thread;

HPF_END_DECLS
#endif
