/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Folds recursion, as GHC's cost-centre stacks do: a function that is called again cuts the stack
 * back to its first call. So the number of stacks depends on the functions of a program, and not on
 * the depth of its data: a parser or an interpreter would make a new stack for nearly each block.
 *
 * A function is what one entry of the unwind tables (FDE) covers; without one, it is one return
 * address. The functions that a signal interrupted are not folded, nor those outside of them: the
 * handler may call them while they run.
 *
 * A function of Python is its code. Its frames are folded as they are, without the rule that
 * follows.
 *
 * The innermost HPP_WHOLE_FRAMES frames of a site are never lost. An allocator that was entered
 * before may call the program back, and the caller of its inner call must stay visible.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_RECURSION_H
#define HPP_NATIVE_TARGET_UNWIND_RECURSION_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HPP_WHOLE_FRAMES = 3,
    HPP_N_KNOWN_CALLS = 2048, /* 48 KiB */
};

/* A call from a function on top of a stack. */
typedef struct hpp_call_edge {
    uintptr_t address; /* return address in the called function, as in its node */
    uint32_t stack;    /* node of the caller; 0: none */
    uint16_t module_number;
    uint16_t flags; /* HPP_NODE_ values */
} hpp_call_edge;

typedef struct hpp_folded_stack {
    uint32_t node; /* 0: the window is full, or must not grow */
    bool is_folded;
} hpp_folded_stack;

/* Folded stacks of calls, by hash; a new call replaces an older one. */
typedef struct hpp_known_call {
    hpp_call_edge edge;
    hpp_folded_stack stack;
} hpp_known_call;

/* Returns the stack after a call. */
hpp_folded_stack hpp__recursion_fold(const hpp_call_edge *edge);

/* Does the same with a cache. `known` has HPP_N_KNOWN_CALLS entries, zeroed at first. */
hpp_folded_stack hpp__recursion_push(hpp_known_call *known, const hpp_call_edge *edge);

#endif
