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
 *   - entering a scope (scope.h) pushes its cost centre on the current stack and counts an entry;
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

/* Whether pushes that no thread has made before count entries; at the start they do. Call it before
 * the first scope. */
HPF_API void hpp_ccs_count_entries(bool on);

/* ---- in words -------------------------------------------------------------------------------- */

/* Writes the stack, innermost first, to a file descriptor:
 *   Module.label,
 *     called from Module.label
 * Allocates nothing: safe in a signal handler. */
HPF_API void hpp_ccs_print(const hpp_ccs *ccs, int fd);

/* ---- internal: used by the macros of scope.h ---------------------------------------------------
 */

/* The calling thread's innermost scope, and the stack with its counters. */
typedef struct hpp_thread {
    struct hpp_cell *current; /* NULL before the first scope */
    struct hpp_frame *top;
} hpp_thread;

HPF_API extern HPP_THREAD_LOCAL hpp_thread *hpp_this_thread;

#ifdef __cplusplus
}
#endif
#endif
