/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From the nodes of a window to stacks of functions, as GHC's cost-centre stacks are: a tree rooted
 * at MAIN, interned, without recursion. A function that is called while it is on the stack already
 * cuts the stack back to where it is. Inlined functions are functions like others; what calls main
 * is left out.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_STACKS_OF_FUNCTIONS_H
#define HPP_NATIVE_STACKS_OF_FUNCTIONS_H

#include "hpfile/arena.h"
#include "hpprof/heap.h"
#include "base/map.h"
#include "native_names.h"
#include "native/window/window_reader.h"

/* A stack: `function` on top of `parent`. */
typedef struct hpp__stack {
    const hpp__function *function;
    const struct hpp__stack *parent; /* NULL: the root, or one that stands for something else */
    uint32_t id;                     /* dense from 0, parents before children */
    uint32_t depth;                  /* functions on it, without the root */
} hpp__stack;

/* Who made a block. */
typedef struct hpp__producer {
    const hpp__stack *stack; /* without the functions passed over, and no deeper than asked for;
                                NULL without memory, or when the node makes no sense */
    hpp__frame frame;        /* the innermost of those: where the block was asked for */
    hpp_call call;           /* HPP_CALL_NEW or HPP_CALL_NEW_ARRAY when that was passed over */
} hpp__producer;

/* A module of the window, as the resolver knows it. */
typedef struct hpp__known_module {
    uint32_t object; /* number + 1; 0: not known yet */
    uint64_t bias;
} hpp__known_module;

typedef struct hpp__native_stacks {
    hpp__names *names;                /* borrowed */
    const hpp__window_reader *reader; /* borrowed */
    uint32_t process_id;
    uint32_t max_depth;
    hpf_arena *arena;
    hpp__stack *root;
    const hpp__stack **by_id; /* all stacks that have the root below them */
    size_t by_id_capacity;
    uint32_t n_stacks;
    hpp__map children; /* id of the parent, index of the function -> stack */
    hpp__map cuts;     /* stack -> the same, no deeper than max_depth */
    const hpp__stack **of_node;
    hpp__known_module *modules;
    size_t of_node_capacity, modules_capacity;
    uint32_t *path; /* nodes between one that is known and one that is asked for */
    size_t path_capacity;
} hpp__native_stacks;

/* `max_depth` 0: as deep as they are. Errors: MEMORY. Finish in any case. */
hpf_status hpp__native_stacks_init(hpp__native_stacks *stacks, hpp__names *names,
                                   const hpp__window_reader *reader, uint32_t process_id,
                                   uint32_t max_depth, hpf_error *err);
void hpp__native_stacks_finish(hpp__native_stacks *stacks);

/* Who made what is counted for a node, which is not 0. */
hpp__producer hpp__native_stacks_producer(hpp__native_stacks *stacks, uint32_t node);

/* The stack of a node with nothing passed over: where time is spent. NULL as above. */
const hpp__stack *hpp__native_stacks_place(hpp__native_stacks *stacks, uint32_t node);

/* A stack that is none of the tree, and stands for something else; NULL without memory. */
const hpp__stack *hpp__native_stacks_special(hpp__native_stacks *stacks, hpf_str text);

/* How the census engine looks into such stacks; needs no context. */
extern const hpp_stacks hpp__native_stacks_view;

#endif
